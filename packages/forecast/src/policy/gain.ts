/**
 * What a visit gains after so many expected changes x = λτ since the last one:
 *   g(x) = 1 − e^{−x}(1 + x)
 * Both objectives meet in it. Visits at a steady gap τ = x/λ capture ρ(1 − e^{−λ/ρ}) versions a day;
 * the derivative by ρ is g(x). Freshness (1 − e^{−x})/x has the derivative g(x)/λ (Cho and
 * Garcia-Molina 2003). So at price Λ: g(x) = Λ·cost/weight, or g(x) = Λ·cost·λ/weight.
 *
 * The inverse is tabulated, since a million URLs ask for it fifty times each.
 */

const SMALL = 2_048
/** Up to here x grows smoothly with √m; beyond, with −ln(1 − m). */
const SPLIT = 0.9
const LARGE = 2_048
const LARGEST_LOG = 27

/**
 * Where every visit is all but sure to find a change, the gain no longer tells one gap from another
 * and no price could share a scarce budget. So a thousandth of it keeps growing with the gap: pages
 * that are all too fast are visited in proportion to their rates.
 */
const SLACK = 1e-3
const SLACK_CHANGES = 20

export function gain(x: number): number {
  // The difference of two numbers near 1 loses all digits for small x: the series does not.
  const certain = x < 1e-3 ? x * x * (0.5 - x / 3) : 1 - Math.exp(-x) * (1 + x)
  return (1 - SLACK) * certain + (SLACK * x * x) / (x * x + SLACK_CHANGES * SLACK_CHANGES)
}

const LEAST_LOG = -Math.log(1 - SPLIT)
const LOG_SPAN = LARGEST_LOG - LEAST_LOG

interface Tables {
  small: Float64Array
  large: Float64Array
}

let tables: Tables | undefined

/** Made when first needed: they take a tenth of a second, and most programs never plan a visit. */
function makeTables(): Tables {
  tables = {
    small: Float64Array.from({ length: SMALL + 2 }, (_, i) =>
      solved((Math.sqrt(SPLIT) * (i / SMALL)) ** 2),
    ),
    large: Float64Array.from({ length: LARGE + 2 }, (_, i) =>
      solved(-Math.expm1(-(LEAST_LOG + (LOG_SPAN * i) / LARGE))),
    ),
  }
  return tables
}

/** The x with g(x) = m; Infinity from m = 1 on: no number of changes is worth the price. */
export function inverseGain(m: number): number {
  if (m >= 1) return Infinity
  const { small, large } = tables ?? makeTables()
  if (m < SPLIT) return at(small, (Math.sqrt(m) / Math.sqrt(SPLIT)) * SMALL)
  return at(large, ((Math.min(-Math.log1p(-m), LARGEST_LOG) - LEAST_LOG) / LOG_SPAN) * LARGE)
}

function at(table: Float64Array, place: number): number {
  const i = place | 0
  const before = table[i]!
  return before + (place - i) * (table[i + 1]! - before)
}

function solved(m: number): number {
  if (m === 0) return 0
  let low = Math.log(1e-6)
  let high = Math.log(1e6)
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (gain(Math.exp(middle)) < m) low = middle
    else high = middle
  }
  return Math.exp((low + high) / 2)
}
