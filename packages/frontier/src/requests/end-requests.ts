/** Requests end when the URL they wait for ends, in the same transaction: exactly once. */
import type { Outcome } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { forUpdate } from '../row-locks.ts'
import type { UrlKey } from './queue-documents.ts'
import { leaveQueue, lockRequests, openRequests } from './batches.ts'

/** What became of a URL, for everyone who waits for it. */
export interface FetchOutcome {
  outcome: Outcome
  status: number | null
  code: string | null
  bytes: number | null
  digest: string | null
  capturedAt: number | null
  device: string | null
  isVerified: boolean
}

/** What became of a URL, for everybody who waits for it. */
export interface DocumentEnd extends UrlKey, FetchOutcome {}

/** How most of an end looks when there is no capture. */
export const NOTHING_FETCHED = {
  status: null,
  bytes: null,
  digest: null,
  capturedAt: null,
  device: null,
  isVerified: false,
}

export interface OpenRequest extends UrlKey {
  batchId: string
  seq: number
  url: string
  asked: string | null
  chain: string | null
}

export interface EndedRequest extends Pick<
  FetchOutcome,
  'outcome' | 'status' | 'device' | 'isVerified'
> {
  batchId: string
  seq: number
  client: string
  /** As the batch was opened with. */
  terms: string
  fromCache: boolean
  /** Answered with a site's earlier refusal, though the client wanted it asked again. */
  isRemembered: boolean
  /** Another request waited for the same fetch before. */
  isShared: boolean
}

/** A row to be ended: which request, with what, and whether without a fetch. */
export interface RequestEnd {
  batchId: string
  seq: number
  end: FetchOutcome
  fromCache: boolean
  isRemembered?: boolean
  isShared?: boolean
}

/** Keeps the number of different statements small: they are prepared once each. */
const LOOK_UP_STEP = 50

/** Everyone who waits for one of these places. */
export async function waitingFor(sql: Sql, keys: readonly UrlKey[]): Promise<OpenRequest[]> {
  const wanted = new Set(keys.map(({ hostId, hash }) => `${hostId} ${hash}`))
  const found: OpenRequest[] = []
  for (let at = 0; at < keys.length; at += LOOK_UP_STEP) {
    const step = keys.slice(at, at + LOOK_UP_STEP).map(({ hash }) => hash)
    const padded = [...step, ...Array<number>(LOOK_UP_STEP - step.length).fill(step.at(-1)!)]
    const rows = await sql.all<OpenRequest>(
      `SELECT batch_id AS "batchId", seq, url, asked, chain, host_id AS "hostId", hash
       FROM requests WHERE outcome IS NULL AND hash IN (${padded.map(() => '?').join(', ')})`,
      padded,
    )
    found.push(...rows.filter(({ hostId, hash }) => wanted.has(`${hostId} ${hash}`)))
  }
  return found
}

export async function endWaiting(
  sql: Sql,
  args: { ends: readonly DocumentEnd[]; now: number },
): Promise<EndedRequest[]> {
  if (args.ends.length === 0) return []
  const endOf = new Map(args.ends.map((end) => [`${end.hostId} ${end.hash}`, end]))
  const served = new Set<string>()
  const ends = (await waitingFor(sql, args.ends)).map(({ batchId, seq, hostId, hash }) => {
    const key = `${hostId} ${hash}`
    const isShared = served.has(key)
    served.add(key)
    return { batchId, seq, end: endOf.get(key)!, fromCache: false, isShared }
  })
  return endRequests(sql, { ends, now: args.now })
}

export async function endRequests(
  sql: Sql,
  args: { ends: readonly RequestEnd[]; now: number },
): Promise<EndedRequest[]> {
  const ended: EndedRequest[] = []
  const byBatch = Map.groupBy(args.ends, ({ batchId }) => batchId)
  // In one order for everyone, so that two operations never wait for each other's batches.
  for (const batchId of [...byBatch.keys()].toSorted()) {
    const ends = byBatch.get(batchId)!
    const batch = await countEnds(sql, { batchId, ends, now: args.now })
    await writeEnds(sql, { ends, firstNo: batch.ended_no - ends.length + 1, now: args.now })
    for (const { seq, end, fromCache, isRemembered = false, isShared = false } of ends) {
      const { client, terms } = batch
      const { outcome, status, device, isVerified } = end
      const facts = { outcome, status, device, isVerified, fromCache, isRemembered, isShared }
      ended.push({ batchId, seq, client, terms, ...facts })
    }
  }
  await countClients(sql, ended)
  return ended
}

