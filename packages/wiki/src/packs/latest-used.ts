/** Keeps what was used last, up to so many bytes. */

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

export class LatestUsed {
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
