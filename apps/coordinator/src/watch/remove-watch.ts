/**
 * Removes a watch. Its captures stay unless they are to go, too: then they leave the index, while
 * their records stay inside the append-only WARC files until somebody repacks those.
 */
import { cancelQueued } from '@minga/frontier'
import type { Sql } from '@minga/store'
import { doomCaptures, lowerFeedMarks } from '../archive/doomed-rows.ts'
import { forgetTexts } from '../archive/search/forget-texts.ts'
import { watchToChange } from './watch-rows.ts'

export interface RemovedWatch {
  id: number
  /** Captures that can still be read. */
  kept: number
  /** Captures that are no longer in the index. */
  removed: number
  /** What the removed ones still take inside the files. */
  bytesInFiles: number
}

const OF_WATCH = [
  'watches',
  'forecasts',
  'visit_chains',
  'sketches',
  'twin_requests',
  'visits',
  'versions',
  'watch_trail',
  'watch_hooks',
  'notices',
  'watch_sources',
  'websub_subscriptions',
  'alert_rules',
] as const

export async function removeWatch(
  sql: Sql,
  args: { id: number; owner: string | null; withCaptures: boolean; now: number },
): Promise<RemovedWatch> {
  const { id } = await watchToChange(sql, args)
  await cancelQueued(sql, id)
  for (const table of OF_WATCH) {
    await sql.run(`DELETE FROM ${table} WHERE collection_id = ?`, [id])
  }
  // The collection itself stays: its captures name it, and something may still be out with an agent.
  await sql.run(
    `UPDATE collections SET state = 'cancelled', reason = 'removed', ended_at = ? WHERE id = ?`,
    [args.now, id],
  )
  const gone = args.withCaptures ? await removeCaptures(sql, id) : { removed: 0, bytesInFiles: 0 }
  await lowerFeedMarks(sql)
  const left = await sql.get<{ count: number }>(
    'SELECT COUNT(*) AS count FROM captures WHERE collection_id = ?',
    [id],
  )
  return { id, kept: left!.count, ...gone }
}

/** Another collection's revisit record says “the same bytes as there”: what is there must stay. */
const NEEDED = `kind = 'response' AND digest IN
  (SELECT digest FROM captures WHERE kind = 'revisit' AND collection_id <> ?)`

/** Those of one collection that no other one needs. */
export async function removeCaptures(
  sql: Sql,
  id: number,
): Promise<Pick<RemovedWatch, 'removed' | 'bytesInFiles'>> {
  const sums = await sql.get<{ removed: number; bytes: number | null }>(
    `SELECT COUNT(*) AS removed, CAST(SUM(length_bytes) AS BIGINT) AS bytes FROM captures
     WHERE collection_id = ? AND NOT (${NEEDED})`,
    [id, id],
  )
  // Else the next capture of these bytes would refer to one that nobody can find.
  await sql.run(
    `DELETE FROM payloads WHERE digest IN
       (SELECT digest FROM captures WHERE collection_id = ? AND NOT (${NEEDED}))
     AND digest NOT IN
       (SELECT digest FROM captures WHERE kind = 'revisit' AND collection_id <> ?)`,
    [id, id, id],
  )
  // Whoever searches must not find an address of which nothing is left.
  await sql.run(
    `DELETE FROM archived_urls WHERE url IN (SELECT url FROM captures WHERE collection_id = ?)
     AND NOT EXISTS (SELECT 1 FROM captures
       WHERE captures.host_id = archived_urls.host_id AND captures.hash = archived_urls.hash
         AND (collection_id <> ? OR (${NEEDED})))`,
    [id, id, id],
  )
  await doomCaptures(sql, `collection_id = ? AND NOT (${NEEDED})`, [id, id])
  await forgetTexts(sql, `collection_id = ? AND NOT (${NEEDED})`, [id, id])
  await sql.run(
    `DELETE FROM superseded_records WHERE capture_id IN
       (SELECT id FROM captures WHERE collection_id = ? AND NOT (${NEEDED}))`,
    [id, id],
  )
  await sql.run(`DELETE FROM captures WHERE collection_id = ? AND NOT (${NEEDED})`, [id, id])
  return { removed: sums!.removed, bytesInFiles: sums!.bytes ?? 0 }
}
