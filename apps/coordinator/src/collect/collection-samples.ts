/**
 * How a collection went: its counts every ten seconds while it runs, kept for good and thinned with age. When a
 * collection has too many, every other one of its older ones goes; so the last minutes are shown exactly, and a
 * month with a few hundred points.
 */
import type { CollectionCurve, CurvePoint, ThroughputPoint } from '@minga/protocol'
import type { Sql } from '@minga/store'

/** More than a plot has pixels for. */
export const SAMPLES_MOST = 360
/** Twenty minutes, which are never thinned. */
const NEWEST_KEPT = 120

/** The station's own queues never end, and a watch rests most of its time: their curves tell nothing. */
const CURVED = `state = 'running' AND identity NOT IN ('requests', 'audits')
  AND id NOT IN (SELECT collection_id FROM watches)`

export async function sampleCollections(sql: Sql, args: { now: number }): Promise<number> {
  const written = await sql.run(
    `INSERT INTO collection_samples (collection_id, at, found, queued, pages, bytes, failed)
     SELECT id, CAST(? AS BIGINT), found, queued, pages, bytes, failed FROM collections
     WHERE ${CURVED} ON CONFLICT (collection_id, at) DO NOTHING`,
    [args.now],
  )
  if (written > 0) await thin(sql)
  return written
}

async function thin(sql: Sql): Promise<void> {
  const full = await sql.all<{ id: number; n: number }>(
    `SELECT collection_id AS id, COUNT(*) AS n FROM collection_samples
     WHERE collection_id IN (SELECT id FROM collections WHERE ${CURVED})
     GROUP BY collection_id HAVING COUNT(*) > ${SAMPLES_MOST}`,
  )
  for (const { id, n } of full) {
    await sql.run(
      `DELETE FROM collection_samples WHERE collection_id = ? AND at IN (
         SELECT at FROM (SELECT at, ROW_NUMBER() OVER (ORDER BY at) AS place
           FROM collection_samples WHERE collection_id = ?) AS placed
         WHERE place % 2 = 0 AND place <= ?)`,
      [id, id, n - NEWEST_KEPT],
    )
  }
}

/** From its beginning to now, or to its end. */
export async function collectionCurve(
  sql: Sql,
  args: { id: number; now: number },
): Promise<CollectionCurve> {
  const points = await sql.all<CurvePoint>(
    `SELECT at, found, queued, pages, bytes, failed FROM collection_samples
     WHERE collection_id = ? ORDER BY at`,
    [args.id],
  )
  const row = await sql.get<CurvePoint & { begunAt: number; endedAt: number | null }>(
    `SELECT found, queued, pages, bytes, failed, created_at AS "begunAt", ended_at AS "endedAt"
     FROM collections WHERE id = ?`,
    [args.id],
  )
  if (!row) return { points: [] }
  const { begunAt, endedAt, ...counts } = row
  const first = { at: begunAt, found: 0, queued: 0, pages: 0, bytes: 0, failed: 0 }
  const last = { ...counts, at: Math.max(endedAt ?? args.now, points.at(-1)?.at ?? begunAt) }
  return { points: [first, ...points, last] }
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

export async function sampleStation(sql: Sql, args: { now: number }): Promise<void> {
  await sql.run(
    `INSERT INTO station_samples (at, done, bytes)
     SELECT CAST(? AS BIGINT), COALESCE(SUM(found - queued), 0), COALESCE(SUM(bytes), 0) FROM collections
     WHERE 1 = 1 ON CONFLICT (at) DO NOTHING`,
    [args.now],
  )
  // An hour more than is shown: the first difference needs a point before it.
  await sql.run('DELETE FROM station_samples WHERE at < ?', [args.now - DAY_MS - 60 * MINUTE_MS])
}

/** While there is little to show, each minute is a bar; of a whole day it is five minutes. */
const SHORT_MS = 2 * 60 * MINUTE_MS
const COARSE_MS = 5 * MINUTE_MS

/** What was done in each span of the last day, oldest first. */
export async function stationThroughput(
  sql: Sql,
  args: { now: number },
): Promise<ThroughputPoint[]> {
  const rows = await sql.all<{ at: number; done: number; bytes: number }>(
    'SELECT at, done, bytes FROM station_samples WHERE at >= ? ORDER BY at',
    [args.now - DAY_MS],
  )
  const first = rows[0]
  if (first === undefined) return []
  const spanMs = args.now - first.at <= SHORT_MS ? MINUTE_MS : COARSE_MS
  const spans = new Map<number, ThroughputPoint>()
  for (const [i, row] of rows.entries()) {
    const former = rows[i - 1]
    if (former === undefined) continue
    const at = Math.floor(row.at / spanMs) * spanMs
    const span = spans.get(at) ?? { at, spanMs, done: 0, bytes: 0 }
    // What is queued again after it ended counts backwards: no plot shows that as work.
    span.done += Math.max(0, row.done - former.done)
    span.bytes += Math.max(0, row.bytes - former.bytes)
    spans.set(at, span)
  }
  return [...spans.values()]
}
