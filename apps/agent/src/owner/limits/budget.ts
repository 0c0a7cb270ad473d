/**
 * So much per second, on average. What is not known ahead (the size of an answer, the work it
 * makes) is spent afterwards and may leave a debt; the next caller waits until it is paid. In any
 * time t at most rate · (t + burst) is spent, and one item that was under way.
 */
import type { Clock } from '@minga/protocol'

export interface BudgetOptions {
  /** Null: no limit. */
  perSecond: number | null
  /** What may be saved up while nothing happens, in milliseconds of the rate. */
  burstMs: number
}

export class Budget {
  readonly #clock: Clock
  readonly #options: BudgetOptions
  /** When all that was spent will have been earned; in the past: savings. */
  #paidAtMs: number

  constructor(clock: Clock, options: BudgetOptions) {
    this.#clock = clock
    this.#options = options
    this.#paidAtMs = clock.monotonicMs() - options.burstMs
  }

  get perSecond(): number | null {
    return this.#options.perSecond
  }

  spend(amount: number): void {
    const { perSecond, burstMs } = this.#options
    if (perSecond === null) return
    const earliestMs = this.#clock.monotonicMs() - burstMs
    this.#paidAtMs = Math.max(this.#paidAtMs, earliestMs) + (amount * 1_000) / perSecond
  }

  /** How long until nothing is owed. */
  waitMs(): number {
    if (this.#options.perSecond === null) return 0
    return Math.max(0, this.#paidAtMs - this.#clock.monotonicMs())
  }
}
