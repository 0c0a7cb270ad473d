/** What captures weigh, in the order in which they were written. */
import { DAY_MS } from '@minga/forecast'
import { parseSpec } from '@minga/frontier'
import type { Sql } from '@minga/store'

export interface GrowthTally {
  id: number
  day: number
  bytes: number
}

export interface GrowthRead {
  tallies: GrowthTally[]
  /** The last capture read; the same as before when there was none. */
  afterId: number
  /** The latest instant among all captures read so far. */
  latestAt: number
}

/**
 * The next captures, summed by collection and day. Ids follow the order of writing, dates need not:
 * an imported capture counts from when its neighbours were written, not from when another tool once
 * fetched it, and none counts from the future.
 */
export async function growthTallies(
  sql: Sql,
  args: { afterId: number; latestAt: number; limit: number; now: number },
): Promise<GrowthRead> {
  const { afterId, latestAt, limit, now } = args
  const rows = await sql.all<GrowthTally & { lastId: number; lastAt: number }>(
    `WITH next AS (
       SELECT id, collection_id, length_bytes,
         MAX(CASE WHEN captured_at > ? THEN ? ELSE captured_at END) OVER (ORDER BY id) AS seen
       FROM (SELECT * FROM captures WHERE id > ? ORDER BY id LIMIT ?) AS rows
     ), dated AS (
       SELECT id, collection_id, length_bytes, CAST(CASE WHEN seen > ? THEN seen ELSE ? END AS BIGINT) AS at FROM next
     )
     SELECT collection_id AS id, at / ${DAY_MS} AS day, CAST(SUM(length_bytes) AS BIGINT) AS bytes,
       MAX(id) AS "lastId", MAX(at) AS "lastAt"
     FROM dated GROUP BY collection_id, at / ${DAY_MS}`,
    [now, now, afterId, limit, latestAt, latestAt],
  )
  return {
    tallies: rows.map(({ id, day, bytes }) => ({ id, day, bytes })),
    afterId: rows.reduce((most, { lastId }) => Math.max(most, lastId), afterId),
    latestAt: rows.reduce((most, { lastAt }) => Math.max(most, lastAt), latestAt),
  }
}

export interface CollectionLimit {
  id: number
  name: string
  /** Limit of received bytes; null: no limit, or one that applies to each harvest separately. */
  maxBytes: number | null
  receivedBytes: number
}

export async function collectionLimits(
  sql: Sql,
  args: { ids: number[] },
): Promise<CollectionLimit[]> {
  if (args.ids.length === 0) return []
  const rows = await sql.all<{ id: number; spec: string; bytes: number; name: string | null }>(
    `SELECT c.id, c.spec, c.bytes, w.name FROM collections c
     LEFT JOIN watches w ON w.collection_id = c.id
     WHERE c.id IN (${args.ids.map(() => '?').join(', ')})`,
    args.ids,
  )
  return rows.map(({ id, spec, bytes, name }) => {
    const { kind, seeds, maxBytes } = parseSpec(spec)
    return {
      id,
      name: name ?? seeds[0] ?? kind,
      maxBytes: kind === 'crawl' ? maxBytes : null,
      receivedBytes: bytes,
    }
  })
}
