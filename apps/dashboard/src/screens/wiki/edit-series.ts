/** Edits per day, week or month, with the empty ones in between. Days are those of the station, in UTC. */

export const UNITS = ['day', 'week', 'month'] as const
export type Unit = (typeof UNITS)[number]

export interface DayCount {
  /** `2004-06-22` */
  day: string
  edits: number
}

interface EditSeries {
  /** Where each begins, in milliseconds. */
  at: number[]
  edits: number[]
}

const DAY_MS = 86_400_000
/** 1 January 1970 was a Thursday. */
const THURSDAY = 3
/** More bars than a screen has pixels say nothing. */
const BARS_MAX = 1_500

export function editSeries(days: readonly DayCount[], unit: Unit): EditSeries {
  return overSpan(days, unit, spanOf(days))
}

interface Span {
  first: number
  last: number
}

function spanOf(days: readonly DayCount[]): Span | null {
  const times = days.map(({ day }) => Date.parse(day))
  return times.length === 0
    ? null
    : {
        first: times.reduce((a, b) => Math.min(a, b)),
        last: times.reduce((a, b) => Math.max(a, b)),
      }
}

function overSpan(days: readonly DayCount[], unit: Unit, span: Span | null): EditSeries {
  if (span === null) return { at: [], edits: [] }
  const at: number[] = []
  for (let start = startOf(span.first, unit); start <= span.last; start = nextStart(start, unit)) {
    at.push(start)
  }
  const places = new Map(at.map((start, place) => [start, place]))
  const edits = at.map(() => 0)
  for (const { day, edits: count } of days) {
    const place = places.get(startOf(Date.parse(day), unit))
    if (place !== undefined) edits[place]! += count
  }
  return { at, edits }
}

/** Several pages over the same time, so that they can stand in one plot. */
export function sharedSeries(
  lists: readonly (readonly DayCount[])[],
  unit: Unit,
): { at: number[]; edits: number[][] } {
  const span = spanOf(lists.flat())
  const series = lists.map((days) => overSpan(days, unit, span))
  return { at: series[0]?.at ?? [], edits: series.map(({ edits }) => edits) }
}

function startOf(at: number, unit: Unit): number {
  const day = Math.floor(at / DAY_MS)
  if (unit === 'day') return day * DAY_MS
  if (unit === 'week') return (day - ((day + THURSDAY) % 7)) * DAY_MS
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

export function nextStart(start: number, unit: Unit): number {
  if (unit === 'day') return start + DAY_MS
  if (unit === 'week') return start + 7 * DAY_MS
  const date = new Date(start)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** The finest unit whose bars can still be distinguished. */
export function fittingUnit(days: readonly DayCount[]): Unit {
  const span = spanOf(days)
  if (span === null) return 'day'
  const count = (span.last - span.first) / DAY_MS
  if (count <= 120) return 'day'
  return count <= 3 * 365 ? 'week' : 'month'
}

/** Whether a unit would have more bars than anybody can see. */
export function isTooFine(days: readonly DayCount[], unit: Unit): boolean {
  const span = spanOf(days)
  if (span === null) return false
  const lengthMs = nextStart(startOf(span.first, unit), unit) - startOf(span.first, unit)
  return (span.last - span.first) / lengthMs > BARS_MAX
}

/** `2004-06-22` */
export function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
