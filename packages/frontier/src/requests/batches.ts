/** Batches of requests: opened within a client's quota, filled, watched, cancelled. */
import type { Outcome } from '@minga/protocol'
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import { BatchKeyReused, BatchTooLarge, NoSuchBatch, QuotaExceeded } from '../errors.ts'
import { cancelQueuedUrl } from '../queue/queue-counts.ts'
import { forUpdate } from '../row-locks.ts'
import {
  NOTHING_FETCHED,
  endRequests,
  type EndedRequest,
  type OpenRequest,
} from './end-requests.ts'
import { statusOf, type BatchRow } from './results.ts'

export type BatchState = 'filling' | 'running' | 'ended' | 'cancelled'

export interface BatchStatus extends Record<Outcome, number> {
  id: string
  client: string
  state: BatchState
  priority: number
  total: number
  /** Requests of it that are in: less than `total` while it is filling. */
  received: number
  open: number
  fromCache: number
  bytes: number
  createdAt: number
  endedAt: number | null
}

export interface NewBatch {
  id: string
  client: string
  /** The same key and content again is the same batch, however often it is sent. */
  idempotencyKey: string | null
  /** Digest of the content, to tell a repetition from a mistake. */
  fingerprint: string
  total: number
  priority: number
  /** How old a capture may be to answer a request of this batch. */
  maxAgeMs: number
  webhook: string | null
  /** What the client agreed to pay; kept, and handed back with every end. */
  terms: string
  /** What holds for clients without a quota of their own; null means no limit. */
  quota?: QuotaLimits
  /** Requests of one batch at most; one that is being filled may be finished. */
  batchMax?: number
  now: number
}

/** Requests open at a time, and requests of a day; null means no limit. */
export interface QuotaLimits {
  openMax: number | null
  dayMax: number | null
}

const NO_LIMIT: QuotaLimits = { openMax: null, dayMax: null }

export async function openBatch(
  sql: Sql,
  args: NewBatch,
): Promise<{ id: string; received: number; isNew: boolean }> {
  const usage = await lockUsage(sql, args)
  const known = await sql.get<{ id: string; fingerprint: string; received: number }>(
    'SELECT id, fingerprint, received FROM batches WHERE client = ? AND idempotency_key = ?',
    [args.client, args.idempotencyKey],
  )
  if (known) {
    if (known.fingerprint !== args.fingerprint) throw new BatchKeyReused(args.idempotencyKey!)
    return { id: known.id, received: known.received, isNew: false }
  }
  if (args.total > (args.batchMax ?? Infinity)) throw new BatchTooLarge(args.total, args.batchMax!)
  checkQuota(usage, args.total, limitsOf(usage, args.quota))
  await sql.run('UPDATE clients SET open = ?, day = ?, used = ? WHERE client = ?', [
    usage.open + args.total,
    usage.day,
    usage.used + args.total,
    args.client,
  ])
  await sql.insertMany({
    table: 'batches',
    columns: BATCH_COLUMNS,
    rows: [
      [
        args.id,
        args.client,
        args.idempotencyKey,
        args.fingerprint,
        'filling',
        args.priority,
        args.maxAgeMs,
        args.webhook,
        args.terms,
        args.total,
        args.total,
        args.now,
      ],
    ],
  })
  return { id: args.id, received: 0, isNew: true }
}

/** `open` counts from the beginning: what has not arrived has not ended either. */
const BATCH_COLUMNS = [
  'id',
  'client',
  'idempotency_key',
  'fingerprint',
  'state',
  'priority',
  'max_age_ms',
  'webhook',
  'terms',
  'total',
  'open',
  'created_at',
]

interface Usage {
  open: number
  open_max: number | null
  day: number
  used: number
  day_max: number | null
  /** 0: the station's holds. */
  has_quota: number
}

const DAY_MS = 86_400_000

/** The client's row, locked: two batches that come together must not both see the same room. */
async function lockUsage(sql: Sql, args: { client: string; now: number }): Promise<Usage> {
  await sql.insertMany({
    table: 'clients',
    columns: ['client'],
    rows: [[args.client]],
    onConflict: 'ignore',
  })
  const row = await sql.get<Usage>(
    `SELECT open, open_max, day, used, day_max, has_quota FROM clients WHERE client = ?${forUpdate(sql)}`,
    [args.client],
  )
  const day = Math.floor(args.now / DAY_MS)
  return row!.day === day ? row! : { ...row!, day, used: 0 }
}

