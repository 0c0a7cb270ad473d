/**
 * Reads a pack: opening takes its directory alone, a text takes one block of the index and one frame.
 * Everything is checked before it is given away: blocks and frames by CRC-32, texts by SHA-256.
 */
import { crc32 } from 'node:zlib'
import { DamagedPack } from '../errors.ts'
import { decodeBlock } from './entry-blocks.ts'
import { OpenFrame } from './open-frame.ts'
import { PackCache } from './pack-cache.ts'
import {
  decodeDirectory,
  decodeTrailer,
  HEAD,
  nameOf,
  TRAILER_BYTES,
  type BlockPlace,
  type FramePlace,
  type PackDirectory,
} from './pack-directory.ts'
import { PackEntries, type Entry, type Tombstone } from './pack-entries.ts'
import { packFiles, type PackFiles, type PackSource } from './pack-files.ts'
import { unzstd } from './pack-frame.ts'
import type { PackSummary } from './pack-output.ts'
import type { PackText } from './pack-writer.ts'
import { sha256 } from './text-hashes.ts'
import { verifyPack, type PackDamage } from './verify-pack.ts'

export interface PackReaderOptions {
  /** Shared with other readers; otherwise the reader has one of its own. */
  cache?: PackCache
}

const CACHE_BYTES = 64 * 1024 * 1024
/** An entry of a decoded block in memory. */
const ENTRY_BYTES = 22

export class PackReader {
  readonly path: string
  readonly summary: PackSummary
  readonly directory: PackDirectory
  readonly #source: PackSource
  readonly #cache: PackCache
  readonly #name: string

  private constructor(path: string, source: PackSource, parts: ReaderParts) {
    const { directory, cache } = parts
    this.path = path
    this.directory = directory
    this.#source = source
    this.#cache = cache
    this.#name = cache.readerName()
    const { tombstones, rawBytes, frames, blocks } = directory
    const entries = blocks.reduce((sum, block) => sum + block.entries, 0)
    const texts = frames.reduce((sum, frame) => sum + frame.texts, 0)
    const revisions = entries - tombstones
    this.summary = { path, bytes: source.bytes, rawBytes, revisions, texts, tombstones }
  }

  static async open(
    path: string,
    files: Pick<PackFiles, 'open'> = packFiles,
    { cache }: PackReaderOptions = {},
  ): Promise<PackReader> {
    const source = await files.open(path)
    try {
      const directory = await readDirectory(path, source)
      return new PackReader(path, source, { directory, cache: cache ?? new PackCache(CACHE_BYTES) })
    } catch (error) {
      await source.close()
      throw error
    }
  }

  /** Null: the pack never had it, or had to remove it. */
  async text(revId: number, role = 'main'): Promise<Buffer | null> {
    const entry = await this.#entry(revId, role)
    return entry?.text === null || entry === undefined ? null : this.textAt(entry.text)
  }

  /** Has it a text of any slot of this revision? */
  async has(revId: number): Promise<boolean> {
    return (await this.#entriesOf(revId)).some(({ text }) => text !== null)
  }

  async tombstone(revId: number, role = 'main'): Promise<Tombstone | null> {
    const entry = await this.#entry(revId, role)
    return entry === undefined ? null : tombstoneOf(entry)
  }

  /** By page, then revision. */
  async *texts(): AsyncGenerator<PackText> {
    const entries = await this.entries()
    for (const index of entries.byPage()) {
      const { pageId, revId, role, text } = entries.at(index)
      if (text !== null) yield { pageId, revId, role, text: await this.textAt(text) }
    }
  }

  /** By page, then revision. */
  async *tombstones(): AsyncGenerator<Tombstone> {
    const entries = await this.entries()
    for (const index of entries.byPage()) {
      const tombstone = tombstoneOf(entries.at(index))
      if (tombstone !== null) yield tombstone
    }
  }

  /** Reads everything; empty when all is as it was written. */
  verify(): Promise<PackDamage[]> {
    return verifyPack(this)
  }

  /** The whole index, by revision: some 22 bytes of memory for each. */
  async entries(): Promise<PackEntries> {
    const entries = new PackEntries()
    for (const block of this.directory.blocks) await this.readBlock(block, entries)
    return entries
  }

  /** The text of this number. */
  async textAt(number: number): Promise<Buffer> {
    const place = this.#frameOf(number)
    const kept = await this.#frame(place)
    const frame = kept.isFreed ? await this.readFrame(place) : kept
    const text = frame.text(number - place.firstText)
    if (text !== null) return text
    throw this.#damaged(`text ${number}, in ${nameOf(this.directory, place)}, is not what it was`)
  }

  #frameOf(text: number): FramePlace {
    const place = lastUpTo(this.directory.frames, ({ firstText }) => firstText <= text)
    if (place === undefined || text >= place.firstText + place.texts) {
      throw this.#damaged(`its index names a text ${text} that it does not have`)
    }
    return place
  }

