/** How far what is derived from the archive (tables, the index of texts) was read, one row for each feed. */
import { MingaError } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { Horizon } from './id-cursor.ts'

/** Another wrote from the same rows, or some of them were taken away in the meantime. */
export class FeedMoved extends MingaError {
  readonly code = 'MINGA_FEED_MOVED'
  readonly retry = 'now'

  static of(feed: string): FeedMoved {
    return new FeedMoved(`The data for table "${feed}" has changed in the meantime. Read it again.`)
  }
}

interface FeedState<C> {
  turn: number
  cursor: C
}

/** Of a feed that was never read: as at its start. */
export async function rawState<C>(sql: Sql, feed: string, start: C): Promise<FeedState<C>> {
  await sql.run(
    'INSERT INTO lake_feeds (feed, cursor, turn) VALUES (?, ?, 0) ON CONFLICT DO NOTHING',
    [feed, JSON.stringify(start)],
  )
  const row = await sql.get<{ turn: number; cursor: string }>(
    'SELECT turn, cursor FROM lake_feeds WHERE feed = ?',
    [feed],
  )
  return { turn: row!.turn, cursor: JSON.parse(row!.cursor) as C }
}

/** Fails when another writer used the same rows, or some of them were removed. */
export async function takeTurn(sql: Sql, feed: string, turn: number): Promise<void> {
  const taken = await sql.run('UPDATE lake_feeds SET turn = turn + 1 WHERE feed = ? AND turn = ?', [
    feed,
    turn,
  ])
  if (taken === 0) throw FeedMoved.of(feed)
}

export async function writeCursor(sql: Sql, feed: string, cursor: string): Promise<void> {
  await sql.run('UPDATE lake_feeds SET cursor = ? WHERE feed = ?', [cursor, feed])
}

/** Null where one transaction comes after another. */
export async function horizonOf(sql: Sql, now: number): Promise<Horizon | null> {
  if (sql.dialect !== 'postgres') return null
  const row = await sql.get<{ oldest: string; next: string }>(
    `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest,
       pg_snapshot_xmax(pg_current_snapshot())::text AS next`,
  )
  return { now, oldest: Number(row!.oldest), next: Number(row!.next) }
}
