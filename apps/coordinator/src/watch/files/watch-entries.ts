/** Watches as entries of a file. */
import { harvestSpec, type WatchSubject } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { watchRows, type WatchQuery, type WatchRow } from '../watch-rows.ts'
import type { WatchEntry } from './watch-entry.ts'

export interface EntriesPage {
  entries: WatchEntry[]
  /** Where the next page begins; null when there is none. */
  before: number | null
}

export async function watchEntries(sql: Sql, query: WatchQuery): Promise<EntriesPage> {
  const rows = await watchRows(sql, query)
  const entries: WatchEntry[] = []
  for (const row of rows) entries.push(await entryOf(sql, row))
  return { entries, before: rows.length < query.limit ? null : rows.at(-1)!.id }
}

async function entryOf(sql: Sql, { id, subject, settings, spec }: WatchRow): Promise<WatchEntry> {
  const watched = await sql.all<{ url: string; role: string }>(
    'SELECT url, role FROM forecasts WHERE collection_id = ? ORDER BY url',
    [id],
  )
  const ofRole = (...roles: string[]): string[] =>
    watched.filter(({ role }) => roles.includes(role)).map(({ url }) => url)
  const [urls, feeds] = [ofRole('page', 'probe'), ofRole('feed')]
  return {
    ...settings,
    subject,
    // What is nothing but a feed is asked for as one.
    urls: urls.length === 0 ? feeds : urls,
    feeds,
    sitemaps: ofRole('sitemap'),
    ...harvestSpec.parse(spec),
  }
}

/** How often the same thing is watched: a file that is imported twice must not double everything. */
export async function timesWatched(
  sql: Sql,
  args: { owner: string; name: string; subject: WatchSubject; url: string },
): Promise<number> {
  const row = await sql.get<{ times: number }>(
    `SELECT count(*) AS times FROM watches w JOIN collections c ON c.id = w.collection_id
     WHERE c.owner = ? AND w.name = ? AND w.subject = ? AND EXISTS (SELECT 1 FROM forecasts f
       WHERE f.collection_id = w.collection_id AND f.url = ?)`,
    [args.owner, args.name, args.subject, args.url],
  )
  return row!.times
}
