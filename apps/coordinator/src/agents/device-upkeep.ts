/** Forgets in time what is kept of devices only for a time. */
import type { Clock } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { LiveSettings } from '../station/settings/live-settings.ts'
import type { Operations } from '../station/station-operations.ts'

interface UpkeepParts {
  store: Store<Operations>
  clock: Clock
  settings: LiveSettings
}

/** No caller waits for it; it delays only other work of the station. */
const EVERY_MS = 10_000

export class DeviceUpkeep {
  readonly #parts: UpkeepParts
  #nextMs = 0

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { store, clock, settings } = this.#parts
    if (clock.monotonicMs() < this.#nextMs) return
    const now = clock.now()
    const { addressesKeptMs, detailsKeptMs } = settings.current()
    await store.call('sweepAddresses', { now, keepMs: addressesKeptMs })
    const swept = await store.call('sweepDetails', { now, keepMs: detailsKeptMs })
    const sweptRates = await store.call('sweepRates', { now })
    // While old rows are left, it continues at the next tick.
    this.#nextMs = swept + sweptRates > 0 ? 0 : clock.monotonicMs() + EVERY_MS
  }
}
