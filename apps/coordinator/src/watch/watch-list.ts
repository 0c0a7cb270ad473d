/**
 * Watches by the page, sorted and filtered where they are kept. Sorting by what visits brought reads
 * the forecasts of all watches that match, a tenth of a second for each hundred thousand.
 */
import {
  learningOf,
  type VisitOutcome,
  type WatchListPage,
  type WatchListRow,
  type WatchSubject,
} from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import {
  VISITS_OF_URLS,
  conditionsOf,
  isWatched,
  listedRows,
  viewsOf,
  type WatchQuery,
} from './watch-rows.ts'

export const WATCH_SORTS = [
  'newest',
  'name',
  'nextVisit',
  'lastVisit',
  'lastChange',
  'visits',
  'changes',
  'failures',
  'importance',
] as const
export type WatchSort = (typeof WATCH_SORTS)[number]

/** The key of each order; of nothing it is what comes last. */
const KEYS: Record<WatchSort, { key: string; ofForecasts: string | null; isText?: true }> = {
  newest: { key: 'w.collection_id', ofForecasts: null },
  name: { key: 'LOWER(w.name)', ofForecasts: null, isText: true },
  importance: { key: 'w.importance', ofForecasts: null },
  nextVisit: {
    key: `COALESCE(s.key, ${Number.MAX_SAFE_INTEGER})`,
    ofForecasts: 'MIN(next_visit_at)',
  },
  lastVisit: { key: 'COALESCE(s.key, 0)', ofForecasts: 'MAX(last_visit_at)' },
  lastChange: { key: 'COALESCE(s.key, 0)', ofForecasts: 'MAX(last_change_at)' },
  visits: { key: 'COALESCE(s.key, 0)', ofForecasts: 'CAST(SUM(visits) AS BIGINT)' },
  changes: { key: 'COALESCE(s.key, 0)', ofForecasts: 'CAST(SUM(changes) AS BIGINT)' },
  failures: { key: 'COALESCE(s.key, 0)', ofForecasts: 'CAST(SUM(failures) AS BIGINT)' },
}

export type WatchTrouble = 'unread' | 'failing'

export interface WatchListQuery extends Omit<WatchQuery, 'before'> {
  subject?: WatchSubject | undefined
  /** Only those with news that this account has not seen, or whose last visit failed. */
  trouble?: WatchTrouble | undefined
  /** Only these. */
  ids?: readonly number[] | undefined
  /** The account of the viewer; null for an anonymous one. */
  account: string | null
  sort: WatchSort
  isDescending: boolean
  /** Where the last page ended: the key and the number of its last watch. */
  after: [key: string | number, id: number] | null
}

/** Marks of so many visits fit in a cell. */
const OUTCOMES = 12

export async function watchPage(sql: Sql, query: WatchListQuery): Promise<WatchListPage> {
  const { where, params } = wanted(query)
  const { key, ofForecasts } = KEYS[query.sort]
  const sums =
    ofForecasts === null
      ? ''
      : `LEFT JOIN (SELECT collection_id, ${ofForecasts} AS key FROM forecasts f
           WHERE ${isWatched('f')} GROUP BY collection_id) AS s ON s.collection_id = w.collection_id`
  const [sign, direction] = query.isDescending ? ['<', 'DESC'] : ['>', 'ASC']
  const behind = query.after === null ? '' : `AND (${key}, w.collection_id) ${sign} (?, ?)`
  const of = `FROM watches w JOIN collections c ON c.id = w.collection_id`
  const found = await sql.all<{ id: number; key: string | number }>(
    `SELECT w.collection_id AS id, ${key} AS key ${of} ${sums}
     WHERE ${where} ${behind} ORDER BY 2 ${direction}, 1 ${direction} LIMIT ?`,
    [...params, ...(query.after ?? []), query.limit],
  )
  const total = await sql.get<{ n: number }>(`SELECT COUNT(*) AS n ${of} WHERE ${where}`, params)
  const last = found.at(-1)
  const ids = found.map(({ id }) => id)
  return {
    watches: await rowsOf(sql, ids, query.account),
    next:
      last === undefined || found.length < query.limit ? null : JSON.stringify([last.key, last.id]),
    total: total?.n ?? 0,
  }
}