/** Their own, if they have one; else the station's. */
function limitsOf(usage: Usage, stations: QuotaLimits = NO_LIMIT): QuotaLimits {
  const { open_max: openMax, day_max: dayMax, has_quota: hasQuota } = usage
  return hasQuota === 1 ? { openMax, dayMax } : stations
}

function checkQuota({ open, used }: Usage, wanted: number, limits: QuotaLimits): void {
  const { openMax, dayMax } = limits
  if (openMax !== null && open + wanted > openMax)
    throw QuotaExceeded.open({ open, wanted, openMax })
  if (dayMax !== null && used + wanted > dayMax) throw QuotaExceeded.today({ used, wanted, dayMax })
}

/** A quota of the client's own: the station's holds for it no longer. */
/** To be asked after a batch was opened, in the same transaction: its requests count already. */
export async function requireWithinDay(
  sql: Sql,
  args: { client: string; total: number; dayMax: number; now: number },
): Promise<void> {
  const { used } = await lockUsage(sql, args)
  const { total: wanted, dayMax } = args
  if (used > dayMax) throw QuotaExceeded.today({ used: used - wanted, wanted, dayMax })
}

export async function setQuota(
  sql: Sql,
  args: QuotaLimits & { client: string; now: number },
): Promise<void> {
  await lockUsage(sql, args)
  await sql.run('UPDATE clients SET open_max = ?, day_max = ?, has_quota = 1 WHERE client = ?', [
    args.openMax,
    args.dayMax,
    args.client,
  ])
}

export interface Quota extends QuotaLimits {
  open: number
  usedToday: number
}

export async function quotaOf(
  sql: Sql,
  args: { client: string; quota?: QuotaLimits; now: number },
): Promise<Quota> {
  const row = await sql.get<Usage>(
    'SELECT open, open_max, day, used, day_max, has_quota FROM clients WHERE client = ?',
    [args.client],
  )
  const isToday = row?.day === Math.floor(args.now / DAY_MS)
  return {
    ...(row ? limitsOf(row, args.quota) : (args.quota ?? NO_LIMIT)),
    open: row?.open ?? 0,
    usedToday: isToday ? row.used : 0,
  }
}

/** After the last request is in. What ended in the meantime may have been the whole batch. */
export async function sealBatch(sql: Sql, args: { id: string; now: number }): Promise<void> {
  const batch = await sql.get<{ state: BatchState; open: number }>(
    `SELECT state, open FROM batches WHERE id = ?${forUpdate(sql)}`,
    [args.id],
  )
  if (batch?.state !== 'filling') return
  const isOver = batch.open === 0
  await sql.run('UPDATE batches SET state = ?, ended_at = ? WHERE id = ?', [
    isOver ? 'ended' : 'running',
    isOver ? args.now : null,
    args.id,
  ])
}

/** How many requests one transaction ends: others wait in the meantime. */
const CANCEL_STEP = 2_000

/**
 * Ends open requests as cancelled; to be called again until none is left. A URL that no other
 * request waits for leaves the queue; one that is leased already is fetched, and its result
 * dropped.
 */
export async function cancelBatch(
  sql: Sql,
  args: { id: string; now: number },
): Promise<{ ended: EndedRequest[]; left: number }> {
  await lockRequests(sql)
  const batch = await sql.get<{ state: BatchState; total: number; received: number }>(
    `SELECT state, total, received FROM batches WHERE id = ?${forUpdate(sql)}`,
    [args.id],
  )
  if (!batch) throw new NoSuchBatch(args.id)
  if (batch.state === 'ended') return { ended: [], left: 0 }
  if (batch.state !== 'cancelled') await stopFilling(sql, { ...args, ...batch })
  const open = await openRequests(sql, { id: args.id, limit: CANCEL_STEP })
  const end = { ...NOTHING_FETCHED, outcome: 'cancelled' as const, code: 'MINGA_CANCELLED' }
  const ended = await endRequests(sql, {
    ends: open.map(({ batchId, seq }) => ({ batchId, seq, end, fromCache: false })),
    now: args.now,
  })
  await leaveQueue(sql, open)
  const left = await sql.get<{ open: number }>('SELECT open FROM batches WHERE id = ?', [args.id])
  return { ended, left: left!.open }
}

