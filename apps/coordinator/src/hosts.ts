import type { Sql } from '@minga/store'

/** A host and its clock, as the page shows it. */
export interface HostStatus {
  id: number
  name: string
  address: string | null
  nextAllowedAt: number
  isOut: boolean
  crawlDelayMs: number
  backoffMs: number
  latencyMs: number
  queued: number
  found: number
  pages: number
  bytes: number
}

export async function listHosts(
  sql: Sql,
  args: { collectionId: number; limit: number },
): Promise<HostStatus[]> {
  const rows = await sql.all<HostStatus & { fence: number }>(
    `SELECT h.id, h.name, h.address, h.next_allowed_at AS "nextAllowedAt", h.fence,
            h.crawl_delay_ms AS "crawlDelayMs", h.backoff_ms AS "backoffMs",
            h.latency_ms AS "latencyMs", c.queued, c.found, c.pages, c.bytes
     FROM collection_hosts c JOIN hosts h ON h.id = c.host_id
     WHERE c.collection_id = ? ORDER BY c.queued DESC, c.pages DESC LIMIT ?`,
    [args.collectionId, args.limit],
  )
  return rows.map(({ fence, ...host }) => ({ ...host, isOut: fence !== 0 }))
}
