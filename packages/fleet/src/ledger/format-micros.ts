const MICROS_PER_UNIT = 1_000_000n
const DIGITS = 6

/** Exact decimal text, with at least two digits after the point: `8.40`, `-0.000001`. */
export function formatMicros(micros: number): string {
  const sign = micros < 0 ? '-' : ''
  const size = BigInt(Math.abs(micros))
  const fraction = String(size % MICROS_PER_UNIT).padStart(DIGITS, '0')
  return `${sign}${size / MICROS_PER_UNIT}.${fraction.replace(/0{1,4}$/, '')}`
}
