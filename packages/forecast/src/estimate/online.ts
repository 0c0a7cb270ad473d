/**
 * Rates that need no stored history (Avrachenkov, Patil, Thoppe, "Online algorithms for estimating
 * change rates of web pages", Performance Evaluation 2022). They take visits for a Poisson process
 * of rate p; then a visit finds a change with chance λ/(λ+p). Where p is not given, visits per day
 * stand in. With visits at equal intervals they are biased. O(1) per visit.
 */
import { estimateOf, sampleOf, type RateEstimate, type Visit } from './visits.ts'

/** One imaginary visit without a change: keeps the quotient finite, vanishes with time. */
const LLN_ALPHA = 1
/** Steps k^−0.75: their sum diverges, so any rate is reached; their squares' sum does not. */
const STEP_POWER = 0.75
/** How much of the last step is repeated, fading as k^−½: our choice, the paper leaves it open. */
const MOMENTUM = 0.5

/** Law of large numbers: λ̂ = p · X / (n + α − X). */
export function lawOfLargeNumbers(
  visits: readonly Visit[],
  { visitsPerDay }: { visitsPerDay?: number } = {},
): RateEstimate {
  const sample = sampleOf(visits)
  const { n, changes, totalDays } = sample
  const p = visitsPerDay ?? n / totalDays
  return estimateOf(sample, (p * changes) / (n + LLN_ALPHA - changes))
}

/**
 * Stochastic approximation, y ← y + η_k · (o·(y + p) − y) from y = p; `momentum` adds
 * ζ_k · (y_k − y_{k−1}), a heavy ball that settles sooner when the start was far off. Never below 0.
 */
export function stochasticApproximation(
  visits: readonly Visit[],
  { momentum = false, visitsPerDay }: { momentum?: boolean; visitsPerDay?: number } = {},
): RateEstimate {
  const sample = sampleOf(visits)
  const p = visitsPerDay ?? sample.n / sample.totalDays
  let [perDay, before] = [p, p]
  for (let i = 0; i < sample.n; i++) {
    const step = (i + 1) ** -STEP_POWER
    const pull = sample.changed[i]! * (perDay + p) - perDay
    const push = momentum ? (MOMENTUM / Math.sqrt(i + 1)) * (perDay - before) : 0
    before = perDay
    perDay = Math.max(0, perDay + step * pull + push)
  }
  return estimateOf(sample, perDay)
}
