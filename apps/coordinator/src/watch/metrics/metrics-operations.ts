/** The store's operations of the figures of watches, by name. */
import type { Sql, OperationTable } from '@minga/store'
import { isWatched, watchTotals } from '../watch-rows.ts'
import { calibrationTallies, seenVisits, watchYears } from './calibration-rows.ts'
import { collectionLimits, growthTallies } from './growth-rows.ts'
import { groupFigures, watchFigures, watchName } from './watch-figures.ts'

async function countWatches(sql: Sql): Promise<number> {
  return (await sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM watches'))!.n
}

async function countWatchedUrls(sql: Sql, { id }: { id: number }): Promise<number> {
  const row = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM forecasts f WHERE collection_id = ? AND ${isWatched('f')}`,
    [id],
  )
  return row!.n
}

export const metricsOperations = {
  calibrationTallies,
  collectionLimits,
  countWatchedUrls,
  countWatches,
  groupFigures,
  growthTallies,
  seenVisits,
  watchFigures,
  watchName,
  watchTotals,
  watchYears,
} satisfies OperationTable
