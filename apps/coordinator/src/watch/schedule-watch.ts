/** The effect of a manual change on the plan of a watch. */
import { cancelQueued } from '@minga/frontier'
import type { Sql } from '@minga/store'
import { replanWatch } from './plan/replan.ts'

/**
 * An active watch is replanned; an inactive one is never scheduled, and its queued requests end as
 * cancelled. Requests that are leased to an agent come back without an owner.
 */
export async function scheduleWatch(
  sql: Sql,
  args: { collectionId: number; isActive: boolean; now: number },
): Promise<void> {
  const { collectionId, isActive, now } = args
  if (isActive) return replanWatch(sql, args)
  await sql.run(
    'UPDATE forecasts SET next_visit_at = NULL, out_since = NULL WHERE collection_id = ?',
    [collectionId],
  )
  await sql.run('DELETE FROM visit_chains WHERE collection_id = ?', [collectionId])
  await cancelQueued(sql, collectionId)
  await sql.run(
    `UPDATE collections SET state = 'finished', reason = 'inactive', ended_at = ? WHERE id = ?`,
    [now, collectionId],
  )
}
