/** What is known of watched URLs: when they are visited next, what visits found. */
import { explain } from '@minga/forecast'
import {
  causeOf,
  learningOf,
  learningText,
  type ActivityView,
  type ForecastView,
  type LearningView,
  type NoticeSource,
  type PlanView,
  type VisitView,
  type WatchTotals,
} from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { askedRounds, type AskedRound } from './visits/visit-facts.ts'
import { watchesOf, type ForecastRole } from './plan/forecast-rows.ts'
import { beliefOf, type KeptPlan } from './plan/plan-visits.ts'
import { readPlanning } from './plan/planning.ts'
import { reasonFor } from './plan/policy-for.ts'
import { isWatched, TOTALS, VISITS_OF_URLS } from './watch-rows.ts'

type ForecastText = Omit<NextVisit, 'plan' | 'role' | 'learning'> & {
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
    const learning = learningOf(row.visits)
    if (plan === null || watch === undefined) return { ...row, learning, plan: null }
    const reason = reasonFor(row, watch, { chosen, belief: beliefOf({ belief }) })
    return { ...row, learning, plan: planView(plan, { ...row, learning, now, reason }) }
  })
}

interface PlanFacts extends Pick<NextVisit, 'nextVisitAt' | 'outSince' | 'learning'> {
  now: number
  reason: string | null
}

function planView(text: string, facts: PlanFacts): PlanView {
  const { nextVisitAt, outSince, learning, now, reason } = facts
  const { at, ...kept } = JSON.parse(text) as KeptPlan
  const why = learning === null ? kept : { ...kept, ...unlearnt(learning) }
  const { policy, chance, perDay, low, high } = why
  // What is due or out is not planned for a moment that has passed.
  const next = Math.max(nextVisitAt ?? at, now)
  return {
    policy,
    because: why.instead ?? reason,
    text: outSince === null ? explain({ at: next, state: null, why }, now, reason) : UNDER_WAY,
    chance,
    ratePerDay: perDay,
    rateLow: low,
    rateHigh: high,
  }
}

const UNDER_WAY = 'a visit is under way'

/** A plan without a guess: what was reckoned from one or two visits would look like knowledge. */
function unlearnt(learning: LearningView): Partial<KeptPlan> {
  const rule = learningText(learning)
  return { rule, chance: null, perDay: null, low: null, high: null, price: null }
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
  args: { id: number; before: number; limit: number; of: 'all' | 'pages' },
): Promise<(VisitView & { id: number })[]> {
  const rows = await sql.all<VisitText>(
    `SELECT v.id, f.url, f.role, v.at, v.since_ms AS "sinceMs", v.outcome, v.code, v.visual, v.structural,
       v.content, v.magnitude, v.is_important AS "isImportant", v.chance, v.bytes,
       v.capture_id AS "captureId", v.before_id AS "beforeId", w.settings, c.owner,
       (SELECT n.source FROM notices n WHERE n.collection_id = v.collection_id
          AND n.host_id = v.host_id AND n.hash = v.hash AND n.is_early = 1 AND n.${SINCE_LAST}
          ORDER BY n.id DESC LIMIT 1) AS notice,
       (SELECT COUNT(*) FROM watch_trail t WHERE t.collection_id = v.collection_id
          AND t.kind = 'visit' AND t.${SINCE_LAST}) AS asked
     FROM ${VISITS_OF_URLS} JOIN watches w ON w.collection_id = v.collection_id
     JOIN collections c ON c.id = v.collection_id
     WHERE v.collection_id = ? AND v.id < ? ${args.of === 'pages' ? `AND ${isWatched('f')}` : ''}
     ORDER BY v.id DESC LIMIT ?`,
    [args.id, args.before, args.limit],
  )
  const rounds = await askedRounds(sql)
  return rows.map((row) => visitIn(row, rounds))
}

/** After the visit before this one: what happened then may have made it happen. */
const SINCE_LAST = 'at BETWEEN v.at - COALESCE(v.since_ms, v.at) + 1 AND v.at'

interface VisitText extends Omit<VisitView, 'isImportant' | 'cause'> {
  id: number
  isImportant: number
  notice: NoticeSource | null
  asked: number
  settings: string
  owner: string | null
}

function visitIn(text: VisitText, rounds: readonly AskedRound[]): VisitView & { id: number } {
  const { notice, asked, settings, owner, isImportant, ...row } = text
  const { periodMs } = JSON.parse(settings) as { periodMs?: number | null }
  const before = row.sinceMs === null ? 0 : row.at - row.sinceMs
  const isOfRound = rounds.some(
    (round) =>
      round.at > before && round.at <= row.at && (round.owner === null || round.owner === owner),
  )
  const cause = causeOf({
    isFirst: row.outcome === 'first',
    notice,
    isAsked: asked > 0 || isOfRound,
    hasPeriod: periodMs != null,
  })
  return { ...row, cause, isImportant: isImportant === 1 }
}

const DAY_MS = 86_400_000

/** What visits found, day by day (UTC), days without a visit included. */
export async function watchActivity(
  sql: Sql,
  args: { id: number; days: number; now: number },
): Promise<ActivityView[]> {
  const today = Math.floor(args.now / DAY_MS)
  const first = today - args.days + 1
  const rows = await sql.all<WatchTotals & { day: number }>(
    `SELECT v.at / ${DAY_MS} AS day, ${TOTALS} FROM ${VISITS_OF_URLS}
     WHERE v.collection_id = ? AND v.at >= ? GROUP BY v.at / ${DAY_MS}`,
    [args.id, first * DAY_MS],
  )
  const byDay = new Map(rows.map(({ day, ...counts }) => [day, counts]))
  return Array.from({ length: args.days }, (_, i) => ({
    day: new Date((first + i) * DAY_MS).toISOString().slice(0, 10),
    ...(byDay.get(first + i) ?? { visits: 0, changes: 0, failures: 0, feedChecks: 0 }),
  }))
}
