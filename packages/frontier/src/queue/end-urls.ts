/** Ends queued URLs of one host without a fetch, and keeps every count true. */
import type { Outcome } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { addError, countErrors, type ErrorCounts } from './counters.ts'
import { endWaiting, NOTHING_FETCHED, type DocumentEnd } from '../requests/end-requests.ts'

export interface UrlEnd {
  hash: number
  outcome: Extract<Outcome, 'denied' | 'failed'>
  code: string
  /** As an example of its kind, where it is known. */
  url?: string
}

export async function endUrls(
  sql: Sql,
  args: { collectionId: number; hostId: number; ends: readonly UrlEnd[]; now: number },
): Promise<void> {
  const { collectionId, hostId, ends } = args
  if (ends.length === 0) return
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: ['outcome', 'code'],
    rows: ends.map((end) => [collectionId, hostId, end.hash, end.outcome, end.code]),
  })
  const errors: ErrorCounts = new Map()
  let denied = 0
  for (const end of ends) {
    addError(errors, end.code, end.url === undefined ? null : { url: end.url, at: args.now })
    if (end.outcome === 'denied') denied++
  }
  await sql.run(
    'UPDATE collection_hosts SET queued = queued - ? WHERE collection_id = ? AND host_id = ?',
    [ends.length, collectionId, hostId],
  )
  await sql.run(
    'UPDATE collections SET queued = queued - ?, denied = denied + ?, failed = failed + ? WHERE id = ?',
    [ends.length, denied, ends.length - denied, collectionId],
  )
  await countErrors(sql, collectionId, errors)
  await endWaiting(sql, { ends: await documentEnds(sql, args), now: args.now })
}

/** Clients wait for URLs of the requests collection only. */
async function documentEnds(
  sql: Sql,
  args: { collectionId: number; hostId: number; ends: readonly UrlEnd[] },
): Promise<DocumentEnd[]> {
  const isRequests = await sql.get(
    `SELECT 1 FROM collections WHERE id = ? AND identity = 'requests'`,
    [args.collectionId],
  )
  if (!isRequests) return []
  return args.ends.map(({ hash, outcome, code }) => ({
    ...NOTHING_FETCHED,
    hostId: args.hostId,
    hash,
    outcome,
    code,
  }))
}

/** Ends everything queued for a host that can never be reached (no such name, refused address). */
export async function endHost(
  sql: Sql,
  args: { hostId: number; outcome: UrlEnd['outcome']; code: string; now: number },
): Promise<void> {
  const rows = await sql.all<{ collection_id: number; hash: number; url: string }>(
    `SELECT u.collection_id, u.hash, u.url FROM collection_hosts c
     JOIN urls u ON u.collection_id = c.collection_id AND u.host_id = c.host_id
     WHERE c.host_id = ? AND c.queued > 0 AND u.outcome IS NULL`,
    [args.hostId],
  )
  const byCollection = new Map<number, UrlEnd[]>()
  for (const row of rows) {
    const ends = byCollection.get(row.collection_id) ?? []
    byCollection.set(row.collection_id, ends)
    ends.push({ hash: row.hash, outcome: args.outcome, code: args.code, url: row.url })
  }
  for (const [collectionId, ends] of byCollection) {
    await endUrls(sql, { collectionId, hostId: args.hostId, ends, now: args.now })
  }
}
