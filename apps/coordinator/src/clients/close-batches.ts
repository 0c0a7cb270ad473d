/**
 * What is left to do when a batch has ended: call the client's webhook, then close the books. A
 * webhook that does not answer is retried for a while; after a restart the retries begin again, so
 * a client may be notified of a batch twice, and always at least once if its server is up.
 */
import type { EndedBatch } from '@minga/frontier'
import type { BatchView } from '@minga/protocol'
import { callWebhook } from './webhooks.ts'
import type { Station } from '../station/station.ts'

type ClosingStation = Pick<Station, 'store' | 'clock' | 'resolver' | 'guard' | 'secrets'>

const BATCHES_PER_TICK = 100
/** Pauses between tries: about a day and a half in all. */
const RETRY_MS = [0, 1_000, 5_000, 30_000, 300_000, 3_600_000, 43_200_000, 86_400_000]

interface Trying {
  tries: number
  nextAtMs: number
}

export class BatchCloser {
  readonly #station: ClosingStation
  readonly #viewOf: (id: string) => Promise<BatchView>
  readonly #trying = new Map<string, Trying>()

  constructor(station: ClosingStation, viewOf: (id: string) => Promise<BatchView>) {
    this.#station = station
    this.#viewOf = viewOf
  }

  async tick(): Promise<void> {
    const ended = await this.#station.store.call('unclosedBatches', {
      limit: BATCHES_PER_TICK,
    })
    await Promise.all(ended.map((batch) => this.#close(batch)))
  }

  async #close({ id, client, webhook }: EndedBatch): Promise<void> {
    const { store, clock } = this.#station
    if (webhook !== null && !(await this.#isTold(id, webhook))) return
    this.#trying.delete(id)
    await store.call('closeBatch', { id, client, now: clock.now() })
  }

  async #isTold(id: string, url: string): Promise<boolean> {
    const { clock } = this.#station
    const trying = this.#trying.get(id) ?? { tries: 0, nextAtMs: 0 }
    if (clock.monotonicMs() < trying.nextAtMs) return false
    const batch = await this.#viewOf(id)
    if (await callWebhook(this.#station, { url, batch, atMs: clock.now() })) return true
    const tries = trying.tries + 1
    const pauseMs = RETRY_MS[tries]
    // A server that is away for days is gone; its results stay where they are.
    if (pauseMs === undefined) return true
    this.#trying.set(id, { tries, nextAtMs: clock.monotonicMs() + pauseMs })
    return false
  }
}
