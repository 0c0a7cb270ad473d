/**
 * Randomness without state: a draw is a function of the numbers that name it. The rounds are those
 * of MurmurHash3's 32-bit finaliser (Austin Appleby, public domain), one per number.
 */

const TWO_TO_32 = 4_294_967_296

/** Uniform in [0, 1). */
export function uniform(...name: readonly number[]): number {
  let state = 0x2545f491
  for (const part of name) {
    state = Math.imul(state ^ (part | 0), 0x9e3779b1)
    state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
    state ^= state >>> 16
  }
  return (state >>> 0) / TWO_TO_32
}

/** Log-normal with mean 1; the normal behind it by Box and Muller, "A note on the generation of
 * random normal deviates", Annals of Mathematical Statistics 1958. */
export function logNormal(name: readonly number[], sigma: number): number {
  const u = 1 - uniform(...name, 1)
  const v = uniform(...name, 2)
  const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v)
  return Math.exp(sigma * normal - (sigma * sigma) / 2)
}
