/** Removes captures of a collection from the index, with all that is derived from them. Their records stay in the WARC files. */
import type { Sql } from '@minga/store'
import { markForPurge } from './pending-purges.ts'
import { forgetTexts } from './search/forget-texts.ts'

export interface RemovedCaptures {
  /** Captures that are no longer in the index. */
  removed: number
  /** What the removed ones still take inside the files. */
  bytesInFiles: number
}

/** Another collection's revisit record says “the same bytes as there”: what is there must stay. */
const NEEDED = `kind = 'response' AND digest IN
  (SELECT digest FROM captures WHERE kind = 'revisit' AND collection_id <> ?)`

/** Those of one collection that no other one needs. */
export async function removeCaptures(sql: Sql, id: number): Promise<RemovedCaptures> {
  const sums = await sql.get<{ removed: number; bytes: number | null }>(
    `SELECT COUNT(*) AS removed, CAST(SUM(length_bytes) AS BIGINT) AS bytes FROM captures
     WHERE collection_id = ? AND NOT (${NEEDED})`,
    [id, id],
  )
  // Otherwise the next capture of these bytes would refer to one that no longer exists.
  await sql.run(
    `DELETE FROM payloads WHERE digest IN
       (SELECT digest FROM captures WHERE collection_id = ? AND NOT (${NEEDED}))
     AND digest NOT IN
       (SELECT digest FROM captures WHERE kind = 'revisit' AND collection_id <> ?)`,
    [id, id, id],
  )
  // A search must not return an address of which nothing is left.
  await sql.run(
    `DELETE FROM archived_urls WHERE url IN (SELECT url FROM captures WHERE collection_id = ?)
     AND NOT EXISTS (SELECT 1 FROM captures
       WHERE captures.host_id = archived_urls.host_id AND captures.hash = archived_urls.hash
         AND (collection_id <> ? OR (${NEEDED})))`,
    [id, id, id],
  )
  await markForPurge(sql, `collection_id = ? AND NOT (${NEEDED})`, [id, id])
  await forgetTexts(sql, `collection_id = ? AND NOT (${NEEDED})`, [id, id])
  await sql.run(
    `DELETE FROM superseded_records WHERE capture_id IN
       (SELECT id FROM captures WHERE collection_id = ? AND NOT (${NEEDED}))`,
    [id, id],
  )
  await sql.run(`DELETE FROM captures WHERE collection_id = ? AND NOT (${NEEDED})`, [id, id])
  return { removed: sums!.removed, bytesInFiles: sums!.bytes ?? 0 }
}
