/** Hosts whose turn has come, by whose turn it is: one range of one index each. */
import type { Sql } from '@minga/store'
import type { HostRow } from '../lease/take-hosts.ts'

export interface DueQuery {
  collectionId: number
  /** Null: turns that are not assigned yet. */
  device: string | null
  now: number
  atMost: number
}

/**
 * Oldest first. A host has one lease at a time (`fence`), whatever the number of agents: that is
 * the fleet-wide cap of requests in flight per host. Rows that another coordinator holds at this
 * moment are skipped.
 */
export function dueHosts(sql: Sql, query: DueQuery): Promise<HostRow[]> {
  const { collectionId, device, now, atMost } = query
  // Ordered by device too: PostgreSQL does not see that all NULLs are one group of the index.
  return sql.all<HostRow>(
    `SELECT c.host_id, h.name, h.next_allowed_at, h.address, h.address_until, h.crawl_delay_ms,
            h.slow_ms, h.closed_code, h.station, h.held, h.backoff_ms, h.latency_ms, h.bears, h.good_answers, h.country, c.pages, c.bytes, c.queued,
            c.found, c.started_at, c.device, c.promised, c.last_ms, c.pace_ms, c.first_byte_ms
     FROM collection_hosts c JOIN hosts h ON h.id = c.host_id
     WHERE c.collection_id = ? AND c.queued > 0 AND c.device ${device === null ? 'IS NULL' : '= ?'}
       AND c.turn_at <= ? AND h.fence = 0
     ORDER BY c.device, c.turn_at LIMIT ?${sql.forUpdateSkipLocked}`,
    device === null ? [collectionId, now, atMost] : [collectionId, device, now, atMost],
  )
}

/** When the next turn comes that is assigned to the device or to none. */
export async function nextTurnAt(
  sql: Sql,
  args: { collectionId: number; device: string },
): Promise<number | null> {
  const turns: number[] = []
  for (const device of [null, args.device]) {
    const next = await sql.get<{ turn_at: number }>(
      `SELECT turn_at FROM collection_hosts WHERE collection_id = ? AND queued > 0
         AND device ${device === null ? 'IS NULL' : '= ?'} ORDER BY device, turn_at LIMIT 1`,
      device === null ? [args.collectionId] : [args.collectionId, device],
    )
    if (next) turns.push(next.turn_at)
  }
  return turns.length === 0 ? null : Math.min(...turns)
}
