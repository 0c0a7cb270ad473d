/** Money is whole micro-units of the station's currency: 1.00 is 1,000,000. No fraction exists. */
import { BadAmount } from '../errors.ts'

/** Beyond the safe integers sums would be off by one; below zero a charge would be a gift. */
export function requireMicros(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw BadAmount.of(what, value)
}

export function sumMicros(what: string, values: Iterable<number>): number {
  let sum = 0
  for (const value of values) {
    requireMicros(what, value)
    sum += value
  }
  requireMicros(what, sum)
  return sum
}
