/**
 * The life of a worker: ask → run → commit, one task at a time. It holds no state that would be
 * missed: killed at any moment, its lease ends and another worker does the task; what it wrote and
 * did not commit is abandoned.
 */
import type { Clock } from '@minga/protocol/clock'
import { isMingaError } from '@minga/protocol/errors'
import { faultPoint } from '@minga/protocol/fault-point'
import { StationAway, StationRefusedWorker } from '../errors.ts'
import type { Depot } from '../kernel/depot.ts'
import { runTask } from '../kernel/run-task.ts'
import type { Task, TaskDone } from '../model.ts'
import type { RowFunctions } from '../rows/row-functions.ts'
import type { HeartbeatThread, Holding } from './heartbeat-thread.ts'
import { Backoff, WORKER_BACKOFF } from '@minga/protocol/backoff'
import { leaseOf, type TaskFailure, type WorkerStation } from './station.ts'

export interface WorkerParts {
  station: WorkerStation
  depot: Depot
  functions: RowFunctions
  heartbeat: HeartbeatThread
  clock: Clock
  random: () => number
  /** What this machine lends, whatever a query asks for. */
  limits: Task['limits']
  /** For the user at the terminal: the worker was asked to take no more tasks, or to continue. */
  onDrained?: (isDrained: boolean) => void
}

/** Longer than this a proxy on the way might not keep a silent connection open. */
const LONG_POLL_MS = 25_000
/** A station that answers at once and has nothing must not be asked without pause. */
const REST_LEAST_MS = 20
/** So that a misunderstanding does not become a storm. */
const REFUSED_MS = 1_000
/** Time to notify the station when the worker stops. Longer only delays the end of the process. */
const FAREWELL_MS = 3_000

export async function runWorker(parts: WorkerParts, signal: AbortSignal): Promise<void> {
  const backoff = new Backoff(WORKER_BACKOFF, parts.random)
  const told = { isDrained: false }
  while (!signal.aborted) {
    const task = await askForTask(parts, { backoff, told }, signal)
    if (task) await doTask(parts, task, signal)
  }
}

async function askForTask(
  { station, clock, onDrained }: WorkerParts,
  { backoff, told }: { backoff: Backoff; told: { isDrained: boolean } },
  signal: AbortSignal,
): Promise<Task | null> {
  try {
    const { task, waitMs = 0, isDrained = false } = await station.lease(LONG_POLL_MS, signal)
    backoff.reset()
    if (isDrained !== told.isDrained) onDrained?.(isDrained)
    told.isDrained = isDrained
    if (!task) await clock.sleep(Math.max(REST_LEAST_MS, waitMs), signal)
    return task
  } catch (error) {
    if (signal.aborted) return null
    if (!(error instanceof StationAway) && !isTimeout(error)) throw error
    await clock.sleep(backoff.nextMs(), signal)
    return null
  }
}

async function doTask(parts: WorkerParts, task: Task, signal: AbortSignal): Promise<void> {
  faultPoint('task:after-lease')
  const holding = parts.heartbeat.hold(leaseOf(task), task.leaseMs)
  try {
    const done = await runLimited(parts, task, { holding, signal })
    if (done) await commit(parts, task, { done, signal })
  } catch (error) {
    // A station that wants no word of this task may still want us for the next.
    if (!(error instanceof StationRefusedWorker)) throw error
    await parts.clock.sleep(REFUSED_MS, signal)
  } finally {
    holding.release()
  }
}

/** Null when there is nothing to commit: lost, given back, or failed; the station knows which. */
async function runLimited(
  parts: WorkerParts,
  task: Task,
  { holding, signal }: { holding: Holding; signal: AbortSignal },
): Promise<TaskDone | null> {
  const { depot, functions } = parts
  try {
    return await runTask(limited(task, parts.limits), depot, {
      signal: AbortSignal.any([signal, holding.lost]),
      functions,
      onProgress: holding.progress,
    })
  } catch (error) {
    if (holding.lost.aborted) return null
    if (signal.aborted) {
      const farewell = AbortSignal.timeout(FAREWELL_MS)
      await parts.station.giveBack(leaseOf(task), farewell).catch(() => {})
    } else await tellFailure(parts, task, { error, lost: AbortSignal.any([signal, holding.lost]) })
    return null
  }
}

function limited(task: Task, most: Task['limits']): Task {
  const memoryMb = Math.min(task.limits.memoryMb, most.memoryMb)
  return { ...task, limits: { memoryMb, threads: Math.min(task.limits.threads, most.threads) } }
}

async function tellFailure(
  parts: WorkerParts,
  task: Task,
  { error, lost }: { error: unknown; lost: AbortSignal },
): Promise<void> {
  const failure = failureOf(error)
  await insist(parts, lost, (signal) => parts.station.fail(leaseOf(task), failure, signal))
}

/**
 * The station accepts no more, and would never receive the failure: the task would seem to kill its
 * workers.
 */
const SQL_CHARACTERS = 50_000

export function failureOf(error: unknown): TaskFailure {
  if (!isMingaError(error)) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { code: 'MINGA_INTERNAL', message, retry: 'later' }
  }
  const { code, message, retry } = error
  const sql = 'sql' in error && typeof error.sql === 'string' && error.sql !== '' ? error.sql : null
  return { code, message, retry, ...(sql === null ? {} : { sql: sql.slice(0, SQL_CHARACTERS) }) }
}

/** Until the station has answered: a commit that it did not hear would cost the whole task. */
async function commit(
  parts: WorkerParts,
  task: Task,
  { done, signal }: { done: TaskDone; signal: AbortSignal },
): Promise<void> {
  faultPoint('task:before-commit')
  const over = afterGrace(signal)
  const answer = await insist(parts, over, (limit) =>
    parts.station.commit(leaseOf(task), done, limit),
  ).catch((error: unknown) => {
    if (error instanceof StationRefusedWorker) return error
    throw error
  })
  faultPoint('task:after-commit')
  if (answer === undefined || answer === 'accepted' || answer === 'already') return
  // No commit will ever name these files.
  const names = done.outputs.map(({ file }) => file)
  await parts.depot.discard(task, names).catch(() => {})
  if (answer !== 'stale') await tellFailure(parts, task, { error: answer, lost: over })
}

/** Repeats a call until it is answered; undefined when the signal came first. */
async function insist<R>(
  { clock, random }: WorkerParts,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<R>,
): Promise<R | undefined> {
  const backoff = new Backoff(WORKER_BACKOFF, random)
  while (!signal.aborted) {
    try {
      return await call(signal)
    } catch (error) {
      if (signal.aborted) break
      if (!(error instanceof StationAway) && !isTimeout(error)) throw error
      await clock.sleep(backoff.nextMs(), signal)
    }
  }
  return undefined
}

/** A little after the signal: what is done is worth the time of one call. */
function afterGrace(signal: AbortSignal): AbortSignal {
  const over = new AbortController()
  const begin = (): void =>
    AbortSignal.timeout(FAREWELL_MS).addEventListener('abort', () => over.abort())
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return over.signal
}

const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError'