  #frame(place: FramePlace): Promise<OpenFrame> {
    return this.#cache.frames.get(`${this.#name}${place.offset}`, {
      bytes: place.rawBytes,
      load: () => this.readFrame(place),
      release: (frame) => frame.free(),
    })
  }

  /** From the file, for who reads each once. */
  async readFrame(place: FramePlace): Promise<OpenFrame> {
    const name = nameOf(this.directory, place)
    const frameBytes = place.storedBytes - place.listBytes
    return this.#unpacked(place, name, async (stored) => {
      const raw = await unzstd(stored.subarray(0, frameBytes), place.rawBytes)
      return new OpenFrame(raw, stored.subarray(frameBytes), place.texts)
    })
  }

  async readBlock(place: BlockPlace, into: PackEntries): Promise<void> {
    const name = nameOf(this.directory, place)
    await this.#unpacked(place, name, async (stored) => {
      const raw = await unzstd(stored, place.rawBytes)
      decodeBlock(raw, place.entries, this.directory.names, into)
    })
  }

  /** As it lies in the file, unchecked. */
  stored(place: FramePlace | BlockPlace): Promise<Buffer> {
    return this.#source.read(place.offset, place.storedBytes)
  }

  /**
   * A frame or block, when it is what was written there. The buffer passed to `unpack` is soon
   * reused.
   */
  #unpacked<T>(
    { offset, storedBytes, crc }: FramePlace | BlockPlace,
    name: string,
    unpack: (stored: Buffer) => Promise<T>,
  ): Promise<T> {
    return this.#cache.memory.lend(storedBytes, async (memory) => {
      const stored = await this.#source.read(offset, storedBytes, memory)
      if (stored.length !== storedBytes || crc32(stored) !== crc) {
        throw this.#damaged(`${name} is not what was written`)
      }
      try {
        return await unpack(stored)
      } catch (error) {
        throw this.#damaged(`${name} cannot be unpacked`, error)
      }
    })
  }

  /** The first bytes of the file say what it is. */
  async hasHead(): Promise<boolean> {
    return (await this.#source.read(0, HEAD.length)).equals(HEAD)
  }

  #damaged(where: string, cause?: unknown): DamagedPack {
    return new DamagedPack(this.path, where, { cause })
  }

  async close(): Promise<void> {
    this.#cache.forget(this.#name)
    await this.#source.close()
  }

  async #entry(revId: number, role: string): Promise<Entry | undefined> {
    return (await this.#entriesOf(revId)).find((entry) => entry.role === role)
  }

  async #entriesOf(revId: number): Promise<Entry[]> {
    const place = lastUpTo(this.directory.blocks, ({ firstRevId }) => firstRevId <= revId)
    if (place === undefined) return []
    const load = async (): Promise<PackEntries> => {
      const entries = new PackEntries(place.entries)
      await this.readBlock(place, entries)
      return entries
    }
    const bytes = place.entries * ENTRY_BYTES
    const block = await this.#cache.blocks.get(`${this.#name}${place.offset}`, { bytes, load })
    const found: Entry[] = []
    for (let index = block.firstOf(revId); index < block.length; index += 1) {
      if (block.revIdAt(index) !== revId) break
      found.push(block.at(index))
    }
    return found
  }
}

interface ReaderParts {
  directory: PackDirectory
  cache: PackCache
}

async function readDirectory(path: string, source: PackSource): Promise<PackDirectory> {
  const at = source.bytes - TRAILER_BYTES
  const trailer = at < 0 ? null : decodeTrailer(await source.read(at, TRAILER_BYTES), source.bytes)
  if (trailer === null) throw new DamagedPack(path, 'its end is missing or changed')
  const { directoryStoredBytes, directoryRawBytes, directorySha256 } = trailer
  const stored = await source.read(at - directoryStoredBytes, directoryStoredBytes)
  if (!sha256(stored).equals(directorySha256)) {
    throw new DamagedPack(path, 'its directory is not what was written')
  }
  try {
    return decodeDirectory(await unzstd(stored, directoryRawBytes))
  } catch (error) {
    throw new DamagedPack(path, 'its directory cannot be unpacked', { cause: error })
  }
}

export function tombstoneOf({ pageId, revId, role, removal }: Entry): Tombstone | null {
  return removal === null ? null : { pageId, revId, role, ...removal }
}

/** The last of a list for which the condition holds; it holds for all before that one. */
function lastUpTo<T>(list: T[], holds: (item: T) => boolean): T | undefined {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(list[middle]!)) low = middle + 1
    else high = middle
  }
  return list[low - 1]
}
