/**
 * Requests with their money, each step in one transaction: a batch exists when its budget is
 * reserved, a volunteer is paid when the capture is kept, and what was not used goes back.
 */
import {
  checkRestrictions,
  closeBatch as closeBooks,
  heldAccount,
  lockAccounts,
  payBlock,
  payCacheHits,
  PLATFORM,
  reserve,
  reserveAccount,
  volunteerAccount,
  type Charge,
} from '@minga/fleet'
import {
  addRequests as queueRequests,
  closeBatch as markClosed,
  openBatch,
  requireWithinDay,
  type AddRequests,
  type EndedRequest,
  type NewBatch,
} from '@minga/frontier'
import type { Sql } from '@minga/store'
import { checkSubmission, type SubmissionCheck } from './abuse/submission-check.ts'
import { limitSql } from '../accounts/visibility/limited-sql.ts'
import type { Viewer } from '../accounts/visibility/viewer.ts'

/** Micro-units of the currency. */
export interface Prices {
  requestMicros: number
  /** For an answer from the archive, or one that shares another client's fetch. */
  cacheMicros: number
  platformShareBps: number
}

/** What a batch costs that is opened with these settings. */
export function pricesOf({ requestMicros, cacheMicros, platformShareBps }: Prices): Prices {
  return { requestMicros, cacheMicros, platformShareBps }
}

/** Reserves the most that a batch can cost; without the money there is no batch. */
export async function openPaidBatch(
  sql: Sql,
  args: Omit<NewBatch, 'terms'> & { prices: Prices; creditLimitMicros: number | null },
): Promise<{ id: string; received: number; isNew: boolean }> {
  const { prices, creditLimitMicros, ...batch } = args
  const opened = await openBatch(sql, { ...batch, terms: JSON.stringify(prices) })
  if (opened.isNew) {
    // Open requests continue, and an accepted batch may be sent to its end.
    const dayMax = await checkRestrictions(sql, args)
    if (dayMax !== null) await requireWithinDay(sql, { ...args, dayMax })
    const { requestMicros, cacheMicros } = prices
    await reserve(sql, {
      id: `reserve ${opened.id}`,
      at: args.now,
      client: args.client,
      batch: opened.id,
      micros: args.total * Math.max(requestMicros, cacheMicros),
      creditLimitMicros,
    })
  }
  return opened
}

export async function addPaidRequests(
  sql: Sql,
  args: AddRequests & { check?: SubmissionCheck; viewer?: Viewer | null },
): Promise<void> {
  const { requests, now, viewer = null } = args
  const archive = viewer === null ? sql : await limitSql(sql, viewer)
  const ended = await queueRequests(sql, args, archive)
  if (args.check) await checkSubmission(sql, args.check, { requests, ended, now })
  const first = args.requests[0]?.seq ?? 0
  const hits = ended.filter(({ fromCache }) => fromCache)
  await payHits(sql, { id: `cache ${args.batchId} ${first}`, at: args.now, hits })
}

export interface PayFetched {
  /** One per upload. */
  id: string
  at: number
  ended: readonly EndedRequest[]
  device: PaidDevice | null
}

export interface PaidDevice {
  id: string
  owner: string
  /** Kept until the device is proven. */
  isHeld: boolean
}

/**
 * The client that requested it first pays for the fetch; those that share it pay as for an answer
 * from the archive.
 */
export async function payFetched(sql: Sql, args: PayFetched): Promise<void> {
  const { id, at, device } = args
  const captured = args.ended.filter(({ outcome }) => outcome === 'captured')
  if (captured.length === 0 || device === null) return
  await lockAccounts(sql, accountsOf(captured, device))
  const isFetched = ({ isShared, fromCache }: EndedRequest): boolean => !isShared && !fromCache
  const byShare = Map.groupBy(captured.filter(isFetched), (one) => agreedOn(one).platformShareBps)
  for (const [platformShareBps, fetched] of byShare) {
    await payBlock(sql, {
      // Batches agreed to before the share was changed are paid as agreed.
      id: `${id} ${platformShareBps}`,
      at,
      reference: device.id,
      charges: fetched.map((one) => chargeOf(one, device)),
      platformShareBps,
    })
  }
  const hits = captured.filter((one) => !isFetched(one))
  await payHits(sql, { id: `${id} shared`, at, hits })
}

/** Two postings of one upload touch the same accounts: all are locked at once, in one order. */
function accountsOf(captured: readonly EndedRequest[], device: PaidDevice): string[] {
  return [
    PLATFORM,
    heldAccount(device.id),
    volunteerAccount(device.owner),
    ...captured.map(({ batchId }) => reserveAccount(batchId)),
  ]
}

function chargeOf(ended: EndedRequest, { id, owner, isHeld }: PaidDevice): Charge {
  const micros = agreedOn(ended).requestMicros
  return { batch: ended.batchId, device: id, owner, micros, isHeld }
}

const agreedOn = ({ terms }: EndedRequest): Prices => pricesIn(terms)

/** What a client agreed to, as it was kept with the batch. */
export function pricesIn(terms: string): Prices {
  return JSON.parse(terms) as Prices
}

async function payHits(
  sql: Sql,
  args: { id: string; at: number; hits: readonly EndedRequest[] },
): Promise<void> {
  if (args.hits.length === 0) return
  const hits = args.hits.map((hit) => ({ batch: hit.batchId, micros: agreedOn(hit).cacheMicros }))
  await payCacheHits(sql, { id: args.id, at: args.at, reference: 'cache', hits })
}

export async function closeBatch(
  sql: Sql,
  args: { id: string; client: string; now: number },
): Promise<void> {
  const { id, client, now } = args
  await markClosed(sql, { id, now })
  await closeBooks(sql, { id: `close ${id}`, at: now, batch: id, client })
}
