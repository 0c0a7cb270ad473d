/**
 * How lines become records. The dialect is a finite automaton of four states that looks at three bytes only: the
 * quote, the delimiter and the end of a line. A quote opens a quoted field only as a field's first byte; inside, two
 * quotes are one; after the closing one, whatever comes before the next delimiter still belongs to the field. So
 * every sequence of bytes has exactly one reading, however broken its quotes are.
 */

export type Delimiter = ',' | '\t'

export type State = typeof FIELD_START | typeof PLAIN | typeof QUOTED | typeof QUOTE_SEEN
/** At the first byte of a field (or of a record). */
export const FIELD_START = 0
/** In a field that is not quoted, or behind the closing quote of one that was. */
export const PLAIN = 1
export const QUOTED = 2
/** Behind a quote in a quoted field: the next byte says whether it closed the field. */
export const QUOTE_SEEN = 3

export const ALL_STATES: readonly State[] = [FIELD_START, PLAIN, QUOTED, QUOTE_SEEN]

export const QUOTE_BYTE = 0x22
export const LINE_FEED = 0x0a
export const CARRIAGE_RETURN = 0x0d

/** Longer records are dropped and counted: an unclosed quote must not fill the memory. */
export const RECORD_LIMIT_BYTES = 16 * 1024 * 1024

export const delimiterByte = (delimiter: Delimiter): number => delimiter.charCodeAt(0)

export function afterQuote(state: State): State {
  if (state === FIELD_START || state === QUOTE_SEEN) return QUOTED
  return state === QUOTED ? QUOTE_SEEN : PLAIN
}

/** After one or more bytes without a quote only the last of them matters. */
export function afterOthers(state: State, lastByte: number, delimiter: number): State {
  if (state === QUOTED) return QUOTED
  return lastByte === delimiter || lastByte === LINE_FEED ? FIELD_START : PLAIN
}

/** The state behind `bytes[from..to)`: it hops from quote to quote. */
export function stateAfter(
  bytes: Buffer,
  range: { from: number; to: number },
  before: State,
  delimiter: number,
): State {
  let state = before
  let at = range.from
  while (at < range.to) {
    const found = bytes.indexOf(QUOTE_BYTE, at)
    const quote = found < 0 || found > range.to ? range.to : found
    if (quote > at) state = afterOthers(state, bytes[quote - 1]!, delimiter)
    if (quote === range.to) return state
    state = afterQuote(state)
    at = quote + 1
  }
  return state
}

export type RecordEnd = { end: number } | { end: null; state: State }

/**
 * The end of the record that continues at `from` in that state; null with the state at the end of
 * the bytes.
 */
export function recordEnd(
  bytes: Buffer,
  from: number,
  before: State,
  delimiter: number,
): RecordEnd {
  let state = before
  let at = from
  let line = -1
  while (at < bytes.length) {
    const found = bytes.indexOf(QUOTE_BYTE, at)
    const quote = found < 0 ? bytes.length : found
    if (state !== QUOTED) {
      if (line < at) line = indexOrEnd(bytes, at)
      if (line < quote) return { end: line + 1 }
    }
    if (quote > at) state = afterOthers(state, bytes[quote - 1]!, delimiter)
    if (quote === bytes.length) break
    state = afterQuote(state)
    at = quote + 1
  }
  return { end: null, state }
}

function indexOrEnd(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(LINE_FEED, from)
  return found < 0 ? bytes.length : found
}

/** The fields of one record, given without the end of its line. */
export function parseRecord(record: string, delimiter: Delimiter): string[] {
  const fields: string[] = []
  let at = 0
  for (;;) {
    let value = ''
    if (record[at] === '"') {
      const quoted = parseQuoted(record, at + 1)
      value = quoted.value
      at = quoted.next
    }
    const end = record.indexOf(delimiter, at)
    if (end < 0) return [...fields, value + record.slice(at)]
    fields.push(value + record.slice(at, end))
    at = end + 1
  }
}

function parseQuoted(record: string, from: number): { value: string; next: number } {
  let value = ''
  let at = from
  for (;;) {
    const quote = record.indexOf('"', at)
    if (quote < 0) return { value: value + record.slice(at), next: record.length }
    value += record.slice(at, quote)
    if (record[quote + 1] !== '"') return { value, next: quote + 1 }
    value += '"'
    at = quote + 2
  }
}

/** A record's text without what ends its line: `\n`, or `\r\n`. */
export function withoutLineEnd(record: string): string {
  if (!record.endsWith('\n')) return record
  return record.endsWith('\r\n') ? record.slice(0, -2) : record.slice(0, -1)
}
