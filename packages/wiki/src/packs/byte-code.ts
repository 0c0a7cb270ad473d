/** Whole numbers in as few bytes as they need: seven bits a byte, lowest first, the high bit says "more". */

const FIRST_BYTES = 1024

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** 0 to 2⁵³ − 1. */
  number(value: number): void {
    this.#room(8)
    let rest = value
    // Shifts work on 32 bits alone; ids of pages and times are larger.
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  /** Zigzag: 0, −1, 1, −2 … become 0, 1, 2, 3 …, so that small differences of either sign stay short. */
  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value)
  }

  uint32(value: number): void {
    this.#room(4)
    this.#length = this.#bytes.writeUInt32LE(value, this.#length)
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
  }

  text(value: string): void {
    const bytes = Buffer.from(value)
    this.number(bytes.length)
    this.bytes(bytes)
  }

  written(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #room(wanted: number): void {
    if (this.#length + wanted <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + wanted))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

/** Reads what `ByteWriter` wrote; throws a RangeError where the bytes end too early. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  number(): number {
    let value = 0
    for (let scale = 1; scale <= Number.MAX_SAFE_INTEGER; scale *= 0x80) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) break
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new RangeError('a number has no end')
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  uint32(): number {
    const value = this.#bytes.readUInt32LE(this.#at)
    this.#at += 4
    return value
  }

  bytes(length: number): Buffer {
    if (length > this.left) throw new RangeError('bytes are missing')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  text(): string {
    return this.bytes(this.number()).toString('utf8')
  }
}
