/**
 * How a watch enters the queue. Its due URLs are queued in its own collection, which runs until
 * they have ended and then pauses; a harvest of a whole site is a crawl that starts from the
 * beginning.
 */
import type { CollectionSpec } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { parseSpec } from '../collections/collections.ts'
import { discover, type Candidate } from './discover.ts'
import { queueDocuments, type UrlKey, type WantedDocument } from '../requests/queue-documents.ts'

/** Answers where each of them stands, in order. A paused watch stays paused. */
export async function queueVisits(
  sql: Sql,
  args: { collectionId: number; documents: readonly WantedDocument[] },
): Promise<UrlKey[]> {
  const keys = await queueDocuments(sql, args)
  await wake(sql, args.collectionId)
  return keys
}

/**
 * Everything is unseen again, and counted from nothing: limits are those of one harvest. Only for a
 * watch of which nothing is queued or out; answers false when something is.
 */
export async function startHarvest(
  sql: Sql,
  args: { collectionId: number; seedsOf: (spec: CollectionSpec) => Candidate[] },
): Promise<boolean> {
  const { collectionId } = args
  const idle = await sql.get<{ spec: string }>(
    `UPDATE collections SET found = 0, pages = 0, captures = 0, bytes = 0, failed = 0, denied = 0,
       cancelled = 0, duplicates = 0, filtered = 0, links_dropped = 0, active_ms = 0,
       most_found = 0
     WHERE id = ? AND queued = 0 AND leased = 0 AND state <> 'paused' RETURNING spec`,
    [collectionId],
  )
  if (!idle) return false
  for (const table of ['urls', 'collection_hosts', 'trap_places', 'collection_errors']) {
    await sql.run(`DELETE FROM ${table} WHERE collection_id = ?`, [collectionId])
  }
  const seeds = args.seedsOf(parseSpec(idle.spec))
  await discover(sql, { collectionId, candidates: seeds, trapBudget: false })
  await wake(sql, collectionId)
  return true
}

async function wake(sql: Sql, collectionId: number): Promise<void> {
  await sql.run(
    `UPDATE collections SET state = 'running', reason = NULL, ended_at = NULL
     WHERE id = ? AND state = 'finished'`,
    [collectionId],
  )
}
