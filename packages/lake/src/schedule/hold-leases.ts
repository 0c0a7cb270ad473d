/** What the holder of a lease, or its client, says while a query runs. */
import type { Sql } from '@minga/store'
import { UnknownQuery } from '../errors.ts'
import { endQuery } from './end-query.ts'
import { loseLease, type LeasedRow, type Loss, type TaskError } from './lose-lease.ts'
import { lockQuery, stageCalled, type QueryRow, type QueryState } from './query-rows.ts'
import type { LeaseId } from './resolve-task.ts'

export interface TaskHeartbeat {
  boot: string
  tasks: readonly (LeaseId & { progress: number })[]
  leaseMs: number
  now: number
}

/** Leases of this process last on. Answers those that are not its own any more. */
export async function beatTasks(sql: Sql, beat: TaskHeartbeat): Promise<{ lost: LeaseId[] }> {
  const { boot, leaseMs, now } = beat
  const until = now + leaseMs
  const lost: LeaseId[] = []
  for (const { query, stage, index, fence, progress } of beat.tasks) {
    // Never earlier than it was: two coordinators' clocks may differ.
    const changed = await sql.run(
      `UPDATE lake_tasks SET until = CASE WHEN until > ? THEN until ELSE ? END, progress = ?
       WHERE fence = ? AND state = 'leased' AND boot = ?`,
      [until, until, progress, fence, boot],
    )
    const lease = { query, stage, index, fence }
    if (changed === 0 && !(await isCommitted(sql, lease))) lost.push(lease)
  }
  return { lost }
}

/**
 * Its holder may not have received yet that its result was accepted, and must not remove its files
 * as abandoned.
 */
async function isCommitted(sql: Sql, lease: LeaseId): Promise<boolean> {
  const query = await sql.get<{ number: number }>('SELECT number FROM lake_queries WHERE id = ?', [
    lease.query,
  ])
  const stage = query && (await stageCalled(sql, query.number, lease.stage))
  const task =
    stage &&
    (await sql.get(
      `SELECT 1 FROM lake_tasks WHERE query = ? AND stage = ? AND task = ? AND fence = ?
         AND state = 'done'`,
      [query.number, stage.stage, lease.index, lease.fence],
    ))
  return task !== undefined
}

/** After the station was down: no worker loses a lease because it could not report. */
export async function keepLeases(
  sql: Sql,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<void> {
  const until = now + leaseMs
  await sql.run(`UPDATE lake_tasks SET until = ? WHERE state = 'leased' AND until < ?`, [
    until,
    until,
  ])
}

/** The holder of a lease that still counts, with the query's row held; undefined when it is stale. */
async function holding(
  sql: Sql,
  lease: LeaseId,
): Promise<{ query: QueryRow; task: LeasedRow } | undefined> {
  const query = await lockQuery(sql, lease.query)
  if (query?.state !== 'running') return undefined
  const task = await sql.get<LeasedRow & { id: string }>(
    `SELECT t.query, t.stage, t.task, t.attempts, t.deaths, s.id
     FROM lake_tasks t JOIN lake_stages s ON s.query = t.query AND s.stage = t.stage
     WHERE t.fence = ? AND t.state = 'leased' AND t.query = ? AND t.task = ?`,
    [lease.fence, query.number, lease.index],
  )
  return task?.id === lease.stage ? { query, task } : undefined
}

export interface LossAnswer {
  isStale: boolean
  isEnded: boolean
}

export async function failTask(
  sql: Sql,
  { lease, error, now }: { lease: LeaseId; error: TaskError; now: number },
): Promise<LossAnswer> {
  return lose(sql, { lease, loss: { how: 'failed', error }, now })
}

/** The worker stops in an orderly way: this counts as no failure. */
export async function returnTask(
  sql: Sql,
  { lease, now }: { lease: LeaseId; now: number },
): Promise<LossAnswer> {
  return lose(sql, { lease, loss: { how: 'returned' }, now })
}

async function lose(
  sql: Sql,
  { lease, loss, now }: { lease: LeaseId; loss: Loss; now: number },
): Promise<LossAnswer> {
  const held = await holding(sql, lease)
  if (!held) return { isStale: true, isEnded: false }
  return { isStale: false, ...(await loseLease(sql, held.query, { task: held.task, loss, now })) }
}

/** The client of the query is still there. Written at most once a second. */
export async function touchQuery(
  sql: Sql,
  { id, now }: { id: string; now: number },
): Promise<void> {
  await sql.run(
    `UPDATE lake_queries SET abandon_at = abandon_at + ? - seen_at, seen_at = ?
     WHERE id = ? AND state = 'running' AND seen_at < ?`,
    [now, now, id, now - 1000],
  )
}

export async function cancelQuery(
  sql: Sql,
  { id, now }: { id: string; now: number },
): Promise<{ state: QueryState }> {
  const query = await lockQuery(sql, id)
  if (!query) throw UnknownQuery.named(id)
  if (query.state !== 'running') return { state: query.state }
  await endQuery(sql, query, { state: 'cancelled', why: 'asked', now })
  return { state: 'cancelled' }
}
