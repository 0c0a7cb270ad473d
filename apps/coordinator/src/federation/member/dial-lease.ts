/**
 * The right to dial, as this station counts it: from when a renewal was sent. Both clocks are
 * checked, as agents do: a suspended machine's monotonic clock may have stood still, and a wall
 * clock may have been set back.
 */
import type { Clock } from '@minga/protocol'

interface Moment {
  monotonicMs: number
  wallMs: number
}

export class DialLease {
  readonly #clock: Clock
  #until: Moment | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be asked before a renewal is made ready. */
  now(): Moment {
    return { monotonicMs: this.#clock.monotonicMs(), wallMs: this.#clock.now() }
  }

  renew(sent: Moment, leaseMs: number): void {
    this.#until = { monotonicMs: sent.monotonicMs + leaseMs, wallMs: sent.wallMs + leaseMs }
  }

  drop(): void {
    this.#until = null
  }

  /** 0: nothing may be dialled. */
  leftMs(): number {
    if (this.#until === null) return 0
    const { monotonicMs, wallMs } = this.now()
    const left = Math.min(this.#until.monotonicMs - monotonicMs, this.#until.wallMs - wallMs)
    return Math.max(0, left)
  }
}
