/**
 * How long to wait before a station that is away is tried again. Quick at first: a coordinator that
 * was killed is back within seconds. After a long absence anywhere between 5 and 30 seconds: all
 * agents of a fleet missed their station at the same moment and must not come back at the same one.
 */
const FIRST_MS = 250
const QUICK_MAX_MS = 4_000
const LATER_MIN_MS = 5_000
const LATER_MAX_MS = 30_000

export class Patience {
  readonly #random: () => number
  #nextMs = FIRST_MS

  /** `random`: a number from 0 up to, not including, 1. */
  constructor(random: () => number) {
    this.#random = random
  }

  /** The pause after one more failure. */
  nextMs(): number {
    if (this.#nextMs > QUICK_MAX_MS) {
      return Math.round(LATER_MIN_MS + (LATER_MAX_MS - LATER_MIN_MS) * this.#random())
    }
    const ms = this.#nextMs
    this.#nextMs *= 2
    return ms
  }

  /** The station was there. */
  restored(): void {
    this.#nextMs = FIRST_MS
  }
}
