/** The tables that the station fills by itself. Times are TIMESTAMP in UTC. */
import type { Column } from '@minga/lake'

const columns = (text: string): Column[] =>
  text.split(', ').map((column) => {
    const [name, type] = column.split(' ')
    return { name: name!, type: type! }
  })

export const FEED_TABLES = {
  captures: columns(
    'id BIGINT, collection BIGINT, url VARCHAR, host VARCHAR, domain VARCHAR, country VARCHAR, at TIMESTAMP, kind VARCHAR, status INTEGER, mime VARCHAR, digest VARCHAR, bytes BIGINT, title VARCHAR, file VARCHAR, offset_bytes BIGINT, length_bytes BIGINT',
  ),
  links: columns(
    'collection BIGINT, url VARCHAR, host VARCHAR, to_url VARCHAR, to_host VARCHAR, kind VARCHAR, at TIMESTAMP',
  ),
  changes: columns(
    'watch BIGINT, url VARCHAR, host VARCHAR, at TIMESTAMP, kind VARCHAR, visual DOUBLE, structural DOUBLE, content DOUBLE, is_counted BOOLEAN',
  ),
  requests: columns(
    'collection BIGINT, url VARCHAR, host VARCHAR, at TIMESTAMP, outcome VARCHAR, status INTEGER, code VARCHAR, attempts INTEGER, bytes BIGINT, total_ms DOUBLE, device VARCHAR',
  ),
  events: columns('at TIMESTAMP, kind VARCHAR, subject VARCHAR, detail VARCHAR'),
  revisions: columns(
    'wiki VARCHAR, page_id BIGINT, ns INTEGER, title VARCHAR, rev_id BIGINT, parent_id BIGINT, at TIMESTAMP, user VARCHAR, user_id BIGINT, editor VARCHAR, is_minor BOOLEAN, size BIGINT, sha1 VARCHAR, comment VARCHAR, tags VARCHAR[], has_text BOOLEAN, text_bytes BIGINT',
  ),
} as const satisfies Record<string, Column[]>

export type FeedTable = keyof typeof FEED_TABLES

export const FEED_NAMES = Object.keys(FEED_TABLES) as FeedTable[]

/** Filled as things happen; `revisions` are added when a user requests them. */
export type RowFeed = Exclude<FeedTable, 'revisions'>

export const ROW_FEEDS: readonly RowFeed[] = ['captures', 'links', 'changes', 'requests', 'events']

/** A value on its way into a segment: times are milliseconds, lists are of text. */
export type Cell = string | number | boolean | null | readonly string[]
