/** Who is better than whom on the same traces, and how sure that is. */
import type { Bootstrap, Interval } from '../simulate/revisit/bootstrap.ts'
import { columnsOf, type Columns } from '../simulate/revisit/report.ts'
import type { RunResult } from '../simulate/revisit/run.ts'
import type { Trace } from '../simulate/revisit/trace.ts'

export type Measure = 'weightedVersions' | 'freshness'
type Verdict = 'won' | 'even' | 'lost'

export interface Judged {
  rival: string
  /** Ours minus theirs, relative to theirs for versions. */
  difference: number
  interval: Interval
  verdict: Verdict
}

export interface Field {
  traces: readonly Trace[]
  bootstrap: Bootstrap
}

/** Pair by pair: the same URLs are drawn again for both. */
export function judge(
  { traces, bootstrap }: Field,
  measure: Measure,
  ours: RunResult,
  theirs: RunResult,
): Judged {
  const [own, other] = [columnsOf(traces, ours), columnsOf(traces, theirs)]
  const [above, below] = measuredBy(measure, own, other)
  const interval = bootstrap.ratio(above, below)
  const difference = total(above) / total(below)
  const verdict = interval[0] > 0 ? 'won' : interval[1] < 0 ? 'lost' : 'even'
  return { rival: theirs.name, difference, interval, verdict }
}

function measuredBy(measure: Measure, own: Columns, other: Columns): [Float64Array, Float64Array] {
  const minus = (a: Float64Array, b: Float64Array): Float64Array =>
    a.map((value, i) => value - b[i]!)
  return measure === 'weightedVersions'
    ? [minus(own.weightedVersions, other.weightedVersions), other.weightedVersions]
    : [minus(own.weightedFreshMs, other.weightedFreshMs), own.weightedMs]
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** The rival that comes nearest, or is furthest ahead. */
export function nearest(judged: readonly Judged[]): Judged {
  return judged.reduce((worst, one) => (one.difference < worst.difference ? one : worst))
}

export function countOf(judged: readonly Judged[]): string {
  const count = (verdict: Verdict): number => judged.filter((one) => one.verdict === verdict).length
  return `${count('won')} won, ${count('even')} even, ${count('lost')} lost`
}

/** "+3.1 % [+1.2, +5.0]" */
export function percentWithInterval({ difference, interval }: Judged, digits = 1): string {
  const signed = (value: number): string =>
    `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(digits)}`
  return `${signed(difference)} % [${signed(interval[0])}, ${signed(interval[1])}]`
}
