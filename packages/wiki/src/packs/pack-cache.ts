/** What readers keep unpacked and the memory they read with, shared by as many packs as wanted. */
/** Something worth keeping that takes so many bytes. */
interface Loading<T> {
  bytes: number
  load: () => Promise<T>
  /** Called when a value is evicted; a caller may still be waiting for it. */
  release?: (value: T) => void
}

interface Held {
  value: Promise<unknown>
  bytes: number
  release: () => void
}

/** Keeps what was used last, up to so many bytes. */
class LatestUsed {
  readonly #limit: number
  /** In the order of their last use. */
  readonly #held = new Map<string, Held>()
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  /** What `load` gives, now or last time; two that want it at once share one load. */
  get<T>(key: string, { bytes, load, release }: Loading<T>): Promise<T> {
    const known = this.#held.get(key)
    if (known !== undefined) {
      this.#held.delete(key)
      this.#held.set(key, known)
      return known.value as Promise<T>
    }
    const value = load()
    const held = { value, bytes, release: () => void value.then(release, () => undefined) }
    this.#held.set(key, held)
    this.#bytes += bytes
    value.catch(() => this.#drop(key, held))
    this.#evict()
    return value
  }

  /** Everything whose key begins so. */
  forget(prefix: string): void {
    for (const [key, held] of this.#held) if (key.startsWith(prefix)) this.#drop(key, held)
  }

  #evict(): void {
    for (const [key, held] of this.#held) {
      // The newest stays, however large: a caller is about to use it.
      if (this.#bytes <= this.#limit || this.#held.size === 1) return
      this.#drop(key, held)
    }
  }

  #drop(key: string, held: Held): void {
    if (this.#held.get(key) !== held) return
    this.#held.delete(key)
    this.#bytes -= held.bytes
    held.release()
  }
}

/** Nearly all frames, as they are stored, are smaller. */
const BUFFER_BYTES = 512 * 1024
/** Reads that overlap beyond it get memory of their own. */
const KEPT_MOST = 4

/**
 * Memory for what is read from a file and unpacked right away. The same few buffers are lent again
 * and again: a new one for every read would be garbage outside the heap, and some megabytes of it
 * make the collector walk the whole heap, with all its threads, while a reader waits for a text.
 */
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

/**
 * Blocks of indexes have room of their own, for the places of 700,000 texts: a text may be in any of a dozen packs,
 * and the few kilobytes that say where must not give way to frames of megabytes.
 */
const BLOCK_BYTES = 16 * 1024 * 1024

export class PackCache {
  readonly frames: LatestUsed
  readonly blocks: LatestUsed
  readonly memory = new SpareMemory()
  #readers = 0

  constructor(frameBytes: number, blockBytes = BLOCK_BYTES) {
    this.frames = new LatestUsed(frameBytes)
    this.blocks = new LatestUsed(blockBytes)
  }

  /** Two packs have things of the same number: each reader takes a name, with which keys begin. */
  readerName(): string {
    this.#readers += 1
    return `${this.#readers}:`
  }

  /** Everything of a reader that was closed. */
  forget(readerName: string): void {
    this.frames.forget(readerName)
    this.blocks.forget(readerName)
  }
}
