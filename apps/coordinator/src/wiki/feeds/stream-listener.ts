/** Listens to Wikimedia's stream while an operator wants it and there is a wiki of theirs to keep fresh. */
import { EventStream } from './event-stream.ts'
import type { Station } from '../../station/station.ts'

interface OpenStream {
  stop: AbortController
  ended: Promise<void>
}

export class StreamListener {
  readonly #station: Station
  #stream: OpenStream | null = null
  #hosts: ReadonlySet<string> = new Set()

  constructor(station: Station) {
    this.#station = station
  }

  /** Every few seconds. */
  async tend(isWanted: boolean): Promise<void> {
    if (!isWanted && this.#stream === null) return
    this.#hosts = isWanted ? new Set(await this.#streamedHosts()) : new Set()
    if (this.#hosts.size === 0) await this.close()
    else this.#stream ??= await this.#listen()
  }

  #streamedHosts(): Promise<string[]> {
    return this.#station.store.call('streamedHosts', {})
  }

  async #listen(): Promise<OpenStream> {
    const { store, clock, guard, work } = this.#station
    const lastEventId = await store.call('readFact', { name: 'wiki-stream' })
    const stop = new AbortController()
    const stream = new EventStream(
      {
        ...this.#station,
        hosts: () => this.#hosts,
        hear: async (changes, place) => {
          const heard = { changes, lastEventId: place, guard, now: clock.now() }
          if (await store.call('hearStream', heard)) work.notifyAll()
        },
      },
      lastEventId,
    )
    return { stop, ended: stream.listen(stop.signal) }
  }

  async close(): Promise<void> {
    const stream = this.#stream
    this.#stream = null
    stream?.stop.abort()
    await stream?.ended
  }
}
