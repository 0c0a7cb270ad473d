/** Watches as they are kept, and as they are shown. */
import { parseSpec } from '@minga/frontier'
import {
  LEARNT_FROM,
  PAGE_ROLES,
  harvestSpec,
  learningOf,
  watchSettings,
  type CollectionSpec,
  type CollectionState,
  type WatchDetail,
  type WatchGroupView,
  type WatchSettings,
  type WatchSubject,
  type WatchTotals,
  type WatchView,
} from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { NoSuchWatch } from '../station/errors.ts'
import { ForeignWatch } from './watch-errors.ts'
import { watchNoise } from './watch-noise.ts'
import { byHandOf } from './watch-trail.ts'

/** Watches by what they have in common. */
export const GROUPINGS = ['category', 'owner', 'subject'] as const
type Grouping = (typeof GROUPINGS)[number]

const KEY: Record<Grouping, { key: string; name: string; join: string }> = {
  category: {
    key: 'CAST(w.category AS TEXT)',
    name: 'g.name',
    join: 'LEFT JOIN watch_categories g ON g.code = w.category',
  },
  owner: { key: 'c.owner', name: 'c.owner', join: '' },
  subject: { key: 'w.subject', name: 'w.subject', join: '' },
}

/** The largest first; the key is what `listWatches` takes to list a group's members. */
export function watchGroups(sql: Sql, { by }: { by: Grouping }): Promise<WatchGroupView[]> {
  const { key, name, join } = KEY[by]
  return sql.all<WatchGroupView>(
    `SELECT ${key} AS key, ${name} AS name, COUNT(*) AS watches,
       CAST(SUM(w.is_active) AS BIGINT) AS active,
       CAST(SUM(c.captures) AS BIGINT) AS captures, CAST(SUM(c.bytes) AS BIGINT) AS bytes
     FROM watches w JOIN collections c ON c.id = w.collection_id ${join}
     GROUP BY ${key}, ${name} ORDER BY watches DESC, key`,
  )
}

const ROLES = PAGE_ROLES.map((role) => `'${role}'`).join(', ')

/** Whether a row of forecasts is what its watch watches; where there is nothing but a feed, that is. */
export const isWatched = (row: string): string =>
  `(${row}.role IN (${ROLES}) OR NOT EXISTS (SELECT 1 FROM forecasts p
     WHERE p.collection_id = ${row}.collection_id AND p.role IN (${ROLES})))`

export const countIf = (condition: string): string =>
  `CAST(COALESCE(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0) AS BIGINT)`

/** The four numbers of visits `v` to the URLs `f`. */
export const TOTALS = `${countIf(isWatched('f'))} AS visits,
  ${countIf(`v.outcome = 'changed' AND ${isWatched('f')}`)} AS changes,
  ${countIf(`v.outcome = 'failed' AND ${isWatched('f')}`)} AS failures,
  ${countIf(`NOT ${isWatched('f')}`)} AS "feedChecks"`

export const VISITS_OF_URLS = `visits v JOIN forecasts f
  ON f.collection_id = v.collection_id AND f.host_id = v.host_id AND f.hash = v.hash`

/** Within a span of time, which ends before its last moment. */
export async function watchTotals(
  sql: Sql,
  args: { id: number; from: number; to: number },
): Promise<WatchTotals> {
  const totals = await sql.get<WatchTotals>(
    `SELECT ${TOTALS} FROM ${VISITS_OF_URLS}
     WHERE v.collection_id = ? AND v.at >= ? AND v.at < ?`,
    [args.id, args.from, args.to],
  )
  return totals!
}

export interface WatchRow {
  id: number
  subject: WatchSubject
  settings: WatchSettings
  owner: string | null
  state: CollectionState
  spec: CollectionSpec
  captures: number
  bytes: number
  createdAt: number
  updatedAt: number
}

type WatchText = Omit<WatchRow, 'settings' | 'spec'> & { settings: string; spec: string }

const SELECT = `SELECT w.collection_id AS id, w.subject, w.settings, c.owner, c.state, c.spec,
  c.captures, c.bytes, w.created_at AS "createdAt", w.updated_at AS "updatedAt"
  FROM watches w JOIN collections c ON c.id = w.collection_id`

