/**
 * The agent's side of recording. Responses go to a thread of their own, which records them and
 * packs uploads: a page that takes long to read holds up neither fetching nor the beat.
 *
 * A page is a stranger's, and one that is read for ever would stop the agent for good. So this side
 * keeps every finding until it is in an upload, and watches which one the thread is at. A thread
 * that stays at one for too long, or runs out of memory with it, is replaced: the next gets all that
 * is not sent yet, and records that page without reading it.
 */
import type { FetchOutcome } from '@minga/net'
import { systemClock, type Clock, type UnreadCode } from '@minga/protocol'
import { Worker } from 'node:worker_threads'
import { ConditionVariable } from '@minga/protocol/condition-variable'
import type { LeasedRequest } from '../fetch/leased-request.ts'
import type { Batch } from './outbox.ts'
import type { LogInFailure } from '../fetch/wiki-session.ts'

/** One end of a leased request: a response or failure, or nothing because it was never dialled. */
export interface Finding {
  leased: LeasedRequest
  outcome: FetchOutcome | LogInFailure | null
  endedAtMs: number
  /** Why its page is not to be read; it is recorded all the same. */
  unread?: UnreadCode
}

/** With this many results waiting, recording cannot keep up: compress faster instead of smaller. */
const HURRIED_RESULTS = 100

/** The largest page takes a second on a slow machine. Too short loses the links of a page, too long only delays others. */
const PAGE_MS = 5_000
/** Checks of the thread per page: a machine that was asleep wakes to one of them, not to all. */
const LOOKS = 5
/** Ten times what the largest page needs. Bodies are outside of it. */
const MEMORY_MB = 512

/** As long as a page may take. A thread that was asked to end and has not by then never does. */
const CLOSE_MS = PAGE_MS

/** What a worker that is over says of its `threadId`. */
const ENDED_THREAD = -1

/** Where both sides see which finding is being recorded: its number, or 0 between two of them. */
export const IN_PROGRESS = 0
export const NOTHING = 0

export interface RecorderData {
  progress: Int32Array
}

export type RecorderRequest =
  | {
      type: 'findings'
      findings: Finding[]
      firstNumber: number
      isHurried: boolean
      ownAddresses: readonly string[]
    }
  | { type: 'batch'; boot: string; bytesMax: number }
  | { type: 'close' }

