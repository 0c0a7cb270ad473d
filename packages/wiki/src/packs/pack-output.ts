/**
 * Writes a pack from its first byte to its last. Until `finish` it has another name, so that a run that dies
 * leaves nothing that looks like a pack.
 */
import { crc32 } from 'node:zlib'
import { BadPackInput } from '../errors.ts'
import { BlockWriter, cutBlocks, namesOf } from './entry-blocks.ts'
import {
  encodeDirectory,
  encodeTrailer,
  HEAD,
  type BlockPlace,
  type FramePlace,
  type PackDirectory,
} from './pack-directory.ts'
import type { PackEntries } from './pack-entries.ts'
import type { PackFiles, PackSink } from './pack-files.ts'
import { zstdFrame, type StoredFrame } from './pack-frame.ts'

export interface PackSummary {
  path: string
  bytes: number
  /** Of all texts, each counted as often as revisions have it. */
  rawBytes: number
  /** Slots of revisions that have a text here. */
  revisions: number
  texts: number
  tombstones: number
}

/** The index is small and read often: it is worth the work. */
const INDEX_LEVEL = 19

export class PackOutput {
  readonly #path: string
  readonly #files: PackFiles
  readonly #sink: PackSink
  readonly #frames: FramePlace[] = []
  #offset = 0
  #texts = 0

  private constructor(path: string, files: PackFiles, sink: PackSink) {
    this.#path = path
    this.#files = files
    this.#sink = sink
  }

  static async create(path: string, files: PackFiles): Promise<PackOutput> {
    const output = new PackOutput(path, files, await files.create(partialOf(path)))
    await output.#write(HEAD)
    return output
  }

  async frame(frame: StoredFrame): Promise<void> {
    const { bytes, listBytes, rawBytes, texts, crc } = frame
    const place = { offset: this.#offset, storedBytes: bytes.length, firstText: this.#texts }
    this.#frames.push({ ...place, listBytes, rawBytes, texts, crc })
    this.#texts += texts
    await this.#write(bytes)
  }

  async finish(entries: PackEntries, rawBytes: number): Promise<PackSummary> {
    const { tombstones } = entries
    const names = namesOf(entries)
    const blocks = await this.#blocks(entries, new BlockWriter(names))
    await this.#directory({ frames: this.#frames, blocks, names, tombstones, rawBytes })
    await this.#sink.sync()
    await this.#sink.close()
    await this.#files.publish(partialOf(this.#path), this.#path)
    const revisions = entries.length - tombstones
    const totals = { bytes: this.#offset, rawBytes, texts: this.#texts }
    return { path: this.#path, ...totals, revisions, tombstones }
  }

  async abandon(): Promise<void> {
    // The file may be closed already; what matters is that it goes.
    await this.#sink.close().catch(() => undefined)
    await this.#files.remove(partialOf(this.#path))
  }

  async #blocks(entries: PackEntries, writer: BlockWriter): Promise<BlockPlace[]> {
    const places: BlockPlace[] = []
    for (const order of cutBlocks(entries)) {
      refuseTwice(entries, order)
      const raw = writer.encode(entries, order)
      const stored = await zstdFrame(raw, INDEX_LEVEL)
      places.push({
        offset: this.#offset,
        storedBytes: stored.length,
        rawBytes: raw.length,
        firstRevId: entries.revIdAt(order[0]!),
        entries: order.length,
        crc: crc32(stored),
      })
      await this.#write(stored)
    }
    return places
  }

  async #directory(directory: PackDirectory): Promise<void> {
    const raw = encodeDirectory(directory)
    const stored = await zstdFrame(raw, INDEX_LEVEL)
    const trailer = encodeTrailer(this.#offset, stored, raw.length)
    await this.#write(Buffer.concat([stored, trailer]))
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#sink.write(bytes)
    this.#offset += bytes.length
  }
}

function partialOf(path: string): string {
  return `${path}.partial`
}

function refuseTwice(entries: PackEntries, order: Uint32Array): void {
  for (let index = 1; index < order.length; index += 1) {
    const [before, here] = [order[index - 1]!, order[index]!]
    if (entries.compareRevisions(before, here) !== 0) continue
    const { revId, role } = entries.at(here)
    throw new BadPackInput(`Slot ${role} of revision ${revId} was given twice to one pack.`)
  }
}
