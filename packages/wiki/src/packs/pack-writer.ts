/**
 * Packs texts as they come: fill a frame, compress it while the next one fills, write the frames in order.
 * In memory are the frame that fills, those that are compressed, and some 60 bytes per text.
 */
import { BadPackInput } from '../errors.ts'
import { FrameBuilder } from './frame-builder.ts'
import { PackEntries, type Tombstone } from './pack-entries.ts'
import { packFiles, type PackFiles } from './pack-files.ts'
import { PackOutput, type PackSummary } from './pack-output.ts'
import { sha256, TextHashes } from './text-hashes.ts'

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
