/** What batches look like from outside: their state, and results in the order they came. */
import type { Outcome } from '@minga/protocol'
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import { NoSuchBatch } from '../errors.ts'
import type { BatchState, BatchStatus } from './batches.ts'
import type { FetchOutcome } from './end-requests.ts'

export interface RequestResult extends FetchOutcome {
  seq: number
  url: string
  /** Where redirects led, when they did. */
  finalUrl: string | null
  chain: string[]
  fromCache: boolean
  /** Position among the batch's results: where to go on reading. */
  no: number
}

export interface ResultRow {
  seq: number
  url: string
  asked: string | null
  chain: string | null
  outcome: Outcome
  status: number | null
  code: string | null
  bytes: number | null
  digest: string | null
  captured_at: number | null
  device: string | null
  verified: number
  from_cache: number
  ended_no: number
}

const RESULT_COLUMNS = `seq, url, asked, chain, outcome, status, code, bytes, digest,
  captured_at, device, verified, from_cache, ended_no`

export async function listResults(
  sql: Sql,
  args: { batchId: string; after: number; limit: number },
): Promise<RequestResult[]> {
  const rows = await sql.all<ResultRow>(
    `SELECT ${RESULT_COLUMNS} FROM requests WHERE batch_id = ? AND outcome IS NOT NULL AND ended_no > ?
     ORDER BY ended_no LIMIT ?`,
    [args.batchId, args.after, args.limit],
  )
  return rows.map(resultOf)
}

function resultOf(row: ResultRow): RequestResult {
  const { seq, outcome, status, code, bytes, digest, device } = row
  return {
    seq,
    url: row.asked ?? row.url,
    finalUrl: row.chain === null ? null : row.url,
    chain: row.chain === null ? [] : (JSON.parse(row.chain) as string[]),
    outcome,
    status,
    code,
    bytes,
    digest,
    capturedAt: row.captured_at,
    device,
    isVerified: row.verified === 1,
    fromCache: row.from_cache === 1,
    no: row.ended_no,
  }
}

export interface BatchRow extends Record<Outcome, number> {
  id: string
  client: string
  state: BatchState
  priority: number
  total: number
  received: number
  open: number
  from_cache: number
  bytes: number
  created_at: number
  ended_at: number | null
}

async function isSharedWith(sql: Sql, batch: string, account: string): Promise<boolean> {
  const shared = await sql.get(
    `SELECT 1 FROM readers WHERE kind = 'batch' AND subject = ? AND account = ?`,
    [batch, account],
  )
  return shared !== undefined
}

/**
 * The state of one batch that this client may read: their own, or, unless it must be, one that is shared with them.
 * Another does not exist for them.
 */
export async function batchStatus(
  sql: Sql,
  args: { id: string; client: string | null; isOwn?: boolean },
): Promise<BatchStatus> {
  const { id, client, isOwn = false } = args
  const row = await sql.get<BatchRow>('SELECT * FROM batches WHERE id = ?', [id])
  if (!row) throw new NoSuchBatch(id)
  const isTheirs = client === null || row.client === client
  if (!isTheirs && (isOwn || !(await isSharedWith(sql, id, client)))) throw new NoSuchBatch(id)
  return statusOf(row)
}

/** Which of these batches have ended, for those who wait for them. */
export async function endedBatches(sql: Sql, args: { ids: readonly string[] }): Promise<string[]> {
  const rows = await sql.selectMany<{ id: string; state: BatchState }>({
    table: 'batches',
    keys: ['id'],
    rows: args.ids.map((id) => [id]),
    columns: ['id', 'state'],
  })
  const isOver = (state: BatchState | undefined): boolean =>
    state === 'ended' || state === 'cancelled' || state === undefined
  return args.ids.filter((_, i) => isOver(rows[i]?.state))
}

export function statusOf(row: BatchRow): BatchStatus {
  const { id, client, state, priority, total, received, open } = row
  const { captured, failed, denied, cancelled, bytes } = row
  return {
    id,
    client,
    state,
    priority,
    total,
    received,
    open,
    captured,
    failed,
    denied,
    cancelled,
    fromCache: row.from_cache,
    bytes,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  }
}

/** What a complaint is about: the capture that answered a request, and who fetched it. */
export interface AnsweredRequest {
  url: string
  hostId: number
  hash: number
  device: string | null
  capturedAt: number
  endedAt: number
}

/** Null when the request has not ended, or not with a capture. */
export async function answeredRequest(
  sql: Sql,
  args: { batchId: string; seq: number },
): Promise<AnsweredRequest | null> {
  const row = await sql.get<AnsweredRequest>(
    `SELECT url, host_id AS "hostId", hash, device, captured_at AS "capturedAt",
       ended_at AS "endedAt"
     FROM requests WHERE batch_id = ? AND seq = ? AND outcome = 'captured'`,
    [args.batchId, args.seq],
  )
  return row ?? null
}

/** What was asked for, before redirects. */
const ASKED = 'COALESCE(asked, url)'

const ORDERS = {
  no: 'ended_no',
  url: ASKED,
  outcome: 'outcome',
  status: 'COALESCE(status, 0)',
  bytes: 'COALESCE(bytes, -1)',
} as const
export const RESULT_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindResultsArgs extends PageArgs {
  readonly batchId: string
  readonly outcome?: Outcome | undefined
  readonly isVerified?: boolean | undefined
  readonly order: keyof typeof ORDERS
}

/** Results of a batch by outcome and address, in an order that the reader chose, page by page. */
export async function findResults(
  sql: Sql,
  args: FindResultsArgs,
): Promise<FoundPage<RequestResult>> {
  const { batchId, outcome, isVerified } = args
  const listing = {
    columns: RESULT_COLUMNS,
    from: 'FROM requests',
    id: 'ended_no',
    isIdNumber: true,
    order: ORDERS[args.order],
    texts: [ASKED, 'url', `COALESCE(code, '')`],
    conditions: [
      ...conditionsOf([
        ['batch_id = ?', batchId],
        ['outcome = ?', outcome],
        ['COALESCE(verified, 0) = ?', isVerified === undefined ? undefined : Number(isVerified)],
      ]),
      { text: 'outcome IS NOT NULL', params: [] },
    ],
  }
  const page = await readSortedPage<ResultRow>(sql, listing, args)
  return { ...page, rows: page.rows.map(resultOf) }
}
