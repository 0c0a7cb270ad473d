/** Bytes of one calendar month. UTC, so that a month begins once, whatever happens to local time. */
import type { Clock, Instant } from '@minga/protocol'

export interface MonthUse {
  /** As in `2026-02`. */
  month: string
  bytes: number
}

export class MonthBytes {
  readonly #clock: Clock
  #use: MonthUse

  constructor(clock: Clock, saved: MonthUse | null) {
    this.#clock = clock
    this.#use = saved ?? { month: monthOf(clock.now()), bytes: 0 }
  }

  add(bytes: number): void {
    this.#use = { ...this.use, bytes: this.use.bytes + bytes }
  }

  get use(): MonthUse {
    const month = monthOf(this.#clock.now())
    if (month !== this.#use.month) this.#use = { month, bytes: 0 }
    return this.#use
  }
}

function monthOf(now: Instant): string {
  return new Date(now).toISOString().slice(0, 7)
}
