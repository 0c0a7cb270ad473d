/**
 * Plans follow the budget. From time to time the price of a visit is found at which the visits that
 * all policies want just use the budget; each URL's next plan is made at it. After a jump (another
 * budget, many new watches) what is planned already is timed anew, page by page.
 */
import { policyNamed, rateOf, type Policy } from '@minga/forecast'
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../station-facts.ts'
import { keepPriors } from './cold-start.ts'
import {
  FORECAST_COLUMNS,
  FORECAST_KEYS,
  watchesOf,
  type ForecastRow,
  type WatchRow,
} from './forecast-rows.ts'
import {
  asKept,
  beliefOf,
  contextOf,
  keptPrice,
  knownOf,
  PLANNING_FACT,
  policyFor,
  readPlanning,
  soonest,
  type Planning,
} from './plan-visits.ts'
import { activeForecasts, type PolicySets } from './rate-sets.ts'

/** A price that moved less leaves plans as they are: each is made anew at its next visit anyway. */
const JUMP = 1.25
const DAY_MS = 86_400_000
/** A tenth of a second of the store's time. */
const RETIMED_BY_HAND_MAX = 5_000
/** Says that plans are to be timed anew whether or not the price has jumped. */
const RETIME_FACT = 'visitRetiming'

export interface Replanned {
  urls: number
  /** Whether what is planned already should be timed anew. */
  hasJumped: boolean
}

export async function replanVisits(
  sql: Sql,
  args: { now: number; visitsPerDay: number | null },
): Promise<Replanned> {
  const former = await readPlanning(sql)
  const notified = await notifiedWatches(sql, args.now)
  const { visitsPerDay } = args
  const sets = await activeForecasts(sql, { notified: new Set(notified), visitsPerDay })
  const { urls, budgetPerUrlPerDay } = sets
  if (urls === 0) return { urls, hasJumped: false }
  const found = pricesOf(sets, budgetPerUrlPerDay)
  const isWanted = (await readFact(sql, { name: RETIME_FACT })) === 'wanted'
  if (isWanted) await writeFact(sql, { name: RETIME_FACT, value: 'begun' })
  const hasJumped = isWanted || isFar(former.timedAt, costsIn(found.prices))
  const timedAt = hasJumped ? costsIn(found.prices) : former.timedAt
  const planning: Planning = { budgetPerUrlPerDay, timedAt, notified, ...found }
  await writeFact(sql, { name: PLANNING_FACT, value: JSON.stringify(planning) })
  await keepPriors(sql, sets.kin)
  return { urls, hasJumped }
}

/** Every policy has the share of the budget that its URLs are of all; sets may be samples. */
function pricesOf(
  { byPolicy, urls }: PolicySets,
  budgetPerUrl: number,
): Pick<Planning, 'prices' | 'shares'> {
  const prices: Planning['prices'] = {}
  const shares: Planning['shares'] = {}
  for (const [name, { set, capped }] of byPolicy) {
    const policy = policyNamed(name)
    if (policy.price === undefined) continue
    const common = policy.price(set, budgetPerUrl * set.count)
    prices[name] = keptPrice(common)
    for (const [collectionId, own] of capped) {
      // Where the common price would spend less than the share allows, it holds.
      const perUrl = (own.budgetShare * budgetPerUrl * urls) / own.urls
      const price = policy.price(own.set, perUrl * own.set.count)
      const perCost = Math.max(price.perCost, common.perCost)
      shares[collectionId] = { [name]: keptPrice({ ...common, perCost }) }
    }
  }
  return { prices, shares }
}

const costsIn = (prices: Planning['prices']): Record<string, number> =>
  Object.fromEntries(Object.entries(prices).map(([name, { perCost }]) => [name, perCost]))

/** What nobody tells any more lapses: a hub that died must not keep visits away. */
const TOLD_WITHIN_MS = 60 * DAY_MS
const TOLD_LEAST = 3

async function notifiedWatches(sql: Sql, now: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `SELECT collection_id AS id FROM notices
     WHERE source IN ('websub', 'hook') AND outcome = 'changed' AND at > ?
     GROUP BY collection_id HAVING COUNT(*) >= ${TOLD_LEAST}`,
    [now - TOLD_WITHIN_MS],
  )
  return rows.map(({ id }) => id)
}

