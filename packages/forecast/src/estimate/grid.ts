/**
 * The rates that a belief weighs: 48 of them, evenly spaced in the logarithm, from one change in
 * 1000 days to 500 changes a day. Rates are per day everywhere behind the interfaces.
 *
 * A step is a factor of 1.32. Sums over such a grid are exact to under 1 % while a posterior's
 * spread is above a tenth of its mean, and forgetting never lets it become much narrower.
 */

export const DAY_MS = 86_400_000
/** Longer spans count as this long: even the slowest rate of the grid has shown itself by then. */
export const LONGEST_DAYS = 3650

/** Can a span since the visit before teach anything? Not if clocks could not tell its ends apart. */
export const isUsable = (spanMs: number): boolean => spanMs >= 1 && Number.isFinite(spanMs)

export const GRID_POINTS = 48
export const SLOWEST_PER_DAY = 1 / 1000
export const FASTEST_PER_DAY = 500

export const LOG_STEP = Math.log(FASTEST_PER_DAY / SLOWEST_PER_DAY) / (GRID_POINTS - 1)

export const LOG_RATES = Float64Array.from(
  { length: GRID_POINTS },
  (_, i) => Math.log(SLOWEST_PER_DAY) + i * LOG_STEP,
)

export const RATES = LOG_RATES.map((log) => Math.exp(log))

/**
 * No rate is ever ruled out: a weight that reached zero could not come back when a page changes its
 * ways. Small enough that 500 a day times this counts for nothing.
 */
const LEAST_WEIGHT = 1e-12

/**
 * What is believed of a page of which nothing is known: log-normal around one change in ten days,
 * two thirds of pages within a factor of ten on either side. Too narrow and the first visits cannot
 * correct it; too wide costs a few visits more.
 */
const MEDIAN_PER_DAY = 0.1
const SPREAD = 2.3

export const BROAD = normalised(
  LOG_RATES.map((log) => Math.exp(-0.5 * ((log - Math.log(MEDIAN_PER_DAY)) / SPREAD) ** 2)),
)

/** In place: all weights at least the least, and one in sum. */
export function normalise(weights: Float32Array | Float64Array): void {
  let sum = 0
  for (let i = 0; i < weights.length; i++) sum += weights[i]!
  const scale = 1 / sum
  for (let i = 0; i < weights.length; i++) {
    weights[i] = Math.max(weights[i]! * scale, LEAST_WEIGHT)
  }
}

function normalised(weights: Float64Array): Float64Array {
  normalise(weights)
  return weights
}
