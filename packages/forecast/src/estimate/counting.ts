/** Rates by counting: one pass, a handful of numbers kept. */
import { DAY_MS } from './grid.ts'
import { estimateOf, sampleOf, type RateEstimate, type Visit } from './visits.ts'

/**
 * Changes seen per day, X / T. Several changes between two visits count as one, so it is too low,
 * the more so the faster the page. O(1) per visit.
 */
export function naive(visits: readonly Visit[]): RateEstimate {
  const sample = sampleOf(visits)
  return estimateOf(sample, sample.changes / sample.totalDays)
}

/**
 * Cho and Garcia-Molina's ratio ("Estimating frequency of change", ACM TOIT 2003), made for equal
 * intervals; the mean interval 1/f stands in where they differ:
 *   λ̂ = −f · ln((n − X + ½) / (n + ½))
 * The halves keep it finite when every visit found a change, and take most of the bias away. O(1).
 */
export function choRatio(visits: readonly Visit[]): RateEstimate {
  const sample = sampleOf(visits)
  const { n, changes, totalDays } = sample
  return estimateOf(sample, -(n / totalDays) * Math.log((n - changes + 0.5) / (n + 0.5)))
}

/**
 * Every change is known (feed, sitemap, revision dates): (X + ½) / (T + ½), T in days, as in
 * Kolobov et al. ("Staying up to date with online content changes", NeurIPS 2019, equation 11).
 * The halves are worth half a change in half a day: a source that was watched for no time at all
 * is given one change a day. A negative count or span counts as zero. O(1).
 */
export function completeObservation(changes: number, spanMs: number): RateEstimate {
  const count = changes > 0 ? changes : 0
  const days = spanMs > 0 ? spanMs / DAY_MS : 0
  const grounds = days === 0 ? 'no-visits' : count === 0 ? 'none-changed' : 'visits'
  return { perDay: (count + 0.5) / (days + 0.5), visits: 0, changes: count, grounds }
}
