/** Rates that explain all visits best: equations in one unknown, monotone, solved by bisection. */
import { FASTEST_PER_DAY, SLOWEST_PER_DAY } from './grid.ts'
import { estimateOf, sampleOf, type RateEstimate, type Sample, type Visit } from './visits.ts'

/** From 1/1000 to 500 a day in 40 halvings of the logarithm: ten digits. */
const HALVINGS = 40

/** Days of the imaginary visits that smoothing adds: one that found a change, one that did not. */
const SMOOTHING_DAYS = 0.5

/**
 * Maximum likelihood for unequal intervals (Cho and Garcia-Molina 2003; Kolobov et al. 2019,
 * equation 10): λ solves Σ_changed t/(e^{λt} − 1) = Σ_unchanged t. O(40 n), all visits kept.
 * All changed has no finite answer and none changed says zero: the end of the grid is given
 * instead. `smoothed` adds one changed and one unchanged imaginary visit of half a day, as the code
 * that accompanies Kolobov et al. does, which keeps both cases inside at the price of some bias.
 */
export function maximumLikelihood(
  visits: readonly Visit[],
  { smoothed = false }: { smoothed?: boolean } = {},
): RateEstimate {
  const sample = sampleOf(visits)
  const unchangedDays = daysUnchanged(sample) + (smoothed ? SMOOTHING_DAYS : 0)
  return estimateOf(
    sample,
    rateWhere((perDay) => {
      let sum = smoothed ? SMOOTHING_DAYS / Math.expm1(perDay * SMOOTHING_DAYS) : 0
      for (let i = 0; i < sample.n; i++) {
        if (sample.changed[i] === 1) sum += sample.days[i]! / Math.expm1(perDay * sample.days[i]!)
      }
      return sum > unchangedDays
    }),
  )
}

function daysUnchanged({ n, days, changed }: Sample): number {
  let sum = 0
  for (let i = 0; i < n; i++) if (changed[i] === 0) sum += days[i]!
  return sum
}

/**
 * Moment matching (Upadhyay et al., "Learning to crawl", AAAI 2020): the expected number of visits
 * that find a change is the number that did, Σ (1 − e^{−λt}) = X. Same cost, same ends.
 */
export function momentMatching(visits: readonly Visit[]): RateEstimate {
  const sample = sampleOf(visits)
  return estimateOf(
    sample,
    rateWhere((perDay) => {
      let expected = 0
      for (let i = 0; i < sample.n; i++) expected -= Math.expm1(-perDay * sample.days[i]!)
      return expected < sample.changes
    }),
  )
}

/** The rate at which `isTooSlow` turns from true to false. */
function rateWhere(isTooSlow: (perDay: number) => boolean): number {
  let low = Math.log(SLOWEST_PER_DAY)
  let high = Math.log(FASTEST_PER_DAY)
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2
    if (isTooSlow(Math.exp(middle))) low = middle
    else high = middle
  }
  return Math.exp((low + high) / 2)
}
