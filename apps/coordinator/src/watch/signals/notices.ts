/**
 * A signal reports that a page has changed: its owner through the hook, a hub (WebSub), a feed or a
 * sitemap. A notice makes the page due now, within these rules:
 *   - a page is visited because of notices at most every ten minutes;
 *   - a watch has at most sixty such visits an hour, the others wait for their plan;
 *   - a source of which fewer than one in ten notices came true is no longer followed;
 *   - a policy with its own rule for notices decides by that.
 * Every notice is stored, and the first visit after it says whether it was true.
 */
import type { NoticeSource, NoticeView, SignalView } from '@minga/protocol'
import { compileScope } from '@minga/net'
import type { Sql, Value } from '@minga/store'
import {
  FORECAST_COLUMNS,
  FORECAST_KEYS,
  forecastsAt,
  watchesOf,
  type ForecastRow,
  type WatchRow,
} from '../plan/forecast-rows.ts'
import { asKept, beliefOf, contextOf, GAP_LEAST_MS, knownOf } from '../plan/plan-visits.ts'
import { readPlanning, type Planning } from '../plan/planning.ts'
import { planBy, policyFor } from '../plan/policy-for.ts'
import { NoSuchWatch } from '../../station/errors.ts'
import { knownPlaces } from '../watch-places.ts'

export interface Notices {
  collectionId: number
  /** Canonical. */
  urls: readonly string[]
  source: NoticeSource
  now: number
  /** When each changed, where the source says so; absent: it reports every change at once. */
  moments?: Readonly<Record<string, ReportedMoment>>
}

export interface ReportedMoment {
  /** Null: it names no moment. */
  at: number | null
  /** Until then the source had reported every change. */
  quietUntil: number
}

export interface AcceptedNotices {
  /** Pages that are visited sooner because of it. */
  early: number
  /** Pages whose notice is kept, and that is all. */
  noted: number
  /** Addresses that are not watched. */
  unknown: number
}

const HOUR_MS = 3_600_000
const EARLY_PER_HOUR_MAX = 60
/** What a source must have said before it is judged, and how much of it must have come true. */
const JUDGED_FROM = 10
const PRECISION_LEAST = 0.1

export async function takeNotices(sql: Sql, args: Notices): Promise<AcceptedNotices> {
  const watch = (await watchesOf(sql, [args.collectionId])).get(args.collectionId)
  if (watch === undefined) throw new NoSuchWatch(args.collectionId)
  const { rows, unknown } = await noticedRows(sql, watch, args.urls)
  const room = await roomFor(sql, watch, args)
  const planning = await readPlanning(sql)
  const early: ForecastRow[] = []
  const planned: Value[][] = []
  for (const row of rows) {
    const plan = early.length < room ? sooner(row, { watch, planning, now: args.now }) : null
    if (plan === null) continue
    early.push(row)
    planned.push(plan)
  }
  await sql.updateMany({
    table: 'forecasts',
    keys: [...FORECAST_KEYS],
    set: ['next_visit_at', 'plan', 'policy_state'],
    rows: planned,
    where: 'out_since IS NULL',
  })
  await keepNotices(sql, { ...args, rows, early: new Set(early) })
  return { early: early.length, noted: rows.length - early.length, unknown }
}

/** A page that is not watched itself stands for its site. */
async function noticedRows(
  sql: Sql,
  watch: WatchRow,
  urls: readonly string[],
): Promise<{ rows: ForecastRow[]; unknown: number }> {
  const { collectionId, spec } = watch
  const places = await knownPlaces(sql, { collectionId, urls })
  const known = places.map((place) => ({ ...place, collectionId }))
  const rows = (await forecastsAt(sql, known)).filter((row) => row !== undefined)
  const watched = new Set(rows.map(({ url }) => url))
  const others = [...new Set(urls)].filter((url) => !watched.has(url))
  if (watch.subject !== 'site') return { rows, unknown: others.length }
  const isInScope = compileScope({ ...spec, kind: spec.scope })
  const inside = others.filter((url) => isInScope(url))
  const probe = inside.length === 0 ? null : await mainRow(sql, watch)
  const isNew = probe !== null && !watched.has(probe.url)
  return {
    rows: isNew ? [...rows, probe] : rows,
    unknown: others.length - (probe === null ? 0 : inside.length),
  }
}

/** What stands for a whole page or site watch: the first of its addresses, or its feed if it has no
 * other. */
