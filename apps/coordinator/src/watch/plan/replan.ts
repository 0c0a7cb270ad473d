/**
 * Plans follow the budget. From time to time the price of a visit is found at which the visits that
 * all policies want just use the budget; each URL's next plan is made at it. After a jump (another
 * budget, many new watches) existing plans are rescheduled: `retiming.ts`.
 */
import type { Sql } from '@minga/store'
import { writeFact } from '../../station/station-facts.ts'
import { keepPriors } from './cold-start.ts'
import { FORECAST_COLUMNS, type ForecastRow } from './forecast-rows.ts'
import { PLANNING_FACT, readPlanning, type Planning } from './planning.ts'
import { activeForecasts } from './rate-sets.ts'
import { beginRetiming, isRetimingWanted, retime, wantRetiming } from './retime-visits.ts'
import { listSignalledPolicies } from './signalled-watches.ts'
import { visitPrices } from './visit-prices.ts'

/** A price that moved less leaves plans unchanged: each is replanned at its next visit anyway. */
const JUMP = 1.25
const DAY_MS = 86_400_000
/** A tenth of a second of the store's time. */
const RETIMED_BY_HAND_MAX = 5_000

export interface Replanned {
  urls: number
  /** Of all of them together. */
  visitsPerDay: number
  /** The shortest gap that any watch was promised; null: none was. */
  leastFloorMs: number | null
  /** Whether existing plans should be rescheduled. */
  hasJumped: boolean
}

export async function replanVisits(
  sql: Sql,
  args: { now: number; visitsPerDay: number | null; visitBytesPerDay?: number | null },
): Promise<Replanned> {
  const former = await readPlanning(sql)
  const chosen = await listSignalledPolicies(sql, args.now)
  const { visitsPerDay, visitBytesPerDay: bytesPerDay = null } = args
  const sets = await activeForecasts(sql, { chosen, visitsPerDay })
  const { urls, budgetPerUrlPerDay, leastFloorMs } = sets
  if (urls === 0) return { urls, visitsPerDay: 0, leastFloorMs, hasJumped: false }
  const found = await visitPrices(sql, sets, { bytesPerDay })
  const hasJumped = (await isRetimingWanted(sql)) || isFar(former.timedAt, costsIn(found.prices))
  if (hasJumped) await beginRetiming(sql)
  const timedAt = hasJumped ? costsIn(found.prices) : former.timedAt
  const notified = Object.keys(chosen).map(Number)
  const planning: Planning = { budgetPerUrlPerDay, timedAt, notified, chosen, ...found }
  await writeFact(sql, { name: PLANNING_FACT, value: JSON.stringify(planning) })
  await keepPriors(sql, sets.kin)
  return { urls, visitsPerDay: budgetPerUrlPerDay * urls, leastFloorMs, hasJumped }
}

/** By name of the policy; what a byte costs, too, where it costs anything. */
const costsIn = (prices: Planning['prices']): Record<string, number> =>
  Object.fromEntries(
    Object.entries(prices).flatMap(([name, { perCost, visitsPerByte }]) => [
      [name, perCost],
      ...(visitsPerByte === undefined ? [] : [[`${name}, bytes`, visitsPerByte]]),
    ]),
  ) as Record<string, number>

function isFar(before: Record<string, number>, now: Record<string, number>): boolean {
  return Object.entries(now).some(([name, price]) => {
    const then = before[name]
    return then === undefined || Math.max(then / price, price / then) > JUMP
  })
}

/**
 * After a user changed a watch: its plans follow its settings now. Of a long list the rest is
 * spread over a day first, and timed with everything else by the next replanning: agents'
 * heartbeats must not wait for a million plans.
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
    await wantRetiming(sql)
  }
  await retime(sql, rows, now)
}
