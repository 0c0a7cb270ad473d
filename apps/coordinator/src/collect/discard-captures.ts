/** Cancels a collection and lets go of what it captured. */
import { changeState } from '@minga/frontier'
import type { Sql } from '@minga/store'
import { lowerFeedMarks } from '../archive/pending-purges.ts'
import { removeCaptures } from '../archive/remove-captures.ts'

export interface Discarded {
  /** Captures that are no longer in the index. */
  removed: number
  /** What they still take inside the WARC files, which are append-only. */
  bytesInFiles: number
}

/**
 * An answer that is on its way in the meantime comes to nothing: its URL has ended as cancelled.
 */
export async function discardCollection(
  sql: Sql,
  args: { id: number; owner: string | null; now: number },
): Promise<Discarded> {
  await changeState(sql, { ...args, state: 'cancelled', reason: 'discarded' })
  const gone = await removeCaptures(sql, args.id)
  await sql.run('DELETE FROM collection_facets WHERE collection_id = ?', [args.id])
  await lowerFeedMarks(sql)
  return gone
}
