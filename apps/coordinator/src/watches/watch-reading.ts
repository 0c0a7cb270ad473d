/** What is known of watched URLs: when they are visited next, what visits found. */
import { explain } from '@minga/forecast'
import type { ActivityView, ForecastView, PlanView, VisitView } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { watchesOf, type ForecastRole } from '../visits/forecast-rows.ts'
import { beliefOf, type KeptPlan } from '../visits/plan-visits.ts'
import { readPlanning } from '../visits/planning.ts'
import { reasonFor } from '../visits/policy-for.ts'

type ForecastText = Omit<NextVisit, 'plan' | 'role'> & {
  plan: string | null
  belief: Uint8Array | null
  role: ForecastRole
}

const FORECAST = `collection_id AS "watchId", url, role, next_visit_at AS "nextVisitAt",
  out_since AS "outSince", last_visit_at AS "lastVisitAt", last_change_at AS "lastChangeAt", visits,
  changes, failures, plan, belief`

export interface NextVisit extends ForecastView {
  watchId: number
}

async function forecastsIn(
  sql: Sql,
  rows: readonly ForecastText[],
  now: number,
): Promise<NextVisit[]> {
  const watches = await watchesOf(
    sql,
    rows.map(({ watchId }) => watchId),
  )
  const { chosen } = await readPlanning(sql)
  return rows.map(({ plan, belief, ...row }) => {
    const watch = watches.get(row.watchId)
    if (plan === null || watch === undefined) return { ...row, plan: null }
    const reason = reasonFor(row, watch, { chosen, belief: beliefOf({ belief }) })
    return { ...row, plan: planView(plan, { at: row.nextVisitAt, now, reason }) }
  })
}

function planView(
  text: string,
  { at: nextVisitAt, now, reason }: { at: number | null; now: number; reason: string | null },
): PlanView {
  const { at, ...why } = JSON.parse(text) as KeptPlan
  const { policy, chance, perDay, low, high } = why
  return {
    policy,
    because: why.instead ?? reason,
    text: explain({ at: nextVisitAt ?? at, state: null, why }, now, reason),
    chance,
    ratePerDay: perDay,
    rateLow: low,
    rateHigh: high,
  }
}

/** Visits under way, then the next ones, soonest first: of one watch, or of all. */
export async function nextVisits(
  sql: Sql,
  args: { id: number | null; limit: number; now: number },
): Promise<NextVisit[]> {
  const [of, params]: [string, Value[]] =
    args.id === null ? ['', []] : ['AND collection_id = ?', [args.id]]
  const soonest = (column: string, limit: number): Promise<ForecastText[]> =>
    sql.all<ForecastText>(
      `SELECT ${FORECAST} FROM forecasts WHERE ${column} IS NOT NULL ${of}
       ORDER BY ${column}, collection_id, host_id, hash LIMIT ?`,
      [...params, limit],
    )
  const out = await soonest('out_since', args.limit)
  const planned = await soonest('next_visit_at', args.limit - out.length)
  return forecastsIn(sql, [...out, ...planned], args.now)
}

/** Every watched URL of a watch, by address; also those that are not planned. */
export async function watchedUrls(
  sql: Sql,
  args: { id: number; after: string; limit: number; now: number },
): Promise<NextVisit[]> {
  const rows = await sql.all<ForecastText>(
    `SELECT ${FORECAST} FROM forecasts WHERE collection_id = ? AND url > ? ORDER BY url LIMIT ?`,
    [args.id, args.after, args.limit],
  )
  return forecastsIn(sql, rows, args.now)
}

/** Newest first. */
export async function watchVisits(
  sql: Sql,
  args: { id: number; before: number; limit: number },
): Promise<(VisitView & { id: number })[]> {
  const rows = await sql.all<Omit<VisitView, 'isImportant'> & { id: number; isImportant: number }>(
    `SELECT v.id, f.url, v.at, v.since_ms AS "sinceMs", v.outcome, v.code, v.visual, v.structural,
       v.content, v.magnitude, v.is_important AS "isImportant", v.chance, v.bytes,
       v.capture_id AS "captureId", v.before_id AS "beforeId"
     FROM visits v JOIN forecasts f
       ON f.collection_id = v.collection_id AND f.host_id = v.host_id AND f.hash = v.hash
     WHERE v.collection_id = ? AND v.id < ? ORDER BY v.id DESC LIMIT ?`,
    [args.id, args.before, args.limit],
  )
  return rows.map((row) => ({ ...row, isImportant: row.isImportant === 1 }))
}

const DAY_MS = 86_400_000

/** What visits found, day by day (UTC), days without a visit included. */
export async function watchActivity(
  sql: Sql,
  args: { id: number; days: number; now: number },
): Promise<ActivityView[]> {
  const today = Math.floor(args.now / DAY_MS)
  const first = today - args.days + 1
  const rows = await sql.all<{ day: number; visits: number; changes: number; failures: number }>(
    `SELECT at / ${DAY_MS} AS day, COUNT(*) AS visits,
       CAST(SUM(CASE WHEN outcome = 'changed' THEN 1 ELSE 0 END) AS BIGINT) AS changes,
       CAST(SUM(CASE WHEN outcome = 'failed' THEN 1 ELSE 0 END) AS BIGINT) AS failures
     FROM visits WHERE collection_id = ? AND at >= ? GROUP BY at / ${DAY_MS}`,
    [args.id, first * DAY_MS],
  )
  const byDay = new Map(rows.map(({ day, ...counts }) => [day, counts]))
  return Array.from({ length: args.days }, (_, i) => ({
    day: new Date((first + i) * DAY_MS).toISOString().slice(0, 10),
    ...(byDay.get(first + i) ?? { visits: 0, changes: 0, failures: 0 }),
  }))
}
