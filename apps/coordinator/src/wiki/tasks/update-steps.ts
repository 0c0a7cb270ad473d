/** What an update asks: whether stored pages have something new, fifty at a time, and what the logs say. */
import type { Sql } from '@minga/store'
import {
  pageRows,
  planPoll,
  stepsForPages,
  type TaskRow,
  type Ticket,
  type WikiStep,
} from '@minga/wiki'
import { readFeed } from '../feeds/feed-state.ts'
import { updateArguments } from './wiki-task.ts'
import type { WikiOfCollection } from '../wiki-of-collection.ts'

interface Asking {
  wiki: WikiOfCollection
  ticket: Ticket
}

interface Updating extends Asking {
  task: TaskRow
  now: number
}

/** Entries of a log in one answer, as many as a wiki gives to anyone. */
const LOG_LIMIT = 500

export async function updateSteps(sql: Sql, args: Updating): Promise<WikiStep[]> {
  const { wiki, ticket, now } = args
  const { titles } = updateArguments.parse(args.task.arguments)
  if (titles !== null) return titleSteps(sql, { wiki, ticket, titles })
  const feed = await readFeed(sql, wiki.wikiId)
  const poll = planPoll(feed?.mark ?? null, now, { site: wiki.site, ticket })
  return [...(await sweepSteps(sql, { wiki, ticket })), ...poll.steps]
}

/**
 * A hidden text or an imported history leaves the newest revision unchanged: the log reports them.
 */
async function titleSteps(
  sql: Sql,
  { wiki, ticket, titles }: Asking & { titles: readonly string[] },
): Promise<WikiStep[]> {
  const { site, wikiId } = wiki
  const rows = await pageRows(sql, { wikiId, titles })
  const logs = rows.map(({ title, lastAt }): WikiStep => {
    const asked = { api: site.apiUrl!, type: null, limit: LOG_LIMIT, more: {}, ticket }
    return { kind: 'logevents', ...asked, since: lastAt, title }
  })
  return [...stepsForPages(site, { titles, isFollowing: false }, ticket), ...logs]
}

/** Every page that was extracted; what is gone may have come back. */
export async function sweepSteps(sql: Sql, { wiki, ticket }: Asking): Promise<WikiStep[]> {
  const rows = await sql.all<{ page_id: number }>(
    `SELECT page_id FROM wiki_pages WHERE wiki_id = ?
       AND state IN ('extracting', 'complete', 'gapped', 'deleted') ORDER BY page_id`,
    [wiki.wikiId],
  )
  const pageIds = rows.map(({ page_id: id }) => id)
  return stepsForPages(wiki.site, { pageIds, isFollowing: false }, ticket)
}
