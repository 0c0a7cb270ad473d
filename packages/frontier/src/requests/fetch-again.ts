/** Captures and failures that turned out to be worth nothing: their URLs are fetched again. */
import type { Sql } from '@minga/store'
import { countFound, type QueuedPlace } from '../queue/queue-counts.ts'
import { lockRows } from '../row-locks.ts'

/** Only where the page is still wanted: by a running collection, or a client who waits. */
export async function fetchAgain(sql: Sql, places: readonly QueuedPlace[]): Promise<void> {
  const ids = [...new Set(places.map(({ collectionId }) => collectionId))]
  await lockRows(sql, { table: 'collections', key: 'id', values: ids })
  for (const { collectionId, hostId, hash } of places) {
    const row = await sql.get(
      `UPDATE urls SET outcome = NULL, status = NULL, code = NULL, attempts = 0, not_before = 0
       WHERE collection_id = ? AND host_id = ? AND hash = ? AND outcome IN ('captured', 'failed')
         AND EXISTS (SELECT 1 FROM collections c WHERE c.id = urls.collection_id
           AND c.state = 'running' AND (c.identity <> 'requests' OR EXISTS (
             SELECT 1 FROM requests r WHERE r.outcome IS NULL
               AND r.hash = urls.hash AND r.host_id = urls.host_id)))
       RETURNING hash`,
      [collectionId, hostId, hash],
    )
    // It is found once more, as a client's repeated request is; what was counted stays counted.
    if (row) await countFound(sql, collectionId, new Map([[hostId, { queued: 1, found: 1 }]]))
  }
}