export interface Recorder {
  /** Results that are not with the station yet. */
  readonly waiting: number
  readonly waitingBytes: number
  /** Leases whose results are not with the station yet. */
  readonly fences: Set<number>
  put(finding: Finding): void
  /** Packs the oldest results into one upload. */
  batch(options: { boot: string; bytesMax: number }): Promise<Batch | null>
  delivered(batch: Batch): void
  /** Resolves when results came or went, or the signal aborts. */
  changed(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface RecorderOptions {
  /** By the time of the machine: a thread goes astray in real time. */
  clock?: Pick<Clock, 'sleep'>
  /** The thread's program. */
  thread?: URL
  pageMs?: number
  memoryMb?: number
  /**
   * What pages must not reveal about a lent machine; evaluated each time, because machines are
   * moved to other networks.
   */
  ownAddresses?: () => readonly string[]
}

export function startRecorder(options: RecorderOptions = {}): Recorder {
  return new ThreadRecorder({
    clock: systemClock,
    thread: new URL('./record-thread.ts', import.meta.url),
    pageMs: PAGE_MS,
    memoryMb: MEMORY_MB,
    ownAddresses: () => [],
    ...options,
  })
}

class ThreadRecorder implements Recorder {
  readonly #options: Required<RecorderOptions>
  readonly #changed = new ConditionVariable()
  readonly #resultsByFence = new Map<number, number>()
  readonly #watched = new AbortController()
  #worker: Worker
  #progress = newProgress()
  #waiting = 0
  #waitingBytes = 0
  #toPost: Finding[] = []
  /** What the thread has and no upload holds yet, oldest first, and the number of the first. */
  #posted: Finding[] = []
  #firstNumber = 1
  #batchAsked: { request: RecorderRequest; answer: (batch: Batch | null) => void } | null = null
  #isWatching = false
  #isClosing = false

  constructor(options: Required<RecorderOptions>) {
    this.#options = options
    this.#worker = this.#startThread()
  }

  #startThread(): Worker {
    // New for each: the last words of one that is being ended must not be taken for the next one's.
    this.#progress = newProgress()
    const workerData: RecorderData = { progress: this.#progress }
    const resourceLimits = { maxOldGenerationSizeMb: this.#options.memoryMb }
    const worker = new Worker(this.#options.thread, { workerData, resourceLimits })
    worker.on('message', (batch: Batch | null) => this.#answer(batch))
    worker.on('error', (error) => {
      const at = Atomics.load(this.#progress, IN_PROGRESS)
      // A recorder that died of anything but a page has lost results: the leases must end, and they do with the process.
      if (!isOutOfMemory(error) || at === NOTHING) throw error
      this.#replaceThread(at, 'page:too-large')
    })
    return worker
  }

  #answer(batch: Batch | null): void {
    const taken = batch?.fences.length ?? 0
    this.#posted = this.#posted.slice(taken)
    this.#firstNumber += taken
    this.#batchAsked?.answer(batch)
    this.#batchAsked = null
  }

  get waiting(): number {
    return this.#waiting
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  get fences(): Set<number> {
    return new Set(this.#resultsByFence.keys())
  }

  put(finding: Finding): void {
    const { fence } = finding.leased
    this.#resultsByFence.set(fence, (this.#resultsByFence.get(fence) ?? 0) + 1)
    this.#waiting++
    this.#waitingBytes += weightOf(finding)
    // One message for all that arrive in one turn of the loop: a message costs more than a copy.
    if (this.#toPost.length === 0) setImmediate(() => this.#post())
    this.#toPost.push(finding)
    this.#changed.notifyAll()
  }

  #post(): void {
    if (this.#toPost.length === 0) return
    const findings = this.#toPost.map(withOwnBody)
    this.#toPost = []
    const firstNumber = this.#firstNumber + this.#posted.length
    this.#posted.push(...findings)
    this.#send(findings, firstNumber)
    void this.#watch()
  }

  /** The thread gets copies: what it holds is lost when it must be replaced. */
  #send(findings: readonly Finding[], firstNumber: number): void {
    const bodies: ArrayBuffer[] = []
    const copies = findings.map((finding) => {
      const { outcome } = finding
      if (outcome === null || !outcome.ok) return finding
      const body = ownBytes(outcome.body)
      bodies.push(body.buffer)
      return { ...finding, outcome: { ...outcome, body: body as Buffer } }
    })
    const isHurried = this.#waiting > HURRIED_RESULTS
    const ownAddresses = this.#options.ownAddresses()
    const work = { findings: copies, firstNumber, isHurried, ownAddresses }
    this.#worker.postMessage({ type: 'findings', ...work } satisfies RecorderRequest, bodies)
  }

  batch(options: { boot: string; bytesMax: number }): Promise<Batch | null> {
    this.#post()
    return new Promise((resolve) => {
      const request: RecorderRequest = { type: 'batch', ...options }
      this.#batchAsked = { request, answer: resolve }
      this.#worker.postMessage(request)
    })
  }

  /** Runs while the thread has something, and ends the thread that is at one finding at every look of a page's time. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return
    this.#isWatching = true
    let [last, looks] = [NOTHING, 0]
    while (this.#posted.length > 0 && !this.#watched.signal.aborted) {
      await this.#options.clock.sleep(this.#options.pageMs / LOOKS, this.#watched.signal)
      const at = Atomics.load(this.#progress, IN_PROGRESS)
      looks = at !== NOTHING && at === last ? looks + 1 : 0
      last = at
      if (looks >= LOOKS) {
        this.#replaceThread(at, 'page:too-slow')
        looks = 0
      }
    }
    this.#isWatching = false
  }

  #replaceThread(number: number, unread: UnreadCode): void {
    const former = this.#worker
    former.removeAllListeners('message')
    former.removeAllListeners('error')
    // Errors while it is being ended do not matter any more.
    former.on('error', () => {})
    void former.terminate()
    if (this.#isClosing) return
    const slow = this.#posted[number - this.#firstNumber]
    if (slow !== undefined) slow.unread = unread
    this.#worker = this.#startThread()
    this.#send(this.#posted, this.#firstNumber)
    if (this.#batchAsked !== null) this.#worker.postMessage(this.#batchAsked.request)
  }

  delivered(batch: Batch): void {
    this.#waiting -= batch.fences.length
    this.#waitingBytes -= batch.weightBytes
    for (const fence of batch.fences) {
      const left = this.#resultsByFence.get(fence)! - 1
      if (left === 0) this.#resultsByFence.delete(fence)
      else this.#resultsByFence.set(fence, left)
    }
    this.#changed.notifyAll()
  }

  changed(signal?: AbortSignal): Promise<void> {
    return this.#changed.wait(signal)
  }

  /**
   * The thread ends itself, between two messages. Ended from outside while it opens a compressor,
   * Node's own assertion ("close before init", node_zlib.cc) would take the whole process along;
   * only one that is astray, in a page or on its way out, is ended so.
   */
  async close(): Promise<void> {
    this.#isClosing = true
    const worker = this.#worker
    if (worker.threadId !== ENDED_THREAD) {
      const exited = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage({ type: 'close' } satisfies RecorderRequest)
      await Promise.race([exited, this.#terminateLate(worker)])
    }
    this.#watched.abort()
  }

  async #terminateLate(worker: Worker): Promise<void> {
    await this.#options.clock.sleep(CLOSE_MS, this.#watched.signal)
    await worker.terminate()
  }
}

const newProgress = (): Int32Array =>
  new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

/** A copy in memory of its own; only such bytes can be handed over to a thread. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.prototype.slice.call(bytes)
}

/** A small body shares the memory that it lies in with strangers, all of which it would keep until it is sent. */
function withOwnBody(finding: Finding): Finding {
  const { outcome } = finding
  if (outcome === null || !outcome.ok) return finding
  const { body } = outcome
  const isOwned = body.buffer.byteLength === body.length
  return isOwned ? finding : { ...finding, outcome: { ...outcome, body: ownBytes(body) as Buffer } }
}

/** A finding without a body still takes about this much. */
const FINDING_BYTES = 1_000

export function weightOf({ outcome }: Finding): number {
  return FINDING_BYTES + (outcome?.ok ? outcome.body.length : 0)
}
