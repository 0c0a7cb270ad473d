/** Hosts of a collection with their clocks, a page at a time. */
import { collectionDelayMs, NoSuchCollection, parseSpec, type PaceRow } from '@minga/frontier'
import type { CollectionHosts, HostStatus } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { afterCursor, cursorOf, orderBy, type Keyset } from './keyset.ts'

interface ListedHost extends Omit<PaceRow, 'backoff_ms'>, Omit<HostStatus, 'isOut' | 'delayMs'> {
  fence: number
  value: number | string
}

export const HOST_SORTS = {
  name: 'h.name',
  queued: 'c.queued',
  found: 'c.found',
  pages: 'c.pages',
  bytes: 'c.bytes',
  nextAllowedAt: 'h.next_allowed_at',
  latencyMs: 'h.latency_ms',
} as const

export const HOST_STATES = ['out', 'resting', 'ready', 'done', 'limited'] as const
export type HostListState = (typeof HOST_STATES)[number]

export interface HostListQuery {
  id: number
  text: string | null
  states: readonly HostListState[]
  sort: keyof typeof HOST_SORTS
  isDescending: boolean
  cursor: string | null
  limit: number
  now: number
}

export async function collectionHosts(sql: Sql, query: HostListQuery): Promise<CollectionHosts> {
  const collection = await sql.get<{ spec: string; mostFound: number }>(
    'SELECT spec, most_found AS "mostFound" FROM collections WHERE id = ?',
    [query.id],
  )
  if (!collection) throw new NoSuchCollection(query.id)
  const keyset: Keyset = {
    column: HOST_SORTS[query.sort],
    isDescending: query.isDescending,
    id: 'h.id',
  }
  const { where, params } = conditionOf(query)
  const after = afterCursor(keyset, query.cursor)
  const from = 'FROM collection_hosts c JOIN hosts h ON h.id = c.host_id'
  const rows = await sql.all<ListedHost>(
    `SELECT ${COLUMNS}, ${keyset.column} AS value ${from}
     WHERE ${where} AND ${after.condition} ${orderBy(keyset)} LIMIT ?`,
    [...params, ...after.params, query.limit + 1],
  )
  const total = await sql.get<{ n: number }>(`SELECT COUNT(*) AS n ${from} WHERE ${where}`, params)
  const shown = rows.slice(0, query.limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  const facts = { spec: parseSpec(collection.spec), mostFound: collection.mostFound }
  return {
    rows: shown.map((row) => hostOf(row, facts)),
    cursor: last === undefined ? null : cursorOf(last.value, last.id),
    total: total?.n ?? 0,
  }
}

const COLUMNS = `h.id, h.name, h.address, h.country, h.next_allowed_at AS "nextAllowedAt", h.fence,
  h.crawl_delay_ms AS "crawlDelayMs", h.backoff_ms AS "backoffMs", h.good_answers,
  h.latency_ms AS "latencyMs", c.queued, c.found, c.pages, c.bytes,
  c.last_ms, c.pace_ms, c.first_byte_ms`

function hostOf(row: ListedHost, facts: Parameters<typeof collectionDelayMs>[0]): HostStatus {
  const { fence, value: _, good_answers, last_ms, pace_ms, first_byte_ms, ...host } = row
  const pace = { good_answers, last_ms, pace_ms, first_byte_ms, found: host.found }
  const delayMs = collectionDelayMs(facts, { ...pace, backoff_ms: host.backoffMs })
  return { ...host, isOut: fence !== 0, delayMs }
}

function conditionOf({ id, text, states, now }: HostListQuery): { where: string; params: Value[] } {
  const conditions = ['c.collection_id = ?']
  const params: Value[] = [id]
  if (text !== null && text !== '') {
    conditions.push(`h.name LIKE ? ESCAPE '\\'`)
    params.push(`%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`)
  }
  if (states.length > 0) {
    conditions.push(`(${states.map((state) => STATE_CONDITIONS[state]).join(' OR ')})`)
    for (const state of states) if (USES_CLOCK.has(state)) params.push(now)
  }
  return { where: conditions.join(' AND '), params }
}

/** As the page names them; `limited`: the host asked for more air than the collection gives by itself. */
const STATE_CONDITIONS: Record<HostListState, string> = {
  out: 'h.fence <> 0',
  done: '(h.fence = 0 AND c.queued = 0)',
  resting: '(h.fence = 0 AND c.queued > 0 AND h.next_allowed_at > ?)',
  ready: '(h.fence = 0 AND c.queued > 0 AND h.next_allowed_at <= ?)',
  limited: '(h.backoff_ms > 0)',
}
const USES_CLOCK: ReadonlySet<HostListState> = new Set(['resting', 'ready'])
