/** Captures that are gone from the archive have to leave the lake, too: what is noted for that, in the same transaction. */
import type { Sql } from '@minga/store'
import { writeCursor } from './feed-state.ts'
import type { IdCursor } from './id-cursor.ts'

export interface PendingPurge {
  id: number
  captureId: number
  collectionId: number
  url: string
  at: number
}

/** `where` chooses captures that are deleted after this, in the same transaction. */
export async function markForPurge(
  sql: Sql,
  where: string,
  params: readonly number[],
): Promise<void> {
  await sql.run(
    `INSERT INTO lake_doomed (capture_id, collection_id, url, captured_at)
     SELECT id, collection_id, url, captured_at FROM captures WHERE ${where}`,
    params,
  )
  // Readers that have read these rows but not yet written them read again.
  await sql.run(`UPDATE lake_feeds SET turn = turn + 1`)
}

/**
 * SQLite assigns the numbers after the last row again: the read position must not be ahead of them.
 */
export async function lowerFeedMarks(sql: Sql): Promise<void> {
  if (sql.dialect !== 'sqlite') return
  const lastOf = async (table: 'captures' | 'visits'): Promise<number> => {
    const row = await sql.get<{ last: number | null }>(`SELECT MAX(id) AS last FROM ${table}`)
    return row?.last ?? 0
  }
  const lasts = { captures: await lastOf('captures'), visits: await lastOf('visits') }
  const feeds = await sql.all<{ feed: string; cursor: string }>(
    `SELECT feed, cursor FROM lake_feeds WHERE feed IN ('captures', 'changes', 'texts') OR feed LIKE 'extract:%'`,
  )
  for (const { feed, cursor: text } of feeds) {
    const cursor = JSON.parse(text) as IdCursor
    const last = lasts[feed === 'changes' ? 'visits' : 'captures']
    if (cursor.last > last) await writeCursor(sql, feed, JSON.stringify({ ...cursor, last }))
  }
}

export function listPendingPurges(sql: Sql, { most }: { most: number }): Promise<PendingPurge[]> {
  return sql.all(
    `SELECT id, capture_id AS "captureId", collection_id AS "collectionId", url, captured_at AS "at"
     FROM lake_doomed ORDER BY id LIMIT ?`,
    [most],
  )
}

/** No file contains them any more. */
export async function dropPendingPurges(
  sql: Sql,
  { ids }: { ids: readonly number[] },
): Promise<void> {
  await sql.deleteMany({ table: 'lake_doomed', keys: ['id'], rows: ids.map((id) => [id]) })
}
