/** Forgets in time what is kept of devices only for a time. */
import type { Station } from '../station/station.ts'

/** No caller waits for it; it delays only other work of the station. */
const EVERY_MS = 10_000

export class DeviceUpkeep {
  readonly #station: Station
  #nextMs = 0

  constructor(station: Station) {
    this.#station = station
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { store, clock, settings } = this.#station
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
