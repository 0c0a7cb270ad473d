/** What visits were said to find and what they found, and what years brought. */
import type { DrawerTally, SeenVisit, VisitedUrl } from '@minga/forecast'
import type { WatchYear } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { countIf, isWatched, TOTALS, VISITS_OF_URLS } from '../watch-rows.ts'

const DAY_MS = 86_400_000
/** Written out: the databases round in different ways. */
const DRAWER = `CASE ${Array.from({ length: 9 }, (_, i) => `WHEN v.chance < 0.${i + 1} THEN ${i}`).join(' ')} ELSE 9 END`
const CHANGED = `CASE WHEN v.outcome = 'changed' AND v.is_important = 1 THEN 1 ELSE 0 END`

/** Of one watch, or of all. */
export function calibrationTallies(
  sql: Sql,
  args: { id: number | null; from: number },
): Promise<DrawerTally[]> {
  const [of, params]: [string, Value[]] =
    args.id === null ? ['', []] : ['AND v.collection_id = ?', [args.id]]
  return sql.all<DrawerTally>(
    `SELECT ${DRAWER} AS drawer, COUNT(*) AS visits, CAST(SUM(${CHANGED}) AS BIGINT) AS changed,
       SUM(v.chance) AS chances,
       SUM((v.chance - (${CHANGED})) * (v.chance - (${CHANGED}))) AS squares
     FROM ${VISITS_OF_URLS} WHERE v.chance IS NOT NULL AND ${isWatched('f')} AND v.at >= ?
       AND v.outcome IN ('changed', 'unchanged', 'noise') ${of} GROUP BY 1`,
    [args.from, ...params],
  )
}

interface DayRow extends Omit<WatchYear, 'year'> {
  day: number
}

/** Years of UTC, the first to the last with a visit; those between without any included. */
export async function watchYears(sql: Sql, { id }: { id: number }): Promise<WatchYear[]> {
  const days = await sql.all<DayRow>(
    `SELECT v.at / ${DAY_MS} AS day, ${TOTALS},
       ${countIf(`v.chance IS NOT NULL AND ${isWatched('f')}`)} AS forecast,
       CAST(COALESCE(SUM(CASE WHEN ${isWatched('f')} THEN c.length_bytes ELSE 0 END), 0) AS BIGINT)
         AS "storedBytes"
     FROM ${VISITS_OF_URLS} LEFT JOIN captures c ON c.id = v.capture_id
     WHERE v.collection_id = ? GROUP BY v.at / ${DAY_MS} ORDER BY 1`,
    [id],
  )
  const years: WatchYear[] = []
  for (const { day, ...counts } of days) {
    const year = new Date(day * DAY_MS).getUTCFullYear()
    while (years.length > 0 && years.at(-1)!.year < year) years.push(empty(years.at(-1)!.year + 1))
    if (years.length === 0) years.push(empty(year))
    const sum = years.at(-1)!
    for (const name of COUNTS) sum[name] += counts[name]
  }
  return years
}

const COUNTS = ['visits', 'forecast', 'changes', 'failures', 'feedChecks', 'storedBytes'] as const

const empty = (year: number): WatchYear => ({
  year,
  visits: 0,
  forecast: 0,
  changes: 0,
  failures: 0,
  feedChecks: 0,
  storedBytes: 0,
})

interface VisitRow {
  host: number
  hash: number
  rate: number
  at: number
  outcome: string
  bytes: number | null
}

/** The most visited URLs, each with its newest visits in order; failed visits have shown nothing. */
export async function seenVisits(
  sql: Sql,
  args: { id: number; from: number; urlsMost: number; visitsMost: number },
): Promise<VisitedUrl[]> {
  const rows = await sql.all<VisitRow>(
    `WITH watched AS (
       SELECT collection_id, host_id, hash, rate FROM forecasts f
       WHERE collection_id = ? AND ${isWatched('f')} AND visits > 1
       ORDER BY visits DESC, host_id, hash LIMIT ?
     ), ranked AS (
       SELECT u.host_id AS host, u.hash, u.rate, v.at, v.outcome,
         c.length_bytes AS bytes,
         ROW_NUMBER() OVER (PARTITION BY u.host_id, u.hash ORDER BY v.at DESC) AS place
       FROM watched u JOIN visits v ON v.collection_id = u.collection_id
         AND v.host_id = u.host_id AND v.hash = u.hash AND v.at >= ? AND v.outcome <> 'failed'
       LEFT JOIN captures c ON c.id = v.capture_id
     )
     SELECT host, hash, rate, at, outcome, bytes FROM ranked WHERE place <= ?
     ORDER BY host, hash, at`,
    [args.id, args.urlsMost, args.from, args.visitsMost],
  )
  return [...Map.groupBy(rows, ({ host, hash }) => `${host}/${hash}`).values()].map(visitedUrl)
}

function visitedUrl(rows: readonly VisitRow[]): VisitedUrl {
  const kept = rows.filter(({ outcome }) => outcome !== 'unchanged' && outcome !== 'noise')
  const bytes = kept.reduce((sum, row) => sum + (row.bytes ?? 0), 0)
  return {
    visits: rows.map((row, i): SeenVisit => {
      // Where the list begins in the midst of a history, what went before is not compared.
      const before = rows[i - 1]
      if (before === undefined) return { at: row.at, sinceMs: null, changed: false }
      return { at: row.at, sinceMs: row.at - before.at, changed: row.outcome === 'changed' }
    }),
    ratePerDay: rows[0]!.rate,
    bytesPerVersion: kept.length === 0 ? 0 : bytes / kept.length,
  }
}
