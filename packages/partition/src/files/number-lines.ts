/**
 * Reads lines of numbers from bytes as they come, without ever holding a file or a line as text: graphs
 * have gigabytes. Whole numbers are added up digit by digit; what else is a number takes a slower way.
 */
import { BadGraphFile } from '../errors.ts'

export interface LineReader {
  /** The numbers of a line, valid until it returns; `line` counts from 1. */
  line(numbers: Float64Array, count: number, line: number): void
}

const NEWLINE = 10
const RETURN = 13
const [SPACE, TAB, COMMA, SEMICOLON] = [32, 9, 44, 59]
const [ZERO, NINE] = [48, 57]
const [PERCENT, HASH] = [37, 35]
const MOST_TOKEN = 64

export class NumberLines {
  readonly #name: string
  readonly #reader: LineReader
  #numbers = new Float64Array(1_024)
  #count = 0
  #line = 1
  #value = 0
  #digits = 0
  /** The token so far, once it turned out not to be made of digits alone. */
  #token = ''
  #comment = false
  #blank = true
  #bytes = 0

  constructor(name: string, reader: LineReader) {
    this.#name = name
    this.#reader = reader
  }

  /** All chunks, then the last line, which may lack its end. Answers how many lines there were. */
  async readAll(chunks: AsyncIterable<Uint8Array>): Promise<number> {
    for await (const chunk of chunks) this.#feed(chunk)
    if (this.#bytes === 0) this.#fail('the file is empty')
    if (!this.#blank || this.#comment) this.#endLine()
    return this.#line - 1
  }

  #feed(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!
      if (byte >= ZERO && byte <= NINE && !this.#comment && this.#token === '') {
        this.#value = this.#value * 10 + byte - ZERO
        this.#digits++
        this.#blank = false
      } else this.#other(byte)
    }
  }

  #other(byte: number): void {
    if (byte === NEWLINE) this.#endLine()
    else if (this.#comment) return
    else if (
      byte === SPACE ||
      byte === TAB ||
      byte === COMMA ||
      byte === SEMICOLON ||
      byte === RETURN
    ) {
      this.#endNumber()
    } else if ((byte === PERCENT || byte === HASH) && this.#blank) {
      this.#comment = true
      this.#blank = false
    } else this.#collect(byte)
  }

  #collect(byte: number): void {
    const character = String.fromCharCode(byte)
    if (!/[-+.0-9eE]/.test(character)) {
      const shown = byte > 32 && byte < 127 ? `"${character}"` : `the byte ${byte}`
      this.#fail(`${shown} is no part of a number; lines of numbers are expected`)
    }
    if (this.#token === '' && this.#digits > 0) this.#token = String(this.#value)
    this.#token += character
    this.#blank = false
    if (this.#token.length > MOST_TOKEN) this.#fail('a number has too many digits')
  }

  #endNumber(): void {
    if (this.#token !== '') {
      const value = Number(this.#token)
      if (!Number.isFinite(value)) this.#fail(`"${this.#token}" is no number`)
      this.#push(value)
    } else if (this.#digits > 0) {
      if (this.#value > Number.MAX_SAFE_INTEGER) this.#fail('a number is larger than 2^53')
      this.#push(this.#value)
    }
    this.#token = ''
    this.#value = 0
    this.#digits = 0
  }

  #push(value: number): void {
    if (this.#count === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#count)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#count++] = value
  }

  #endLine(): void {
    this.#endNumber()
    if (!this.#comment) this.#reader.line(this.#numbers, this.#count, this.#line)
    this.#count = 0
    this.#comment = false
    this.#blank = true
    this.#line++
  }

  #fail(what: string): never {
    throw new BadGraphFile(this.#name, this.#line, what)
  }
}
