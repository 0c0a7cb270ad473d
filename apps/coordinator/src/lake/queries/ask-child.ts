/**
 * A query answered by a separate process, so that the station survives whatever it contains. The
 * process is ended when it has answered, when it takes too long, and when no caller waits for it
 * any more.
 */
import { once } from 'node:events'
import type { Clock } from '@minga/protocol'
import type { AnsweringChild, DuckDbRunner, WantedChild } from '../duckdb/runner.ts'

export interface ChildModule extends WantedChild {
  /** Where the process runs. */
  runner: DuckDbRunner
}

export interface ChildLimits {
  clock: Pick<Clock, 'sleep'>
  timeoutMs: number
  /** Aborted when the caller has disconnected or the station closes. */
  signal: AbortSignal
}

/** `late`: it took too long; `dead`: it ended without an answer. */
export async function askChild<A extends object>(
  { runner, ...wanted }: ChildModule,
  question: object,
  limits: ChildLimits,
): Promise<A | 'late' | 'dead'> {
  const child = await runner.start(wanted)
  try {
    return await askRunning<A>(child, question, limits)
  } finally {
    child.end()
  }
}

/**
 * The same of a process that answers one question after another; the caller ends it when it is late. Without a
 * question its first word is waited for.
 */
export async function askRunning<A extends object>(
  child: AnsweringChild,
  question: object | null,
  { clock, timeoutMs, signal }: ChildLimits,
): Promise<A | 'late' | 'dead'> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  child.hold(true)
  try {
    const answered = answerOf<A>(child, either)
    if (question !== null) child.send(question)
    const late = clock.sleep(timeoutMs, either).then((): 'late' => 'late')
    const said = await Promise.race([answered, late])
    if (said === 'late') signal.throwIfAborted()
    if (said === 'dead' && child.failure !== null) throw child.failure
    return said
  } finally {
    over.abort()
    // Between two questions it keeps no process alive.
    child.hold(false)
  }
}

/** A process that ended between two questions says so at once. */
async function answerOf<A>(child: AnsweringChild, signal: AbortSignal): Promise<A | 'dead'> {
  if (child.hasEnded) return 'dead'
  const ended = once(child.events, 'exit', { signal }).then((): 'dead' => 'dead')
  const said = once(child.events, 'message', { signal }).then(([message]) => message as A)
  const first = Promise.race([said, ended])
  // When no caller waits any more both are aborted, which is not an error.
  for (const each of [said, ended, first]) each.catch(() => {})
  return first
}
