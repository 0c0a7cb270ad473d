/** The counts of queued URLs, stored next to the rows so that readers need not count them. */
import type { Sql } from '@minga/store'

export interface HostCounts {
  queued: number
  found: number
}

/** URLs were added to the queues of hosts, or found and refused. */
export async function countFound(
  sql: Sql,
  collectionId: number,
  byHost: ReadonlyMap<number, HostCounts>,
): Promise<void> {
  let queued = 0
  let found = 0
  for (const [hostId, host] of byHost) {
    queued += host.queued
    found += host.found
    await sql.run(
      `INSERT INTO collection_hosts (collection_id, host_id, queued, found) VALUES (?, ?, ?, ?)
       ON CONFLICT (collection_id, host_id) DO UPDATE SET
         queued = collection_hosts.queued + excluded.queued,
         found = collection_hosts.found + excluded.found`,
      [collectionId, hostId, host.queued, host.found],
    )
  }
  await sql.run(
    'UPDATE collections SET queued = queued + ?, found = found + ?, denied = denied + ? WHERE id = ?',
    [queued, found, found - queued, collectionId],
  )
}

export interface QueuedPlace {
  collectionId: number
  hostId: number
  hash: number
}

/** Ends one URL as cancelled, if it is queued. What is out already comes back to nothing. */
export async function cancelQueuedUrl(sql: Sql, place: QueuedPlace): Promise<void> {
  const { collectionId, hostId, hash } = place
  const ended = await sql.run(
    `UPDATE urls SET outcome = 'cancelled'
     WHERE collection_id = ? AND host_id = ? AND hash = ? AND outcome IS NULL`,
    [collectionId, hostId, hash],
  )
  if (ended === 0) return
  await sql.run(
    'UPDATE collection_hosts SET queued = queued - 1 WHERE collection_id = ? AND host_id = ?',
    [collectionId, hostId],
  )
  await sql.run(
    'UPDATE collections SET queued = queued - 1, cancelled = cancelled + 1 WHERE id = ?',
    [collectionId],
  )
}
