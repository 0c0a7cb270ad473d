/**
 * The revisit rule of exponential gaps: gaps between changes follow an exponential distribution,
 * and only the newest are used, so that the rule follows today's rhythm.
 *   n = max(20, 10 % of N),  E = (t₁ − t₀)/n,  revisit when E has passed since the newest change t₁
 * Its times are those at which visits found a change. Under a budget all gaps are stretched by one
 * factor; no page is visited again within the day, because the rule is evaluated once a day.
 */
import { priced } from './priced.ts'
import { proportionalAt } from './objectives.ts'
import { DAY_MS } from '../estimate/grid.ts'
import type { Known, Policy, Seen } from './policy.ts'

const LEAST_SAMPLE = 20
const SAMPLE_SHARE = 0.1
/** Times remembered: a tenth of so many is the sample of 20 again. */
const MOST_TIMES = 200

export interface GapEstimate {
  /** Changes in the sample. */
  n: number
  perDay: number
  gapMs: number
}

/** The newest changes that are asked: how many, and the time they span. */
export interface ChangeSample {
  n: number
  newestAt: number
  oldestAt: number
}

/** How many of so many changes are asked. */
export function sampleSize(count: number): number {
  return Math.min(count, Math.max(LEAST_SAMPLE, Math.trunc(SAMPLE_SHARE * count)))
}

/**
 * The rule itself, evaluated once a day for every page: has the expected gap passed since the
 * newest change? Changes at one time leave no gap to wait for.
 */
export function isRevisitDue({ n, newestAt, oldestAt }: ChangeSample, now: number): boolean {
  return now - newestAt > (newestAt - oldestAt) / n
}

/** Of sorted times of changes; null when they span no time. */
export function exponentialGap(times: readonly number[]): GapEstimate | null {
  const count = times.length
  const n = sampleSize(count)
  const spanMs = times.at(-1)! - times[count - n]!
  if (!(spanMs > 0)) return null
  return { n, perDay: (n * DAY_MS) / spanMs, gapMs: spanMs / n }
}

/** With fewer than two changes the rule is silent: half a change more than was seen, over the time watched. */
function rateOfKnown(known: Known): number {
  const gap = exponentialGap((known.state as number[] | null) ?? [])
  if (gap !== null) return gap.perDay
  const days = Math.max(1, (known.lastVisitAt - known.firstVisitAt) / DAY_MS)
  return (known.changes + 0.5) / days
}

function withChange(known: Known, seen: Seen): number[] {
  const times = (known.state as number[] | null) ?? []
  if (!seen.changed || seen.sinceMs === null) return times
  return [...times, seen.at].slice(-MOST_TIMES)
}

export const exponentialGapPolicy: Policy = priced({
  name: 'exponential-gap',
  visitsAt: proportionalAt,
  rate: rateOfKnown,
  remember: withChange,
})
