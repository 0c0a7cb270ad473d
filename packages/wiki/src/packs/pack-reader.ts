/**
 * Reads a pack: opening takes its directory alone, a text takes one block of the index and one frame.
 * Everything is checked before it is given away: blocks and frames by CRC-32, texts by SHA-256.
 */
import { crc32 } from 'node:zlib'
import { DamagedPack } from '../errors.ts'
import { decodeBlock } from './entry-blocks.ts'
import { PackCache } from './pack-cache.ts'
import {
  HEAD,
  TRAILER_BYTES,
  decodeDirectory,
  decodeTrailer,
  nameOf,
  type BlockPlace,
  type FramePlace,
  type PackDirectory,
} from './pack-directory.ts'
import { PackEntries, type Entry, type Tombstone } from './pack-entries.ts'
import { packFiles, type PackFiles, type PackSource } from './pack-files.ts'
import { HASH_BYTES, unzstd } from './pack-frame.ts'
import type { PackSummary } from './pack-output.ts'
import type { PackText } from './pack-writer.ts'
import { sha256 } from './text-hashes.ts'
import { verifyPack, type PackDamage } from './verify-pack.ts'
import { ByteReader } from './byte-code.ts'

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

/** Bytes of the text in hand that belong to the wanted one. */
interface Piece {
  /** Where they go. */
  to: number
  from: number
  length: number
}

/** A frame unpacked. Texts are put together when they are asked for: mostly one of a thousand. */
class OpenFrame {
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
