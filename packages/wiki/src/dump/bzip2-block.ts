/**
 * One block of bzip2: bits → Huffman codes → move-to-front → inverse Burrows–Wheeler → run lengths → bytes.
 * The format is that of Julian Seward's bzip2 1.0 (block sorting after Burrows and Wheeler, 1994). Each block has
 * a CRC, which is checked. Time is linear in the bytes; memory is one array of 900,000 numbers, used again.
 */

export class BadBlock extends Error {}

/** Bits of a buffer, the highest of each byte first. */
export class BitReader {
  private readonly bytes: Uint8Array
  private at: number
  private held = 0
  private heldBits = 0

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  /** The byte of which the next bit is, and how many of its bits were read. */
  get place(): { byte: number; bitsOfByte: number } {
    const held = Math.ceil(this.heldBits / 8)
    return { byte: this.at - held, bitsOfByte: held * 8 - this.heldBits }
  }

  /** At most 24 bits. */
  bits(count: number): number {
    if (this.heldBits < count) this.fill(count)
    this.heldBits -= count
    return (this.held >>> this.heldBits) & ((1 << count) - 1)
  }

  /** The next bits without taking them; zeros stand for what is behind the end. */
  peek(count: number): number {
    if (this.heldBits < count) {
      while (this.heldBits <= 23 && this.at < this.bytes.length) this.take()
      if (this.heldBits < count) return (this.held << (count - this.heldBits)) & ((1 << count) - 1)
    }
    return (this.held >>> (this.heldBits - count)) & ((1 << count) - 1)
  }

  skip(count: number): void {
    if (this.heldBits < count) this.fill(count)
    this.heldBits -= count
  }

  alignToByte(): void {
    this.heldBits -= this.heldBits & 7
  }

  private fill(count: number): void {
    while (this.heldBits <= 23 && this.at < this.bytes.length) this.take()
    if (this.heldBits < count) throw new BadBlock('it ends early')
  }

  private take(): void {
    this.held = (this.held << 8) | this.bytes[this.at]!
    this.at += 1
    this.heldBits += 8
  }
}

const CODE_BITS_MAX = 20
const ALPHABET_MAX = 258
/** A code changes after so many symbols. */
const GROUP_SYMBOLS = 50
/** Codes up to this length are found by one look in a table; longer ones are rare. */
const LOOKUP_BITS = 10
/** Pieces in which the bytes of a block are given: long runs may make a block 46 MB large. */
const PIECE_BYTES = 1024 * 1024

interface Code {
  /** By the next ten bits: symbol * 32 + length, 0 when the code is longer. */
  lookup: Uint16Array
  /** Per length: the largest code, and what to take off a code to get its place in `symbols`. */
  limits: Int32Array
  offsets: Int32Array
  symbols: Uint16Array
}

export class BlockDecoder {
  private readonly links: Uint32Array

  constructor(blockSize: number) {
    this.links = new Uint32Array(blockSize)
  }

  /** Reads behind the mark of the block. */
  decode(bits: BitReader): { pieces: Buffer[]; crc: number } {
    const told = ((bits.bits(16) << 16) | bits.bits(16)) >>> 0
    if (bits.bits(1) === 1)
      throw new BadBlock('it was made by bzip2 0.9.0, whose format is obsolete')
    const origin = bits.bits(24)
    const used = readUsedBytes(bits)
    const size = this.readSymbols(bits, used)
    if (origin >= size) throw new BadBlock('its order is damaged')
    this.linkBytes(size)
    const { pieces, crc } = this.expand(origin, size)
    if (crc !== told) throw new BadBlock('its checksum is wrong')
    return { pieces, crc }
  }

  /** Fills `links` with the bytes of the block in sorted order. */
  private readSymbols(bits: BitReader, used: Uint8Array): number {
    const groups = bits.bits(3)
    const selectorCount = bits.bits(15)
    if (groups < 2 || groups > 6 || selectorCount === 0) throw new BadBlock('its codes are damaged')
    const selectors = readSelectors(bits, groups, selectorCount)
    const codes = Array.from({ length: groups }, () => readCode(bits, used.length + 2))
    const { links } = this
    const front = Uint8Array.from(used)
    const endOfBlock = used.length + 1
    let size = 0
    let run = 0
    let runBit = 1
    for (const selector of selectors) {
      const code = codes[selector]!
      for (let count = 0; count < GROUP_SYMBOLS; count += 1) {
        const symbol = readSymbol(bits, code)
        if (symbol < 2) {
          run += runBit << symbol
          runBit <<= 1
          if (run > links.length) throw new BadBlock('a run in it is too long')
          continue
        }
        if (run > 0) {
          if (size + run > links.length) throw new BadBlock('it is too long')
          links.fill(front[0]!, size, size + run)
          size += run
          run = 0
          runBit = 1
        }
        if (symbol === endOfBlock) return size
        if (size >= links.length) throw new BadBlock('it is too long')
        links[size++] = moveToFront(front, symbol - 1)
      }
    }
    throw new BadBlock('it has no end')
  }

  /** Adds to each byte, in the upper bits, where the byte behind it stands. */
  private linkBytes(size: number): void {
    const { links } = this
    const places = new Uint32Array(256)
    for (let index = 0; index < size; index += 1) places[links[index]! & 0xff]! += 1
    let sum = 0
    for (let byte = 0; byte < 256; byte += 1) {
      const count = places[byte]!
      places[byte] = sum
      sum += count
    }
    for (let index = 0; index < size; index += 1) {
      const place = places[links[index]! & 0xff]!++
      links[place] = links[place]! | (index << 8)
    }
  }

