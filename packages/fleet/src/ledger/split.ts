/** Who gets how much of a sum: exact to the last micro-unit, the same on every machine. */
import { BadAmount } from '../errors.ts'
import { requireMicros } from './amount.ts'

/** Basis points: hundredths of a percent. */
const WHOLE_BPS = 10_000
/** 30 % runs the platform: 28.00 is 8.40 and 19.60. */
export const PLATFORM_SHARE_BPS = 3_000

export interface Split {
  platformMicros: number
  volunteersMicros: number
}

/**
 * The platform's part is rounded down, so a volunteer never loses by rounding; the platform
 * loses less than a micro-unit per posting. In big integers: the product leaves the safe range.
 */
export function split(totalMicros: number, platformShareBps = PLATFORM_SHARE_BPS): Split {
  requireMicros('The sum to split', totalMicros)
  requireMicros("The platform's share", platformShareBps)
  if (platformShareBps > WHOLE_BPS) {
    throw new BadAmount(
      `The platform's share is ${platformShareBps} basis points; the whole is ${WHOLE_BPS}.`,
    )
  }
  const platformMicros = Number(
    (BigInt(totalMicros) * BigInt(platformShareBps)) / BigInt(WHOLE_BPS),
  )
  return { platformMicros, volunteersMicros: totalMicros - platformMicros }
}

export interface Share {
  id: string
  /** Requests served, or what they cost. */
  weight: number
}

/**
 * Divides in proportion to weight by largest remainder (Hamilton's method): each share gets the
 * whole micro-units of its quota, the rest goes one by one to the largest remainders, ties by id.
 * No share is more than a micro-unit from its quota. O(n log n).
 */
export function divide(totalMicros: number, shares: readonly Share[]): Map<string, number> {
  requireMicros('The sum to divide', totalMicros)
  let weights = 0n
  for (const { weight } of shares) {
    requireMicros('A weight', weight)
    weights += BigInt(weight)
  }
  if (weights === 0n) {
    if (totalMicros > 0)
      throw new BadAmount('The sum cannot be divided, because it has no recipients.')
    return new Map(shares.map(({ id }) => [id, 0]))
  }
  const total = BigInt(totalMicros)
  const quotas = shares.map(({ id, weight }) => {
    const product = total * BigInt(weight)
    return { id, micros: Number(product / weights), remainder: product % weights }
  })
  let left = totalMicros - quotas.reduce((sum, quota) => sum + quota.micros, 0)
  for (const quota of quotas.toSorted(byRemainder)) {
    if (left === 0) break
    quota.micros++
    left--
  }
  return new Map(quotas.map(({ id, micros }) => [id, micros]))
}

interface Quota {
  id: string
  remainder: bigint
}

function byRemainder(a: Quota, b: Quota): number {
  if (a.remainder !== b.remainder) return a.remainder > b.remainder ? -1 : 1
  return a.id < b.id ? -1 : 1
}
