/**
 * Packs texts as they come: fill a frame, compress it while the next one fills, write the frames in order.
 * In memory are the frame that fills, those that are compressed, and some 60 bytes per text.
 */
import { BadPackInput } from '../errors.ts'
import { PackEntries, type Tombstone } from './pack-entries.ts'
import { packFiles, type PackFiles } from './pack-files.ts'
import { PackOutput, type PackSummary } from './pack-output.ts'
import { TextHashes, sha256 } from './text-hashes.ts'
import { HASH_BYTES, storeFrame, type StoredFrame, type TextInFrame } from './pack-frame.ts'

/**
 * A text may stand on one that stands on another, so many times. Reading undoes them one by one; a text
 * kept whole in between costs nearly nothing, because zstd sees that it was there before.
 */
const DEPTH_MAX = 200
/** Sharing less than this with another text is not worth a word. */
const SHARED_MIN = 64

/** Who reads one text of a frame reads the list of all. */
const TEXTS_MAX = 10_000

/** Fills a frame: of a text that is an earlier one with a change, only the change is kept. */
class FrameBuilder {
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

interface SharedEnds {
  /** Bytes at the beginning that are equal. */
  start: number
  /** Bytes at the end, not counting those. */
  end: number
}

const FIRST_STEP = 64
/** Below it, byte by byte is faster than another call. */
const LAST_STEP = 16

/**
 * How much two texts share at their beginning and at their end. Most edits change one place, so this alone
 * finds most of what a revision has from the one before, at the speed of comparing memory.
 */
export function sharedEnds(one: Buffer, other: Buffer): SharedEnds {
  const shorter = Math.min(one.length, other.length)
  const start = equalRun(shorter, (from, to) => one.compare(other, from, to, from, to) === 0)
  const end = equalRun(shorter - start, (from, to) => {
    const [oneFrom, oneTo] = [one.length - to, one.length - from]
    return one.compare(other, other.length - to, other.length - from, oneFrom, oneTo) === 0
  })
  return { start, end }
}

/** Steps that double while all is equal and shrink where something differs. */
function equalRun(length: number, isEqual: (from: number, to: number) => boolean): number {
  let run = 0
  let step = FIRST_STEP
  while (run < length) {
    const to = Math.min(length, run + step)
    if (isEqual(run, to)) {
      run = to
      step *= 2
    } else if (step <= LAST_STEP) {
      while (isEqual(run, run + 1)) run += 1
      return run
    } else {
      step = Math.max(LAST_STEP, step >> 2)
    }
  }
  return run
}

export interface PackText {
  pageId: number
  revId: number
  /** Of the slot; `main` for most. */
  role: string
  text: Uint8Array
}

export interface PackWriterOptions {
  /** Of a frame before it is compressed; a text that is longer has one of its own. */
  frameBytes?: number
  /** Of zstd, 1 to 19. */
  level?: number
}

/** Larger ones pack better, smaller ones are read faster; docs/wiki-packs.md has the figures. */
const FRAME_BYTES = 2 * 1024 * 1024
/** Above it little is won for much time. */
const LEVEL = 9
/** Frames that are compressed in parallel: one for each thread that zlib may take, but for one. */
const SIDE_BY_SIDE = 3
/** A page begins a new frame when the last one is so full: cutting the page in two would cost more. */
const FULL_ENOUGH = 0.5

export class PackWriter {
  readonly #output: PackOutput
  readonly #frameBytes: number
  readonly #level: number
  readonly #entries = new PackEntries()
  readonly #hashes = new TextHashes()
  readonly #packing: Promise<void>[] = []
  #written: Promise<void> = Promise.resolve()
  /** Memory of frames that are packed, for the next ones. */
  readonly #spare: Buffer[] = []
  #frame: FrameBuilder
  #pageId: number | undefined
  #texts = 0
  /** Of the frame that fills. */
  #firstText = 0
  #rawBytes = 0

  private constructor(output: PackOutput, { frameBytes, level }: PackWriterOptions) {
    this.#output = output
    this.#frameBytes = frameBytes ?? FRAME_BYTES
    this.#level = level ?? LEVEL
    this.#frame = new FrameBuilder(this.#frameBytes, this.#spare)
  }

  static async create(
    path: string,
    files: PackFiles = packFiles,
    options: PackWriterOptions = {},
  ): Promise<PackWriter> {
    return new PackWriter(await PackOutput.create(path, files), options)
  }

  /**
   * Sorted by page, then revision, texts pack best; any other order works. Waits while too many frames are
   * being compressed. The text may be changed as soon as the promise is kept.
   */
  async add({ pageId, revId, role, text }: PackText): Promise<void> {
    refuseBadIds(pageId, revId)
    const digest = sha256(text)
    const known = this.#hashes.numberOrNote(digest, this.#texts)
    const number = known ?? this.#texts
    this.#rawBytes += text.length
    this.#entries.add({ pageId, revId, role, text: number, removal: null })
    const isNewPage = pageId !== this.#pageId
    this.#pageId = pageId
    if (known !== undefined) {
      if (known >= this.#firstText) this.#frame.recall(known - this.#firstText, text)
      return
    }
    let packed: Promise<void> | undefined
    if (isNewPage && this.#frame.length > this.#frameBytes * FULL_ENOUGH)
      packed = this.#closeFrame()
    // The frame that takes the text stands before anyone waits: adds may overlap.
    if (!this.#frame.add(text, digest)) {
      packed = this.#closeFrame()
      this.#frame.add(text, digest)
    }
    this.#texts += 1
    await packed
  }

  /** Says that this slot had a text and has none any more. */
  writeTombstone({ pageId, revId, role, reason, at }: Tombstone): void {
    refuseBadIds(pageId, revId)
    this.#entries.add({ pageId, revId, role, text: null, removal: { reason, at } })
  }

  /** Durable and under its name when the promise is kept. */
  async finish(): Promise<PackSummary> {
    try {
      await this.#closeFrame()
      await this.#written
      return await this.#output.finish(this.#entries, this.#rawBytes)
    } catch (error) {
      await this.abandon()
      throw error
    }
  }

  /** Nothing of it stays. */
  async abandon(): Promise<void> {
    await this.#written.catch(() => undefined)
    await this.#output.abandon()
  }

  async #closeFrame(): Promise<void> {
    if (this.#frame.texts === 0) return
    const frame = this.#frame
    this.#frame = new FrameBuilder(this.#frameBytes, this.#spare)
    this.#firstText = this.#texts
    const packed = frame.stored(this.#level)
    this.#written = this.#written.then(async () => this.#output.frame(await packed))
    // Its waiting caller gets the failure; until there is one it must not end the process.
    packed.catch(() => undefined)
    this.#written.catch(() => undefined)
    this.#packing.push(this.#written)
    if (this.#packing.length >= SIDE_BY_SIDE) await this.#packing.shift()
  }
}

function refuseBadIds(pageId: number, revId: number): void {
  if ([pageId, revId].every((id) => Number.isSafeInteger(id) && id >= 0)) return
  throw new BadPackInput(`A page ${pageId} with a revision ${revId} cannot be packed.`)
}
