/** The visits of a watch one by one, as far as a comparison or a judgement of its behaviour needs them. */
import type { SeenVisit, VisitedUrl } from '@minga/forecast'
import type { Sql } from '@minga/store'
import { isWatched } from '../page-visits.ts'

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
