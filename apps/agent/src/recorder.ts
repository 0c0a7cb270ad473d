/**
 * The agent's side of recording. Responses go to a thread of their own, which records them and
 * packs uploads: a page that takes long to read holds up neither fetching nor the beat.
 */
import type { FetchOutcome } from '@minga/net'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Bell } from './bell.ts'
import type { Errand } from './errand.ts'
import type { Batch } from './outbox.ts'
import type { LogInFailure } from './wiki-session.ts'

/** One end of an errand: a response or failure, or nothing because it was never dialled. */
export interface Finding {
  errand: Errand
  outcome: FetchOutcome | LogInFailure | null
  endedAtMs: number
}

/** With this many results waiting, recording cannot keep up: compress faster instead of smaller. */
const HURRIED_RESULTS = 100

/** What a worker that is over says of its `threadId`. */
const ENDED_THREAD = -1

export type RecorderRequest =
  | { type: 'findings'; findings: Finding[]; isHurried: boolean }
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

export function startRecorder(): Recorder {
  return new ThreadRecorder(new Worker(new URL('./record-thread.ts', import.meta.url)))
}

class ThreadRecorder implements Recorder {
  readonly #worker: Worker
  readonly #bell = new Bell()
  readonly #resultsByFence = new Map<number, number>()
  #waiting = 0
  #waitingBytes = 0
  #toPost: Finding[] = []
  #batchAsked: ((batch: Batch | null) => void) | null = null

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (batch: Batch | null) => {
      this.#batchAsked?.(batch)
      this.#batchAsked = null
    })
    // A recorder that died has lost results: the leases must end, and they do with the process.
    worker.on('error', (error) => {
      throw error
    })
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
    const { fence } = finding.errand
    this.#resultsByFence.set(fence, (this.#resultsByFence.get(fence) ?? 0) + 1)
    this.#waiting++
    this.#waitingBytes += weightOf(finding)
    // One message for all that arrive in one turn of the loop: a message costs more than a copy.
    if (this.#toPost.length === 0) setImmediate(() => this.#post())
    this.#toPost.push(finding)
    this.#bell.ring()
  }

  #post(): void {
    const findings = this.#toPost
    if (findings.length === 0) return
    this.#toPost = []
    const bodies: ArrayBuffer[] = []
    for (const finding of findings) {
      const { outcome } = finding
      if (outcome === null || !outcome.ok) continue
      const body = ownedBytes(outcome.body)
      finding.outcome = { ...outcome, body: body as Buffer }
      bodies.push(body.buffer)
    }
    const isHurried = this.#waiting > HURRIED_RESULTS
    const request: RecorderRequest = { type: 'findings', findings, isHurried }
    this.#worker.postMessage(request, bodies)
  }

  batch(options: { boot: string; bytesMax: number }): Promise<Batch | null> {
    this.#post()
    return new Promise((resolve) => {
      this.#batchAsked = resolve
      this.#worker.postMessage({ type: 'batch', ...options } satisfies RecorderRequest)
    })
  }

  delivered(batch: Batch): void {
    this.#waiting -= batch.fences.length
    this.#waitingBytes -= batch.weightBytes
    for (const fence of batch.fences) {
      const left = this.#resultsByFence.get(fence)! - 1
      if (left === 0) this.#resultsByFence.delete(fence)
      else this.#resultsByFence.set(fence, left)
    }
    this.#bell.ring()
  }

  changed(signal?: AbortSignal): Promise<void> {
    return this.#bell.wait(signal)
  }

  /**
   * The thread ends itself, between two messages. Ended from outside while it opens a compressor,
   * Node's own assertion ("close before init", node_zlib.cc) would take the whole process along.
   */
  async close(): Promise<void> {
    if (this.#worker.threadId === ENDED_THREAD) return
    const exited = once(this.#worker, 'exit')
    this.#worker.postMessage({ type: 'close' } satisfies RecorderRequest)
    await exited
  }
}

/** Only bytes that own their memory can be handed over; small ones share Node's pool with strangers. */
function ownedBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  const isOwned = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length
  return isOwned && bytes.length > Buffer.poolSize
    ? new Uint8Array(buffer)
    : Uint8Array.prototype.slice.call(bytes)
}

/** A finding without a body still takes about this much. */
const FINDING_BYTES = 1_000

export function weightOf({ outcome }: Finding): number {
  return FINDING_BYTES + (outcome?.ok ? outcome.body.length : 0)
}
