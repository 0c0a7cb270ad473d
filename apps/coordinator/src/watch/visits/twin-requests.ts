/**
 * Double fetches that are requested: which visit a twin belongs to, and what it is compared with. Only a
 * visit that was queued because of such a row is a twin; every other visit is an observation, however soon
 * it follows another one.
 */
import { TWIN_WITHIN_MS } from '@minga/forecast'
import type { Sql } from '@minga/store'
import {
  FORECAST_KEYS,
  watchedUrlKeyOf,
  type ForecastRow,
  type WatchedUrlKey,
} from '../plan/forecast-rows.ts'

export interface TwinRequest {
  visit_id: number
  /** When that visit ended. */
  visited_at: number
  /** The capture that the twin is compared with. */
  capture_id: number
  due_at: number
  out_since: number | null
}

/** A second later, since some noise changes by the second; early enough to end in time. */
export const TWIN_PAUSE_MS = 1_000
/** Twins of one visit follow each other for so long: a page without any rest must not be fetched for ever. */
export const TWINS_MS = 15_000

/** A twin is compared with the fetch right before it and must end within five seconds of it. */
export const twinUntil = ({ due_at: due }: Pick<TwinRequest, 'due_at'>): number =>
  due - TWIN_PAUSE_MS + TWIN_WITHIN_MS

const COLUMNS = ['visit_id', 'visited_at', 'capture_id', 'due_at', 'out_since'] as const

/** Twins that are queued or out; a twin that is only planned is none yet. */
export async function twinsOut(
  sql: Sql,
  keys: readonly WatchedUrlKey[],
): Promise<(TwinRequest | null)[]> {
  const rows = await twinsAt(sql, keys)
  return rows.map((row) => (row === undefined || row.out_since === null ? null : row))
}

/** A twin is planned for each of these, and its visit has not been rescheduled since. */
export async function awaitTwins(sql: Sql, rows: readonly DueVisit[]): Promise<boolean[]> {
  const twins = await twinsAt(sql, rows.map(watchedUrlKeyOf))
  return rows.map((row, i) => twins[i] !== undefined && twins[i].due_at === row.next_visit_at)
}

function twinsAt(sql: Sql, keys: readonly WatchedUrlKey[]): Promise<(TwinRequest | undefined)[]> {
  return sql.selectMany<TwinRequest>({
    table: 'twin_requests',
    keys: [...FORECAST_KEYS],
    rows: keys.map(keyOf),
    columns: [...COLUMNS],
  })
}

const keyOf = ({ collectionId, hostId, hash }: WatchedUrlKey): number[] => [
  collectionId,
  hostId,
  hash,
]

/** What follows a visit that ended: the twin that it wants, if its host may be contacted in time. */
export interface WantedTwin {
  forecast: ForecastRow
  visitedAt: number
  captureId: number
  dueAt: number
  /** The visit it is a twin of; null: the one that was just written. */
  visitId: number | null
}

/** Those whose host may be contacted again before a twin would come too late. */
export async function twinsInTime(sql: Sql, wanted: readonly WantedTwin[]): Promise<WantedTwin[]> {
  const hosts = await sql.selectMany<{ next_allowed_at: number }>({
    table: 'hosts',
    keys: ['id'],
    rows: wanted.map(({ forecast }) => [forecast.host_id]),
    columns: ['next_allowed_at'],
  })
  return wanted.filter(({ dueAt }, i) => {
    return (hosts[i]?.next_allowed_at ?? 0) < twinUntil({ due_at: dueAt })
  })
}

/** The twins of these places are over; the wanted ones are requested. */
export async function requestTwins(
  sql: Sql,
  { ended, wanted }: { ended: readonly ForecastRow[]; wanted: readonly WantedTwin[] },
): Promise<void> {
  const keys = [...FORECAST_KEYS]
  const rows = ended.map((forecast) => keyOf(watchedUrlKeyOf(forecast)))
  await sql.deleteMany({ table: 'twin_requests', keys, rows })
  const requests = []
  for (const twin of wanted) {
    const key = keyOf(watchedUrlKeyOf(twin.forecast))
    const visitId = twin.visitId ?? (await newestVisit(sql, key))
    requests.push([...key, visitId, twin.visitedAt, twin.captureId, twin.dueAt, null])
  }
  await sql.insertMany({ table: 'twin_requests', columns: [...keys, ...COLUMNS], rows: requests })
}

async function newestVisit(sql: Sql, key: readonly number[]): Promise<number> {
  const row = await sql.get<{ id: number }>(
    'SELECT MAX(id) AS id FROM visits WHERE collection_id = ? AND host_id = ? AND hash = ?',
    [...key],
  )
  return row!.id
}

export interface DueVisit extends Pick<ForecastRow, (typeof FORECAST_KEYS)[number]> {
  next_visit_at: number | null
}

/**
 * What of the due visits is a twin: it is noted that it is on its way. A request whose moment was moved by
 * another caller is dropped, and the visit is an ordinary one. Answers those that would come too late.
 */
export async function sendTwins<T extends DueVisit>(
  sql: Sql,
  { due, now }: { due: readonly T[]; now: number },
): Promise<{ late: T[] }> {
  const requests = await twinsAt(sql, due.map(watchedUrlKeyOf))
  const planned = due.flatMap((row, i) => (requests[i] ? [{ row, request: requests[i] }] : []))
  const isTwin = ({ row, request }: (typeof planned)[number]): boolean =>
    row.next_visit_at === request.due_at
  const isLate = ({ request }: (typeof planned)[number]): boolean => now > twinUntil(request)
  const sent = planned.filter((one) => isTwin(one) && !isLate(one))
  const dropped = planned.filter((one) => !sent.includes(one))
  const keys = [...FORECAST_KEYS]
  await sql.updateMany({
    table: 'twin_requests',
    keys,
    set: ['out_since'],
    rows: sent.map(({ row }) => [...keyOf(watchedUrlKeyOf(row)), now]),
  })
  await sql.deleteMany({
    table: 'twin_requests',
    keys,
    rows: dropped.map(({ row }) => keyOf(watchedUrlKeyOf(row))),
  })
  return { late: planned.filter((one) => isTwin(one) && isLate(one)).map(({ row }) => row) }
}
