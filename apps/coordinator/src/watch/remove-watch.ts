/**
 * Removes a watch. Its captures stay unless they are to go, too: then they leave the index, while
 * their records stay inside the append-only WARC files until they are repacked.
 */
import { cancelQueued } from '@minga/frontier'
import type { Sql } from '@minga/store'
import { lowerFeedMarks } from '../archive/pending-purges.ts'
import { removeCaptures, type RemovedCaptures } from '../archive/remove-captures.ts'
import { watchToChange } from './watch-rows.ts'

export interface RemovedWatch extends RemovedCaptures {
  id: number
  /** Captures that can still be read. */
  kept: number
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
