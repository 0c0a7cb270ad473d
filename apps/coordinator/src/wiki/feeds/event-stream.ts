/**
 * Wikimedia reports every change as it happens (EventStreams). This is the only source that no
 * agent can request under a lease, because its answer never ends: the station itself listens, where
 * an operator wants it, to one address, once, whatever the number of wikis. The events only say
 * which pages to request; those go through the common pipeline. After an interruption it resumes
 * after the last event received.
 */
import type { Clock } from '@minga/protocol'
import { EventStreamReader, eventStreamUrl, newsOfEvent, type StreamNews } from '@minga/wiki'
import type { GuardedStation } from '../../station/guarded-post.ts'
import { guardedStream, type StreamAnswer } from '../../station/guarded-stream.ts'
import type { Station } from '../../station/station.ts'

export interface HeardChange extends StreamNews {
  /** The wiki's. */
  host: string
}

export interface EventStreamParts extends GuardedStation {
  clock: Clock
  userAgent: string
  /** Where to listen; Wikimedia's unless a test says otherwise. */
  url?: string
  /** Hosts of wikis that are wanted. */
  hosts: () => ReadonlySet<string>
  /** To be kept before the place in the stream is. */
  hear: (changes: readonly HeardChange[], lastEventId: string | null) => Promise<void>
}

/** What is heard is handed on this often: pages that are edited in a row are asked for once. */
const HAND_ON_MS = 5_000
const AGAIN_FIRST_MS = 1_000
const AGAIN_MAX_MS = 300_000

export class EventStream {
  readonly #parts: EventStreamParts
  #lastEventId: string | null

  constructor(parts: EventStreamParts, lastEventId: string | null) {
    this.#parts = parts
    this.#lastEventId = lastEventId
  }

  /** Until the signal says otherwise. */
  async listen(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    let pauseMs = AGAIN_FIRST_MS
    while (!signal.aborted) {
      const hasHeard = await this.#listenOnce(signal)
      pauseMs = hasHeard ? AGAIN_FIRST_MS : Math.min(AGAIN_MAX_MS, pauseMs * 2)
      await clock.sleep(pauseMs, signal)
    }
  }

  async #listenOnce(signal: AbortSignal): Promise<boolean> {
    const { clock, userAgent } = this.#parts
    const since = this.#lastEventId === null ? clock.now() : null
    const url = new URL(this.#parts.url ?? eventStreamUrl(since))
    const place = this.#lastEventId === null ? {} : { 'last-event-id': this.#lastEventId }
    const headers = { accept: 'text/event-stream', 'user-agent': userAgent, ...place }
    const answer = await guardedStream(this.#parts, url, { headers, signal })
    if (answer.type !== 'answered' || answer.status !== 200) return false
    return this.#read(answer)
  }

  async #read({ chunks }: Extract<StreamAnswer, { type: 'answered' }>): Promise<boolean> {
    const { clock, hosts, hear } = this.#parts
    const reader = new EventStreamReader()
    let waiting: HeardChange[] = []
    let hasHeard = false
    let handedOnMs = clock.monotonicMs()
    const handOn = async (): Promise<void> => {
      await hear(waiting, reader.lastEventId)
      this.#lastEventId = reader.lastEventId
      waiting = []
      handedOnMs = clock.monotonicMs()
    }
    try {
      for await (const chunk of chunks) {
        const wanted = hosts()
        for (const event of reader.push(chunk)) {
          hasHeard = true
          for (const host of wanted) {
            // Most events are of other wikis: reading each as JSON would keep a processor busy.
            const news = event.data.includes(host) ? newsOfEvent(event, host) : null
            if (news !== null) waiting.push({ host, ...news })
          }
        }
        if (clock.monotonicMs() - handedOnMs >= HAND_ON_MS) await handOn()
      }
    } catch {
      // Disconnected or stopped: what was received so far counts.
    }
    if (hasHeard) await handOn()
    return hasHeard
  }
}

interface OpenStream {
  stop: AbortController
  ended: Promise<void>
}

/** Listens to Wikimedia's stream while an operator wants it and there is a wiki of theirs to keep fresh. */
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
