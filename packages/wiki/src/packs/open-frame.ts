/** A frame unpacked. Texts are put together when they are asked for: mostly one of a thousand. */
import { ByteReader } from './byte-code.ts'
import { HASH_BYTES } from './pack-frame.ts'
import { sha256 } from './text-hashes.ts'

/** Bytes of the text in hand that belong to the wanted one. */
interface Piece {
  /** Where they go. */
  to: number
  from: number
  length: number
}

export class OpenFrame {
  readonly #raw: Buffer
  /** The memory of all that follow. */
  readonly #columns: ArrayBuffer
  readonly #lengths: Float64Array
  readonly #backs: Uint32Array
  readonly #starts: Float64Array
  /** Where the bytes of its own begin, and where those of the last one end. */
  readonly #owns: Float64Array
  readonly #hashes: Buffer

  /** Throws where the list is not that of these texts. */
  constructor(raw: Buffer, list: Buffer, texts: number) {
    this.#raw = raw
    const columns = new ArrayBuffer((3 * texts + 1) * 8 + texts * (4 + HASH_BYTES))
    this.#columns = columns
    this.#lengths = new Float64Array(columns, 0, texts)
    this.#starts = new Float64Array(columns, texts * 8, texts)
    this.#owns = new Float64Array(columns, texts * 16, texts + 1)
    this.#backs = new Uint32Array(columns, texts * 24 + 8, texts)
    this.#hashes = Buffer.from(columns, texts * 28 + 8, texts * HASH_BYTES)
    const reader = new ByteReader(list)
    let length = 0
    for (let index = 0; index < texts; index += 1) {
      length += reader.signed()
      const back = reader.number()
      const start = back > 0 ? reader.number() : 0
      const own = back > 0 ? reader.number() : length
      if (back > index) throw new RangeError('a text stands on one that is not there')
      this.#lengths[index] = length
      this.#backs[index] = back
      this.#starts[index] = start
      this.#owns[index + 1] = this.#owns[index]! + own
    }
    this.#hashes.set(reader.bytes(texts * HASH_BYTES))
    if (this.#owns[texts] !== raw.length) throw new RangeError('its texts are of another length')
  }

  get texts(): number {
    return this.#lengths.length
  }

  /** A copy; null where it is not the text that was written. */
  text(index: number): Buffer | null {
    const text = this.#assembled(index)
    const hash = this.#hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
    return sha256(text).subarray(0, HASH_BYTES).equals(hash) ? text : null
  }

  /** Whether it was freed before a waiting caller came to use it. */
  get isFreed(): boolean {
    const { buffer } = this.#raw
    return buffer instanceof ArrayBuffer && buffer.detached
  }

  /**
   * Gives the memory back at once. Left to the garbage collector, frames of megabytes drive it to walk the
   * whole heap at every few reads, which takes longer than unpacking them.
   */
  free(): void {
    const { buffer } = this.#raw
    // A small buffer shares its memory with others.
    if (!(buffer instanceof ArrayBuffer) || this.#raw.length <= Buffer.poolSize) return
    buffer.transfer(0)
    this.#columns.transfer(0)
  }

  /**
   * From the wanted text back to the whole one on which it stands: what is a text's own is copied, what it
   * has from the one before is looked for there. No text in between is ever put together.
   */
  #assembled(index: number): Buffer {
    const text = Buffer.allocUnsafe(this.#lengths[index]!)
    let pieces: Piece[] = [{ to: 0, from: 0, length: text.length }]
    for (let at = index; pieces.length > 0; at -= this.#backs[at]!) {
      pieces = this.#copyOwn(at, pieces, text)
    }
    return text
  }

  /** Copies what text `at` has of its own; gives what is to be found in the text on which it stands. */
  #copyOwn(at: number, pieces: Piece[], text: Buffer): Piece[] {
    const start = this.#starts[at]!
    const ownAt = this.#owns[at]!
    const ownEnd = start + this.#owns[at + 1]! - ownAt
    const base = at - this.#backs[at]!
    const shift = this.#lengths[base]! - this.#lengths[at]!
    const rest: Piece[] = []
    for (const { to, from, length } of pieces) {
      const end = from + length
      if (from < start) rest.push({ to, from, length: Math.min(end, start) - from })
      const [ownFrom, ownTo] = [Math.max(from, start), Math.min(end, ownEnd)]
      if (ownFrom < ownTo) {
        this.#raw.copy(text, to + ownFrom - from, ownAt + ownFrom - start, ownAt + ownTo - start)
      }
      const tail = Math.max(from, ownEnd)
      if (tail < end) rest.push({ to: to + tail - from, from: tail + shift, length: end - tail })
    }
    return rest
  }
}
