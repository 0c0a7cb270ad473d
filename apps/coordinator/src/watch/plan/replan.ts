/**
 * Plans follow the budget. From time to time the price of a visit is found at which the visits that
 * all policies want just use the budget; each URL's next plan is made at it. After a jump (another
 * budget, many new watches) existing plans are rescheduled: `retiming.ts`.
 */
import type { Sql } from '@minga/store'
import {
  choosePolicy,
  decodeBelief,
  eligibility,
  kindOf,
  type Choice,
  type PageClass,
} from '@minga/forecast'
import { writeFact } from '../../station/station-facts.ts'
import { keepPriors } from './cold-start.ts'
import { FORECAST_COLUMNS, type ForecastRow } from './forecast-rows.ts'
import { PLANNING_FACT, readPlanning, type Planning } from './planning.ts'
import { activeForecasts } from './rate-sets.ts'
import { beginRetiming, isRetimingWanted, retime, wantRetiming } from './retime-visits.ts'
import { visitPrices } from './visit-prices.ts'

const DAY_MS = 86_400_000
/** Signals expire without new notices: a hub that died must not keep visits away. */
const REPORTED_WITHIN_MS = 60 * DAY_MS
const REPORTED_LEAST = 3
/** Limit of pages by which the signalled watches are evaluated, all together. */
const JUDGED_MAX = 5_000

type Kind = PageClass['kind']

/**
 * Watches whose changes are signalled, and how Minga plans them: whether notices of hubs and hooks
 * were recently true, how many of them visits could follow (the gate), and how the pages behave.
 * By id of the watch.
 */
async function listSignalledPolicies(sql: Sql, now: number): Promise<Record<number, Choice>> {
  // Notices that one visit settled were one change.
  const rows = await sql.all<{ id: number; reported: number; caught: number }>(
    `SELECT collection_id AS id, COUNT(*) AS reported,
       COUNT(DISTINCT CASE WHEN outcome = 'changed'
         THEN host_id || ' ' || hash || ' ' || settled_at END) AS caught
     FROM notices WHERE source IN ('websub', 'hook') AND outcome IS NOT NULL AND at > ?
     GROUP BY collection_id
     HAVING SUM(CASE WHEN outcome = 'changed' THEN 1 ELSE 0 END) >= ${REPORTED_LEAST}`,
    [now - REPORTED_WITHIN_MS],
  )
  const kinds = await kindsOf(
    sql,
    rows.map(({ id }) => id),
  )
  return Object.fromEntries(
    rows.map(({ id, reported, caught }) => {
      const kind = kinds.get(id) ?? 'without pattern'
      return [id, choosePolicy({ kind, isTold: true, passesGate: passes(reported, caught) })]
    }),
  )
}

/** Storage and machine are the same under whichever policy follows the notices. */
function passes(changes: number, caught: number): boolean {
  const rest = { storedBytes: 0, fixedBytes: 0, usedCapacity: 0, wholeCapacity: 1 }
  return eligibility({ changes, lost: changes - caught, ...rest }).passes
}

/** What most pages of a watch are. */
async function kindsOf(sql: Sql, ids: readonly number[]): Promise<Map<number, Kind>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.all<{ id: number; belief: Uint8Array }>(
    `SELECT collection_id AS id, belief FROM forecasts
     WHERE collection_id IN (${ids.map(() => '?').join(', ')}) AND belief IS NOT NULL
       AND role IN ('page', 'probe') LIMIT ${JUDGED_MAX}`,
    [...ids],
  )
  const byWatch = Map.groupBy(rows, ({ id }) => id)
  return new Map(
    [...byWatch].map(([id, pages]) => {
      const counts = Map.groupBy(pages, ({ belief }) => kindOf(decodeBelief(belief)))
      const [most] = [...counts].toSorted(([, a], [, b]) => b.length - a.length)
      return [id, most![0]]
    }),
  )
}

/** A price that moved less leaves plans unchanged: each is replanned at its next visit anyway. */
const JUMP = 1.25
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
