/**
 * Reschedules plans that were made at a former price. The position in the pass over all of them is
 * stored: the next tick of any coordinator continues it, also after a crash.
 */
import { rateOf, type Plan } from '@minga/forecast'
import type { Sql, Value } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'
import {
  FORECAST_COLUMNS,
  FORECAST_KEYS,
  forecastsAt,
  watchesOf,
  type ForecastRow,
  type WatchedUrlKey,
  type WatchRow,
} from './forecast-rows.ts'
import { lockVisitScheduling } from '../visits/due-visits.ts'
import { asKept, beliefOf, contextOf, knownOf, soonest } from './plan-visits.ts'
import { readPlanning, type Planning } from './planning.ts'
import { planBy } from './policy-for.ts'
import { awaitTwins } from '../visits/twin-requests.ts'

/** `wanted`: at the next replanning, jump or not. A place: up to there it is done. Else: all is. */
const RETIME_FACT = 'visitRetiming'
const WANTED = 'wanted'
const DONE = 'done'
const BEFORE_FIRST = '[0,0,-1]'

export const wantRetiming = (sql: Sql): Promise<void> =>
  writeFact(sql, { name: RETIME_FACT, value: WANTED })

export const beginRetiming = (sql: Sql): Promise<void> =>
  writeFact(sql, { name: RETIME_FACT, value: BEFORE_FIRST })

export async function isRetimingWanted(sql: Sql): Promise<boolean> {
  return (await readFact(sql, { name: RETIME_FACT })) === WANTED
}

/**
 * Reschedules a page of plans. Returns whether there may be more. What is due already stays due: a
 * user may have requested it, and another price must not take it back.
 */
export async function retimeVisits(
  sql: Sql,
  { now, limit }: { now: number; limit: number },
): Promise<boolean> {
  await lockVisitScheduling(sql)
  const stored = await readFact(sql, { name: RETIME_FACT })
  if (stored === null || !stored.startsWith('[')) return false
  const rows = await sql.all<ForecastRow>(
    `SELECT ${FORECAST_COLUMNS.join(', ')} FROM forecasts
     WHERE (collection_id, host_id, hash) > (?, ?, ?) AND next_visit_at > ?
     ORDER BY collection_id, host_id, hash LIMIT ?`,
    [...(JSON.parse(stored) as number[]), now, limit],
  )
  await retime(sql, rows, now)
  const last = rows.length < limit ? undefined : rows.at(-1)
  const value = last ? JSON.stringify([last.collection_id, last.host_id, last.hash]) : DONE
  await writeFact(sql, { name: RETIME_FACT, value })
  return last !== undefined
}

/** Of these places what is planned at all, and not due yet. */
export async function retimeUrls(
  sql: Sql,
  { keys, now }: { keys: WatchedUrlKey[]; now: number },
): Promise<void> {
  const rows = await forecastsAt(sql, keys)
  const planned = rows.filter((row) => row !== undefined && (row.next_visit_at ?? 0) > now)
  await retime(sql, planned as ForecastRow[], now)
}

export async function retime(sql: Sql, rows: readonly ForecastRow[], now: number): Promise<void> {
  const planning = await readPlanning(sql)
  const watches = await watchesOf(
    sql,
    rows.map((row) => row.collection_id),
  )
  const twins = await awaitTwins(sql, rows)
  const timed = rows.flatMap((row, i) => {
    const watch = watches.get(row.collection_id)
    const isTwin = twins[i] === true
    return watch === undefined ? [] : [timedRow(row, { watch, planning, now, isTwin })]
  })
  await sql.updateMany({
    table: 'forecasts',
    keys: [...FORECAST_KEYS],
    set: ['next_visit_at', 'rate', 'plan', 'policy_state'],
    rows: timed,
  })
}

interface Timing {
  watch: WatchRow
  planning: Planning
  now: number
  /** A twin comes first, at its own moment; the plan is for the visit after it. */
  isTwin: boolean
}

function timedRow(row: ForecastRow, timing: Timing): Value[] {
  const key = [row.collection_id, row.host_id, row.hash]
  const { watch, now } = timing
  if (!watch.settings.isActive) return [...key, null, row.rate, row.plan, row.policy_state]
  if (row.last_visit_at === null) return [...key, now, row.rate, row.plan, row.policy_state]
  const belief = beliefOf(row)
  const replanned = planFromNow(row, timing, belief)
  const { at, plan, state } = asKept(
    soonest(replanned, row.last_visit_at, { watch, forecast: row, planning: timing.planning }),
  )
  return [
    ...key,
    timing.isTwin ? row.next_visit_at : Math.max(now, at ?? now),
    rateOf(belief).perDay,
    JSON.stringify(plan),
    JSON.stringify(state ?? null),
  ]
}

/** As if the last visit had been planned for now. */
function planFromNow(
  row: ForecastRow,
  { watch, planning, now }: Timing,
  belief: ReturnType<typeof beliefOf>,
): Plan {
  return planBy({ role: row.role, watch, planning }, (policy) => {
    const known = knownOf(row, { watch, belief, planning, policy })
    const context = contextOf(watch, policy, planning, row)
    if (policy.replan !== undefined) return policy.replan(known, now, context)
    const seen = { at: row.last_visit_at ?? now, sinceMs: null, changed: false, magnitude: 0 }
    return policy.next(known, seen, context)
  })
}
