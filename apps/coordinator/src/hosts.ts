/** Hosts of a collection with their clocks. */
import type { HostStatus } from '@minga/protocol'
import type { Sql } from '@minga/store'

export async function listHosts(
  sql: Sql,
  args: { collectionId: number; limit: number },
): Promise<HostStatus[]> {
  const rows = await sql.all<HostStatus & { fence: number }>(
    `SELECT h.id, h.name, h.address, h.country, h.next_allowed_at AS "nextAllowedAt", h.fence,
            h.crawl_delay_ms AS "crawlDelayMs", h.backoff_ms AS "backoffMs",
            h.latency_ms AS "latencyMs", c.queued, c.found, c.pages, c.bytes
     FROM collection_hosts c JOIN hosts h ON h.id = c.host_id
     WHERE c.collection_id = ? ORDER BY c.queued DESC, c.pages DESC LIMIT ?`,
    [args.collectionId, args.limit],
  )
  return rows.map(({ fence, ...host }) => ({ ...host, isOut: fence !== 0 }))
}
