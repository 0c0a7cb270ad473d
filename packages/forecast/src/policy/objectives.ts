/**
 * How many visits a day a URL deserves at a price, for every objective that is solved under one
 * budget. λ is the rate of change, w the weight, c the cost of a visit, Λ the price per cost.
 * All fall as the price rises, so that one bisection finds the price (`solve.ts`).
 */
import { inverseGain } from './gain.ts'

/** Visits per day of a URL at a price. */
export type VisitsAt = (rate: number, weight: number, costAtPrice: number) => number

/**
 * A day in the life of a page is worth at most about this many versions, one in half an hour. Without
 * it, pages that change on every fetch would eat the budget, since every visit to them finds
 * something new. Lower would cost versions of pages in a burst, higher more visits to noise.
 */
export const VERSIONS_A_DAY = 48

/** Value of one version of a page with so many a day, relative to a page with few. */
export function dayValue(rate: number): number {
  const x = rate / VERSIONS_A_DAY
  return 1 / (1 + x * x)
}

/** maximise Σ w·ρ(1 − e^{−λ/ρ}): distinct versions. ρ = λ/x with g(x) = Λc/w. */
export const versionsAt: VisitsAt = (rate, weight, costAtPrice) =>
  rate / inverseGain(costAtPrice / weight)

/** The same with the diminishing value of a day. */
export const dailyVersionsAt: VisitsAt = (rate, weight, costAtPrice) =>
  rate / inverseGain(costAtPrice / (weight * dayValue(rate)))

/** maximise Σ w·(1 − e^{−λ/ρ})·ρ/λ: freshness of periodic visits. ρ = λ/x with g(x) = Λcλ/w. Cho
 * and Garcia-Molina, "Effective page refresh policies for Web crawlers", TODS 2003. */
export const freshnessAt: VisitsAt = (rate, weight, costAtPrice) =>
  rate / inverseGain((costAtPrice * rate) / weight)

/** maximise Σ w·ρ/(ρ+λ): freshness of Poisson visits. Azar, Horvitz, Lubetzky, Peres, Shahaf,
 * "Tractable near-optimal policies for crawling", PNAS 2018. Starves pages with w ≤ Λcλ. */
export const azarAt: VisitsAt = (rate, weight, costAtPrice) =>
  Math.max(0, Math.sqrt((weight * rate) / costAtPrice) - rate)

/**
 * minimise Σ w·ln((ρ+λ)/ρ): harmonic staleness. Kolobov, Peres, Lubetzky, Horvitz, "Staying up to
 * date with online content changes using reinforcement learning", NeurIPS 2019. Starves no page.
 */
export const lambdaCrawlAt: VisitsAt = (rate, weight, costAtPrice) =>
  (Math.sqrt(rate * rate + (4 * weight * rate) / costAtPrice) - rate) / 2

/** As often as it changes, times one factor for all. */
export const proportionalAt: VisitsAt = (rate, _weight, costAtPrice) => rate / costAtPrice

/** minimise −Σ w·ln p: the share p of notices that are followed by a visit (same source). */
export function followedShare(rate: number, weight: number, costAtPrice: number): number {
  return Math.min(1, weight / (costAtPrice * rate))
}

export const followedAt: VisitsAt = (rate, weight, costAtPrice) =>
  rate * followedShare(rate, weight, costAtPrice)