export async function mainRow(sql: Sql, watch: WatchRow): Promise<ForecastRow | null> {
  const row = await sql.get<ForecastRow>(
    `SELECT ${FORECAST_COLUMNS.join(', ')} FROM forecasts
     WHERE collection_id = ? AND role IN ('page', 'probe', 'feed')
     ORDER BY CASE WHEN url = ? THEN 0 WHEN role = 'feed' THEN 2 ELSE 1 END, host_id, hash LIMIT 1`,
    [watch.collectionId, watch.spec.seeds[0] ?? ''],
  )
  return row ?? null
}

/** How many pages this source may make due now. */
async function roomFor(sql: Sql, { settings }: WatchRow, args: Notices): Promise<number> {
  if (!settings.isActive) return 0
  const { collectionId, source, now } = args
  const used = await sql.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM notices WHERE collection_id = ? AND at > ? AND is_early = 1`,
    [collectionId, now - HOUR_MS],
  )
  const signal = (await signalsOf(sql, collectionId)).find((one) => one.source === source)
  const judged = (signal?.changed ?? 0) + (signal?.unchanged ?? 0)
  if (judged >= JUDGED_FROM && signal!.changed / judged < PRECISION_LEAST) return 0
  return Math.max(0, EARLY_PER_HOUR_MAX - used!.count)
}

interface Noticing {
  watch: WatchRow
  planning: Planning
  now: number
}

/** The row of a plan that is sooner than the present one; null: it stays. */
function sooner(row: ForecastRow, { watch, planning, now }: Noticing): Value[] | null {
  const key = [row.collection_id, row.host_id, row.hash]
  const earliest = Math.max(now, (row.last_visit_at ?? 0) + GAP_LEAST_MS)
  if (policyFor(row, watch, planning).notice === undefined) {
    return [...key, earliest, row.plan, row.policy_state]
  }
  const belief = beliefOf(row)
  const answer = planBy({ role: row.role, watch, planning }, (policy) => {
    const known = knownOf(row, { watch, belief, planning, policy })
    return policy.notice!(known, now, contextOf(watch, policy, planning, row))
  })
  if (answer === null) return null
  const { at, plan, state } = asKept({ ...answer, at: Math.max(answer.at, earliest) })
  return [...key, at, JSON.stringify(plan), JSON.stringify(state ?? null)]
}

async function keepNotices(
  sql: Sql,
  args: Notices & { rows: readonly ForecastRow[]; early: ReadonlySet<ForecastRow> },
): Promise<void> {
  await sql.insertMany({
    table: 'notices',
    columns: NOTICE_COLUMNS,
    rows: args.rows.map((row) => [
      row.collection_id,
      row.host_id,
      row.hash,
      row.url,
      args.source,
      args.now,
      args.early.has(row) ? 1 : 0,
      ...momentIn(args, row.url),
    ]),
  })
}

const NOTICE_COLUMNS = [
  'collection_id',
  'host_id',
  'hash',
  'url',
  'source',
  'at',
  'is_early',
  'told_at',
  'quiet_until',
]

/**
 * A source that reports at once reports every change: a notice gives the exact time, and no earlier
 * change is uncertain.
 */
function momentIn({ moments, now }: Notices, url: string): [number | null, number | null] {
  if (moments === undefined) return [now, now]
  const moment = moments[url]
  return moment === undefined ? [null, null] : [moment.at, moment.quietUntil]
}

/** What each source has been worth, of the notices that a visit has judged. */
export async function signalsOf(sql: Sql, collectionId: number): Promise<SignalView[]> {
  const count = (outcome: string): string =>
    `CAST(SUM(CASE WHEN outcome = '${outcome}' THEN 1 ELSE 0 END) AS BIGINT) AS ${outcome}`
  const rows = await sql.all<Omit<SignalView, 'precision'>>(
    `SELECT source, COUNT(*) AS notices, ${count('changed')}, ${count('unchanged')},
       ${count('failed')} FROM notices WHERE collection_id = ? GROUP BY source ORDER BY source`,
    [collectionId],
  )
  return rows.map((row) => {
    const judged = row.changed + row.unchanged
    return { ...row, precision: judged === 0 ? null : row.changed / judged }
  })
}

/** Newest first. */
export async function watchNotices(
  sql: Sql,
  args: { id: number; before: number; limit: number },
): Promise<{ signals: SignalView[]; notices: NoticeView[] }> {
  const rows = await sql.all<Omit<NoticeView, 'isEarly'> & { isEarly: number }>(
    `SELECT id, url, source, at, is_early AS "isEarly", outcome, settled_at AS "settledAt"
     FROM notices WHERE collection_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    [args.id, args.before, args.limit],
  )
  return {
    signals: await signalsOf(sql, args.id),
    notices: rows.map((row) => ({ ...row, isEarly: row.isEarly === 1 })),
  }
}
