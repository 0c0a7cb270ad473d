/**
 * Finds visits that ended without a fetch: robots.txt forbids it, the name is unknown, the queue
 * was cancelled. No result of them is ever uploaded.
 */
import type { Sql } from '@minga/store'
import { endVisits, type EndedVisit } from './end-visits.ts'
import { decideVisit } from './decide-visit.ts'
import { forecastsAt, watchesOf, type WatchedUrlKey } from '../plan/forecast-rows.ts'
import { lockVisitScheduling } from './due-visits.ts'
import { twinsOut } from './twin-requests.ts'

const STRAYS_MAX = 1_000

interface Stray {
  collection_id: number
  host_id: number
  hash: number
  code: string | null
  outcome: string
}

/** Answers how many there were. */
export async function endStrayVisits(sql: Sql, args: { now: number }): Promise<number> {
  await lockVisitScheduling(sql)
  const strays = await strayRows(sql)
  if (strays.length === 0) return 0
  const keys = strays.map((stray): WatchedUrlKey => ({
    collectionId: stray.collection_id,
    hostId: stray.host_id,
    hash: stray.hash,
  }))
  const forecasts = await forecastsAt(sql, keys)
  const watches = await watchesOf(
    sql,
    keys.map(({ collectionId }) => collectionId),
  )
  const twins = await twinsOut(sql, keys)
  const ended: EndedVisit[] = []
  for (const [i, { collection_id: id, code, outcome }] of strays.entries()) {
    const forecast = forecasts[i]
    const watch = watches.get(id)
    if (!forecast || !watch) continue
    const finding = { type: 'failed' as const, at: args.now, code: code ?? outcome }
    const none = { memory: null, captureId: null, formerDigest: null, twin: twins[i] ?? null }
    ended.push({ forecast, watch, visit: decideVisit({ forecast, watch, finding, ...none }) })
  }
  await endVisits(sql, { ended, now: args.now })
  for (const { collectionId, hostId, hash } of keys) {
    await sql.run(
      'DELETE FROM visit_chains WHERE collection_id = ? AND root_host_id = ? AND root_hash = ?',
      [collectionId, hostId, hash],
    )
  }
  return ended.length
}

/**
 * What a visit waits for is its own URL or, when that was redirected, its target. A URL that has
 * left the queue altogether (a harvest started over) ends its visit, too.
 */
async function strayRows(sql: Sql): Promise<Stray[]> {
  return sql.all<Stray>(
    `SELECT f.collection_id, f.host_id, f.hash, u.code, COALESCE(u.outcome, 'cancelled') AS outcome
     FROM forecasts f
     LEFT JOIN visit_chains v ON v.collection_id = f.collection_id
       AND v.root_host_id = f.host_id AND v.root_hash = f.hash
     LEFT JOIN urls u ON u.collection_id = f.collection_id
       AND u.host_id = COALESCE(v.host_id, f.host_id) AND u.hash = COALESCE(v.hash, f.hash)
     WHERE f.out_since IS NOT NULL AND (u.url IS NULL OR u.outcome IS NOT NULL)
     LIMIT ?`,
    [STRAYS_MAX],
  )
}
