/**
 * How long to wait before a station that is away is called again. Quick at first, because a coordinator that was
 * killed is back within a second or two; with jitter, because all workers missed it at the same moment.
 */
const FIRST_MS = 100
const MOST_MS = 5_000

export class Patience {
  readonly #random: () => number
  #nextMs = FIRST_MS

  /** `random`: a number from 0 up to, not including, 1. */
  constructor(random: () => number) {
    this.#random = random
  }

  /** The pause after one more failure: between half and one and a half of what it is on average. */
  nextMs(): number {
    const ms = this.#nextMs * (0.5 + this.#random())
    this.#nextMs = Math.min(MOST_MS, this.#nextMs * 2)
    return Math.round(ms)
  }

  /** The station was there. */
  restored(): void {
    this.#nextMs = FIRST_MS
  }
}
