/** How much edits add and take away, in bytes. */
import { numberOf, numberOrNull, type Ask, type Choice } from './ask.ts'
import { DELTA_COLUMN, lineCtes } from './lines.ts'

export interface SizeDeltas {
  /** Revisions whose difference is known. */
  known: number
  /**
   * Size hidden or not given, here or in the revision before; or the revision before is not stored.
   */
  unknown: number
  grew: number
  shrank: number
  same: number
  addedBytes: number
  /** As a positive number. */
  removedBytes: number
  netBytes: number
  /** Of all known differences; null without any. */
  medianBytes: number | null
  p10Bytes: number | null
  p90Bytes: number | null
}

export async function sizeDeltas(ask: Ask, { where, values }: Choice): Promise<SizeDeltas> {
  const [row = {}] = await ask(
    `WITH ${lineCtes(where, [DELTA_COLUMN])}, deltas AS (SELECT delta AS d FROM line WHERE is_chosen)
     SELECT count(d) AS known, count(*) - count(d) AS unknown,
       count(*) FILTER (d > 0) AS grew, count(*) FILTER (d < 0) AS shrank, count(*) FILTER (d = 0) AS same,
       sum(greatest(d, 0)) AS added, sum(greatest(-d, 0)) AS removed,
       quantile_cont(d, 0.5) AS median, quantile_cont(d, 0.1) AS p10, quantile_cont(d, 0.9) AS p90
     FROM deltas`,
    values,
  )
  const [added, removed] = [numberOf(row['added']), numberOf(row['removed'])]
  return {
    known: numberOf(row['known']),
    unknown: numberOf(row['unknown']),
    grew: numberOf(row['grew']),
    shrank: numberOf(row['shrank']),
    same: numberOf(row['same']),
    addedBytes: added,
    removedBytes: removed,
    netBytes: added - removed,
    medianBytes: numberOrNull(row['median']),
    p10Bytes: numberOrNull(row['p10']),
    p90Bytes: numberOrNull(row['p90']),
  }
}
