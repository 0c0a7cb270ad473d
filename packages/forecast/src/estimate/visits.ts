/**
 * What every estimator of this folder takes and gives: visits in order, and one rate per day.
 *
 * Rules for bad input, the same for all. A visit whose span is below a millisecond, negative (a
 * clock went back) or not a number carries no information and is left out; a span beyond ten years
 * counts as ten. A Last-Modified that lies in the future (negative age), before the visit before
 * (age beyond the span), or with unchanged content is a claim that cannot be true of this change,
 * and is left out; the visit itself stays.
 */
import { DAY_MS, isUsable, LONGEST_DAYS } from './grid.ts'

export interface Visit {
  /** Since the visit before. */
  sinceMs: number
  changed: boolean
  /** How long before this visit the page says it last changed. */
  lastModifiedAgoMs?: number
}

export interface RateEstimate {
  perDay: number
  /** Usable visits, and those that found a change. */
  visits: number
  changes: number
  /**
   * `no-visits`: the rate is 0 for want of anything better. `none-changed`: it is at most about
   * what it says. `all-changed`: it is at least about that, for visits cannot tell how much faster.
   */
  grounds: 'visits' | 'no-visits' | 'none-changed' | 'all-changed'
}

/** Usable visits as columns: days since the visit before, changed or not, days since the change. */
export interface Sample {
  readonly n: number
  readonly changes: number
  readonly totalDays: number
  readonly days: Float64Array
  readonly changed: Uint8Array
  /** NaN where no Last-Modified can be believed. */
  readonly modifiedAgo: Float64Array
}

export function sampleOf(visits: readonly Visit[]): Sample {
  const days = new Float64Array(visits.length)
  const changed = new Uint8Array(visits.length)
  const modifiedAgo = new Float64Array(visits.length)
  let [n, changes, totalDays] = [0, 0, 0]
  for (const visit of visits) {
    if (!isUsable(visit.sinceMs)) continue
    days[n] = Math.min(visit.sinceMs / DAY_MS, LONGEST_DAYS)
    totalDays += days[n]!
    changed[n] = visit.changed ? 1 : 0
    changes += changed[n]!
    modifiedAgo[n] = believedAge(visit) / DAY_MS
    n += 1
  }
  return { n, changes, totalDays, days, changed, modifiedAgo }
}

function believedAge({ changed, sinceMs, lastModifiedAgoMs: age = NaN }: Visit): number {
  return changed && age >= 0 && age <= sinceMs ? age : NaN
}

export function estimateOf({ n, changes }: Sample, perDay: number): RateEstimate {
  return { perDay: n === 0 ? 0 : perDay, visits: n, changes, grounds: groundsOf(n, changes) }
}

function groundsOf(n: number, changes: number): RateEstimate['grounds'] {
  if (n === 0) return 'no-visits'
  if (changes === 0) return 'none-changed'
  return changes === n ? 'all-changed' : 'visits'
}