/** Results answer requests under the lock of their collection: who ends requests otherwise takes it
 * too, or one that an upload has just read as open would end twice. */
export async function lockRequests(sql: Sql): Promise<void> {
  await sql.get(`SELECT 1 FROM collections WHERE identity = 'requests'${forUpdate(sql)}`)
}

export function openRequests(
  sql: Sql,
  args: { id: string; limit: number },
): Promise<OpenRequest[]> {
  return sql.all<OpenRequest>(
    `SELECT batch_id AS "batchId", seq, url, asked, chain, host_id AS "hostId", hash
     FROM requests WHERE batch_id = ? AND outcome IS NULL ORDER BY seq LIMIT ?`,
    [args.id, args.limit],
  )
}

/** What never arrived cannot end: it is taken out of the counts. */
async function stopFilling(
  sql: Sql,
  batch: { id: string; total: number; received: number; now: number },
): Promise<void> {
  const missing = batch.total - batch.received
  await sql.run(
    `UPDATE batches SET state = 'cancelled', ended_at = ?, total = received, open = open - ?
     WHERE id = ?`,
    [batch.now, missing, batch.id],
  )
  await sql.run(
    'UPDATE clients SET open = open - ? WHERE client = (SELECT client FROM batches WHERE id = ?)',
    [missing, batch.id],
  )
}

/** URLs that no request waits for any more are not fetched. */
export async function leaveQueue(sql: Sql, ended: readonly OpenRequest[]): Promise<void> {
  const shared = await sql.get<{ id: number }>(
    `SELECT id FROM collections WHERE identity = 'requests'`,
  )
  if (!shared) return
  const collectionId = shared.id
  for (const { hostId, hash } of ended) {
    const other = await sql.get(
      'SELECT 1 FROM requests WHERE hash = ? AND host_id = ? AND outcome IS NULL LIMIT 1',
      [hash, hostId],
    )
    if (other) continue
    await cancelQueuedUrl(sql, { collectionId, hostId, hash })
  }
}

/** Batches whose submission stopped in the middle and was not resumed. */
export async function abandonedBatches(sql: Sql, args: { before: number }): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `SELECT id FROM batches WHERE state = 'filling' AND closed_at IS NULL AND created_at < ?`,
    [args.before],
  )
  return rows.map(({ id }) => id)
}

export interface EndedBatch {
  id: string
  client: string
  webhook: string | null
}

/** Batches that have ended but whose books are open: the unused budget, the client's webhook. */
export async function unclosedBatches(sql: Sql, args: { limit: number }): Promise<EndedBatch[]> {
  return sql.all<EndedBatch>(
    `SELECT id, client, webhook FROM batches
     WHERE closed_at IS NULL AND state IN ('ended', 'cancelled') AND open = 0
     ORDER BY ended_at LIMIT ?`,
    [args.limit],
  )
}

export async function closeBatch(sql: Sql, args: { id: string; now: number }): Promise<void> {
  await sql.run('UPDATE batches SET closed_at = ? WHERE id = ? AND closed_at IS NULL', [
    args.now,
    args.id,
  ])
}

const ORDERS = {
  createdAt: 'created_at',
  id: 'id',
  state: 'state',
  total: 'total',
  captured: 'captured',
  failed: 'failed',
  denied: 'denied',
  bytes: 'bytes',
} as const
export const BATCH_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindBatchesArgs extends PageArgs {
  /** Null for everyone's. */
  readonly client: string | null
  readonly state?: BatchState | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: keyof typeof ORDERS
}

/** Batches by state, time and id, in an order that the reader chose, page by page. */
export async function findBatches(
  sql: Sql,
  args: FindBatchesArgs,
): Promise<FoundPage<BatchStatus>> {
  const listing = {
    columns: '*',
    from: 'FROM batches',
    id: 'id',
    order: ORDERS[args.order],
    texts: ['id'],
    conditions: conditionsOf([
      ['client = ?', args.client],
      ['state = ?', args.state],
      ['created_at >= ?', args.from],
      ['created_at < ?', args.to],
    ]),
  }
  const page = await readSortedPage<BatchRow>(sql, listing, args)
  return { ...page, rows: page.rows.map(statusOf) }
}
