/**
 * Lets few through at a time. Hashing a password takes a thread of Node's small pool, which files
 * and names need as well, and 32 MiB: a flood of log-ins must not take all of them.
 */
import { RateLimited } from '../station/errors.ts'

const INSIDE_MOST = 2
const WAITING_MOST = 32
const TRY_AGAIN_MS = 2_000

export class BoundedSemaphore {
  readonly #what: string
  #inside = 0
  readonly #waiting: (() => void)[] = []

  /** Completes the sentence “The limit of … is reached”. */
  constructor(what = 'log-ins together') {
    this.#what = what
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= INSIDE_MOST) await this.#wait()
    else this.#inside++
    try {
      return await work()
    } finally {
      // The permit is passed on directly, so that no other caller can take it in between.
      const next = this.#waiting.shift()
      if (next === undefined) this.#inside--
      else next()
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= WAITING_MOST) throw new RateLimited(this.#what, TRY_AGAIN_MS)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
