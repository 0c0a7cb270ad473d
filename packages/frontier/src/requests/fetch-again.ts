/** Captures that turned out to be worth nothing: their URLs are fetched again, by somebody else. */
import type { Sql } from '@minga/store'
import { lockRows } from '../row-locks.ts'

export interface FetchedPlace {
  collectionId: number
  hostId: number
  hash: number
}

/** Only where somebody still cares: a running collection, or a client who waits. */
export async function fetchAgain(sql: Sql, places: readonly FetchedPlace[]): Promise<void> {
  const ids = [...new Set(places.map(({ collectionId }) => collectionId))]
  await lockRows(sql, { table: 'collections', key: 'id', values: ids })
  for (const { collectionId, hostId, hash } of places) {
    const row = await sql.get(
      `UPDATE urls SET outcome = NULL, status = NULL, code = NULL, attempts = 0, not_before = 0
       WHERE collection_id = ? AND host_id = ? AND hash = ? AND outcome = 'captured'
         AND EXISTS (SELECT 1 FROM collections c WHERE c.id = urls.collection_id
           AND c.state = 'running' AND (c.identity <> 'requests' OR EXISTS (
             SELECT 1 FROM requests r WHERE r.outcome IS NULL
               AND r.hash = urls.hash AND r.host_id = urls.host_id)))
       RETURNING hash`,
      [collectionId, hostId, hash],
    )
    if (row) await countAgain(sql, { collectionId, hostId, hash })
  }
}

/** It is found once more, as a client's repeated request is; what was counted stays counted. */
async function countAgain(sql: Sql, { collectionId, hostId }: FetchedPlace): Promise<void> {
  await sql.run(
    `UPDATE collection_hosts SET queued = queued + 1, found = found + 1
     WHERE collection_id = ? AND host_id = ?`,
    [collectionId, hostId],
  )
  await sql.run('UPDATE collections SET queued = queued + 1, found = found + 1 WHERE id = ?', [
    collectionId,
  ])
}
