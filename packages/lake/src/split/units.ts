/**
 * Cuts a file into units of whole records without reading all of it.
 *
 * At a wanted offset it is unknown whether the byte is inside quotes. So the automaton of the
 * dialect is run from ALL its states at once over the bytes that follow. States merge quickly:
 * after a quote with a letter before it and a delimiter behind it, or the other way round, only one
 * is left. From then on the state is known, not guessed, and the next end of a record is a
 * boundary: a few kilobytes are read per unit. Where states do not merge within MERGE_BYTES (a long
 * stretch without quotes), the file is walked from the last boundary at the speed of a search for
 * one byte.
 */
import {
  afterOthers,
  afterQuote,
  ALL_STATES,
  delimiterByte,
  FIELD_START,
  QUOTE_BYTE,
  recordEnd,
  stateAfter,
  type State,
} from './dialect.ts'

export interface ByteSource {
  bytes: number
  /** Fills `into` from that offset; the number of bytes read, 0 behind the end. */
  read(into: Buffer, at: number): Promise<number>
}

export interface Range {
  kind: 'range'
  from: number
  to: number
}

export interface UnitOptions extends SizeOptions {
  format: 'csv' | 'tsv' | 'jsonl'
  /** Where the first record begins: behind the header. */
  from: number
}

export interface SizeOptions {
  /** How many work at it: each should find several units, so that no one waits for the last. */
  workers?: number
  /** For tests: a wanted size instead of the usual. */
  unitBytes?: number
}

/** Large enough that starting a task does not count, small enough that losing one does not hurt. */
const UNIT_BYTES = 64 * 1024 * 1024
/** Below this a unit is not worth a task of its own. */
const LEAST_UNIT_BYTES = 4 * 1024 * 1024
const UNITS_PER_WORKER = 4
/** How far states may run in parallel; texts of any length merge within a few records. */
const MERGE_BYTES = 1024 * 1024
/** First look; nearly always enough. */
const WINDOW_BYTES = 32 * 1024
/** For walking: large reads, little memory. */
const WALK_BYTES = 1024 * 1024

export async function findUnits(source: ByteSource, options: UnitOptions): Promise<Range[]> {
  const bytes = source.bytes - options.from
  if (bytes <= 0) return []
  const count = unitCount(bytes, options)
  const nextBoundary = boundaryFinder(source, options)
  const units: Range[] = []
  let from = options.from
  for (let unit = 1; unit < count; unit += 1) {
    const wanted = options.from + Math.floor((bytes / count) * unit)
    // A record longer than a unit has swallowed this one.
    if (wanted < from) continue
    const boundary = await nextBoundary(wanted, from)
    if (boundary >= source.bytes) break
    units.push({ kind: 'range', from, to: boundary })
    from = boundary
  }
  units.push({ kind: 'range', from, to: source.bytes })
  return units
}

/** Into how many units so many bytes are cut. */
export function unitCount(bytes: number, { workers = 1, unitBytes }: SizeOptions): number {
  if (unitBytes !== undefined) return Math.max(1, Math.ceil(bytes / unitBytes))
  const enough = Math.min(workers * UNITS_PER_WORKER, Math.floor(bytes / LEAST_UNIT_BYTES))
  return Math.max(1, Math.ceil(bytes / UNIT_BYTES), enough)
}

type BoundaryFinder = (wanted: number, known: number) => Promise<number>

/** Finds the first boundary behind `wanted`; `known` is a boundary before it. */
function boundaryFinder(source: ByteSource, { format }: UnitOptions): BoundaryFinder {
  if (format === 'jsonl') return (wanted) => nextLine(source, wanted)
  const delimiter = delimiterByte(format === 'csv' ? ',' : '\t')
  return async (wanted, known) => {
    const merged = await mergeStates(source, wanted, delimiter)
    const place = merged ?? {
      at: wanted,
      state: await walkTo(source, { from: known, to: wanted }, delimiter),
    }
    return endOfRecord(source, place, delimiter)
  }
}

interface Place {
  at: number
  state: State
}

async function mergeStates(
  source: ByteSource,
  from: number,
  delimiter: number,
): Promise<Place | null> {
  let states = [...ALL_STATES]
  const window = Buffer.allocUnsafe(WINDOW_BYTES)
  for (let at = from; at < from + MERGE_BYTES;) {
    const bytes = await readFully(source, window, at)
    if (bytes.length === 0) return null
    const merged = mergeWithin(bytes, states, delimiter)
    if (merged.at !== null) return { at: at + merged.at, state: merged.states[0]! }
    states = merged.states
    at += bytes.length
  }
  return null
}

function mergeWithin(
  bytes: Buffer,
  before: State[],
  delimiter: number,
): { at: number | null; states: State[] } {
  let states = before
  let at = 0
  while (at < bytes.length) {
    const found = bytes.indexOf(QUOTE_BYTE, at)
    const quote = found < 0 ? bytes.length : found
    if (quote > at) {
      const lastByte = bytes[quote - 1]!
      states = states.map((state) => afterOthers(state, lastByte, delimiter))
      if (areOne(states)) return { at: quote, states }
    }
    if (quote === bytes.length) break
    states = states.map(afterQuote)
    at = quote + 1
  }
  return { at: null, states }
}

const areOne = (states: readonly State[]): boolean => states.every((state) => state === states[0])

async function walkTo(
  source: ByteSource,
  range: { from: number; to: number },
  delimiter: number,
): Promise<State> {
  let state: State = FIELD_START
  const window = Buffer.allocUnsafe(WALK_BYTES)
  for (let at = range.from; at < range.to;) {
    const bytes = await readFully(source, window, at)
    if (bytes.length === 0) break
    const to = Math.min(bytes.length, range.to - at)
    state = stateAfter(bytes, { from: 0, to }, state, delimiter)
    at += to
  }
  return state
}

async function endOfRecord(source: ByteSource, place: Place, delimiter: number): Promise<number> {
  let { at, state } = place
  const window = Buffer.allocUnsafe(WINDOW_BYTES)
  for (;;) {
    const bytes = await readFully(source, window, at)
    if (bytes.length === 0) return source.bytes
    const found = recordEnd(bytes, 0, state, delimiter)
    if (found.end !== null) return at + found.end
    state = found.state
    at += bytes.length
  }
}

async function nextLine(source: ByteSource, wanted: number): Promise<number> {
  const window = Buffer.allocUnsafe(WINDOW_BYTES)
  for (let at = wanted; ;) {
    const bytes = await readFully(source, window, at)
    if (bytes.length === 0) return source.bytes
    const line = bytes.indexOf('\n')
    if (line >= 0) return at + line + 1
    at += bytes.length
  }
}

/** Reads may come back short; only the end of the file ends a window early. */
export async function readFully(source: ByteSource, window: Buffer, at: number): Promise<Buffer> {
  let filled = 0
  while (filled < window.length) {
    const read = await source.read(window.subarray(filled), at + filled)
    if (read === 0) break
    filled += read
  }
  return window.subarray(0, filled)
}
