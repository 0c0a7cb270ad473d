/** A lease ended without a result: the task is tried again, now or after a rest, or has been tried often enough. */
import type { Retry } from '@minga/protocol'
import { logEvents, type Sql } from '@minga/store'
import { TaskPoison } from '../errors.ts'
import { endQuery } from './end-query.ts'
import { count, termsOf, type QueryRow, type TaskPlace } from './query-rows.ts'

export interface TaskError {
  code: string
  message: string
  retry: Retry
  sql?: string | undefined
}

/** As it is kept with a task. */
export interface NotedError {
  code: string
  message: string
  sql: string | null
}

export interface LeasedRow extends TaskPlace {
  attempts: number
  deaths: number
}

/** Why a lease ended: its task failed, the reason is unknown, or it was given back. */
export type Loss = { how: 'failed'; error: TaskError } | { how: 'died' } | { how: 'returned' }

/** The query's row must be held and running, and the task leased. Answers whether that was the query's end. */
export async function loseLease(
  sql: Sql,
  query: QueryRow,
  { task, loss, now }: { task: LeasedRow; loss: Loss; now: number },
): Promise<{ isEnded: boolean }> {
  const tries = {
    attempts: task.attempts + (loss.how === 'failed' ? 1 : 0),
    deaths: task.deaths + (loss.how === 'died' ? 1 : 0),
  }
  const restMs = restAfter(loss, tries, query)
  const state = restMs === null ? 'void' : restMs === 0 ? 'ready' : 'resting'
  const error = errorOf(loss, tries.deaths)
  await sql.run(
    `UPDATE lake_tasks SET state = ?, ready_at = ?, attempts = ?, deaths = ?, last_worker = worker,
       worker = NULL, boot = NULL, until = NULL, ended_at = ?, error = coalesce(?, error)
     WHERE query = ? AND stage = ? AND task = ?`,
    [
      state,
      now + (restMs ?? 0),
      tries.attempts,
      tries.deaths,
      state === 'void' ? now : null,
      error && JSON.stringify(error),
      task.query,
      task.stage,
      task.task,
    ],
  )
  await count(sql, task, { running: -1, ready: state === 'ready' ? 1 : 0 })
  if (loss.how === 'died') await logDeath(sql, query, { task, now })
  if (state === 'void') await failQuery(sql, query, { task, error: error!, now })
  return { isEnded: state === 'void' }
}

async function logDeath(
  sql: Sql,
  query: QueryRow,
  { task, now }: { task: TaskPlace; now: number },
): Promise<void> {
  const { query: number, stage, task: place } = task
  const row = await sql.get<{ worker: string | null }>(
    'SELECT last_worker AS worker FROM lake_tasks WHERE query = ? AND stage = ? AND task = ?',
    [number, stage, place],
  )
  const sentence = `The worker was silent for too long; its task of query ${query.id} goes to another.`
  const subject = row?.worker ?? ''
  const details = { query: query.id }
  await logEvents(sql, [{ at: now, code: 'worker:lost', subject, sentence, details }])
}

function restAfter(
  loss: Loss,
  tries: { attempts: number; deaths: number },
  query: QueryRow,
): number | null {
  if (loss.how === 'returned') return 0
  if (loss.how === 'died') return restAfterDeath(tries, termsOf(query))
  return restAfterFailure(tries, loss.error.retry, termsOf(query))
}

/** What is remembered of the task; null when nothing was wrong with it. */
function errorOf(loss: Loss, deaths: number): NotedError | null {
  if (loss.how === 'returned') return null
  const { code, message, sql }: Omit<TaskError, 'retry'> =
    loss.how === 'failed' ? loss.error : TaskPoison.after(deaths)
  return { code, message, sql: sql ?? null }
}

async function failQuery(
  sql: Sql,
  query: QueryRow,
  { task, error, now }: { task: TaskPlace; error: NotedError; now: number },
): Promise<void> {
  const stage = await sql.get<{ id: string }>(
    'SELECT id FROM lake_stages WHERE query = ? AND stage = ?',
    [task.query, task.stage],
  )
  await endQuery(sql, query, {
    state: 'failed',
    error: {
      code: error.code,
      message: error.message,
      stage: stage!.id,
      index: task.task,
      sql: error.sql,
    },
    now,
  })
}

// How often a task may be tried. A failure that a task reports is its own; a lease that ends
// without a message may be the task's fault (it used up all memory) or not (the machine was
// switched off), so it costs too, but less: counting it like a failure would end queries because of
// the weather, not counting it would let a task that kills its workers do so for ever. What is
// given back in order costs nothing.

interface Budget {
  attemptsMost: number
  deathsMost: number
}

interface Tries {
  /** Failures that were reported, this one included. */
  attempts: number
  /** Leases that ended silently, this one included. */
  deaths: number
}

const FIRST_REST_MS = 500
/** A full disk or a missing file needs a moment; longer than this only delays the answer. */
const LONGEST_REST_MS = 30_000

/** After a reported failure: null when the task is not to be tried again. */
export function restAfterFailure(tries: Tries, retry: Retry, budget: Budget): number | null {
  if (retry === 'never' || tries.attempts >= budget.attemptsMost) return null
  return retry === 'now' ? 0 : pauseMs(tries.attempts)
}

/** After a silent end. The first two are tried again at once: recovery must not wait for suspicion. */
export function restAfterDeath(tries: Tries, budget: Budget): number | null {
  if (tries.deaths >= budget.deathsMost) return null
  return tries.deaths <= 2 ? 0 : pauseMs(tries.deaths - 2)
}

function pauseMs(times: number): number {
  return Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (times - 1))
}
