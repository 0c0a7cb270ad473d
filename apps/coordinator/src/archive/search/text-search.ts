/** A search of the texts, page by page, as it is answered. */
import type { ArchiveTextHit, ArchiveTextPage } from '@minga/protocol'
import type { Calls } from '@minga/store'
import { unpackText } from './page-words.ts'
import type { FoundText, SearchTexts, TextFilter } from './search-texts.ts'
import { markedIn, snippetOf } from './snippet.ts'
import type { TextIndex } from './text-index.ts'
import { textQuery, type TextQuery } from './text-query.ts'
import type { TextOperations } from './text-operations.ts'

/**
 * Blocks that one page may take; what was found until then is shown, and the next page continues.
 */
const BLOCKS_MOST = 40
const HITS_AT_ONCE = 10
/** No user pages further than this; beyond it the count is "more than". */
const COUNTED_MOST = 10_000

interface TextSearch {
  q: string
  filter: TextFilter
  /** Where the last page ended. */
  after: number | null
  limit: number
}

interface Parts {
  store: Calls<TextOperations>
  texts: Pick<TextIndex, 'state'>
}

export async function searchText(
  { store, texts }: Parts,
  { q, filter, after, limit }: TextSearch,
): Promise<ArchiveTextPage> {
  const index = await texts.state()
  const query = textQuery(q)
  if (query === null || !index.isOn) return { hits: [], next: null, estimate: null, index }
  const { hits, next } = await hitsOf(store, { query, filter, after, limit })
  return { hits, next, estimate: after === null ? await estimateOf(store, query) : null, index }
}

/** Excerpts are cut between the calls, a few at a time: of long texts that takes a while, and others wait. */
async function hitsOf(
  store: Parts['store'],
  asked: SearchTexts,
): Promise<Pick<ArchiveTextPage, 'hits' | 'next'>> {
  const hits: ArchiveTextHit[] = []
  let { after } = asked
  for (let blocks = 0; blocks < BLOCKS_MOST; blocks++) {
    const limit = Math.min(HITS_AT_ONCE, asked.limit - hits.length)
    const block = await store.call('searchTexts', { ...asked, after, limit })
    hits.push(...block.texts.map((text) => hitOf(text, asked.query)))
    after = block.next
    if (after === null || hits.length === asked.limit) break
  }
  return { hits, next: after }
}

async function estimateOf(
  store: Parts['store'],
  query: TextQuery,
): Promise<ArchiveTextPage['estimate']> {
  const most = COUNTED_MOST + 1
  const texts = await store.call('countTexts', { query, most })
  return { texts: Math.min(texts, COUNTED_MOST), isMore: texts === most }
}

function hitOf({ bytes, ...facts }: FoundText, query: TextQuery): ArchiveTextHit {
  const kept = unpackText(bytes)
  const title = facts.title ?? kept.title
  return {
    ...facts,
    title: title === null ? null : markedIn(title, query),
    snippet: snippetOf(kept.text, query),
  }
}
