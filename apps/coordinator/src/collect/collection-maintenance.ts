/** What is done for collections as time goes by: their counts are noted, and queues gone through after changes. */
import type { Station } from '../station/station.ts'

/** Often enough for a curve, seldom enough to cost nothing. */
const SAMPLE_MS = 10_000
const STATION_MS = 60_000
/** Limit per tick, so that other callers of the store do not wait long. */
const SWEEP_STEPS = 5

export class CollectionMaintenance {
  readonly #station: Station
  #sampleAtMs = 0
  #stationAtMs = 0
  #mayBeMore = true

  constructor(station: Station) {
    this.#station = station
  }

  async tick(): Promise<void> {
    const nowMs = this.#station.clock.monotonicMs()
    if (nowMs >= this.#sampleAtMs) {
      this.#sampleAtMs = nowMs + SAMPLE_MS
      await this.#station.store.call('sampleCollections', { now: this.#station.clock.now() })
      // Another coordinator, or a station of the federation, may have changed a scope.
      this.#mayBeMore = true
    }
    if (nowMs >= this.#stationAtMs) {
      this.#stationAtMs = nowMs + STATION_MS
      await this.#station.store.call('sampleStation', { now: this.#station.clock.now() })
    }
    await this.#sweep()
  }

  /**
   * Runs after a user changed the scope of a collection: as much as can be done at once, the rest
   * tick by tick.
   */
  async sweepSoon(): Promise<void> {
    this.#mayBeMore = true
    await this.#sweep()
  }

  async #sweep(): Promise<void> {
    for (let step = 0; this.#mayBeMore && step < SWEEP_STEPS; step++) {
      const { isMore } = await this.#station.store.call('sweepScopes', {
        now: this.#station.clock.now(),
      })
      this.#mayBeMore = isMore
    }
  }
}
