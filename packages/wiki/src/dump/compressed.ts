/**
 * A dump file as one stream of XML, whatever it is packed with: plain, bzip2 (several streams too), gzip, zstd, 7z.
 * What it is packed with is read from its first bytes, not from its name. When the file is damaged, everything
 * before the damage is given, then `DumpDamaged` is thrown with the place.
 */
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { DumpDamaged, DumpToolMissing } from '../errors.ts'
import { unpackBzip2 } from './bzip2.ts'
import { inflate } from './inflate.ts'
import { ProgramFailed, type Programs } from './programs.ts'
import { RESTART_AT_BEGIN, type RawChunk, type Restart } from './raw-chunk.ts'

/** Where the bytes of a dump come from. */
export interface DumpSource {
  /** Bytes of the file. */
  size: number
  /** For programs that read files alone; null when there is none. */
  path: string | null
  read(from: number): AsyncIterable<Buffer>
}

export type Packing = 'plain' | 'bzip2' | 'gzip' | 'zstd' | '7z'

const MARKS: readonly [Packing, readonly number[]][] = [
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
]

const BZIP2_PROGRAMS = ['lbzip2', 'bzip2'] as const
const SEVEN_ZIP_PROGRAMS = ['7zz', '7z', '7za', '7zr'] as const
/** Inflated at once, at most; more waits in the unpacker. */
const INFLATE_BYTES = 256 * 1024

export async function packingOf(source: DumpSource): Promise<Packing> {
  for await (const head of source.read(0)) {
    const found = MARKS.find(([, mark]) => mark.every((byte, index) => head[index] === byte))
    return found?.[0] ?? 'plain'
  }
  return 'plain'
}

/** `from` is a place that an earlier run reported. */
export async function* unpackDump(
  source: DumpSource,
  programs: Programs,
  from: Restart = RESTART_AT_BEGIN,
): AsyncGenerator<RawChunk> {
  const packing = await packingOf(source)
  if (packing === 'plain') yield* plain(source, from)
  else if (packing === 'bzip2') yield* bzip2(source, programs, from)
  else if (packing === '7z') yield* sevenZip(source, programs)
  else {
    const options = { chunkSize: INFLATE_BYTES }
    const newEngine = () =>
      packing === 'gzip' ? createGunzip(options) : createZstdDecompress(options)
    yield* inflate(newEngine, source.read(from.compressed), from)
  }
}

async function* plain(source: DumpSource, from: Restart): AsyncGenerator<RawChunk> {
  let position = from.compressed
  for await (const bytes of source.read(position)) {
    const restart = { compressed: position, raw: position }
    position += bytes.length
    yield { bytes, position, restart }
  }
}

async function* bzip2(
  source: DumpSource,
  programs: Programs,
  from: Restart,
): AsyncGenerator<RawChunk> {
  const program = await programs.find(BZIP2_PROGRAMS)
  if (program === null) return yield* unpackBzip2(source.read(from.compressed), from)
  const groups = new StreamGroups(source.read(from.compressed), from.compressed)
  let raw = from.raw
  while (await groups.hasMore()) {
    const restart = { compressed: groups.position, raw }
    try {
      for await (const bytes of programs.run(program, ['-dc'], groups.next())) {
        raw += bytes.length
        yield { bytes, position: groups.position, restart }
      }
    } catch (error) {
      throw error instanceof ProgramFailed ? damagedIn(groups.position, error) : error
    }
  }
}

async function* sevenZip(source: DumpSource, programs: Programs): AsyncGenerator<RawChunk> {
  const program = await programs.find(SEVEN_ZIP_PROGRAMS)
  if (program === null || source.path === null) {
    throw new DumpToolMissing(SEVEN_ZIP_PROGRAMS, '7zip')
  }
  try {
    for await (const bytes of programs.run(program, ['x', '-so', '-y', source.path], null)) {
      yield { bytes, position: 0, restart: RESTART_AT_BEGIN }
    }
  } catch (error) {
    throw error instanceof ProgramFailed ? damagedIn(source.size, error) : error
  }
}

function damagedIn(position: number, error: ProgramFailed): DumpDamaged {
  return new DumpDamaged(position, error.message, { cause: error })
}

/** Begin of a stream of bzip2 and of its first block: eighty bits that do not come by chance. */
const STREAM_MARK = Buffer.from('1AY&SY', 'latin1')
const STREAM_HEAD_BYTES = 4
/**
 * A program is restarted for at least so much: often enough to resume from, too seldom to cost
 * anything.
 */
const GROUP_BYTES = 4 * 1024 * 1024

/**
 * Cuts a bzip2 file between streams, so that a program unpacks it piece by piece and each piece is a place to
 * begin again. A file of one stream stays whole.
 */
class StreamGroups {
  position: number
  private readonly chunks: AsyncIterator<Buffer>
  private rest: Buffer = Buffer.alloc(0)
  private isEnded = false

  constructor(packed: AsyncIterable<Buffer>, position: number) {
    this.chunks = packed[Symbol.asyncIterator]()
    this.position = position
  }

  async hasMore(): Promise<boolean> {
    if (this.rest.length === 0) await this.fill()
    return this.rest.length > 0
  }

  /** The bytes of the next group. */
  async *next(): AsyncGenerator<Buffer> {
    const begin = this.position
    while (await this.hasMore()) {
      const taken = this.position - begin
      const cut = taken < GROUP_BYTES ? -1 : streamIn(this.rest, taken === 0 ? 1 : 0)
      if (cut >= 0) {
        if (cut > 0) yield this.take(cut)
        return
      }
      // The mark may be cut by the end of the chunk: a few bytes wait for the next one.
      const waiting = STREAM_HEAD_BYTES + STREAM_MARK.length - 1
      if (this.rest.length <= waiting && !this.isEnded) await this.fill()
      else yield this.take(this.isEnded ? this.rest.length : this.rest.length - waiting)
    }
  }

  private take(bytes: number): Buffer {
    const piece = this.rest.subarray(0, bytes)
    this.rest = this.rest.subarray(bytes)
    this.position += bytes
    return piece
  }

  private async fill(): Promise<void> {
    const next = await this.chunks.next()
    if (next.done === true) this.isEnded = true
    else this.rest = this.rest.length === 0 ? next.value : Buffer.concat([this.rest, next.value])
  }
}

/** Where a stream begins in the bytes, at `from` or later; -1: nowhere. */
function streamIn(bytes: Buffer, from: number): number {
  let mark = bytes.indexOf(STREAM_MARK, from + STREAM_HEAD_BYTES)
  while (mark >= 0) {
    const head = mark - STREAM_HEAD_BYTES
    if (/^BZh[1-9]$/.test(bytes.toString('latin1', head, mark))) return head
    mark = bytes.indexOf(STREAM_MARK, mark + 1)
  }
  return -1
}