/** The conditions of the plain list, and those that only this one knows. */
function wanted(query: WatchListQuery): { where: string; params: Value[] } {
  const plain = conditionsOf({ ...query, before: Number.MAX_SAFE_INTEGER })
  const where = [...plain.where]
  const params = [...plain.params]
  if (query.ids !== undefined) {
    where.push(`w.collection_id IN (${query.ids.map(() => '?').join(', ') || 'NULL'})`)
    params.push(...query.ids)
  }
  if (query.trouble === 'failing') {
    where.push(`EXISTS (SELECT 1 FROM forecasts f
      WHERE f.collection_id = w.collection_id AND f.failures > 0)`)
  }
  if (query.trouble === 'unread') {
    where.push(`EXISTS (SELECT 1 FROM forecasts f WHERE f.collection_id = w.collection_id
      AND f.last_change_at > COALESCE((SELECT n.seen_at FROM watch_seen n
        WHERE n.account = ? AND n.collection_id = w.collection_id), 0))`)
    params.push(query.account ?? '')
  }
  return { where: where.join(' AND '), params }
}

async function rowsOf(
  sql: Sql,
  ids: readonly number[],
  account: string | null,
): Promise<WatchListRow[]> {
  const views = new Map(
    (await viewsOf(sql, await listedRows(sql, ids))).map((view) => [view.id, view]),
  )
  const seen = await seenTimes(sql, ids, account)
  const rows: WatchListRow[] = []
  for (const id of ids) {
    const view = views.get(id)
    if (view === undefined) continue
    rows.push({
      ...view,
      ...(await planOf(sql, id)),
      outcomes: await lastOutcomes(sql, id),
      isUnread: account === null ? null : (view.lastChangeAt ?? 0) > (seen.get(id) ?? 0),
    })
  }
  return rows
}

async function seenTimes(
  sql: Sql,
  ids: readonly number[],
  account: string | null,
): Promise<Map<number, number>> {
  if (account === null || ids.length === 0) return new Map()
  const rows = await sql.all<{ id: number; seenAt: number }>(
    `SELECT collection_id AS id, seen_at AS "seenAt" FROM watch_seen
     WHERE account = ? AND collection_id IN (${ids.map(() => '?').join(', ')})`,
    [account, ...ids],
  )
  return new Map(rows.map(({ id, seenAt }) => [id, seenAt]))
}

/** Oldest first, as a row of marks is read. */
async function lastOutcomes(sql: Sql, id: number): Promise<VisitOutcome[]> {
  const rows = await sql.all<{ outcome: VisitOutcome }>(
    `SELECT v.outcome FROM ${VISITS_OF_URLS} WHERE v.collection_id = ? AND ${isWatched('f')}
     ORDER BY v.at DESC LIMIT ?`,
    [id, OUTCOMES],
  )
  return rows.map(({ outcome }) => outcome).toReversed()
}

interface PlanText {
  plan: string | null
  nextAt: number | null
  lastAt: number | null
  visits: number
}

/** What is believed of its most visited address: how often it is visited, and how sure that is. */
async function planOf(
  sql: Sql,
  id: number,
): Promise<Pick<WatchListRow, 'gapMs' | 'chance' | 'rateLow' | 'rateHigh'>> {
  const row = await sql.get<PlanText>(
    `SELECT plan, next_visit_at AS "nextAt", last_visit_at AS "lastAt", visits FROM forecasts f
     WHERE collection_id = ? AND ${isWatched('f')}
     ORDER BY visits DESC, host_id, hash LIMIT 1`,
    [id],
  )
  const isLearning = learningOf(row?.visits ?? 0) !== null
  const believed = isLearning ? {} : (JSON.parse(row?.plan ?? '{}') as Believed)
  const { chance = null, low = null, high = null } = believed
  const { nextAt = null, lastAt = null } = row ?? {}
  const gapMs = nextAt === null || lastAt === null ? null : Math.max(0, nextAt - lastAt)
  return { gapMs, chance, rateLow: low, rateHigh: high }
}

interface Believed {
  chance?: number | null
  low?: number | null
  high?: number | null
}
