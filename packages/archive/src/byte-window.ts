/**
 * A sliding window over bytes that arrive in pieces: look ahead, step forward, and return to a
 * mark while it is near. It holds what was looked at and not yet stepped over, nothing else.
 */

/** How far back a mark reaches. Damage found later is resumed from where it was found. */
const MARK_REACH_BYTES = 4 * 1024 * 1024

/** How much may be read again after damage, besides as much as was read once: members inside members would
 * otherwise be read as often as they are deep. */
const REREAD_BYTES = 16 * 1024 * 1024

const NOTHING = Buffer.alloc(0)

export class ByteWindow {
  readonly #source: AsyncIterator<Uint8Array> | Iterator<Uint8Array>
  #bytes: Buffer = NOTHING
  #at = 0
  #mark = -1
  #ended = false
  #rereadBytes = 0
  /** Offset in the whole source of the first byte in `view`. */
  position = 0
  /**
   * Offset in the whole source before which no head of a record ends, so that it is not searched
   * twice.
   */
  headEndsFrom = 0

  constructor(source: AsyncIterable<Uint8Array> | Uint8Array) {
    this.#source =
      source instanceof Uint8Array ? [source][Symbol.iterator]() : source[Symbol.asyncIterator]()
  }

  /** The bytes at hand. Valid until the next `fill`, `skip` or `rewind`. */
  get view(): Buffer {
    return this.#bytes.subarray(this.#at)
  }

  /** Reads until `wanted` bytes are at hand or the source ends; says how many are. */
  async fill(wanted: number): Promise<number> {
    let available = this.#bytes.length - this.#at
    if (available >= wanted || this.#ended) return available
    if (this.#mark >= 0 && this.#at - this.#mark > MARK_REACH_BYTES) this.#mark = -1
    const keepFrom = this.#mark >= 0 ? this.#mark : this.#at
    const parts = keepFrom < this.#bytes.length ? [this.#bytes.subarray(keepFrom)] : []
    while (available < wanted) {
      const next = await this.#source.next()
      if (next.done === true) {
        this.#ended = true
        break
      }
      if (next.value.length === 0) continue
      parts.push(asBuffer(next.value))
      available += next.value.length
    }
    this.#bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    this.#at -= keepFrom
    if (this.#mark >= 0) this.#mark = 0
    return available
  }

  /** Steps over bytes at hand. */
  skip(count: number): void {
    this.#at += count
    this.position += count
  }

  /** Tells the source that no more is wanted, so that it can close its file. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  mark(): void {
    this.#mark = this.#at
  }

  /** Back to the mark; false, and nothing moves, when it is out of reach or too much was read again already. */
  rewind(): boolean {
    if (this.#mark < 0) return false
    const backBytes = this.#at - this.#mark
    if (this.#rereadBytes + backBytes > REREAD_BYTES + this.position) return false
    this.#rereadBytes += backBytes
    this.position -= backBytes
    this.#at = this.#mark
    return true
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