function rowIn({ settings, spec, ...row }: WatchText): WatchRow {
  return { ...row, settings: watchSettings.parse(JSON.parse(settings)), spec: parseSpec(spec) }
}

/**
 * Locks the row of a watch that is about to change, so that no other transaction changes it in
 * between.
 */
export async function watchToChange(
  sql: Sql,
  { id, owner }: { id: number; owner: string | null },
): Promise<WatchRow> {
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const row = await sql.get<WatchText>(`${SELECT} WHERE w.collection_id = ?${lock}`, [id])
  if (!row) throw new NoSuchWatch(id)
  if (owner !== null && row.owner !== owner) throw new ForeignWatch(id)
  return rowIn(row)
}

async function watchRow(sql: Sql, id: number): Promise<WatchRow> {
  const row = await sql.get<WatchText>(`${SELECT} WHERE w.collection_id = ?`, [id])
  if (!row) throw new NoSuchWatch(id)
  return rowIn(row)
}

/** Whose it is; refuses what is not there. Reads no forecasts, of which there may be a million. */
export async function watchOwner(
  sql: Sql,
  { id }: { id: number },
): Promise<{ owner: string | null; url: string }> {
  const { owner, spec } = await watchRow(sql, id)
  return { owner, url: spec.seeds[0] ?? '' }
}

export async function watchDetail(sql: Sql, { id }: { id: number }): Promise<WatchDetail> {
  const row = await watchRow(sql, id)
  const [view] = await viewsOf(sql, [row])
  const sources = await sql.all<{ url: string; role: string }>(
    `SELECT url, role FROM forecasts WHERE collection_id = ? AND role IN ('feed', 'sitemap')
     ORDER BY url`,
    [id],
  )
  const ofRole = (role: string): string[] =>
    sources.filter((source) => source.role === role).map(({ url }) => url)
  return {
    ...view!,
    ...harvestSpec.parse(row.spec),
    byHand: await byHandOf(sql, { collectionId: id, settings: row.settings }),
    feeds: ofRole('feed'),
    sitemaps: ofRole('sitemap'),
    ...(await noiseCounts(sql, id)),
  }
}

async function noiseCounts(
  sql: Sql,
  id: number,
): Promise<Pick<WatchDetail, 'ignoredRegions' | 'noiseWarnings'>> {
  const regions = await watchNoise(sql, { id })
  return {
    ignoredRegions: regions.filter(({ state }) => state === 'ignored').length,
    noiseWarnings: regions.filter(({ isWarned }) => isWarned).length,
  }
}

export interface WatchQuery {
  /** Part of a name or of an address. */
  search?: string | undefined
  category?: number | null | undefined
  state?: 'active' | 'inactive' | 'running' | undefined
  subject?: WatchSubject | undefined
  owner?: string | undefined
  /** Of the page before; newest first. */
  before: number
  limit: number
}

export async function listWatches(sql: Sql, query: WatchQuery): Promise<WatchView[]> {
  return viewsOf(sql, await watchRows(sql, query))
}

/** These, in no order. */
export async function listedRows(sql: Sql, ids: readonly number[]): Promise<WatchRow[]> {
  if (ids.length === 0) return []
  const marks = ids.map(() => '?').join(', ')
  const rows = await sql.all<WatchText>(`${SELECT} WHERE w.collection_id IN (${marks})`, ids)
  return rows.map(rowIn)
}

export async function watchRows(sql: Sql, query: WatchQuery): Promise<WatchRow[]> {
  const { where, params } = conditionsOf(query)
  const rows = await sql.all<WatchText>(
    `${SELECT} WHERE ${where.join(' AND ')} ORDER BY w.collection_id DESC LIMIT ?`,
    [...params, query.limit],
  )
  return rows.map(rowIn)
}

const STATES = {
  active: 'w.is_active = 1',
  inactive: 'w.is_active = 0',
  running: `c.state = 'running'`,
} as const