async function countEnds(
  sql: Sql,
  args: { batchId: string; ends: readonly RequestEnd[]; now: number },
): Promise<{ client: string; terms: string; ended_no: number }> {
  const counts: Record<Outcome, number> = { captured: 0, failed: 0, denied: 0, cancelled: 0 }
  let bytes = 0
  let fromCache = 0
  for (const one of args.ends) {
    counts[one.end.outcome]++
    bytes += one.end.bytes ?? 0
    if (one.fromCache) fromCache++
  }
  const { captured, failed, denied, cancelled } = counts
  const count = args.ends.length
  const batch = await sql.get<{
    client: string
    terms: string
    ended_no: number
    open: number
    state: string
  }>(
    `UPDATE batches SET open = open - ?, ended_no = ended_no + ?, captured = captured + ?,
       failed = failed + ?, denied = denied + ?, cancelled = cancelled + ?, bytes = bytes + ?,
       from_cache = from_cache + ?
     WHERE id = ? RETURNING client, terms, ended_no, open, state`,
    [count, count, captured, failed, denied, cancelled, bytes, fromCache, args.batchId],
  )
  if (batch!.open === 0 && batch!.state === 'running') {
    await sql.run(`UPDATE batches SET state = 'ended', ended_at = ? WHERE id = ?`, [
      args.now,
      args.batchId,
    ])
  }
  return batch!
}

async function writeEnds(
  sql: Sql,
  args: { ends: readonly RequestEnd[]; firstNo: number; now: number },
): Promise<void> {
  await sql.updateMany({
    table: 'requests',
    keys: ['batch_id', 'seq'],
    set: [
      'outcome',
      'status',
      'code',
      'bytes',
      'digest',
      'captured_at',
      'device',
      'verified',
      'from_cache',
      'ended_no',
      'ended_at',
    ],
    rows: args.ends.map(({ batchId, seq, end, fromCache }, i) => [
      batchId,
      seq,
      end.outcome,
      end.status,
      end.code,
      end.bytes,
      end.digest,
      end.capturedAt,
      end.device,
      end.isVerified ? 1 : 0,
      fromCache ? 1 : 0,
      args.firstNo + i,
      args.now,
    ]),
  })
}

async function countClients(sql: Sql, ended: readonly EndedRequest[]): Promise<void> {
  const byClient = Map.groupBy(ended, ({ client }) => client)
  for (const client of [...byClient.keys()].toSorted()) {
    await sql.run('UPDATE clients SET open = open - ? WHERE client = ?', [
      byClient.get(client)!.length,
      client,
    ])
  }
}

/** How many requests one transaction ends: others wait in the meantime. */
const STEP = 2_000

/**
 * The longest that a client's request waits. A request without an answer by then ends as failed,
 * and its price is refunded with the rest of its batch: a busy host or a missing fleet never keeps
 * a client waiting for ever.
 * Ends requests of batches opened before a moment; answers how many, 0 when none is left.
 */
export async function endOverdue(sql: Sql, args: { before: number; now: number }): Promise<number> {
  const batch = await sql.get<{ id: string }>(
    `SELECT id FROM batches WHERE state = 'running' AND closed_at IS NULL AND created_at < ?
     ORDER BY created_at LIMIT 1`,
    [args.before],
  )
  if (!batch) return 0
  await lockRequests(sql)
  // Its last request may have ended while we waited for the lock.
  await sql.get(`SELECT 1 FROM batches WHERE id = ?${forUpdate(sql)}`, [batch.id])
  const overdue = await openRequests(sql, { id: batch.id, limit: STEP })
  const end = { ...NOTHING_FETCHED, outcome: 'failed' as const, code: 'MINGA_REQUEST_OVERDUE' }
  await endRequests(sql, {
    ends: overdue.map(({ batchId, seq }) => ({ batchId, seq, end, fromCache: false })),
    now: args.now,
  })
  await leaveQueue(sql, overdue)
  return overdue.length
}
