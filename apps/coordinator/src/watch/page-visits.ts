/** The definitions of visits (`visit-definitions.ts` of the protocol) as conditions over the table of forecasts. */
import { PAGE_ROLES, type WatchTotals } from '@minga/protocol'
import type { Sql } from '@minga/store'

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
