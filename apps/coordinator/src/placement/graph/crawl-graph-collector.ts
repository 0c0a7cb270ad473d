/**
 * Collects what the crawl reveals about its own graph, where uploads arrive: pages and links by
 * host, and how long each device waited for each host. Everything is added up in memory and sent to
 * the store in one call every few seconds, or sooner when much has accumulated; a result costs some
 * microseconds. A crash loses what was collected since the last batch: estimates, which the next
 * pages correct.
 */
import { GraphBatcher, PairTimes } from '@minga/partition'
import { hostKeyOf, originOf } from '@minga/net'
import type { CapturedResult, Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { PlaceBatch } from './flush-graph.ts'
import type { Operations } from '../../station/station-operations.ts'

/** Results of an upload that the station has taken in. */
export interface CommittedUpload {
  /** The id of the device that fetched them; nothing else is kept of it. */
  device: string
  fetched: readonly CapturedResult[]
  /** Those that are pages of a crawl, each captured once in it. */
  pages: readonly CapturedResult[]
  /** Whether a collection follows what pages are shown with. */
  takesEmbeds: (collectionId: number) => boolean
}

interface CollectorParts {
  store: Calls<Operations>
  clock: Clock
  /** Names this run of a coordinator: its batches are numbered from 1. */
  source: string
  /** How much may come together before it is sent ahead of time. */
  fullEntries?: number
}

const FLUSH_EVERY_MS = 5_000
/** Pairs of hosts, and samples: about 10 ms of the store's thread, and a few MB here. */
const FULL_ENTRIES = 4_000
const FULL_SAMPLES = 20_000
/** A name has 253 characters and a port; what is longer was made up. */
const HOST_CHARS_MAX = 259

export class CrawlGraphCollector {
  readonly #parts: CollectorParts
  readonly #listeners = new Set<(batch: PlaceBatch) => void>()
  #graph: GraphBatcher
  #times = new PairTimes()
  #samples = 0
  #sequence = 0
  /** Taken but not known to be in the store: sent again as it is until it is. */
  #unsent: PlaceBatch | null = null
  #flushing: Promise<void> | null = null
  #nextFlushMs: number

  constructor(parts: CollectorParts) {
    this.#parts = parts
    const { source, fullEntries = FULL_ENTRIES } = parts
    this.#graph = new GraphBatcher(source, { fullEntries })
    this.#nextFlushMs = parts.clock.monotonicMs() + FLUSH_EVERY_MS
  }

  /** Called with every batch once the store has it; returns the function that unsubscribes. */
  subscribe(listener: (batch: PlaceBatch) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** On the path of every upload: it only counts, and makes no calls. */
  hear({ device, fetched, pages, takesEmbeds }: CommittedUpload): void {
    // Full, and the last batch not in the store yet: what comes in the meantime is lost, memory is not.
    if (this.#isFull && this.#unsent !== null) return
    const atMs = this.#parts.clock.now()
    for (const result of fetched) this.#addTimes(device, result, atMs)
    for (const page of pages) {
      this.#addPage(page, takesEmbeds(page.collectionId) ? page.embeds : [])
    }
    // A failure is kept for the next tick, which says so.
    if (this.#isFull) this.flush().catch(() => {})
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { clock } = this.#parts
    if (clock.monotonicMs() < this.#nextFlushMs && !this.#isFull && this.#unsent === null) return
    await this.flush()
  }

  /** What was gathered is in the store when this resolves. */
  async flush(): Promise<void> {
    // The one that is under way may have begun before the last result came.
    if (this.#flushing !== null) await this.#flushing
    await (this.#flushing ??= this.#send().finally(() => (this.#flushing = null)))
  }

  get #isFull(): boolean {
    return this.#graph.isFull || this.#samples >= FULL_SAMPLES
  }

  /** Of every link, those that were seen before included; most stay on their own host. */
  #addPage({ url: page, links }: CapturedResult, embeds: readonly string[]): void {
    const home = hostKeyOf(page)
    if (home.length > HOST_CHARS_MAX) return
    const start = `${originOf(page)}/`
    let inside = 0
    const add = (url: string): void => {
      if (url.startsWith(start)) return void inside++
      const host = hostKeyOf(url)
      if (host.length <= HOST_CHARS_MAX) this.#graph.addLinks(home, host, 1)
    }
    this.#graph.addPage(home)
    links.forEach(add)
    embeds.forEach(add)
    if (inside > 0) this.#graph.addLinks(home, home, inside)
  }

  #addTimes(device: string, result: CapturedResult, atMs: number): void {
    const host = hostKeyOf(result.url)
    if (host.length > HOST_CHARS_MAX) return
    this.#times.observe({ agent: device, host, ...timesOf(result), atMs })
    this.#samples++
  }

  async #send(): Promise<void> {
    const { store, clock } = this.#parts
    this.#unsent ??= this.#take()
    this.#nextFlushMs = clock.monotonicMs() + FLUSH_EVERY_MS
    const batch = this.#unsent
    if (batch === null) return
    await store.call('flushGraph', { batch, now: clock.now() })
    this.#unsent = null
    for (const listener of this.#listeners) listener(batch)
  }

  #take(): PlaceBatch | null {
    const { source } = this.#parts
    const graph = this.#graph.take()
    if (graph === null && this.#samples === 0) return null
    const times = [...this.#times.snapshot()]
    this.#times = new PairTimes()
    this.#samples = 0
    const { pages, links } = graph ?? { pages: [], links: [] }
    return { source, sequence: ++this.#sequence, pages, links, times }
  }
}

/**
 * A connection that was open already leaves the first byte alone: one round trip and the server's thinking. Of
 * a new one connecting is taken off, unless TLS came between, which takes round trips of its own.
 */
function timesOf({ url, connectMs, firstByteMs }: CapturedResult): {
  connectMs: number | null
  firstByteMs: number | null
} {
  if (connectMs === undefined || connectMs === null) return { connectMs: null, firstByteMs }
  const isPlain = url.startsWith('http:')
  return { connectMs, firstByteMs: isPlain ? Math.max(0, firstByteMs - connectMs) : null }
}
