/**
 * Rates read straight from weights: of one belief, or of a million packed one after the other into
 * a single Float32Array (192 MB), without an object for each.
 */
import { GRID_POINTS, LOG_RATES, LOG_STEP, RATES } from './grid.ts'

export interface Rate {
  perDay: number
  low: number
  high: number
}

/** Posterior mean per day of the weights that begin at `start`. */
export function rateIn(weights: Float32Array, start = 0): number {
  let mean = 0
  for (let i = 0; i < GRID_POINTS; i++) mean += weights[start + i]! * RATES[i]!
  return mean
}

/** Each weight is spread over its cell of the grid, so that quantiles move smoothly. */
export function quantileIn(weights: Float64Array, share: number): number {
  let below = 0
  for (let i = 0; i < GRID_POINTS; i++) {
    const weight = weights[i]!
    if (below + weight >= share) {
      return Math.exp(LOG_RATES[i]! + ((share - below) / weight - 0.5) * LOG_STEP)
    }
    below += weight
  }
  return RATES[GRID_POINTS - 1]!
}

/** Room for the weights of `count` beliefs. */
export const packedBeliefs = (count: number): Float32Array => new Float32Array(count * GRID_POINTS)

/** Posterior mean per day of belief number `i`. */
export const rateAt = (packed: Float32Array, i: number): number => rateIn(packed, i * GRID_POINTS)

export function setWeightsAt(packed: Float32Array, i: number, weights: ArrayLike<number>): void {
  packed.set(weights, i * GRID_POINTS)
}
