/**
 * Calls into a worker thread, each with a deadline and the thread with a memory limit. Work on untrusted data belongs
 * there: what never ends, or takes all memory, costs that one call and a new thread instead of the main loop.
 */
import { parentPort, Worker, type ResourceLimits, type Transferable } from 'node:worker_threads'
import type { Clock } from './clock.ts'
import { PermanentError } from './errors.ts'

/** Loading its modules takes a thread a second on a busy machine; the deadline of a call does not include that. */
const START_MS = 30_000
/** A pause of the whole process counts as one part at most, so that it does not use up the deadline of a call. */
const DEADLINE_PARTS = 4
const READY = 'ready'

export class WorkerTooSlow extends PermanentError {
  readonly code = 'MINGA_WORKER_TOO_SLOW'
  constructor(deadlineMs: number) {
    super(`A worker thread did not answer within ${deadlineMs} ms and was replaced.`)
  }
}

export class WorkerDied extends PermanentError {
  readonly code = 'MINGA_WORKER_DIED'
  constructor(options?: ErrorOptions) {
    const reason = options?.cause instanceof Error ? `: ${options.cause.message}` : ''
    super(`A worker thread ended before it answered${reason} and was replaced.`, options)
  }
}

export interface DeadlineWorkerOptions {
  /** The file of the thread, which calls `answerCalls`; bundles need its URL written where the worker is made. */
  file: URL
  deadlineMs: number
  /** Limits of the heap. Buffers lie outside the heap: the thread has to bound what it unpacks by itself. */
  resourceLimits?: ResourceLimits
  /** The machine's own clock: a thread that hangs does so in real time. */
  clock: Pick<Clock, 'sleep'>
}

export interface CallOptions {
  transfer?: readonly Transferable[]
  /** Where a call has less time than others. */
  deadlineMs?: number
}

/** One call at a time; further calls wait for their turn, and their deadlines begin with it. */
export class DeadlineWorker<Request, Response> {
  readonly #options: DeadlineWorkerOptions
  #thread: Worker | null = null
  #lastCall: Promise<unknown> = Promise.resolve()

  constructor(options: DeadlineWorkerOptions) {
    this.#options = options
  }

  /** Fails with WorkerTooSlow or WorkerDied; the next call gets a new thread. */
  call(request: Request, options: CallOptions = {}): Promise<Response> {
    const turn = this.#lastCall.then(() => this.#perform(request, options))
    this.#lastCall = turn.catch(() => {})
    return turn
  }

  /** Ends the thread; a call in progress fails. */
  async close(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }

  async #perform(request: Request, options: CallOptions): Promise<Response> {
    const { transfer = [], deadlineMs = this.#options.deadlineMs } = options
    const thread = this.#thread ?? (await this.#start())
    thread.ref()
    try {
      const answer = this.#receive(thread, deadlineMs)
      thread.postMessage(request, transfer)
      // Both ends are files of this program and share these types.
      return (await answer) as Response
    } catch (error) {
      await this.#discard(thread)
      throw error
    } finally {
      thread.unref()
    }
  }

  async #start(): Promise<Worker> {
    const { file, resourceLimits = {} } = this.#options
    const thread = new Worker(file, { resourceLimits })
    this.#thread = thread
    // Between two calls no one else listens, and an unheard error would end the process.
    thread.on('error', () => {})
    thread.on('exit', () => void this.#discard(thread))
    try {
      await this.#receive(thread, START_MS)
      return thread
    } catch (error) {
      await this.#discard(thread)
      throw error
    }
  }

  async #discard(thread: Worker): Promise<void> {
    if (this.#thread === thread) this.#thread = null
    await thread.terminate()
  }

  /** The next message of the thread. */
  async #receive(thread: Worker, deadlineMs: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const over = new AbortController()
    const onError = (cause: unknown): void => reject(new WorkerDied({ cause }))
    const onExit = (): void => reject(new WorkerDied())
    thread.once('message', resolve).once('messageerror', onError)
    thread.once('error', onError).once('exit', onExit)
    void this.#expire(deadlineMs, over.signal).then(() => reject(new WorkerTooSlow(deadlineMs)))
    try {
      return await promise
    } finally {
      over.abort()
      thread.off('message', resolve).off('messageerror', onError)
      thread.off('error', onError).off('exit', onExit)
    }
  }

  async #expire(deadlineMs: number, signal: AbortSignal): Promise<void> {
    for (let part = 0; part < DEADLINE_PARTS; part += 1) {
      await this.#options.clock.sleep(deadlineMs / DEADLINE_PARTS, signal)
    }
  }
}

/** The thread's end: each call gets one answer. An error that `answer` throws ends the thread and fails the call. */
export function answerCalls(answer: (request: never) => unknown): void {
  const port = parentPort
  if (port === null) throw new WorkerDied({ cause: new Error('this is not a worker thread') })
  port.on('message', (request: unknown) => {
    // Both ends are files of this program and share the types of requests and responses.
    void (async () => port.postMessage(await answer(request as never)))()
  })
  port.postMessage(READY)
}
