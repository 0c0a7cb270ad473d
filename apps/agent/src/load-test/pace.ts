/** Requests per second as moments that are given out one after the other, never two together. */
import type { Clock } from '@minga/protocol'

/** Requests bunch up a little on their way: a tenth below the ceiling keeps every second below it. */
const MARGIN = 0.9
const SECOND_MS = 1_000

export class Pace {
  readonly #clock: Clock
  #perSecond = 0
  #nextAtMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  set(perSecond: number): void {
    this.#perSecond = perSecond
  }

  /** Resolves at this caller's moment, or when the signal aborts. */
  async turn(signal: AbortSignal): Promise<void> {
    while (this.#perSecond <= 0 && !signal.aborted) await this.#clock.sleep(SECOND_MS / 10, signal)
    const atMs = Math.max(this.#clock.monotonicMs(), this.#nextAtMs)
    this.#nextAtMs = atMs + SECOND_MS / (this.#perSecond * MARGIN)
    // A timer may fire a millisecond early.
    for (;;) {
      const leftMs = atMs - this.#clock.monotonicMs()
      if (leftMs <= 0 || signal.aborted) return
      await this.#clock.sleep(Math.ceil(leftMs), signal)
    }
  }
}
