/** What volunteers did, as lines over days and as rows of a table. */
import type { Contribution, Contributions } from '../../api/station-api.ts'

export type Measure = 'bytes' | 'requests'

const DAY_S = 86_400
/** More lines cannot be distinguished. */
const LINES_SHOWN = 6

export interface LeaderLine {
  /** Its place in the answer: names may be alike. */
  place: number
  name: string | null
  values: number[]
}

/** Seconds since the Unix epoch, one for each day. */
export function daysOf({ from, days }: Contributions): number[] {
  return Array.from({ length: days }, (_, i) => from / 1_000 + i * DAY_S)
}

export function linesOf(
  { volunteers }: Contributions,
  measure: Measure,
  hidden: ReadonlySet<number>,
): LeaderLine[] {
  return volunteers
    .map(({ name, byDay }, place) => ({ place, name, values: byDay.map((day) => day[measure]) }))
    .filter(({ place }) => place < LINES_SHOWN && !hidden.has(place))
}

export interface LeaderRow extends Contribution {
  rank: number
}

/** Those who chose a name have a place; the others are last, without one. */
export function ranked({ volunteers }: Contributions): LeaderRow[] {
  const named = volunteers.filter(({ name }) => name !== null)
  const others = volunteers.filter(({ name }) => name === null)
  return [...named, ...others].map((row, i) => ({ ...row, rank: row.name === null ? 0 : i + 1 }))
}