function isFar(before: Record<string, number>, now: Record<string, number>): boolean {
  return Object.entries(now).some(([name, price]) => {
    const then = before[name]
    return then === undefined || Math.max(then / price, price / then) > JUMP
  })
}

export interface Retime {
  now: number
  /** After this place; null: from the first. */
  after: { collectionId: number; hostId: number; hash: number } | null
  limit: number
}

/** Times a page of plans anew. Answers the last place, or null when there was none. What is due
 * already stays so: somebody may have asked for it, and another price must not take it back. */
export async function retimeVisits(sql: Sql, args: Retime): Promise<Retime['after']> {
  const { after } = args
  const rows = await sql.all<ForecastRow>(
    `SELECT ${FORECAST_COLUMNS.join(', ')} FROM forecasts
     WHERE (collection_id, host_id, hash) > (?, ?, ?) AND next_visit_at > ?
     ORDER BY collection_id, host_id, hash LIMIT ?`,
    [after?.collectionId ?? 0, after?.hostId ?? 0, after?.hash ?? -1, args.now, args.limit],
  )
  await retime(sql, rows, args.now)
  const last = rows.at(-1)
  if (!last) return null
  return { collectionId: last.collection_id, hostId: last.host_id, hash: last.hash }
}

/**
 * After a watch was changed by hand: its plans are as its settings say now. Of a long list the rest
 * is spread over a day first, and timed with everything else by the next replanning: agents' beats
 * must not wait for a million plans.
 */
export async function replanWatch(
  sql: Sql,
  args: { collectionId: number; now: number },
): Promise<void> {
  const { collectionId, now } = args
  const rows = await sql.all<ForecastRow>(
    `SELECT ${FORECAST_COLUMNS.join(', ')} FROM forecasts
     WHERE collection_id = ? AND out_since IS NULL LIMIT ?`,
    [collectionId, RETIMED_BY_HAND_MAX],
  )
  if (rows.length === RETIMED_BY_HAND_MAX) {
    await sql.run(
      `UPDATE forecasts SET next_visit_at = CAST(? AS BIGINT) + ABS(hash) % ${DAY_MS}
       WHERE collection_id = ? AND out_since IS NULL`,
      [now, collectionId],
    )
    await writeFact(sql, { name: RETIME_FACT, value: 'wanted' })
  }
  await retime(sql, rows, now)
}

async function retime(sql: Sql, rows: readonly ForecastRow[], now: number): Promise<void> {
  const planning = await readPlanning(sql)
  const watches = await watchesOf(
    sql,
    rows.map((row) => row.collection_id),
  )
  const timed = rows.flatMap((row) => {
    const watch = watches.get(row.collection_id)
    return watch === undefined ? [] : [timedRow(row, { watch, planning, now })]
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
}

function timedRow(row: ForecastRow, timing: Timing): (string | number | null)[] {
  const key = [row.collection_id, row.host_id, row.hash]
  const { watch, now } = timing
  if (!watch.settings.isActive) return [...key, null, row.rate, row.plan, row.policy_state]
  if (row.last_visit_at === null) return [...key, now, row.rate, row.plan, row.policy_state]
  const belief = beliefOf(row)
  const anew = planAnew(row, timing, belief)
  const { at, plan, state } = asKept(
    soonest(anew, row.last_visit_at, { watch, forecast: row, planning: timing.planning }),
  )
  return [
    ...key,
    Math.max(now, at ?? now),
    rateOf(belief).perDay,
    JSON.stringify(plan),
    JSON.stringify(state ?? null),
  ]
}

/** As if the last visit had been planned for now. */
function planAnew(
  row: ForecastRow,
  { watch, planning, now }: Timing,
  belief: ReturnType<typeof beliefOf>,
): ReturnType<Policy['next']> {
  const policy = policyFor(row, watch, planning)
  const known = knownOf(row, { watch, belief, planning })
  const context = contextOf(watch, policy, planning, row)
  if (policy.replan !== undefined) return policy.replan(known, now, context)
  const seen = { at: row.last_visit_at ?? now, sinceMs: null, changed: false, magnitude: 0 }
  return policy.next(known, seen, context)
}
