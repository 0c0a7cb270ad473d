/**
 * What the whole set teaches about each of its pages (empirical Bayes). Beliefs start from a broad
 * prior; how the rates of this set are really spread is seen in the mean of their posteriors. A
 * log-normal spread is fitted by expectation–maximisation: each round weighs every posterior by the
 * spread found so far and computes mean and variance of the log rates again. The answer is a factor
 * per rate of the grid by which posteriors are multiplied. O(rounds · sample), no memory between
 * calls.
 */
import { BROAD, GRID_POINTS, LOG_RATES } from '../estimate/grid.ts'

const ROUNDS = 20
/** Pages of the prior's own spread that are imagined besides, so that a few real ones cannot mislead. */
const IMAGINED = 1
/** Of the log rate; under two steps of the grid single points of it would matter. */
const LEAST_SPREAD = 0.4

interface Spread {
  mean: number
  variance: number
}

export function populationOf(
  posteriors: Float32Array,
  picked: Int32Array,
  prior: ArrayLike<number> = BROAD,
): Float64Array {
  const broad = momentsOf(prior, 0, null)
  const factors = new Float64Array(GRID_POINTS).fill(1)
  for (let round = 0; round < ROUNDS; round++) {
    let sum = IMAGINED * broad.mean
    let squares = IMAGINED * squareOf(broad)
    for (const url of picked) {
      const page = momentsOf(posteriors, url * GRID_POINTS, factors)
      sum += page.mean
      squares += squareOf(page)
    }
    const count = picked.length + IMAGINED
    const mean = sum / count
    setFactors(factors, { mean, variance: squares / count - mean * mean }, prior)
  }
  return factors
}

const squareOf = ({ mean, variance }: Spread): number => variance + mean * mean

/** Mean and variance of the log rate under weights, times factors. */
function momentsOf(
  weights: ArrayLike<number>,
  start: number,
  factors: Float64Array | null,
): Spread {
  let [whole, sum, squares] = [0, 0, 0]
  for (let i = 0; i < GRID_POINTS; i++) {
    const weight = weights[start + i]! * (factors?.[i] ?? 1)
    const log = LOG_RATES[i]!
    whole += weight
    sum += weight * log
    squares += weight * log * log
  }
  const mean = sum / whole
  return { mean, variance: squares / whole - mean * mean }
}

function setFactors(factors: Float64Array, spread: Spread, prior: ArrayLike<number>): void {
  const variance = Math.max(spread.variance, LEAST_SPREAD * LEAST_SPREAD)
  for (let i = 0; i < GRID_POINTS; i++) {
    factors[i] = Math.exp((-0.5 * (LOG_RATES[i]! - spread.mean) ** 2) / variance) / prior[i]!
  }
}
