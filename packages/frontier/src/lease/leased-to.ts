/** What is out with one run of an agent's program: nothing else may come back from it. */
import type { Sql } from '@minga/store'

export interface LeasedHost {
  fence: number
  hostId: number
  collectionId: number
  /** When the lease was opened: nothing under it was fetched sooner. */
  openedAt: number
  /** Hashes of the requests that are still open. */
  hashes: number[]
}

export async function leasedTo(sql: Sql, args: { boot: string }): Promise<LeasedHost[]> {
  const rows = await sql.all<Omit<LeasedHost, 'hashes'> & { items: string }>(
    `SELECT l.fence, l.opened_at AS "openedAt", h.host_id AS "hostId",
       h.collection_id AS "collectionId", h.items
     FROM leases l JOIN host_leases h ON h.fence = l.fence WHERE l.boot = ?`,
    [args.boot],
  )
  return rows.map(({ items, ...host }) => ({ ...host, hashes: JSON.parse(items) as number[] }))
}
