/**
 * A process that answers one question after another. It starts with the first and stays for the next; one that takes
 * too long or dies costs its question, and the next one gets a new process.
 */
import type { Clock } from '@minga/protocol'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { askRunning, type ChildModule } from './ask-child.ts'
import type { AnsweringChild } from '../duckdb/runner.ts'

export interface LastingChildParts extends ChildModule {
  /** The machine's own: a process that hangs does so in real time. */
  clock: Pick<Clock, 'sleep'>
  closing: AbortSignal
}

/** Loading its modules takes seconds on a busy machine; the time of a question does not include that. */
const START_MS = 30_000

/** `Answer`: what the process says of a question. Its first word, after its start, says that it is ready. */
export class LastingChild<Question extends object, Answer extends object> {
  readonly #parts: LastingChildParts
  #child: AnsweringChild | null = null

  constructor(parts: LastingChildParts) {
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
