/** What a change by hand does to the plan of a watch. */
import { cancelQueued } from '@minga/frontier'
import type { Sql } from '@minga/store'
import { replanWatch } from './plan/replan.ts'

/**
 * A watch that is active is planned anew; one that is not is never scheduled, and what was queued of
 * it ends as cancelled. What is out with an agent comes back as nobody's.
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