  /** Follows the links; four equal bytes are followed by how often the byte comes again. */
  private expand(origin: number, size: number): { pieces: Buffer[]; crc: number } {
    const { links } = this
    const pieces: Buffer[] = []
    let link = links[origin]! >>> 8
    let out = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1024))
    let write = 0
    let crc = 0xffffffff
    let previous = -1
    let equal = 0
    for (let index = 0; index < size; index += 1) {
      const entry = links[link]!
      const byte = entry & 0xff
      link = entry >>> 8
      if (equal === 4) {
        if (write + byte > out.length) {
          pieces.push(out.subarray(0, write))
          out = Buffer.allocUnsafe(PIECE_BYTES)
          write = 0
        }
        out.fill(previous, write, write + byte)
        write += byte
        for (let count = 0; count < byte; count += 1) {
          crc = (crc << 8) ^ CRC[((crc >>> 24) ^ previous) & 0xff]!
        }
        equal = 0
        previous = -1
        continue
      }
      equal = byte === previous ? equal + 1 : 1
      previous = byte
      if (write === out.length) {
        pieces.push(out)
        out = Buffer.allocUnsafe(PIECE_BYTES)
        write = 0
      }
      out[write++] = byte
      crc = (crc << 8) ^ CRC[((crc >>> 24) ^ byte) & 0xff]!
    }
    if (write > 0) pieces.push(out.subarray(0, write))
    return { pieces, crc: ~crc >>> 0 }
  }
}

function readUsedBytes(bits: BitReader): Uint8Array {
  const used: number[] = []
  const ranges = bits.bits(16)
  for (let range = 0; range < 16; range += 1) {
    if ((ranges & (0x8000 >>> range)) === 0) continue
    const bytes = bits.bits(16)
    for (let index = 0; index < 16; index += 1) {
      if ((bytes & (0x8000 >>> index)) !== 0) used.push(range * 16 + index)
    }
  }
  if (used.length === 0) throw new BadBlock('it uses no bytes')
  return Uint8Array.from(used)
}

function readSelectors(bits: BitReader, groups: number, count: number): Uint8Array {
  const front = Uint8Array.from({ length: groups }, (_, index) => index)
  const selectors = new Uint8Array(count)
  for (let index = 0; index < count; index += 1) {
    let place = 0
    while (bits.bits(1) === 1) {
      place += 1
      if (place >= groups) throw new BadBlock('its codes are damaged')
    }
    selectors[index] = moveToFront(front, place)
  }
  return selectors
}

function moveToFront(front: Uint8Array, place: number): number {
  const value = front[place]!
  if (place < 16) for (let index = place; index > 0; index -= 1) front[index] = front[index - 1]!
  else front.copyWithin(1, 0, place)
  front[0] = value
  return value
}

function readCode(bits: BitReader, size: number): Code {
  const lengths = new Uint8Array(ALPHABET_MAX)
  let length = bits.bits(5)
  for (let symbol = 0; symbol < size; symbol += 1) {
    while (bits.bits(1) === 1) length += bits.bits(1) === 0 ? 1 : -1
    if (length < 1 || length > CODE_BITS_MAX) throw new BadBlock('its codes are damaged')
    lengths[symbol] = length
  }
  return codeOf(lengths, size)
}

/** Canonical codes: by length, then by symbol. */
function codeOf(lengths: Uint8Array, size: number): Code {
  const code: Code = {
    lookup: new Uint16Array(1 << LOOKUP_BITS),
    limits: new Int32Array(CODE_BITS_MAX + 1).fill(-1),
    offsets: new Int32Array(CODE_BITS_MAX + 1),
    symbols: new Uint16Array(size),
  }
  let next = 0
  let place = 0
  for (let length = 1; length <= CODE_BITS_MAX; length += 1) {
    code.offsets[length] = next - place
    for (let symbol = 0; symbol < size; symbol += 1) {
      if (lengths[symbol] !== length) continue
      if (length <= LOOKUP_BITS && next < 1 << length) {
        const start = next << (LOOKUP_BITS - length)
        code.lookup.fill(symbol * 32 + length, start, start + (1 << (LOOKUP_BITS - length)))
      }
      code.symbols[place++] = symbol
      next += 1
    }
    code.limits[length] = next - 1
    next <<= 1
  }
  return code
}

function readSymbol(bits: BitReader, code: Code): number {
  const entry = code.lookup[bits.peek(LOOKUP_BITS)]!
  if (entry !== 0) {
    bits.skip(entry & 31)
    return entry >>> 5
  }
  let length = LOOKUP_BITS + 1
  let value = bits.bits(length)
  while (value > code.limits[length]!) {
    if (length === CODE_BITS_MAX) throw new BadBlock('a code in it means nothing')
    length += 1
    value = (value << 1) | bits.bits(1)
  }
  const symbol = code.symbols[value - code.offsets[length]!]
  if (symbol === undefined) throw new BadBlock('a code in it means nothing')
  return symbol
}

/** The CRC of Ethernet with the highest bit first. */
const CRC = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1
  return crc
})
