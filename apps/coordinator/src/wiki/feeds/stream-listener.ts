/** Listens to Wikimedia's stream while an operator wants it and there is a wiki of theirs to keep fresh. */
import type { Clock } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { GuardedStation } from '../../station/guarded-post.ts'
import { EventStream } from './event-stream.ts'
import type { Operations } from '../../station/station-operations.ts'

interface Parts extends GuardedStation {
  store: Store<Operations>
  clock: Clock
  userAgent: string
  /** Where to listen; Wikimedia's unless a test says otherwise. */
  eventStreamUrl?: string
  ring: () => void
}

interface OpenStream {
  stop: AbortController
  ended: Promise<void>
}

export class StreamListener {
  readonly #parts: Parts
  #stream: OpenStream | null = null
  #hosts: ReadonlySet<string> = new Set()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Every few seconds. */
  async tend(isWanted: boolean): Promise<void> {
    if (!isWanted && this.#stream === null) return
    this.#hosts = isWanted ? new Set(await this.#streamedHosts()) : new Set()
    if (this.#hosts.size === 0) await this.close()
    else this.#stream ??= await this.#listen()
  }

  #streamedHosts(): Promise<string[]> {
    const isAnywhere = this.#parts.eventStreamUrl !== undefined
    return this.#parts.store.call('streamedHosts', { isAnywhere })
  }

  async #listen(): Promise<OpenStream> {
    const { store, clock, guard, ring, eventStreamUrl: url } = this.#parts
    const lastEventId = await store.call('readFact', { name: 'wiki-stream' })
    const stop = new AbortController()
    const stream = new EventStream(
      {
        ...this.#parts,
        ...(url === undefined ? {} : { url }),
        hosts: () => this.#hosts,
        hear: async (changes, place) => {
          const heard = { changes, lastEventId: place, guard, now: clock.now() }
          if (await store.call('hearStream', heard)) ring()
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
