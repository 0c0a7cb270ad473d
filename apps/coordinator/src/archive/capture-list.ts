/**
 * Captures by the page, newest or oldest first, of one collection, of one address or of all. A
 * filter that matches little must not walk through a million rows in one go: a call reads a block
 * of them and returns what it found and where it stopped.
 */
import type { CapturePage, CaptureRow } from '@minga/protocol'
import type { Sql, Calls, Value } from '@minga/store'
import { CAPTURE_COLUMNS, capturesOf } from './captures/captures.ts'
import { conditionsOf, type CaptureFilter } from './capture-filter.ts'
import type { Operations } from '../station/station-operations.ts'

/** Rows read in one call: some hundredths of a second of the store's time. */
const BLOCK_ROWS = 10_000
/**
 * Calls that one page may take; what was found until then is shown, and the next page continues.
 */
const BLOCKS_MAX = 50

export interface CaptureListQuery extends CaptureFilter {
  collectionId: number | null
  /** One address; its captures are in the order of time. */
  url: string | null
  order: 'newest' | 'oldest'
  /** Where the last page ended. */
  after: CapturePlace | null
  limit: number
}

export interface CapturePlace {
  at: number
  id: number
}

export interface CaptureBlock {
  captures: CaptureRow[]
  /** Null at the end of the list. */
  next: CapturePlace | null
}

export async function captureBlock(sql: Sql, query: CaptureListQuery): Promise<CaptureBlock> {
  return query.url === null ? blockOfAll(sql, query) : blockOfUrl(sql, query, query.url)
}

async function blockOfAll(sql: Sql, query: CaptureListQuery): Promise<CaptureBlock> {
  const { order, after, limit, collectionId } = query
  const isNewest = order === 'newest'
  const start = after?.id ?? (isNewest ? Number.MAX_SAFE_INTEGER : -1)
  const [of, params]: [string, Value[]] =
    collectionId === null ? ['', []] : ['AND collection_id = ?', [collectionId]]
  const direction = isNewest ? 'DESC' : 'ASC'
  const block = `SELECT * FROM captures WHERE id ${isNewest ? '<' : '>'} ? ${of}
    ORDER BY id ${direction} LIMIT ${BLOCK_ROWS}`
  const wanted = conditionsOf(query)
  const captures = await sql.all<CaptureRow>(
    `SELECT ${CAPTURE_COLUMNS} FROM (${block}) AS c WHERE 1 = 1 ${wanted.where}
     ORDER BY c.id ${direction} LIMIT ?`,
    [start, ...params, ...wanted.params, limit],
  )
  if (captures.length === limit) return { captures, next: placeOf(captures.at(-1)!) }
  const seen = await sql.get<{ n: number; end: number | null }>(
    `SELECT COUNT(*) AS n, ${isNewest ? 'MIN' : 'MAX'}(b.id) AS "end"
     FROM (${block.replace('*', 'id')}) AS b`,
    [start, ...params],
  )
  const isOver = seen!.n < BLOCK_ROWS || seen!.end === null
  return { captures, next: isOver ? null : { at: 0, id: seen!.end! } }
}

async function blockOfUrl(sql: Sql, query: CaptureListQuery, url: string): Promise<CaptureBlock> {
  const of = await capturesOf(sql, url)
  if (!of) return { captures: [], next: null }
  const { order, after, limit, collectionId } = query
  const isNewest = order === 'newest'
  const wanted = conditionsOf(query)
  const behind = after === null ? '' : `AND (captured_at, id) ${isNewest ? '<' : '>'} (?, ?)`
  const ofCollection = collectionId === null ? '' : 'AND collection_id = ?'
  const direction = isNewest ? 'DESC' : 'ASC'
  const captures = await sql.all<CaptureRow>(
    `${of.select} ${behind} ${ofCollection} ${wanted.where}
     ORDER BY captured_at ${direction}, id ${direction} LIMIT ?`,
    [
      ...of.params,
      ...(after === null ? [] : [after.at, after.id]),
      ...(collectionId === null ? [] : [collectionId]),
      ...wanted.params,
      limit,
    ],
  )
  const isFull = captures.length === limit
  return { captures, next: isFull ? placeOf(captures.at(-1)!) : null }
}

const placeOf = ({ capturedAt, id }: CaptureRow): CapturePlace => ({ at: capturedAt, id })

/** A whole page, block by block: others are answered in between. */
export async function capturePage(
  store: Calls<Operations>,
  query: CaptureListQuery,
): Promise<CapturePage> {
  const captures: CaptureRow[] = []
  let { after } = query
  for (let blocks = 0; blocks < BLOCKS_MAX; blocks++) {
    const limit = query.limit - captures.length
    const asked = { ...query, after, limit }
    const block = await store.call('captureBlock', asked)
    captures.push(...block.captures)
    after = block.next
    if (after === null || captures.length === query.limit) break
  }
  return { captures, next: after === null ? null : `${after.at},${after.id}` }
}
