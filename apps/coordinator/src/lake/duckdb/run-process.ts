/** Queries answered by separate processes, so that the station survives whatever they contain. */
import { once } from 'node:events'
import type { Clock } from '@minga/protocol'
import { runExclusive } from '@minga/protocol/run-exclusive'
import type { AnsweringChild, DuckDbRunner, WantedChild } from './runner.ts'

interface ProcessModule extends WantedChild {
  /** Where the process runs. */
  runner: DuckDbRunner
}

interface ProcessLimits {
  clock: Pick<Clock, 'sleep'>
  timeoutMs: number
  /** Aborted when the caller has disconnected or the station closes. */
  signal: AbortSignal
}

/**
 * The process is ended when it has answered, when it takes too long, and when no caller waits for it any more. `late`:
 * it took too long; `dead`: it ended without an answer.
 */
export async function runProcess<A extends object>(
  { runner, ...wanted }: ProcessModule,
  question: object,
  limits: ProcessLimits,
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
async function askRunning<A extends object>(
  child: AnsweringChild,
  question: object | null,
  { clock, timeoutMs, signal }: ProcessLimits,
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

interface LastingProcessParts extends ProcessModule {
  /** The machine's own: a process that hangs does so in real time. */
  clock: Pick<Clock, 'sleep'>
  closing: AbortSignal
}

/** Loading its modules takes seconds on a busy machine; the time of a question does not include that. */
const START_MS = 30_000

/**
 * A process that answers one question after another. It starts with the first and stays for the next; one that takes
 * too long or dies costs its question, and the next one gets a new process. `Answer`: what the process says of a
 * question. Its first word, after its start, says that it is ready.
 */
export class LastingProcess<Question extends object, Answer extends object> {
  readonly #parts: LastingProcessParts
  #child: AnsweringChild | null = null

  constructor(parts: LastingProcessParts) {
    this.#parts = parts
    parts.closing.addEventListener('abort', () => this.#end(), { once: true })
  }

  /** Of the process that answers; null while there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  ask(question: Question, timeoutMs: number): Promise<Answer | 'late' | 'dead'> {
    return runExclusive(this, async () => {
      const said = await this.#askNow(question, timeoutMs)
      // Something else may have ended it, such as a system that is short of memory.
      return said === 'dead' ? this.#askNow(question, timeoutMs) : said
    })
  }

  async #askNow(question: Question, timeoutMs: number): Promise<Answer | 'late' | 'dead'> {
    const { clock, closing } = this.#parts
    closing.throwIfAborted()
    const child = this.#child ?? (await this.#start())
    if (child === 'late' || child === 'dead') return child
    const said = await askRunning<Answer>(child, question, { clock, timeoutMs, signal: closing })
    if (said === 'late' || said === 'dead') this.#end()
    return said
  }

  async #start(): Promise<AnsweringChild | 'late' | 'dead'> {
    const { clock, closing, runner, ...wanted } = this.#parts
    const child = await runner.start(wanted)
    this.#child = child
    // The station may have closed while it was started.
    if (closing.aborted) this.#end()
    child.events.once('exit', () => {
      if (this.#child === child) this.#child = null
    })
    const said = await askRunning(child, null, { clock, timeoutMs: START_MS, signal: closing })
    if (typeof said === 'object') return child
    this.#end()
    return said
  }

  #end(): void {
    this.#child?.end()
    this.#child = null
  }
}
