/** Finding archived URLs by their text, their host or the words of their titles. */
import type { KeyRange } from '@minga/archive'
import type { ArchivedUrl } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { conditionsOf, type CaptureFilter } from './capture-filter.ts'

export const SEARCH_KINDS = ['url', 'prefix', 'host', 'title'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

/** Rows read in one call: the store has others to answer in the meantime. */
const BLOCK_ROWS = 2_000

/** Where a list of URLs continues. */
export type UrlCursor = [key: string, hostId: number, hash: number]

export interface SearchStep extends KeyRange {
  /** Empty: everything in the range. */
  words: string[]
  field: 'url' | 'title'
  collectionId: number | null
  /** Of its captures at least one is such. */
  filter: CaptureFilter
  after: UrlCursor | null
  limit: number
}

export interface SearchPage {
  urls: ArchivedUrl[]
  next: UrlCursor | null
}

interface UrlRow extends Omit<ArchivedUrl, 'captures'> {
  key: string
  hostId: number
  hash: number
}

/** Searches one block of URLs; `next` is null at the end of the range. */
export async function searchUrls(sql: Sql, step: SearchStep): Promise<SearchPage> {
  const after = step.after ?? [step.low, -1, -1]
  const rows = await sql.all<UrlRow>(
    `SELECT url_key AS "key", host_id AS "hostId", hash, url, title, first_at AS "firstAt",
       last_at AS "lastAt"
     FROM archived_urls WHERE (url_key, host_id, hash) > (?, ?, ?) AND url_key < ?
     ORDER BY url_key, host_id, hash LIMIT ?`,
    [...after, step.high, BLOCK_ROWS],
  )
  const urls: ArchivedUrl[] = []
  for (const row of rows) {
    if (!matches(row, step)) continue
    const captures = await countCaptures(sql, row, step)
    if (captures === 0) continue
    const { key, hostId, hash, ...shown } = row
    urls.push({ ...shown, captures })
    if (urls.length === step.limit) return { urls, next: [key, hostId, hash] }
  }
  const last = rows.at(-1)
  const isOver = rows.length < BLOCK_ROWS || last === undefined
  return { urls, next: isOver ? null : [last.key, last.hostId, last.hash] }
}

/** Letters without their case and accents: `Ano Novo` is found in “AÑO NOVO”. */
export function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

function matches(row: UrlRow, { words, field }: SearchStep): boolean {
  if (words.length === 0) return true
  const text = field === 'url' ? row.url.toLowerCase() : folded(row.title ?? '')
  return words.every((word) => text.includes(word))
}

/** None when its captures were deleted, or are not such as are wanted. */
async function countCaptures(
  sql: Sql,
  row: UrlRow,
  { collectionId, filter }: Pick<SearchStep, 'collectionId' | 'filter'>,
): Promise<number> {
  const ofCollection = collectionId === null ? '' : 'AND c.collection_id = ?'
  const wanted = conditionsOf(filter)
  const found = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM captures c
     WHERE c.host_id = ? AND c.hash = ? ${ofCollection} ${wanted.where}`,
    [row.hostId, row.hash, ...(collectionId === null ? [] : [collectionId]), ...wanted.params],
  )
  return found?.n ?? 0
}
