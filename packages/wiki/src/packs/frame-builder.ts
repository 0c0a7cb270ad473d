/** Fills a frame: of a text that is an earlier one with a change, only the change is kept. */
import { HASH_BYTES, storeFrame, type StoredFrame, type TextInFrame } from './pack-frame.ts'
import { sharedEnds } from './shared-ends.ts'

/**
 * A text may stand on one that stands on another, so many times. Reading undoes them one by one; a text
 * kept whole in between costs nearly nothing, because zstd sees that it was there before.
 */
const DEPTH_MAX = 200
/** Sharing less than this with another text is not worth a word. */
const SHARED_MIN = 64

/** Who reads one text of a frame reads the list of all. */
const TEXTS_MAX = 10_000

export class FrameBuilder {
  readonly #room: number
  /** Memory of frames that are done, for the next ones. */
  readonly #spare: Buffer[]
  readonly #list: TextInFrame[] = []
  readonly #depths: number[] = []
  #bytes: Buffer | undefined
  #length = 0
  /** A copy of the text that the next one is compared with, and its place in the frame. */
  #last = Buffer.alloc(0)
  #lastBytes = 0
  #lastIndex: number | undefined

  constructor(room: number, spare: Buffer[]) {
    this.#room = room
    this.#spare = spare
  }

  get texts(): number {
    return this.#list.length
  }

  /** Bytes before they are compressed. */
  get length(): number {
    return this.#length
  }

  /** False when the frame is too full for it; an empty one takes a text of any length. */
  add(text: Uint8Array, digest: Buffer): boolean {
    if (this.texts === TEXTS_MAX) return false
    const entry = this.#entryOf(bufferOf(text), digest)
    const memory = this.#bytes ?? this.#memory(entry.own)
    if (this.#length + entry.own > memory.length) return false
    this.#bytes = memory
    memory.set(text.subarray(entry.start, entry.start + entry.own), this.#length)
    this.#length += entry.own
    this.#list.push(entry)
    this.#depths.push(entry.back === 0 ? 0 : this.#depths[this.texts - 1 - entry.back]! + 1)
    this.recall(this.texts - 1, text)
    return true
  }

  /** The page has this text again: the next one will be a change of it. */
  recall(index: number, text: Uint8Array): void {
    if (this.#last.length < text.length) this.#last = Buffer.allocUnsafeSlow(text.length * 2)
    this.#last.set(text)
    this.#lastBytes = text.length
    this.#lastIndex = index
  }

  async stored(level: number): Promise<StoredFrame> {
    const memory = this.#bytes ?? Buffer.alloc(0)
    const stored = await storeFrame(memory.subarray(0, this.#length), this.#list, level)
    if (memory.length === this.#room) this.#spare.push(memory)
    return stored
  }

  #entryOf(text: Buffer, digest: Buffer): TextInFrame {
    const { length } = text
    const hash = digest.subarray(0, HASH_BYTES)
    const whole = { length, back: 0, start: 0, own: length, hash }
    if (this.#lastIndex === undefined || this.#depths[this.#lastIndex]! >= DEPTH_MAX) return whole
    const { start, end } = sharedEnds(this.#last.subarray(0, this.#lastBytes), text)
    if (start + end < SHARED_MIN) return whole
    return { length, back: this.texts - this.#lastIndex, start, own: length - start - end, hash }
  }

  #memory(atLeast: number): Buffer {
    if (atLeast > this.#room) return Buffer.allocUnsafeSlow(atLeast)
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#room)
  }
}

function bufferOf(text: Uint8Array): Buffer {
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength)
}
