/**
 * Rate from visits of a page that says when it last changed (Cho and Garcia-Molina 2003):
 *   λ̂ = ((X − 1) − X / (n · ln(1 − X/n))) / T
 * where T adds, for a visit that found a change, only the time since that change, and the whole
 * span otherwise: looking back from a visit, the wait until the last change is exponential. The
 * second term takes the bias of X/T away. O(1) per visit.
 *
 * A date that cannot be believed (see `visits.ts`) is taken to lie in the middle of its span. When
 * every visit found a change the logarithm has no value and its limit, X − 1, is used, half a
 * change at least; none changed gives 0. A server that dates every answer with the moment it is sent
 * leaves T at nothing: then the dates are left out of account altogether.
 */
import { estimateOf, sampleOf, type RateEstimate, type Sample, type Visit } from './visits.ts'

export function lastModified(visits: readonly Visit[]): RateEstimate {
  const sample = sampleOf(visits)
  const { n, changes } = sample
  if (changes === 0) return estimateOf(sample, 0)
  const correction = changes < n ? changes / (n * Math.log(1 - changes / n)) : 0
  const found = Math.max(0.5, changes - 1 - correction)
  const watched = daysSinceChanges(sample)
  return estimateOf(sample, found / (watched > 0 ? watched : sample.totalDays))
}

function daysSinceChanges({ n, days, changed, modifiedAgo }: Sample): number {
  let sum = 0
  for (let i = 0; i < n; i++) {
    const age = Number.isNaN(modifiedAgo[i]!) ? days[i]! / 2 : modifiedAgo[i]!
    sum += changed[i] === 1 ? age : days[i]!
  }
  return sum
}
