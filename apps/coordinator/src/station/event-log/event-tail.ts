/**
 * The end of the log, as it grows, for all viewers: one read of the store a second however many
 * listen, and none without listeners.
 */
import { EVENT_LEVELS, type EventFilter, type LoggedEvent } from '@minga/protocol'
import type { Station } from '../station.ts'

/** A glance cannot follow more than one change a second. */
const EVERY_MS = 1_000
const READ_MOST = 1_000
/**
 * On PostgreSQL a transaction that began earlier may commit later: the last numbers are read again,
 * and events that were sent already are left out.
 */
const LOOK_BACK = 200

type Listener = (events: LoggedEvent[]) => void

export class EventTail {
  readonly #parts: Pick<Station, 'store' | 'clock'>
  readonly #listeners = new Set<Listener>()
  #sent = new Set<number>()
  #last = 0
  #stop: AbortController | null = null

  constructor(parts: Pick<Station, 'store' | 'clock'>) {
    this.#parts = parts
  }

  /** From the next event on; returns the function that unsubscribes. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#stop === null) {
      this.#stop = new AbortController()
      void this.#run(this.#stop.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.abort()
      this.#stop = null
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    await this.#begin().catch(() => {})
    while (!signal.aborted) {
      await this.#parts.clock.sleep(EVERY_MS, signal)
      // One failed reading (a busy store) is not the end.
      if (!signal.aborted) await this.#beat().catch(() => {})
    }
  }

  async #begin(): Promise<void> {
    const newest = await this.#read({ limit: LOOK_BACK })
    this.#last = newest[0]?.id ?? 0
    this.#sent = new Set(newest.map(({ id }) => id))
  }

  async #beat(): Promise<void> {
    const found = await this.#read({ after: Math.max(0, this.#last - LOOK_BACK), limit: READ_MOST })
    const news = found.filter(({ id }) => !this.#sent.has(id))
    this.#last = Math.max(this.#last, found.at(-1)?.id ?? 0)
    this.#sent = new Set(found.map(({ id }) => id))
    for (const tell of this.#listeners) tell(news)
  }

  #read(page: { after?: number; limit: number }): Promise<LoggedEvent[]> {
    return this.#parts.store.call('readEvents', { filter: {}, ...page })
  }
}

/** The same as the store's conditions, for what comes by the tail. */
export function isWanted(filter: EventFilter, event: LoggedEvent): boolean {
  const { level, context, text, from, to, subject, agent } = filter
  const { code, sentence } = event
  const words = `${code} ${event.subject} ${sentence}`.toLowerCase()
  return (
    (level === undefined || EVENT_LEVELS.indexOf(event.level) >= EVENT_LEVELS.indexOf(level)) &&
    (context === undefined || event.context === context) &&
    (text === undefined || words.includes(text.toLowerCase())) &&
    (from === undefined || event.at >= from) &&
    (to === undefined || event.at < to) &&
    (subject === undefined || event.subject === subject) &&
    (agent === undefined || event.device === agent)
  )
}