export function conditionsOf(query: Omit<WatchQuery, 'limit'>): {
  where: string[]
  params: Value[]
} {
  const where = ['w.collection_id < ?']
  const params: Value[] = [query.before]
  const and = (condition: string, ...values: Value[]): void => {
    where.push(condition)
    params.push(...values)
  }
  if (query.search !== undefined && query.search !== '') {
    const part = `%${escaped(query.search.toLowerCase())}%`
    and(
      `(LOWER(w.name) LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM forecasts f
        WHERE f.collection_id = w.collection_id AND LOWER(f.url) LIKE ? ESCAPE '\\'))`,
      part,
      part,
    )
  }
  if (query.category === null) and('w.category IS NULL')
  else if (query.category !== undefined) and('w.category = ?', query.category)
  if (query.state !== undefined) and(STATES[query.state])
  if (query.subject !== undefined) and('w.subject = ?', query.subject)
  if (query.owner !== undefined) and('c.owner = ?', query.owner)
  return { where, params }
}

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, (found) => `\\${found}`)

interface Sums {
  id: number
  urls: number
  visits: number
  changes: number
  failures: number
  feedChecks: number
  lastVisitAt: number | null
  lastChangeAt: number | null
  nextVisitAt: number | null
  nextFeedCheckAt: number | null
  /** Visits to the page that was visited most. */
  mostVisits: number
  rate: number | null
}

const WATCHED = isWatched('f')
const sum = (column: string, condition = WATCHED): string =>
  `CAST(COALESCE(SUM(CASE WHEN ${condition} THEN ${column} ELSE 0 END), 0) AS BIGINT)`
const ofWatched = (column: string): string => `CASE WHEN ${WATCHED} THEN ${column} END`

export async function viewsOf(sql: Sql, rows: readonly WatchRow[]): Promise<WatchView[]> {
  if (rows.length === 0) return []
  const found = await sql.all<Sums>(
    `SELECT collection_id AS id,
       ${sum('1')} AS urls, ${sum('visits')} AS visits, ${sum('changes')} AS changes,
       ${sum('failures')} AS failures, ${sum('visits', `NOT ${WATCHED}`)} AS "feedChecks",
       MAX(${ofWatched('last_visit_at')}) AS "lastVisitAt",
       MAX(${ofWatched('last_change_at')}) AS "lastChangeAt",
       MIN(${ofWatched('next_visit_at')}) AS "nextVisitAt",
       MIN(CASE WHEN NOT ${WATCHED} THEN next_visit_at END) AS "nextFeedCheckAt",
       COALESCE(MAX(${ofWatched('visits')}), 0) AS "mostVisits",
       SUM(CASE WHEN ${WATCHED} AND visits >= ${LEARNT_FROM} THEN rate END) AS rate
     FROM forecasts f WHERE collection_id IN (${rows.map(() => '?').join(', ')})
     GROUP BY collection_id`,
    rows.map(({ id }) => id),
  )
  const sums = new Map(found.map((one) => [one.id, one]))
  return rows.map((row) => viewOf(row, sums.get(row.id) ?? { ...NO_SUMS, id: row.id }))
}

const NO_SUMS: Omit<Sums, 'id'> = {
  urls: 0,
  visits: 0,
  changes: 0,
  failures: 0,
  feedChecks: 0,
  lastVisitAt: null,
  lastChangeAt: null,
  nextVisitAt: null,
  nextFeedCheckAt: null,
  mostVisits: 0,
  rate: null,
}

function viewOf({ settings, spec, ...row }: WatchRow, sums: Sums): WatchView {
  const { rate, mostVisits, ...counts } = sums
  return {
    ...row,
    ...settings,
    ...counts,
    url: spec.seeds[0] ?? '',
    learning: learningOf(mostVisits),
    ratePerDay: rate,
  }
}

/** A user has seen all versions that there are now; later ones are unread. Null: of all watches. Answers how many they are. */
export async function markSeen(
  sql: Sql,
  args: { account: string; ids: readonly number[] | null; now: number },
): Promise<number> {
  const { account, ids, now } = args
  const only =
    ids === null ? '' : `WHERE collection_id IN (${ids.map(() => '?').join(', ') || 'NULL'})`
  const watches = await sql.all<{ id: number }>(
    `SELECT collection_id AS id FROM watches ${only}`,
    ids === null ? [] : [...ids],
  )
  await sql.insertMany({
    table: 'watch_seen',
    columns: ['account', 'collection_id', 'seen_at'],
    rows: watches.map(({ id }) => [account, id, now]),
    onConflict: { keys: ['account', 'collection_id'], update: ['seen_at'] },
  })
  return watches.length
}
