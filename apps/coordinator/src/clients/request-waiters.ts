/**
 * Calls that hang until their batch has ended. A thousand of them cost one query of the store per
 * round, not one each; a round starts when results came in, and now and then in case another
 * coordinator took them in.
 */
import type { Station } from '../station/station.ts'

const LOOK_EVERY_MS = 500
/** Results come in bursts: one look serves them together. */
const GATHER_MS = 10
/** Readers of events see them together rather than one write each. */
const NEWS_MS = 100

export class RequestWaiters {
  readonly #station: Station
  readonly #waiting = new Map<string, Set<() => void>>()
  #isLooking = false

  constructor(station: Station) {
    this.#station = station
  }

  /** Whether the batch ended in time. */
  async ended(batchId: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const over = AbortSignal.any([signal, this.#station.closing])
    const done = new AbortController()
    const isEnded = (): void => done.abort()
    const others = this.#waiting.get(batchId) ?? new Set()
    this.#waiting.set(batchId, others.add(isEnded))
    if (!this.#isLooking) void this.#look()
    try {
      await this.#station.clock.sleep(timeoutMs, AbortSignal.any([over, done.signal]))
      return done.signal.aborted
    } finally {
      others.delete(isEnded)
      if (others.size === 0) this.#waiting.delete(batchId)
    }
  }

  /** Resolves when something may have ended, or a moment later. */
  async news(signal: AbortSignal): Promise<void> {
    const { clock, settled } = this.#station
    await settled.waitFor(LOOK_EVERY_MS, clock, signal)
    await clock.sleep(NEWS_MS, signal)
  }

  async #look(): Promise<void> {
    const { store, clock, settled, closing } = this.#station
    this.#isLooking = true
    try {
      while (this.#waiting.size > 0 && !closing.aborted) {
        const ids = [...this.#waiting.keys()]
        for (const id of await store.call('endedBatches', { ids })) {
          for (const wake of this.#waiting.get(id) ?? []) wake()
        }
        await settled.waitFor(LOOK_EVERY_MS, clock, closing)
        await clock.sleep(GATHER_MS, closing)
      }
    } finally {
      this.#isLooking = false
    }
  }
}
