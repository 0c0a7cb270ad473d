/**
 * What a crawl finds out about its graph travels in batches: pages and links are added up by host where
 * they are found, and a batch is taken when it is full or old enough. Far fewer messages than URLs, and
 * one that arrives twice counts once.
 */
import { BadDistanceInput } from './errors.ts'

export interface GraphBatch {
  source: string
  /** From 1 up, per source. */
  sequence: number
  pages: [host: string, count: number][]
  links: [from: string, to: string, count: number][]
}

/** More makes messages that hold up others; less makes more of them. */
const FULL_ENTRIES = 10_000

/** Collects until it is taken. */
export class GraphBatcher {
  readonly #source: string
  readonly #fullEntries: number
  #sequence: number
  #pages = new Map<string, number>()
  #links = new Map<string, Map<string, number>>()
  #entries = 0

  /** Goes on after the last sequence that the source has sent, if it was at work before. */
  constructor(source: string, { fullEntries = FULL_ENTRIES, lastSequence = 0 } = {}) {
    this.#source = source
    this.#fullEntries = fullEntries
    this.#sequence = lastSequence
  }

  get isFull(): boolean {
    return this.#entries >= this.#fullEntries
  }

  /** A page of this host was captured for the first time, with links to these hosts. */
  addPage(host: string, linkedHosts: Iterable<string> = []): void {
    this.#entries += addTo(this.#pages, host, 1)
    for (const linked of linkedHosts) this.addLinks(host, linked, 1)
  }

  /** Links of such a page that lead to the same host, where they were counted already. */
  addLinks(from: string, to: string, count: number): void {
    let row = this.#links.get(from)
    if (row === undefined) this.#links.set(from, (row = new Map()))
    this.#entries += addTo(row, to, count)
  }

  /** Null when there is nothing to tell. */
  take(): GraphBatch | null {
    if (this.#entries === 0) return null
    const batch = {
      source: this.#source,
      sequence: ++this.#sequence,
      pages: [...this.#pages],
      links: rowsOf(this.#links),
    }
    this.#pages = new Map()
    this.#links = new Map()
    this.#entries = 0
    return batch
  }
}

/** Everything that was reported, by host. */
export interface CrawlTotals {
  pages: [host: string, count: number][]
  links: [from: string, to: string, count: number][]
  sequences: [source: string, sequence: number][]
}

/** Adds batches up. */
export class CrawlCounts {
  readonly #pages = new Map<string, number>()
  readonly #links = new Map<string, Map<string, number>>()
  readonly #sequences = new Map<string, number>()

  /** From the last snapshot after a restart. */
  static resume({ pages, links, sequences }: CrawlTotals): CrawlCounts {
    const counts = new CrawlCounts()
    counts.#add({ pages, links })
    for (const [source, sequence] of sequences) counts.#sequences.set(source, sequence)
    return counts
  }

  /** False for a batch that was there already; batches of one source come in their order. */
  apply(batch: GraphBatch): boolean {
    if (!isCount(batch.sequence)) throw new BadDistanceInput(`${batch.sequence} is no sequence`)
    if (batch.sequence <= (this.#sequences.get(batch.source) ?? 0)) return false
    this.#add(batch)
    this.#sequences.set(batch.source, batch.sequence)
    return true
  }

  totals(): CrawlTotals {
    return {
      pages: [...this.#pages],
      links: rowsOf(this.#links),
      sequences: [...this.#sequences],
    }
  }

  /** All or nothing: counts that are none are refused before the first is added. */
  #add({ pages, links }: Pick<GraphBatch, 'pages' | 'links'>): void {
    const wrong = [...pages, ...links].find((entry) => !isCount(entry.at(-1)))
    if (wrong !== undefined) throw new BadDistanceInput(`${wrong.join(' ')} counts nothing`)
    for (const [host, count] of pages) addTo(this.#pages, host, count)
    for (const [from, to, count] of links) {
      let row = this.#links.get(from)
      if (row === undefined) this.#links.set(from, (row = new Map()))
      addTo(row, to, count)
    }
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0

/** 1 if the key is new. */
function addTo(counts: Map<string, number>, key: string, count: number): number {
  const before = counts.get(key)
  counts.set(key, (before ?? 0) + count)
  return before === undefined ? 1 : 0
}

function rowsOf(links: ReadonlyMap<string, ReadonlyMap<string, number>>): GraphBatch['links'] {
  return [...links].flatMap(([from, row]) =>
    [...row].map(([to, count]): GraphBatch['links'][number] => [from, to, count]),
  )
}
