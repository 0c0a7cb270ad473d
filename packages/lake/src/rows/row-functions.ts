/**
 * Row functions run in a thread of their own, one for a whole worker: the main loop stays free to hear that a task
 * is over, and a function that never returns can be ended. Rows travel by the chunk, as columns of plain values: measured, that
 * costs 5 to 7 µs a row of 700 letters; having DuckDB join the texts into one piece of bytes first costs more.
 */
import { Worker } from 'node:worker_threads'
import { RowFunctionFailed, UnknownRowFunction } from '../errors.ts'
import type { RowValue, ValueKind } from './row-function.ts'

export interface RowFunctions {
  /** One answer for each row. */
  map(rows: RowsAsked): Promise<RowValue[]>
  close(): Promise<void>
}

export interface RowsAsked {
  function: string
  /** The arguments, each with a value for every row. */
  columns: RowValue[][]
  rows: number
  kind: ValueKind
  /** Number of the first row among all that the task sends: an error names the row. */
  firstRow: number
}

export interface ThreadParts {
  /** Modules of functions that the station's operator put there. */
  folder: string | null
}

export type RowsOrder = Omit<RowsAsked, 'firstRow'> & { id: number }

export type RowsAnswer =
  | { id: number; values: RowValue[]; failure?: undefined }
  | { id: number; failure: { row: number | null; reason: string; isUnknown: boolean } }

export interface RowFunctionSettings extends ThreadParts {
  /** For one chunk of rows. */
  timeLimitMs: number
}

export function startRowFunctions(settings: RowFunctionSettings): RowFunctions {
  return new ThreadFunctions(settings)
}

/** A machine that slept must not blame the function. */
const PARTS_OF_LIMIT = 10

interface Waiting {
  asked: RowsAsked
  resolve: (values: RowValue[]) => void
  reject: (error: Error) => void
}

class ThreadFunctions implements RowFunctions {
  readonly #settings: RowFunctionSettings
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | null = null
  #nextId = 1

  constructor(settings: RowFunctionSettings) {
    this.#settings = settings
  }

  async map(asked: RowsAsked): Promise<RowValue[]> {
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<RowValue[]>()
    this.#waiting.set(id, { asked, resolve, reject })
    const { firstRow: _, ...order } = asked
    this.#running().postMessage({ id, ...order } satisfies RowsOrder)
    // Those before it have their own limits, so for the last it is the sum at worst.
    this.#watch(id, PARTS_OF_LIMIT * this.#waiting.size)
    return promise
  }

  async close(): Promise<void> {
    const thread = this.#thread
    if (thread) this.#endAll(thread, 'the worker stops')
    await thread?.terminate()
  }

  #running(): Worker {
    if (this.#thread) return this.#thread
    const { folder } = this.#settings
    const thread = new Worker(new URL('./row-thread.ts', import.meta.url), {
      workerData: { folder } satisfies ThreadParts,
    })
    thread.on('message', (answer: RowsAnswer) => this.#heard(answer))
    thread.on('error', (error) => this.#endAll(thread, reasonText(error)))
    thread.on('exit', () => this.#endAll(thread, 'its thread ended'))
    this.#thread = thread
    return thread
  }

  #heard(answer: RowsAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    if (!waiting) return
    this.#waiting.delete(answer.id)
    if (!answer.failure) return waiting.resolve(answer.values)
    const { row, reason, isUnknown } = answer.failure
    const { asked } = waiting
    if (isUnknown) return waiting.reject(UnknownRowFunction.named(asked.function))
    const place = row === null ? '' : ` at row ${asked.firstRow + row + 1}`
    waiting.reject(
      new RowFunctionFailed(`Row function "${asked.function}" failed${place}: ${reason}`),
    )
  }

  /** Ends a silent thread. What went by while the whole process stood still counts as one part at most. */
  #watch(id: number, partsLeft: number): void {
    if (!this.#waiting.has(id) || !this.#thread) return
    const { timeLimitMs } = this.#settings
    if (partsLeft === 0) {
      return this.#endAll(this.#thread, `it did not answer within ${timeLimitMs} ms`)
    }
    const part = AbortSignal.timeout(timeLimitMs / PARTS_OF_LIMIT)
    part.addEventListener('abort', () => this.#watch(id, partsLeft - 1))
  }

  /** The next chunk, of any task, starts a new thread. */
  #endAll(thread: Worker, reason: string): void {
    if (this.#thread !== thread) return
    this.#thread = null
    void thread.terminate()
    for (const { asked, reject } of this.#waiting.values()) {
      const from = `from row ${asked.firstRow + 1} on`
      reject(new RowFunctionFailed(`Row function "${asked.function}" failed ${from}: ${reason}`))
    }
    this.#waiting.clear()
  }
}

const reasonText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
