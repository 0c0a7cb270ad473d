/** Which collections are scraped, how far, and what comes of it: rows and rejects join their tables with the cursor. */
import { applySegments } from '@minga/lake/operations'
import type { Segment, SegmentChange } from '@minga/lake'
import { parseSpec } from '@minga/frontier'
import type { ExtractSpec } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { horizonOf, rawState, takeTurn, writeCursor } from '../../archive/feed-state.ts'
import { advanced, START, type IdCursor } from '../../archive/id-cursor.ts'
import { columnsOf, REJECT_COLUMNS, rejectsOf } from './extract-tables.ts'

export interface ExtractedCollection {
  id: number
  owner: string | null
  spec: ExtractSpec
}

export async function extractedCollections(sql: Sql): Promise<ExtractedCollection[]> {
  const rows = await sql.all<{ id: number; owner: string | null; spec: string }>(
    `SELECT id, owner, spec FROM collections WHERE spec LIKE '%"extract":{%' ORDER BY id`,
  )
  return rows.flatMap(({ id, owner, spec }) => {
    const { extract } = parseSpec(spec)
    return extract === undefined ? [] : [{ id, owner, spec: extract }]
  })
}

/**
 * The cursor is stored with the rules that produced it: other rules start again at the beginning.
 */
interface ExtractCursor extends IdCursor {
  rules: string
}

export interface ScrapedCapture {
  id: number
  url: string
  at: number
  mime: string
}

export interface ExtractRead {
  turn: number
  cursor: string
  captures: ScrapedCapture[]
  isCut: boolean
}

export interface ReadExtract {
  collectionId: number
  rules: string
  most: number
  now: number
}

const feedOf = (collectionId: number): string => `extract:${collectionId}`

interface CaptureAt extends ScrapedCapture {
  collectionId: number
  status: number
  hash: number
}

/** Captures of all collections in turn, of which most are passed over: so no index has to know of rules. */
export async function readExtract(sql: Sql, args: ReadExtract): Promise<ExtractRead> {
  const { collectionId, rules, most, now } = args
  const start: ExtractCursor = { ...START, rules }
  const { turn, cursor: kept } = await rawState(sql, feedOf(collectionId), start)
  const cursor = kept.rules === rules ? kept : start
  const horizon = await horizonOf(sql, now)
  const holes = cursor.holes.map(() => ' OR id BETWEEN ? AND ?').join('')
  const found = await sql.all<CaptureAt>(
    `SELECT id, collection_id AS "collectionId", url, captured_at AS "at", mime, status, hash FROM captures
     WHERE id > ?${holes} ORDER BY id LIMIT ?`,
    [cursor.last, ...cursor.holes.flatMap(({ from, to }) => [from, to]), most],
  )
  const ids = found.map(({ id }) => id)
  const captures = found
    .filter((row) => row.collectionId === collectionId && row.hash !== 0 && isPage(row.status))
    .map(({ id, url, at, mime }) => ({ id, url, at, mime }))
  const next: ExtractCursor = { ...advanced(cursor, ids, horizon), rules }
  return { turn, cursor: JSON.stringify(next), captures, isCut: found.length === most }
}

/** What a visit found unchanged is the page again. */
const isPage = (status: number): boolean => status === 200 || status === 304

export interface CommitExtract {
  collection: ExtractedCollection
  turn: number
  cursor: string
  rows: Segment | null
  rejects: Segment | null
  writer: string
  now: number
}

export async function commitExtract(sql: Sql, args: CommitExtract): Promise<void> {
  const { collection, turn, cursor, rows, rejects, writer, now } = args
  const { id, owner, spec } = collection
  await takeTurn(sql, feedOf(id), turn)
  await writeCursor(sql, feedOf(id), cursor)
  const shared = { why: 'scraped', writer }
  const changes: SegmentChange[] = [
    {
      ...shared,
      table: spec.table,
      columns: columnsOf(spec),
      add: rows === null ? [] : [rows],
      makes: { owner, kind: 'own' },
    },
  ]
  if (rejects !== null) {
    changes.push({
      ...shared,
      table: rejectsOf(spec.table),
      columns: REJECT_COLUMNS,
      add: [rejects],
      makes: { owner, kind: 'rejects' },
    })
  }
  await applySegments(sql, { now, changes })
}
