/** What happens because time passed: leases run out, tasks have rested, deadlines come, clients stay away. */
import type { Sql } from '@minga/store'
import { QueryOverdue } from '../errors.ts'
import { resumeWorker } from './drain-workers.ts'
import { endQuery } from './end-query.ts'
import { loseLease, type LeasedRow } from './lose-lease.ts'
import { count, lockIfFree, type QueryRow, type QueryState, type TaskPlace } from './query-rows.ts'

/** At a time; what is left is found by the next sweep. */
const MOST_TASKS = 1000

export interface SweepAnswer {
  /** Tasks that others may have now. */
  freed: number
  ended: { id: string; state: QueryState }[]
  /** Fences of leases that ran out. */
  lost: number[]
  /** When there is something to sweep again; null: not before something else happens. */
  nextAt: number | null
}

export async function sweepTasks(sql: Sql, { now }: { now: number }): Promise<SweepAnswer> {
  const answer: SweepAnswer = { freed: 0, ended: [], lost: [], nextAt: null }
  await endOverdue(sql, now, answer)
  await loseExpired(sql, now, answer)
  await wakeRested(sql, now, answer)
  answer.nextAt = await whenAnythingIsDue(sql)
  return answer
}

/** When a task may become ready by itself. */
export async function whenDue(sql: Sql): Promise<number | null> {
  const row = await sql.get<{ until: number | null; ready_at: number | null }>(
    `SELECT (SELECT min(until) FROM lake_tasks WHERE state = 'leased') AS until,
            (SELECT min(ready_at) FROM lake_tasks WHERE state = 'resting') AS ready_at`,
  )
  return earliest([row!.until, row!.ready_at])
}

async function whenAnythingIsDue(sql: Sql): Promise<number | null> {
  const row = await sql.get<{ deadline_at: number | null; abandon_at: number | null }>(
    `SELECT min(deadline_at) AS deadline_at, min(abandon_at) AS abandon_at
     FROM lake_queries WHERE state = 'running'`,
  )
  return earliest([await whenDue(sql), row!.deadline_at, row!.abandon_at])
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

interface DueRow {
  number: number
  deadline_at: number | null
  abandon_at: number | null
}

async function endOverdue(sql: Sql, now: number, answer: SweepAnswer): Promise<void> {
  const due = await sql.all<DueRow>(
    `SELECT number, deadline_at, abandon_at FROM lake_queries
     WHERE state = 'running' AND (deadline_at <= ? OR abandon_at <= ?) ORDER BY number`,
    [now, now],
  )
  for (const { number } of due) {
    const query = await lockIfFree(sql, number)
    // Its client may have come back while this looked.
    const row = query && (await sql.get<DueRow>(SELECT_DUE, [number]))
    if (!query || !row) continue
    const { deadline_at: deadlineAt, abandon_at: abandonAt } = row
    if (deadlineAt !== null && deadlineAt <= now) await endLate(sql, query, deadlineAt, now)
    else if (abandonAt !== null && abandonAt <= now) {
      await endQuery(sql, query, { state: 'cancelled', why: 'abandoned', now })
    } else continue
    const isLate = deadlineAt !== null && deadlineAt <= now
    answer.ended.push({ id: query.id, state: isLate ? 'failed' : 'cancelled' })
  }
}

const SELECT_DUE = 'SELECT number, deadline_at, abandon_at FROM lake_queries WHERE number = ?'

async function endLate(sql: Sql, query: QueryRow, deadlineAt: number, now: number): Promise<void> {
  const { code, message } = QueryOverdue.since(deadlineAt)
  const error = { code, message, stage: null, index: null, sql: null }
  await endQuery(sql, query, { state: 'failed', error, now })
}

async function loseExpired(sql: Sql, now: number, answer: SweepAnswer): Promise<void> {
  const expired = await sql.all<TaskPlace & { fence: number }>(
    `SELECT query, stage, task, fence FROM lake_tasks
     WHERE state = 'leased' AND until <= ? ORDER BY until, fence LIMIT ${MOST_TASKS}`,
    [now],
  )
  const isStill = 'until <= ?'
  for (const [number, tasks] of Map.groupBy(expired, ({ query }) => query)) {
    const query = await lockIfFree(sql, number)
    if (query) await loseAll(sql, query, { tasks, isStill, params: [now], now, answer })
  }
}

interface Losing {
  tasks: readonly (TaskPlace & { fence: number })[]
  /** Must still be so when the query is held: a beat may have come in between. */
  isStill: string
  params: readonly (number | string)[]
  now: number
  answer: SweepAnswer
}

async function loseAll(sql: Sql, query: QueryRow, losing: Losing): Promise<void> {
  const { isStill, params, now, answer } = losing
  for (const { query: number, stage, task, fence } of losing.tasks) {
    // Takes the row from beats: what is read here stays so.
    const row = await sql.get<LeasedRow>(
      `UPDATE lake_tasks SET boot = boot WHERE query = ? AND stage = ? AND task = ? AND fence = ?
         AND state = 'leased' AND ${isStill} RETURNING query, stage, task, attempts, deaths`,
      [number, stage, task, fence, ...params],
    )
    if (!row) continue
    const { isEnded } = await loseLease(sql, query, { task: row, loss: { how: 'died' }, now })
    answer.lost.push(fence)
    if (isEnded) {
      answer.ended.push({ id: query.id, state: 'failed' })
      return
    }
    answer.freed += 1
  }
}

/** A process is known to be dead: its leases need not run out first. */
export async function endWorker(
  sql: Sql,
  { boot, now }: { boot: string; now: number },
): Promise<SweepAnswer> {
  const answer: SweepAnswer = { freed: 0, ended: [], lost: [], nextAt: null }
  await resumeWorker(sql, { boot })
  const held = await sql.all<TaskPlace & { fence: number }>(
    `SELECT query, stage, task, fence FROM lake_tasks
     WHERE state = 'leased' AND boot = ? ORDER BY fence`,
    [boot],
  )
  for (const [number, tasks] of Map.groupBy(held, ({ query }) => query)) {
    const query = await lockIfFree(sql, number)
    // Held by another transaction at this moment: then the lease runs out by itself.
    if (query)
      await loseAll(sql, query, { tasks, isStill: 'boot = ?', params: [boot], now, answer })
  }
  return answer
}

async function wakeRested(sql: Sql, now: number, answer: SweepAnswer): Promise<void> {
  const rested = await sql.all<TaskPlace>(
    `SELECT query, stage, task FROM lake_tasks
     WHERE state = 'resting' AND ready_at <= ? ORDER BY ready_at LIMIT ${MOST_TASKS}`,
    [now],
  )
  for (const [number, tasks] of Map.groupBy(rested, ({ query }) => query)) {
    if (!(await lockIfFree(sql, number))) continue
    for (const { query, stage, task } of tasks) {
      const woken = await sql.run(
        `UPDATE lake_tasks SET state = 'ready' WHERE query = ? AND stage = ? AND task = ?
           AND state = 'resting'`,
        [query, stage, task],
      )
      if (woken === 0) continue
      await count(sql, { query, stage }, { ready: 1 })
      answer.freed += 1
    }
  }
}
