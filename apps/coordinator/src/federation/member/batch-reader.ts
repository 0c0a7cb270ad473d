/**
 * Reads batches of other stations. Sixteen megabytes of brackets, of names or of addresses made to be slow take seconds
 * to parse, and a main loop that is blocked for ten is replaced: what is not short is read in a thread with a deadline.
 */
import { zstdDecompressSync } from 'node:zlib'
import {
  BadUpload,
  DeadlineWorker,
  systemClock,
  WorkerDied,
  WorkerTooSlow,
  type Clock,
} from '@minga/protocol'
import type { BatchAnswer } from './batch-thread.ts'
import { decodeBatch, type Batch } from './exchange-batch.ts'

/** Unpacked, of what is read in place: some milliseconds, whatever it is. */
const IN_PLACE_BYTES = 128 * 1024
/** The largest batch that was not made to be slow takes a second or two. */
const READ_MS = 10_000
/** The largest batch of nothing but brackets has more values than this holds, which ends the thread. */
const HEAP_MB = 512

export class BatchReader {
  readonly #thread: DeadlineWorker<Uint8Array, BatchAnswer>

  /** The thread starts with the first batch that is not short. */
  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#thread = new DeadlineWorker({
      file: new URL('./batch-thread.ts', import.meta.url),
      deadlineMs: READ_MS,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      clock,
    })
  }

  /** Fails with `BadUpload` when it is no batch, or none that can be read in time. */
  async read(body: Uint8Array): Promise<Batch> {
    if (isShort(body)) return decodeBatch(body)
    const { batch, problem } = await this.#call(body)
    if (batch === undefined) throw new BadUpload(problem ?? 'it is no batch')
    return batch
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #call(body: Uint8Array): Promise<BatchAnswer> {
    try {
      return await this.#thread.call(body)
    } catch (cause) {
      if (!(cause instanceof WorkerTooSlow || cause instanceof WorkerDied)) throw cause
      throw new BadUpload('reading it takes too much time or memory', { cause })
    }
  }
}

const reader = new BatchReader(systemClock)

export const readBatch = (body: Uint8Array): Promise<Batch> => reader.read(body)

/** What is no frame at all is short as well: it is refused in place. */
function isShort(body: Uint8Array): boolean {
  try {
    zstdDecompressSync(body, { maxOutputLength: IN_PLACE_BYTES })
    return true
  } catch (error) {
    return !(error instanceof RangeError)
  }
}
