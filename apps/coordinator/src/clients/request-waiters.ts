/**
 * Calls that hang until their batch has ended. A thousand of them cost one query of the store per
 * round, not one each; a round starts when results came in, and now and then in case another
 * coordinator took them in.
 */
import type { Clock } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import type { Operations } from '../station/station-operations.ts'

const LOOK_EVERY_MS = 500
/** Results come in bursts: one look serves them together. */
const GATHER_MS = 10
/** Readers of events see them together rather than one write each. */
const NEWS_MS = 100

export interface WaiterParts {
  store: Store<Operations>
  clock: Clock
  /** Rung when requests may have ended. */
  settled: ConditionVariable
  closing: AbortSignal
}

export class RequestWaiters {
  readonly #parts: WaiterParts
  readonly #waiting = new Map<string, Set<() => void>>()
  #isLooking = false

  constructor(parts: WaiterParts) {
    this.#parts = parts
  }

  /** Whether the batch ended in time. */
  async ended(batchId: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const over = AbortSignal.any([signal, this.#parts.closing])
    const done = new AbortController()
    const isEnded = (): void => done.abort()
    const others = this.#waiting.get(batchId) ?? new Set()
    this.#waiting.set(batchId, others.add(isEnded))
    if (!this.#isLooking) void this.#look()
    try {
      await this.#parts.clock.sleep(timeoutMs, AbortSignal.any([over, done.signal]))
      return done.signal.aborted
    } finally {
      others.delete(isEnded)
      if (others.size === 0) this.#waiting.delete(batchId)
    }
  }

  /** Resolves when something may have ended, or a moment later. */
  async news(signal: AbortSignal): Promise<void> {
    const { clock, settled } = this.#parts
    await settled.waitFor(LOOK_EVERY_MS, clock, signal)
    await clock.sleep(NEWS_MS, signal)
  }

  async #look(): Promise<void> {
    const { store, clock, settled, closing } = this.#parts
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
