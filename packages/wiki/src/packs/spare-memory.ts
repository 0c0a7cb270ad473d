/**
 * Memory for what is read from a file and unpacked right away. The same few buffers are lent again
 * and again: a new one for every read would be garbage outside the heap, and some megabytes of it
 * make the collector walk the whole heap, with all its threads, while a reader waits for a text.
 */

/** Nearly all frames, as they are stored, are smaller. */
const BUFFER_BYTES = 512 * 1024
/** Reads that overlap beyond it get memory of their own. */
const KEPT_MOST = 4

export class SpareMemory {
  readonly #spare: Buffer[] = []

  /** Nothing that `use` returns may point into the memory, which is reused afterwards. */
  async lend<T>(bytes: number, use: (memory: Buffer) => Promise<T>): Promise<T> {
    if (bytes > BUFFER_BYTES) return use(Buffer.allocUnsafeSlow(bytes))
    const memory = this.#spare.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
    try {
      return await use(memory.subarray(0, bytes))
    } finally {
      if (this.#spare.length < KEPT_MOST) this.#spare.push(memory)
    }
  }
}
