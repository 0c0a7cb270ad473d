/**
 * Collections as lists show them: a page of all of them, and those that the live page follows; and what one of them
 * captured.
 */
import { outcomeSql, readStatuses } from '@minga/frontier'
import type {
  CollectionPage,
  CollectionStatus,
  LiveCollection,
  CollectionCaptures,
  CaptureRow,
  CollectionFacets,
  ErrorView,
  FacetBar,
} from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { afterCursor, cursorOf, orderBy, type Keyset } from './keyset.ts'
import { CAPTURE_COLUMNS } from '../archive/captures/captures.ts'

/** A collection may have 100,000 seeds; a few tell it apart from the others. */
const SEEDS_SHOWN = 3

function shortened(status: CollectionStatus): LiveCollection {
  const { spec } = status
  const seeds = spec.seeds.slice(0, SEEDS_SHOWN)
  return { ...status, spec: { ...spec, seeds }, seedCount: spec.seeds.length }
}

const DONE = `CAST(CASE WHEN found = 0 THEN 0 ELSE (found - queued) * 1.0 / found END
  AS DOUBLE PRECISION)`

/** What a list may be sorted by, in SQL. */
export const SORTS = {
  id: 'id',
  state: 'state',
  done: DONE,
  found: 'found',
  captures: 'captures',
  failed: 'failed',
  bytes: 'bytes',
  createdAt: 'created_at',
} as const

export interface CollectionListQuery {
  text: string | null
  state: readonly string[]
  kind: readonly string[]
  outcome: readonly string[]
  owner: string | null
  sort: keyof typeof SORTS
  isDescending: boolean
  cursor: string | null
  limit: number
}

interface Condition {
  sql: string
  params: Value[]
}

