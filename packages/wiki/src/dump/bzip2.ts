/**
 * bzip2 files, also of several streams one behind the other, as the multistream dumps of Wikipedia are.
 * Each stream is a place where reading can begin again. For machines without the program; about as fast as half of it.
 */
import { DumpDamaged } from '../errors.ts'
import { BadBlock, BitReader, BlockDecoder } from './bzip2-block.ts'
import type { RawChunk, Restart } from './raw-chunk.ts'

/** More than the largest block can take packed: 900,000 codes of 20 bits, and their tables. */
const BLOCK_PACKED_BYTES = 2_500_000
const BLOCK_MARK = [0x314159, 0x265359] as const
const END_MARK = [0x177245, 0x385090] as const
const LEVEL_BYTES = 100_000

export async function* unpackBzip2(
  packed: AsyncIterable<Buffer>,
  from: Restart,
): AsyncGenerator<RawChunk> {
  const input = new Input(packed, from.compressed)
  // Small streams come by the thousand; the arrays of the decoder are large.
  const decoders = new Map<string, BlockDecoder>()
  let raw = from.raw
  while (await input.has(1)) {
    const restart = { compressed: input.position, raw }
    for await (const bytes of unpackStream(input, decoders)) {
      raw += bytes.length
      yield { bytes, position: input.reached, restart }
    }
  }
}

async function* unpackStream(
  input: Input,
  decoders: Map<string, BlockDecoder>,
): AsyncGenerator<Buffer> {
  await input.has(BLOCK_PACKED_BYTES)
  const level = /^BZh([1-9])/.exec(input.window.toString('latin1', 0, 4))?.[1]
  if (level === undefined) throw input.damaged(0, 'no stream of bzip2 begins here')
  const decoder = decoders.get(level) ?? new BlockDecoder(Number(level) * LEVEL_BYTES)
  decoders.set(level, decoder)
  let bits = new BitReader(input.window, 4)
  let combined = 0
  for (;;) {
    const begin = bits.place.byte
    const mark = readMark(bits, input)
    if (mark === 'end') break
    const { pieces, crc } = decodeBlock(decoder, bits, begin, input)
    input.reached = input.position + bits.place.byte
    combined = (((combined << 1) | (combined >>> 31)) ^ crc) >>> 0
    yield* pieces
    bits = await input.behind(bits, BLOCK_PACKED_BYTES)
  }
  const end = bits.place.byte
  const told = readWord(bits, input)
  if (told !== combined) throw input.damaged(end, 'the checksum of a stream of bzip2 is wrong')
  bits.alignToByte()
  input.drop(bits.place.byte)
}

/** Nothing of a block is given before its checksum is known to be right. */
function decodeBlock(
  decoder: BlockDecoder,
  bits: BitReader,
  begin: number,
  input: Input,
): { pieces: Buffer[]; crc: number } {
  try {
    return decoder.decode(bits)
  } catch (error) {
    if (!(error instanceof BadBlock)) throw error
    throw input.damaged(begin, `a block of bzip2: ${error.message}`, error)
  }
}

function readMark(bits: BitReader, input: Input): 'block' | 'end' {
  try {
    const [first, second] = [bits.bits(24), bits.bits(24)]
    if (first === BLOCK_MARK[0] && second === BLOCK_MARK[1]) return 'block'
    if (first === END_MARK[0] && second === END_MARK[1]) return 'end'
  } catch (error) {
    throw input.damaged(bits.place.byte, 'a stream of bzip2 ends early', error)
  }
  throw input.damaged(bits.place.byte, 'no block of bzip2 begins here')
}

function readWord(bits: BitReader, input: Input): number {
  try {
    return ((bits.bits(16) << 16) | bits.bits(16)) >>> 0
  } catch (error) {
    throw input.damaged(bits.place.byte, 'a stream of bzip2 ends early', error)
  }
}

/** What was read of the file and not yet unpacked. */
class Input {
  window: Buffer = Buffer.alloc(0)
  /** Of the window, and of the last block, in the file. */
  position: number
  reached: number
  private readonly chunks: AsyncIterator<Buffer>
  private isEnded = false

  constructor(packed: AsyncIterable<Buffer>, position: number) {
    this.chunks = packed[Symbol.asyncIterator]()
    this.position = this.reached = position
  }

  /** Reads until the window has so many bytes; false at the end of the file. */
  async has(bytes: number): Promise<boolean> {
    const pieces = [this.window]
    let size = this.window.length
    while (size < bytes && !this.isEnded) {
      const next = await this.chunks.next()
      if (next.done === true) this.isEnded = true
      else {
        pieces.push(next.value)
        size += next.value.length
      }
    }
    if (pieces.length > 1) this.window = Buffer.concat(pieces)
    return size >= bytes
  }

  drop(bytes: number): void {
    this.window = this.window.subarray(bytes)
    this.position += bytes
  }

  /** Bits that go on where others are, with enough of the file behind them for another block. */
  async behind(bits: BitReader, bytes: number): Promise<BitReader> {
    const { byte, bitsOfByte } = bits.place
    if (this.window.length - byte >= bytes || this.isEnded) return bits
    this.drop(byte)
    await this.has(bytes * 2)
    const next = new BitReader(this.window, 0)
    next.bits(bitsOfByte)
    return next
  }

  /** `at` counts from the begin of the window. */
  damaged(at: number, problem: string, cause?: unknown): DumpDamaged {
    return new DumpDamaged(this.position + at, problem, { cause })
  }
}
