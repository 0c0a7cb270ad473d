/** Numbers about numbers: means with their intervals, quantiles, and Kendall's rank correlation. */

export interface Estimate {
  mean: number
  /** Half the width of the 95 % interval of the mean; NaN with a single value. */
  halfWidth: number
  n: number
}

/** Two-sided 95 % quantiles of Student's t for 1, 2, … degrees of freedom. */
const T_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
]
const NORMAL_95 = 1.96

/** Runs of different seeds are independent, so Student's interval applies. */
export function estimate(values: readonly number[]): Estimate {
  const n = values.length
  const mean = sumOf(values) / n
  if (n < 2) return { mean, halfWidth: NaN, n }
  const variance = sumOf(values.map((value) => (value - mean) ** 2)) / (n - 1)
  return { mean, halfWidth: (T_95[n - 2] ?? NORMAL_95) * Math.sqrt(variance / n), n }
}

function sumOf(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

/** The value below which the share `q` of the sorted values lies (nearest rank). */
export function quantile(sorted: readonly number[], q: number): number {
  const rank = Math.ceil(q * sorted.length)
  return sorted[Math.max(0, Math.min(sorted.length - 1, rank - 1))] ?? NaN
}

export interface Kendall {
  /** Concordant minus discordant pairs. */
  s: number
  tauB: number
  /** Of S, corrected for ties. */
  variance: number
  /** Two-sided, from the normal approximation with continuity correction. */
  p: number
}

/**
 * Kendall, "Rank correlation methods", 1948: τ-b divides S by the geometric mean of the pairs that
 * are not tied in x and in y; the variance of S is
 *   (v₀ − Σv(t) − Σv(u)) / 18 + …, with v(t) = t(t−1)(2t+5) for every group of t tied values.
 * O(n²), which is nothing for twenty countries.
 */
export function kendall(x: readonly number[], y: readonly number[]): Kendall {
  const n = x.length
  let s = 0
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) s += Math.sign(x[i]! - x[j]!) * Math.sign(y[i]! - y[j]!)
  }
  const [ties, otherTies] = [tieSizes(x), tieSizes(y)]
  const pairs = (n * (n - 1)) / 2
  const untied = (sizes: readonly number[]): number => pairs - sumOf(sizes.map(pairsOf))
  const tauB = s / Math.sqrt(untied(ties) * untied(otherTies))
  const variance = varianceOfS(n, ties, otherTies)
  return { s, tauB, variance, p: pValueOf(s, variance) }
}

const pairsOf = (t: number): number => (t * (t - 1)) / 2

function tieSizes(values: readonly number[]): number[] {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts.values()].filter((count) => count > 1)
}

function varianceOfS(n: number, ties: readonly number[], otherTies: readonly number[]): number {
  const v = (t: number): number => t * (t - 1) * (2 * t + 5)
  const triples = (t: number): number => t * (t - 1) * (t - 2)
  const over = (sizes: readonly number[], f: (t: number) => number): number => sumOf(sizes.map(f))
  return (
    (v(n) - over(ties, v) - over(otherTies, v)) / 18 +
    (over(ties, triples) * over(otherTies, triples)) / (9 * triples(n)) +
    (4 * over(ties, pairsOf) * over(otherTies, pairsOf)) / (2 * n * (n - 1))
  )
}

/** Two-sided p-value of S; the correction by 1 is half the step between possible values of S. */
export function pValueOf(s: number, variance: number): number {
  const z = Math.max(0, Math.abs(s) - 1) / Math.sqrt(variance)
  return complementaryError(z / Math.SQRT2)
}

/**
 * erfc by its continued fraction for large arguments and the series of erf for small ones; both
 * to double precision (Abramowitz and Stegun 7.1.5 and 7.1.14).
 */
function complementaryError(x: number): number {
  if (x < 2) {
    let term = x
    let sum = x
    for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) {
      term *= -(x * x) / k
      sum += term / (2 * k + 1)
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * sum
  }
  let fraction = 0
  for (let k = 60; k >= 1; k--) fraction = k / 2 / (x + fraction)
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction)
}
