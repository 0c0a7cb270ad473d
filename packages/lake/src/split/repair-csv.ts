/**
 * Makes the records of a unit well-formed, so that any reader of CSV agrees with the dialect about
 * them.
 *
 * DuckDB's strict reader is exact about well-formed records and has its own interpretation of the
 * others. Nearly all records are well-formed, so the bytes pass through as they are: this jumps
 * from quote to quote and only checks the bytes next to each. A record with a stray quote, text
 * behind a closing quote, a lone carriage return or bytes that are not UTF-8 is rewritten with the
 * same fields. The carriage return of `\r\n` becomes another line feed in place: empty lines are no
 * records, and nothing has to be moved.
 *
 * One kind of well-formed record is rewritten too: where only some columns are requested, DuckDB
 * 1.5 overlooks a field too many that is quoted and has quotes in it. Without those quotes it is
 * seen, and the record rejected.
 */
import { isUtf8 } from 'node:buffer'
import {
  CARRIAGE_RETURN,
  delimiterByte,
  FIELD_START,
  LINE_FEED,
  parseRecord,
  QUOTE_BYTE,
  RECORD_LIMIT_BYTES,
  recordEnd,
  withoutLineEnd,
  type Delimiter,
  type State,
} from './dialect.ts'

export interface RepairCounts {
  /** Records rewritten because of quotes or carriage returns. */
  repaired: number
  /** Records in which bytes were replaced. */
  notUtf8: number
  /** Records dropped because they are longer than RECORD_LIMIT_BYTES. */
  tooLong: number
  /** Bytes of the longest piece: no record is longer. */
  longest: number
}

export const noRepairs = (): RepairCounts => ({ repaired: 0, notUtf8: 0, tooLong: 0, longest: 0 })

export interface RecordShape {
  delimiter: Delimiter
  /** How many a record should have. */
  fields: number
}

const NOTHING = Buffer.alloc(0)

/**
 * Small against the limit of a record: a block above the limit is rare and checked record by
 * record.
 */
const BLOCK_BYTES = 1024 * 1024

/**
 * The chunks must begin with a record; they are split again, so that each piece ends with one. A
 * piece is valid until the next is requested: one buffer serves for all, because allocating a new
 * one for every megabyte costs more than the repair.
 */
export async function* repairCsv(
  chunks: AsyncIterable<Buffer>,
  shape: RecordShape,
  counts: RepairCounts,
): AsyncGenerator<Buffer> {
  const repairer = new CsvRepairer(shape, counts)
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += BLOCK_BYTES) {
      yield* measured(repairer.repair(chunk.subarray(at, at + BLOCK_BYTES), false), counts)
    }
  }
  yield* measured(repairer.repair(NOTHING, true), counts)
}

function* measured(piece: Buffer, counts: RepairCounts): Generator<Buffer> {
  counts.longest = Math.max(counts.longest, piece.length)
  if (piece.length > 0) yield piece
}

interface Stretch {
  from: number
  to: number
}

class CsvRepairer {
  readonly #shape: RecordShape
  readonly #byte: number
  readonly #counts: RepairCounts
  #buffer: Buffer = NOTHING
  /** The record that the last chunk left unfinished; a part of the buffer. */
  #rest: Buffer = NOTHING
  /** While a record that is too long is being skipped: the state it is in. */
  #skipping: State | null = null

  constructor(shape: RecordShape, counts: RepairCounts) {
    this.#shape = shape
    this.#byte = delimiterByte(shape.delimiter)
    this.#counts = counts
  }

  repair(chunk: Buffer, isLast: boolean): Buffer {
    const block = this.#joined(this.#afterSkipped(chunk))
    const { flawed, end } = this.#examine(block, isLast)
    this.#keep(block.subarray(end))
    const whole = block.subarray(0, end)
    if (!isUtf8(whole) || whole.length > RECORD_LIMIT_BYTES)
      return this.#recordByRecord(whole, flawed)
    return flawed.length === 0 ? whole : this.#flawedAnew(whole, flawed)
  }

