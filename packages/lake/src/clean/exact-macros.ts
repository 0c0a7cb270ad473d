/**
 * Means without a rounding error. A sum is a whole number or a decimal, so its digits without the point are a whole
 * number again, of units 10^-scale; from there on everything is integer division.
 */

const units = `replace(total::VARCHAR, '.', '')::HUGEINT`

/** `10^n` as a whole number: DuckDB's own power is of floating point. */
const tenTo = (exponent: string): string =>
  `('1' || repeat('0', greatest(0, ${exponent})))::HUGEINT`

export const exactMacros: readonly string[] = [
  `CREATE OR REPLACE TEMP MACRO floor_div(a, b) AS (a // b) - (a < 0 AND a % b <> 0)::INTEGER`,
  // Two different means of fewer than 10^9 values each differ by more than 10^-18: a/b - c/d = (ad - cb)/bd, and the
  // numerator is at least 1. So the floors of 10^18 times the means differ as well, in the same direction; equal
  // means have equal floors. Whole part and rest are taken apart first, so that nothing overflows. Sums that are
  // compared must have the same number of decimals, as those of one column do.
  `CREATE OR REPLACE TEMP MACRO rank_of(a, b) AS
    floor_div(a, b) * 1000000000000000000::HUGEINT
    + ((a - floor_div(a, b) * b) * 1000000000000000000::HUGEINT) // b`,
  `CREATE OR REPLACE TEMP MACRO mean_rank(total, n) AS rank_of(${units}, n::HUGEINT)`,
  // Half to even: half up, and one less when it was exactly a half and the result is odd.
  `CREATE OR REPLACE TEMP MACRO half_even(a, b) AS
    (2 * a + b) // (2 * b) - ((2 * a + b) % (2 * b) = 0 AND ((2 * a + b) // (2 * b)) % 2 = 1)::INTEGER`,
  // `scale`: how many digits of the sum stand behind the point, and further ones if it counts smaller units: 0 for
  // whole numbers, 6 for DECIMAL(38,6), 4 for whole numbers of ten-thousandths. The mean has six decimals.
  `CREATE OR REPLACE TEMP MACRO mean_text(total, n, scale) AS
    ((sign(total) * half_even(abs(${units}) * ${tenTo('6 - scale')}, n::HUGEINT * ${tenTo('scale - 6')}))::DECIMAL(31,0)
      * 0.000001::DECIMAL(7,6))::VARCHAR`,
]
