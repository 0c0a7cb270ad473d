/**
 * The longest that a client's request waits. A request without an answer by then ends as failed,
 * and its price is refunded with the rest of its batch: a busy host or a missing fleet never keeps
 * a client waiting for ever.
 */
import type { Sql } from '@minga/store'
import { forUpdate } from '../row-locks.ts'
import { leaveQueue, lockRequests, openRequests } from './batches.ts'
import { endRequests, NOTHING_FETCHED } from './end-requests.ts'

/** How many requests one transaction ends: others wait in the meantime. */
const STEP = 2_000

/** Ends requests of batches opened before a moment; answers how many, 0 when none is left. */
export async function endOverdue(sql: Sql, args: { before: number; now: number }): Promise<number> {
  const batch = await sql.get<{ id: string }>(
    `SELECT id FROM batches WHERE state = 'running' AND closed_at IS NULL AND created_at < ?
     ORDER BY created_at LIMIT 1`,
    [args.before],
  )
  if (!batch) return 0
  await lockRequests(sql)
  // Its last request may have ended while we waited for the lock.
  await sql.get(`SELECT 1 FROM batches WHERE id = ?${forUpdate(sql)}`, [batch.id])
  const overdue = await openRequests(sql, { id: batch.id, limit: STEP })
  const end = { ...NOTHING_FETCHED, outcome: 'failed' as const, code: 'MINGA_REQUEST_OVERDUE' }
  await endRequests(sql, {
    ends: overdue.map(({ batchId, seq }) => ({ batchId, seq, end, fromCache: false })),
    now: args.now,
  })
  await leaveQueue(sql, overdue)
  return overdue.length
}
