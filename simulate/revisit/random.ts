/**
 * Seeded randomness with little state: a Weyl sequence, stirred by the finaliser of MurmurHash3
 * (Austin Appleby, public domain). A stream is named by numbers, so that URL 7 has the same history
 * however many URLs there are.
 */

const TWO_TO_32 = 4_294_967_296

export type Random = () => number

/** Uniform in [0, 1). */
export function randomStream(...name: readonly number[]): Random {
  let state = 0x2545f491
  for (const part of name) state = stirred(Math.imul(state ^ (part | 0), 0x9e3779b1))
  return () => {
    state = (state + 0x9e3779b9) | 0
    return (stirred(state) >>> 0) / TWO_TO_32
  }
}

function stirred(bits: number): number {
  let value = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}

export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean
}

/** Box and Muller, "A note on the generation of random normal deviates", 1958. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** At least 1; the smaller the shape, the heavier the tail. */
export function pareto(random: Random, shape: number): number {
  return (1 - random()) ** (-1 / shape)
}
