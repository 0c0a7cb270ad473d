/** How long to wait before something that failed is tried again: exponential backoff with jitter. */
export interface BackoffOptions {
  /** The first pause; each one after it is twice as long. */
  firstMs: number
  /** Pauses grow up to here. */
  mostMs: number
  /** Share of a pause by which it may be shorter or longer. */
  jitter: number
  /** Instead of staying at `mostMs`, later pauses are spread evenly between these two. */
  laterMs?: readonly [number, number]
}

/**
 * For a station that is away. Quick at first: a coordinator that was killed is back within seconds. After a long
 * absence anywhere between 5 and 30 seconds: all agents of a fleet missed their station at the same moment and
 * must not come back at the same one.
 */
export const AGENT_BACKOFF: BackoffOptions = {
  firstMs: 250,
  mostMs: 4_000,
  jitter: 0,
  laterMs: [5_000, 30_000],
}

/** For workers, which are few; with jitter, because all of them missed the station at the same moment. */
export const WORKER_BACKOFF: BackoffOptions = { firstMs: 100, mostMs: 5_000, jitter: 0.5 }

export class Backoff {
  readonly #options: BackoffOptions
  readonly #random: () => number
  #nextMs: number

  /** `random`: a number from 0 up to, not including, 1. */
  constructor(options: BackoffOptions, random: () => number) {
    this.#options = options
    this.#random = random
    this.#nextMs = options.firstMs
  }

  /** The pause after one more failure. */
  nextMs(): number {
    const { mostMs, jitter, laterMs } = this.#options
    if (laterMs !== undefined && this.#nextMs > mostMs) {
      const [leastMs, latestMs] = laterMs
      return Math.round(leastMs + (latestMs - leastMs) * this.#random())
    }
    const meanMs = Math.min(mostMs, this.#nextMs)
    this.#nextMs *= 2
    if (jitter === 0) return meanMs
    return Math.round(meanMs * (1 - jitter + 2 * jitter * this.#random()))
  }

  /** What failed has worked. */
  reset(): void {
    this.#nextMs = this.#options.firstMs
  }
}