  #joined(more: Buffer): Buffer {
    const [rest, bytes] = [this.#rest, this.#rest.length + more.length]
    const room = bytes <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafe(2 * bytes)
    rest.copy(room)
    more.copy(room, rest.length)
    this.#buffer = room
    return room.subarray(0, bytes)
  }

  /** Where the block's last whole record ends, and which records cannot stay as they are. */
  #examine(block: Buffer, isLast: boolean): { flawed: Stretch[]; end: number } {
    const flawed: Stretch[] = []
    const walk = new Walk(block, this.#byte, this.#shape.fields)
    for (;;) {
      const flaw = walk.nextFlaw()
      if (flaw === null) break
      const from = walk.recordStart(flaw.at)
      const end = recordEnd(block, from, FIELD_START, this.#byte).end
      if (end === null && !isLast) return { flawed, end: from }
      const to = end ?? block.length
      flawed.push({ from, to })
      if (!flaw.isWellFormed) this.#counts.repaired += 1
      walk.goOn(to)
    }
    return { flawed, end: isLast ? block.length : walk.recordStart(block.length) }
  }

  #flawedAnew(block: Buffer, flawed: Stretch[]): Buffer {
    const pieces: Buffer[] = []
    let at = 0
    for (const { from, to } of flawed) {
      pieces.push(block.subarray(at, from), this.#anew(block.subarray(from, to)))
      at = to
    }
    return Buffer.concat([...pieces, block.subarray(at)])
  }

  #recordByRecord(block: Buffer, flawed: Stretch[]): Buffer {
    const pieces: Buffer[] = []
    const starts = new Set(flawed.map(({ from }) => from))
    for (let at = 0; at < block.length;) {
      const to = recordEnd(block, at, FIELD_START, this.#byte).end ?? block.length
      const record = block.subarray(at, to)
      const isText = isUtf8(record)
      if (!isText) this.#counts.notUtf8 += 1
      if (record.length > RECORD_LIMIT_BYTES) this.#counts.tooLong += 1
      else pieces.push(isText && !starts.has(at) ? record : this.#anew(record))
      at = to
    }
    return Buffer.concat(pieces)
  }

  #anew(record: Buffer): Buffer {
    const { end } = recordEnd(record, 0, FIELD_START, this.#byte)
    const text = record.toString('utf8')
    const body = end === null ? text : withoutLineEnd(text)
    const { delimiter, fields: most } = this.#shape
    const fields = parseRecord(body, delimiter).map((field, place) =>
      place < most ? field : field.replaceAll('"', "'"),
    )
    const anew = Buffer.from(`${fields.map(quoted).join(delimiter)}\n`)
    if (anew.length <= RECORD_LIMIT_BYTES) return anew
    this.#counts.tooLong += 1
    return NOTHING
  }

  #keep(rest: Buffer): void {
    this.#rest = rest
    if (rest.length <= RECORD_LIMIT_BYTES) return
    const found = recordEnd(rest, 0, FIELD_START, this.#byte)
    if (found.end !== null) return
    this.#counts.tooLong += 1
    this.#skipping = found.state
    this.#rest = NOTHING
  }

  #afterSkipped(chunk: Buffer): Buffer {
    if (this.#skipping === null) return chunk
    const found = recordEnd(chunk, 0, this.#skipping, this.#byte)
    this.#skipping = found.end === null ? found.state : null
    return chunk.subarray(found.end ?? chunk.length)
  }
}

interface Flaw {
  at: number
  /** Only DuckDB would misread it. */
  isWellFormed: boolean
}

/** A walk over a block from quoted field to quoted field, which stops at what a strict reader would not read so. */
class Walk {
  readonly #block: Buffer
  readonly #delimiter: number
  readonly #fields: number
  /** The next carriage return at or behind the walk; the end of the block when there is none. */
  #return: number
  /** Where the record begins in which the walk set out. */
  #floor = 0
  #at = 0
  /** What was passed since then outside quotes. */
  #outside: Stretch[] = []

  constructor(block: Buffer, delimiter: number, fields: number) {
    this.#block = block
    this.#delimiter = delimiter
    this.#fields = fields
    this.#return = indexOrEnd(block, CARRIAGE_RETURN, 0)
  }

  goOn(at: number): void {
    this.#floor = at
    this.#at = at
    this.#outside = []
  }

  /** A place in the next record with a flaw. */
  nextFlaw(): Flaw | null {
    const block = this.#block
    for (;;) {
      const opening = indexOrEnd(block, QUOTE_BYTE, this.#at)
      const stretch = { from: this.#at, to: opening }
      this.#outside.push(stretch)
      const loneReturn = this.#endLines(stretch)
      if (loneReturn !== null) return { at: loneReturn, isWellFormed: false }
      if (opening === block.length) return null
      const second = indexOrEnd(block, QUOTE_BYTE, opening + 1)
      const closing = closingQuote(block, second)
      const isClosed = closing < block.length && this.#isFieldEnd(closing + 1)
      if (!isClosed || !this.#isFieldStart(opening)) return { at: opening, isWellFormed: false }
      if (second !== closing && this.#isBeyond(opening)) return { at: opening, isWellFormed: true }
      this.#at = closing + 1
    }
  }

  /** Ends all lines of the stretch with line feeds alone; a carriage return that ends no line is where it stops. */
  #endLines({ from, to }: Stretch): number | null {
    const block = this.#block
    if (this.#return < from) this.#return = indexOrEnd(block, CARRIAGE_RETURN, from)
    while (this.#return < to) {
      const at = this.#return
      if (block[at + 1] !== LINE_FEED) return at
      block[at] = LINE_FEED
      this.#return = indexOrEnd(block, CARRIAGE_RETURN, at + 2)
    }
    return null
  }

  /** Is the field that begins here one too many? Counted backwards, from delimiter to delimiter outside quotes. */
  #isBeyond(place: number): boolean {
    let before = 0
    for (let index = this.#outside.length - 1; index >= 0; index -= 1) {
      const { from, to } = this.#outside[index]!
      for (let at = Math.min(to, place) - 1; at >= from; at -= 1) {
        const byte = this.#block[at]
        if (byte === LINE_FEED) return false
        if (byte === this.#delimiter && (before += 1) >= this.#fields) return true
      }
    }
    return false
  }

  /** Where the record begins that holds this place: behind the last line feed outside quotes. */
  recordStart(place: number): number {
    for (let index = this.#outside.length - 1; index >= 0; index -= 1) {
      const { from, to } = this.#outside[index]!
      const line = this.#block.subarray(from, Math.min(to, place)).lastIndexOf(LINE_FEED)
      if (line >= 0) return from + line + 1
    }
    return this.#floor
  }

  #isFieldStart(at: number): boolean {
    if (at === this.#floor) return true
    const before = this.#block[at - 1]
    return before === this.#delimiter || before === LINE_FEED
  }

  #isFieldEnd(at: number): boolean {
    if (at === this.#block.length) return true
    const next = this.#block[at]
    if (next === this.#delimiter || next === LINE_FEED) return true
    return next === CARRIAGE_RETURN && this.#block[at + 1] === LINE_FEED
  }
}

/** The quote that closes a field, from its second quote on; the end of the block when there is none. */
function closingQuote(block: Buffer, second: number): number {
  let quote = second
  while (quote < block.length && block[quote + 1] === QUOTE_BYTE) {
    quote = indexOrEnd(block, QUOTE_BYTE, quote + 2)
  }
  return quote
}

function indexOrEnd(block: Buffer, byte: number, from: number): number {
  const found = block.indexOf(byte, from)
  return found < 0 ? block.length : found
}

const quoted = (field: string): string => (field === '' ? '' : `"${field.replaceAll('"', '""')}"`)
