/**
 * Chance by seed: the same seed gives the same partition on every machine. Marsaglia's xorshift with
 * 32 bits is enough here: it only shuffles orders and breaks ties.
 */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = scramble(seed)
  }

  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x
    return Math.floor(((x >>> 0) / 4_294_967_296) * limit)
  }

  /** Another stream, so that what one stage draws does not shift the draws of the next. */
  fork(): Random {
    return new Random(this.below(4_294_967_296))
  }

  shuffle(items: Int32Array, length = items.length): void {
    for (let i = length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const kept = items[i]!
      items[i] = items[j]!
      items[j] = kept
    }
  }
}

/** Neighbouring seeds must not give neighbouring streams, and xorshift must not start at zero. */
function scramble(seed: number): number {
  let x = (seed ^ Math.floor(seed / 4_294_967_296)) | 0
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  x ^= x >>> 16
  return x === 0 ? 0x9e3779b9 | 0 : x
}
