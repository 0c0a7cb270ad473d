/**
 * How many probes are enough? For a mean, by the normal approximation, which wants at least 30 probes;
 * below that by the median's own error against the median of many. Times have long tails, so the median
 * is what is used; seven probes bring its error down to where more hardly help.
 */
import { BadDistanceInput } from './errors.ts'
import { medianOf } from './median.ts'

/** Below, the mean of a skewed population is not normal enough for the formulas. */
export const LEAST_FOR_MEAN = 30
/** A population of this many times the sample counts as infinite. */
const INFINITE_OVER_SAMPLE = 20

export interface Sampling {
  /** Standard deviation of a single probe. */
  sigma: number
  /** Such as 0.99. */
  confidence: number
  /** How many there are to draw from; left out: without end. */
  population?: number
}

/** ε = Zσ/√n, times √((N−n)/(N−1)) for a finite population. In the unit of σ. */
export function marginOfError(sampling: Sampling, n: number): number {
  const { sigma, confidence, population = Infinity } = checked(sampling)
  if (!(n >= 1 && n <= population)) {
    throw new BadDistanceInput(`A sample of ${n} cannot be drawn from ${population}`)
  }
  const margin = (standardScore(confidence) * sigma) / Math.sqrt(n)
  if (INFINITE_OVER_SAMPLE * n <= population) return margin
  return population === 1 ? 0 : margin * Math.sqrt((population - n) / (population - 1))
}

/** n = Z²σ²/ε², or N·Z²σ²/(ε²(N−1) + Z²σ²) for a finite population; rounded up. */
export function sampleSizeFor(sampling: Sampling, margin: number): number {
  const { sigma, confidence, population = Infinity } = checked(sampling)
  if (!(margin > 0)) throw new BadDistanceInput(`No sample has a margin of ${margin}`)
  const spread = (standardScore(confidence) * sigma) ** 2
  const endless = Math.max(1, spread / margin ** 2)
  const isEndless = INFINITE_OVER_SAMPLE * endless <= population
  const n = isEndless ? endless : (population * spread) / (margin ** 2 * (population - 1) + spread)
  return Math.max(1, Math.ceil(n - 1e-9))
}

function checked(sampling: Sampling): Sampling {
  const { sigma, confidence, population = Infinity } = sampling
  if (!(sigma >= 0 && sigma < Infinity)) throw new BadDistanceInput(`${sigma} is no deviation`)
  if (!(confidence > 0 && confidence < 1)) {
    throw new BadDistanceInput(`${confidence} is no confidence between 0 and 1`)
  }
  if (!(population >= 1)) throw new BadDistanceInput(`${population} is no population`)
  return sampling
}

/** Z: a normal value lies within ±Z·σ with this confidence. By bisection, to the last digits. */
export function standardScore(confidence: number): number {
  let [low, high] = [0, 40]
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (errorFunction(middle / Math.SQRT2) < confidence) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** By its series, which converges for all x; beyond 6 the answer is 1 in double precision. */
function errorFunction(x: number): number {
  if (x > 6) return 1
  let term = x
  let sum = x
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

/**
 * m_t = mean over destinations of |η(T) − η(P_t)| / η(T): how far the median of t probes lies from that
 * of all. Each destination's probes are cut into runs of t in the order they came, and every run counts.
 * Destinations with fewer than 30 probes, or a median of 0, have nothing to compare with and are left out.
 */
export function medianErrorCurve(
  destinations: readonly (readonly number[])[],
  sizes: readonly number[],
): number[] {
  const known = destinations.filter(
    (probes) => probes.length >= LEAST_FOR_MEAN && medianOf(probes) > 0,
  )
  if (known.length === 0) {
    throw new BadDistanceInput(`No destination has the ${LEAST_FOR_MEAN} probes to compare with`)
  }
  return sizes.map((size) => {
    if (!(Number.isInteger(size) && size >= 1 && size <= LEAST_FOR_MEAN)) {
      throw new BadDistanceInput(`${size} is no number of probes from 1 to ${LEAST_FOR_MEAN}`)
    }
    const errors = known.map((probes) => medianErrorOf(probes, size))
    return errors.reduce((sum, error) => sum + error, 0) / errors.length
  })
}

function medianErrorOf(probes: readonly number[], size: number): number {
  const whole = medianOf(probes)
  let sum = 0
  let runs = 0
  for (let start = 0; start + size <= probes.length; start += size) {
    sum += Math.abs(whole - medianOf(probes.slice(start, start + size))) / whole
    runs++
  }
  return sum / runs
}
