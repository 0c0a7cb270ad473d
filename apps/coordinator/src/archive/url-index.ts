/** The table of archived URLs as its readers use it: caught up with first, read in small steps. */
import { hostRanges, prefixRange, type KeyRange } from '@minga/archive'
import type { Clock } from '@minga/protocol'
import type { Calls, Store } from '@minga/store'
import type { KeyedCapture, KeyedPage, KeyedQuery, KeyPlace } from './archived-urls.ts'
import { NO_FILTER, type CaptureFilter } from './capture-filter.ts'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { folded, type SearchKind, type SearchPage, type UrlCursor } from './search.ts'
import { urlIn } from './protocols/url-in-path.ts'
import type { Operations } from '../station/station-operations.ts'

/** Captures taken in at once: a few hundredths of a second of the store's time. */
const STEP_ROWS = 2_000
/** In the background now and then, so that the first reader after a long crawl need not wait. */
const EVERY_MS = 5_000
/**
 * Blocks that one search may read; what it found until then is shown, and the next call continues.
 */
const BLOCKS_MAX = 50
/** Most blocks of URLs have fewer captures: then they are read once. */
const PAGE_ROWS = 2_000

export interface Search {
  text: string
  by: SearchKind
  collectionId?: number | null
  /** Of captures; absent: all. */
  filter?: CaptureFilter
  after: UrlCursor | null
  limit: number
}

export class UrlIndex {
  readonly #store: Store<Operations>
  readonly #clock: Clock
  /** What is read of the table: all of it, or what a viewer may see. */
  readonly #read: Calls<Operations>
  /** The table is filled by one instance, for all readers. */
  readonly #filler: UrlIndex
  #nextMs = 0

  constructor(
    { store, clock }: { store: Store<Operations>; clock: Clock },
    seen?: { by: Calls<Operations>; filler: UrlIndex },
  ) {
    this.#store = store
    this.#clock = clock
    this.#read = seen?.by ?? store
    this.#filler = seen?.filler ?? this
  }

  /** The same as it is read through another store. */
  seenBy(store: Calls<Operations>): UrlIndex {
    return new UrlIndex(
      { store: this.#store, clock: this.#clock },
      { by: store, filler: this.#filler },
    )
  }

  async tick(): Promise<void> {
    if (this.#clock.monotonicMs() < this.#nextMs) return
    this.#nextMs = this.#clock.monotonicMs() + EVERY_MS
    await this.#step()
  }

  #step(): Promise<boolean> {
    return this.#store.call('indexUrls', { rowsMax: STEP_ROWS })
  }

  /** Every capture that is kept by now is in the table afterwards. */
  catchUp(): Promise<void> {
    return runExclusive(this.#filler, async () => {
      for (;;) if (await this.#step()) return
    })
  }

  async search(search: Search): Promise<SearchPage> {
    await this.catchUp()
    const urls: SearchPage['urls'] = []
    let { after } = search
    for (const range of rangesOf(search)) {
      if (after !== null && after[0] >= range.high) continue
      for (let blocks = 0; blocks < BLOCKS_MAX; blocks++) {
        const limit = search.limit - urls.length
        const page = await this.#read.call('searchUrls', {
          ...range,
          words: wordsOf(search),
          field: search.by === 'title' ? 'title' : 'url',
          collectionId: search.collectionId ?? null,
          filter: search.filter ?? NO_FILTER,
          after,
          limit,
        })
        urls.push(...page.urls)
        after = page.next
        if (after === null) break
        if (urls.length === search.limit || blocks === BLOCKS_MAX - 1) return { urls, next: after }
      }
    }
    return { urls, next: null }
  }

  /** Captures in the order of their keys and times; the table is caught up with by the caller. */
  async *captures(query: Omit<KeyedQuery, 'limit' | 'after'>, from: KeyPlace | null = null) {
    let after = from
    do {
      const asked: KeyedQuery = { ...query, after, limit: PAGE_ROWS }
      const page: KeyedPage = await this.#read.call('capturesByKey', asked)
      yield* page.captures satisfies KeyedCapture[]
      after = page.next
    } while (after !== null)
  }
}

const EVERYTHING: KeyRange = { low: '', high: '\u007f' }

function rangesOf({ text, by }: Search): KeyRange[] {
  if (by === 'prefix') return [prefixRange(urlIn(text.trim()))]
  if (by === 'host') return hostRanges(text.trim().replace(/^https?:\/\//i, ''))
  return [EVERYTHING]
}

function wordsOf({ text, by }: Search): string[] {
  if (by === 'title') return folded(text).split(/\s+/).filter(Boolean)
  return by === 'url' && text.trim() !== '' ? [text.trim().toLowerCase()] : []
}
