/** Hosts of a collection with their clocks. */
import { collectionDelayMs, parseSpec, type PaceRow } from '@minga/frontier'
import type { HostStatus } from '@minga/protocol'
import type { Sql } from '@minga/store'

interface ListedHost extends Omit<PaceRow, 'backoff_ms'>, Omit<HostStatus, 'isOut' | 'delayMs'> {
  fence: number
}

export async function listHosts(
  sql: Sql,
  args: { collectionId: number; limit: number },
): Promise<HostStatus[]> {
  const collection = await sql.get<{ spec: string; mostFound: number }>(
    'SELECT spec, most_found AS "mostFound" FROM collections WHERE id = ?',
    [args.collectionId],
  )
  if (!collection) return []
  const { mostFound } = collection
  const spec = parseSpec(collection.spec)
  const rows = await sql.all<ListedHost>(
    `SELECT h.id, h.name, h.address, h.country, h.next_allowed_at AS "nextAllowedAt", h.fence,
            h.crawl_delay_ms AS "crawlDelayMs", h.backoff_ms AS "backoffMs", h.good_answers,
            h.latency_ms AS "latencyMs", c.queued, c.found, c.pages, c.bytes,
            c.last_ms, c.pace_ms, c.first_byte_ms
     FROM collection_hosts c JOIN hosts h ON h.id = c.host_id
     WHERE c.collection_id = ? ORDER BY c.queued DESC, c.pages DESC LIMIT ?`,
    [args.collectionId, args.limit],
  )
  return rows.map(({ fence, good_answers, last_ms, pace_ms, first_byte_ms, ...host }) => {
    const pace = { good_answers, last_ms, pace_ms, first_byte_ms, found: host.found }
    const row = { ...pace, backoff_ms: host.backoffMs }
    return { ...host, isOut: fence !== 0, delayMs: collectionDelayMs({ spec, mostFound }, row) }
  })
}