export async function collectionList(
  sql: Sql,
  query: CollectionListQuery,
): Promise<CollectionPage> {
  const keyset: Keyset = { column: SORTS[query.sort], isDescending: query.isDescending, id: 'id' }
  const wanted = conditionsOf(sql, query)
  const where = wanted.map((each) => each.sql).join(' AND ') || '1 = 1'
  const params = wanted.flatMap((each) => each.params)
  const after = afterCursor(keyset, query.cursor)
  const keys = await sql.all<{ id: number; value: number | string }>(
    `SELECT id, ${keyset.column} AS value FROM collections
     WHERE ${where} AND ${after.condition} ${orderBy(keyset)} LIMIT ?`,
    [...params, ...after.params, query.limit + 1],
  )
  const shown = keys.slice(0, query.limit)
  const total = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM collections WHERE ${where}`,
    params,
  )
  const statuses = await statusesOf(
    sql,
    shown.map(({ id }) => id),
  )
  const last = shown.at(-1)
  const isMore = keys.length > shown.length && last !== undefined
  return {
    rows: shown.map(({ id }) => shortened(statuses.get(id)!)),
    cursor: isMore ? cursorOf(last.value, last.id) : null,
    total: total?.n ?? 0,
  }
}

async function statusesOf(
  sql: Sql,
  ids: readonly number[],
): Promise<Map<number, CollectionStatus>> {
  if (ids.length === 0) return new Map()
  const condition = `id IN (${ids.map(() => '?').join(', ')})`
  const statuses = await readStatuses(sql, { condition, params: ids })
  return new Map(statuses.map((status) => [status.id, status]))
}

function conditionsOf(sql: Sql, query: CollectionListQuery): Condition[] {
  const { text, state, kind, outcome, owner } = query
  const conditions: Condition[] = []
  if (text !== null && text !== '') conditions.push(named(sql, text))
  if (state.length > 0) conditions.push(oneOf('state', state))
  if (kind.length > 0) conditions.push(oneOf(inSpec(sql, 'kind'), kind))
  if (outcome.length > 0) conditions.push(oneOf(outcomeColumn(sql), outcome))
  if (owner !== null) conditions.push({ sql: 'owner = ?', params: [owner] })
  return conditions
}

const oneOf = (column: string, values: readonly string[]): Condition => ({
  sql: `${column} IN (${values.map(() => '?').join(', ')})`,
  params: [...values],
})

/** A spec without a kind is a crawl: that is the default with which specs are read. */
const outcomeColumn = (sql: Sql): string =>
  `(${outcomeSql(`COALESCE(${inSpec(sql, 'kind')}, 'crawl')`)})`

/** By its number, or by a part of its first seed, which is its name. */
function named(sql: Sql, text: string): Condition {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const seed = inSpec(sql, 'seeds', 0)
  return {
    sql: `(LOWER(${seed}) LIKE ? ESCAPE '\\' OR CAST(id AS TEXT) = ?)`,
    params: [pattern, text.replace(/^#/, '')],
  }
}

/** A field of the spec, which both databases keep as text. */
function inSpec(sql: Sql, field: 'kind' | 'seeds', index?: number): string {
  if (sql.dialect === 'sqlite') {
    return `json_extract(spec, '$.${field}${index === undefined ? '' : `[${index}]`}')`
  }
  const path = index === undefined ? field : `${field},${index}`
  return `(CAST(spec AS JSON) #>> '{${path}}')`
}

/**
 * Limit of running and paused collections; a page that follows more of them is of no use to a
 * reader.
 */
const LIVE_MOST = 200
/** The newest of those that ended. */
const ENDED_MOST = 50

export async function liveCollections(sql: Sql): Promise<LiveCollection[]> {
  const newest = (states: string, most: number): string =>
    `id IN (SELECT id FROM (SELECT id FROM collections WHERE state ${states}
       ORDER BY id DESC LIMIT ${most}) AS newest)`
  const statuses = await readStatuses(sql, {
    condition: `${newest(`IN ('running', 'paused')`, LIVE_MOST)}
      OR ${newest(`NOT IN ('running', 'paused')`, ENDED_MOST)}`,
    params: [],
  })
  return statuses.map(shortened)
}

interface CaptureListQuery {
  id: number
  text: string | null
  /** Classes of statuses: 2 for 200 to 299. */
  statuses: readonly number[]
  /** Beginnings of media types. */
  types: readonly string[]
  /** The page continues below this capture. */
  before: number | null
  limit: number
}

/** Captures of a collection, newest first, as far as they match. */
export async function collectionCaptures(
  sql: Sql,
  query: CaptureListQuery,
): Promise<CollectionCaptures> {
  const conditions = ['c.collection_id = ?', 'c.id < ?']
  const params: Value[] = [query.id, query.before ?? Number.MAX_SAFE_INTEGER]
  if (query.text !== null && query.text !== '') {
    const pattern = `%${query.text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    conditions.push(`(LOWER(c.url) LIKE ? ESCAPE '\\' OR LOWER(c.title) LIKE ? ESCAPE '\\')`)
    params.push(pattern, pattern)
  }
  if (query.statuses.length > 0) {
    conditions.push(`(${query.statuses.map(() => 'c.status BETWEEN ? AND ?').join(' OR ')})`)
    for (const hundred of query.statuses) params.push(hundred * 100, hundred * 100 + 99)
  }
  if (query.types.length > 0) {
    conditions.push(`(${query.types.map(() => 'c.mime LIKE ?').join(' OR ')})`)
    for (const type of query.types) params.push(`${type}%`)
  }
  const rows = await sql.all<CaptureRow>(
    `SELECT ${CAPTURE_COLUMNS} FROM captures c WHERE ${conditions.join(' AND ')}
     ORDER BY c.id DESC LIMIT ?`,
    [...params, query.limit + 1],
  )
  const shown = rows.slice(0, query.limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  return { rows: shown, cursor: last === undefined ? null : String(last.id) }
}

/** What a collection captured by type, status and depth, and where its errors were met last. */
export async function collectionFacets(sql: Sql, args: { id: number }): Promise<CollectionFacets> {
  const rows = await sql.all<FacetBar & { facet: string }>(
    `SELECT facet, value, count, bytes FROM collection_facets WHERE collection_id = ?
     ORDER BY count DESC, value`,
    [args.id],
  )
  const of = (facet: string): FacetBar[] =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, count, bytes }) => ({ value, count, bytes }))
  const byNumber = (a: FacetBar, b: FacetBar): number => Number(a.value) - Number(b.value)
  return {
    types: of('type'),
    statuses: of('status').toSorted(byNumber),
    depths: of('depth').toSorted(byNumber),
    errors: await errorsOf(sql, args.id),
  }
}

function errorsOf(sql: Sql, id: number): Promise<ErrorView[]> {
  return sql.all<ErrorView>(
    `SELECT code, count, last_url AS "lastUrl", last_at AS "lastAt" FROM collection_errors
     WHERE collection_id = ? ORDER BY count DESC, code`,
    [id],
  )
}
