/** Forgets in time what is kept of devices only for a time. */
import type { Clock } from '@minga/protocol'
import type { Store } from '@minga/store'

interface UpkeepParts {
  store: Store
  clock: Clock
  /** How long the row of a request is kept. */
  detailsKeptMs: number
}

/** Nobody waits for it; the station's other work does. */
const EVERY_MS = 10_000

export class DeviceUpkeep {
  readonly #parts: UpkeepParts
  #nextMs = 0

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /** About once a second. */
  async tick(): Promise<void> {
    const { store, clock, detailsKeptMs: keepMs } = this.#parts
    if (clock.monotonicMs() < this.#nextMs) return
    const now = clock.now()
    await store.call('sweepAddresses', { now })
    const swept = await store.call<number>('sweepDetails', { now, keepMs })
    // While there are old rows it goes on at the next tick.
    this.#nextMs = swept > 0 ? 0 : clock.monotonicMs() + EVERY_MS
  }
}
