/**
 * Second opinions: handed out with a device's other work, heard with its other results, and their
 * verdicts carried out, each in the transaction of the call that brought them.
 */
import {
  compensate,
  forfeitHeld,
  isFailure,
  isUnfetched,
  nextAuditsFor,
  noteAuditResult,
  payAudit,
  releaseHeld,
  sweepAudits,
  sweepBlocks,
  type Audit,
  type AuditRequest,
  type AuditOutcome,
  type Overdue,
  type PageFacts,
  type Stopped,
} from '@minga/fleet'
import {
  dropExpired,
  endWaiting,
  fetchAgain,
  finishCollections as finish,
  NOTHING_FETCHED,
  removeDevice,
  reserveDocuments,
  tagsOf,
  type Accepted,
  type QueuedUrl,
  type ReservedDocument,
} from '@minga/frontier'
import type { GuardPolicy } from '@minga/net'
import type { Sql } from '@minga/store'
import { learnRobots } from '../../collect/extract.ts'
import { pricesIn, type Prices } from '../../clients/paid-requests.ts'
import { deliveryId, isPaidAnswer } from './audit-pay.ts'
import { paidDevice, paySender, type Sender } from './deliveries.ts'

/** Audits per block: a few among the other requests, so that their number does not reveal them. */
const AUDITS_PER_ASK = 8
/** An audit that is not done by then is assigned to another device. */
const AUDIT_OUT_MS = 120_000

/** Puts the audits that this device may do among what it can lease. */
export async function assignAudits(
  sql: Sql,
  args: { device: string; delayMs: number; now: number },
): Promise<void> {
  const { device, now } = args
  // Idle agents ask all the time, and mostly there is nothing to audit.
  const open = await sql.get('SELECT 1 FROM audits WHERE closed_at IS NULL LIMIT 1')
  if (!open) return
  const requests = await nextAuditsFor(sql, {
    device,
    limit: AUDITS_PER_ASK,
    now,
    outMs: AUDIT_OUT_MS,
  })
  await reserveDocuments(sql, {
    ...args,
    documents: await Promise.all(
      requests.map(async (request) => ({
        url: request.url,
        ...(await likenessOf(sql, request)),
        tag: request.id,
        likeCollectionId: request.collectionId,
      })),
    ),
    expiresAt: now + AUDIT_OUT_MS,
  })
}

type Likeness = Omit<ReservedDocument, 'url' | 'tag' | 'likeCollectionId'>

/** As the subject was asked: a second opinion must not look like one. */
async function likenessOf(
  sql: Sql,
  { collectionId, hostId, hash }: AuditRequest,
): Promise<Likeness> {
  if (hash === 0) return { kind: 'robots' }
  const asked = await sql.get<Likeness>(
    `SELECT kind, depth, hops, via FROM urls WHERE collection_id = ? AND host_id = ? AND hash = ?`,
    [collectionId, hostId, hash],
  )
  return asked ?? { kind: 'document' }
}

export interface Hearing {
  /** New for every upload. */
  id: string
  accepted: readonly (Accepted & { page?: PageFacts })[]
  sender: Sender | null
  prices: Prices
  /** The share of agreements that the station's own devices check. */
  recheckShare?: number
  guard: GuardPolicy
  /** JSON of the station's filter, if it has one. */
  filter?: string
  now: number
}

/** Results of audits among an upload. */
export async function recordAuditResults(sql: Sql, args: Hearing): Promise<void> {
  const { sender } = args
  const items = args.accepted.filter(
    ({ spec, url, decision }) =>
      spec.kind === 'audits' &&
      url !== null &&
      (decision.type === 'captured' || decision.type === 'failed'),
  )
  if (items.length === 0 || sender === null) return
  const tags = await tagsOf(
    sql,
    items.map(({ lease, result }) => ({
      collectionId: lease.collection_id,
      hostId: lease.host_id,
      hash: result.hash,
    })),
  )
  for (const [i, item] of items.entries()) {
    const id = tags[i]
    if (id === undefined) continue
    const { page = null } = item
    const share = args.recheckShare === undefined ? {} : { recheckShare: args.recheckShare }
    const answer = { id, device: sender.device, page, now: args.now, ...share }
    const isPaid = await isPaidAnswer(sql, { id, page, prices: args.prices })
    const outcome = await noteAuditResult(sql, answer)
    if (outcome.type === 'stale') continue
    if (isPaid) await payForAudit(sql, { ...args, auditId: id })
    if (outcome.type === 'closed') await carryOut(sql, { outcome, item, hearing: args })
  }
}

/** The platform pays for its own doubt. */
export async function payForAudit(
  sql: Sql,
  args: Pick<Hearing, 'id' | 'sender' | 'prices' | 'now'> & { auditId: string },
): Promise<void> {
  const paid = await paidDevice(sql, args.sender)
  if (paid === null) return
  const { id: device, owner, isHeld } = paid
  const { requestMicros, platformShareBps } = args.prices
  const micros = requestMicros - Math.floor((requestMicros * platformShareBps) / 10_000)
  await payAudit(sql, {
    id: `audit ${args.auditId} ${args.id}`,
    at: args.now,
    reference: args.auditId,
    audits: [{ device, owner, micros, isHeld }],
  })
}

type Closed = Extract<AuditOutcome, { type: 'closed' }>

interface CarryingOut {
  outcome: Closed
  /** The answer that closed it. */
  item: Accepted
  hearing: Hearing
}

async function carryOut(sql: Sql, { outcome, item, hearing }: CarryingOut): Promise<void> {
  const { audit, verdict } = outcome
  const { now } = hearing
  const isAgreed = verdict === 'agree'
  // A canary's capture was verified earlier and belongs to another request.
  if (isAgreed && audit.captureId !== null && audit.kind !== 'canary') {
    await sql.run('UPDATE captures SET verified = 1 WHERE id = ?', [audit.captureId])
  }
  const robots = await robotsUrlOf(sql, audit)
  if (robots === undefined) await answerWaiting(sql, outcome, now)
  else if (settlesRobots(outcome, hearing)) {
    const { hostId, collectionId } = audit
    await learnRobots(sql, { ...hearing, item, hostId, collectionId, url: robots })
  }
  if (outcome.becameProven) {
    const { device, owner } = audit
    await releaseHeld(sql, { id: `proven ${audit.id}`, at: now, device, owner })
  }
  for (const stopped of outcome.stopped) await carryOutStop(sql, stopped, now)
}

/** Null for a host's own robots.txt, which is not in the queue; undefined for a page. */
async function robotsUrlOf(
  sql: Sql,
  { collectionId, hostId, hash }: Audit,
): Promise<QueuedUrl | null | undefined> {
  if (hash === 0) return null
  return sql.get<QueuedUrl>(
    `SELECT url, kind, depth, hops, attempts FROM urls
     WHERE collection_id = ? AND host_id = ? AND hash = ? AND kind = 'robots'`,
    [collectionId, hostId, hash],
  )
}

/**
 * Two owners' devices, or one of ours, say what the site's rules are. Where the first was turned
 * away, the second one is believed as if it had been asked first: else the first could keep the
 * rules from everyone.
 */
function settlesRobots({ verdict, reason, audit }: Closed, { sender }: Hearing): boolean {
  if (verdict === 'agree' || reason === 'refused' || sender!.isTrusted) return true
  return reason === 'unreachable' && isUnfetched(audit.subject!.status)
}

async function answerWaiting(
  sql: Sql,
  { audit, verdict, reason }: Closed,
  now: number,
): Promise<void> {
  const isDoubted = reason === 'refused' || (verdict === 'none' && isContradicted(audit))
  if (isDoubted && (await mayFetchAgain(sql, audit))) return fetchAgain(sql, [audit])
  if (!audit.isWaiting || verdict === 'lie') return
  await deliver(sql, {
    ...audit,
    now,
    isConfirmed: verdict === 'agree' || reason === 'unreachable',
  })
}

/** Whether a second device was shown a page where the first reports a failure, even if no two fetches of it agree. */
function isContradicted({ subject, auditorPage }: Audit): boolean {
  return subject !== null && isFailure(subject.status) && isShown(auditorPage)
}

const isShown = (page: PageFacts | null): boolean => page !== null && !isFailure(page.status)

/** A page that another device was shown is fetched again, unless its site turns the same device away for good. */
const REFUSED_MAX = 3

async function mayFetchAgain(sql: Sql, audit: Audit): Promise<boolean> {
  const refused = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM audits WHERE device = ? AND host_id = ? AND hash = ?
       AND verdict = 'none' AND reason IN ('refused', 'dynamic', 'changed', 'older-version')`,
    [audit.device, audit.hostId, audit.hash],
  )
  return audit.kind === 'audit' && (refused?.n ?? 0) < REFUSED_MAX
}

type Delivered = Pick<Overdue, 'id' | 'collectionId' | 'hostId' | 'hash' | 'captureId'> & {
  now: number
  /** Another owner's device could not fetch it either. */
  isConfirmed?: boolean
}

/**
 * Clients that waited for the verdict receive the available capture with its verification status.
 */
async function deliver(sql: Sql, args: Delivered): Promise<void> {
  if ((await deliverFailure(sql, args)) || args.captureId === null) return
  const capture = await sql.get<{
    status: number
    bytes: number
    digest: string
    captured_at: number
    device: string
    verified: number
    owner: string | null
    is_trusted: number | null
  }>(
    `SELECT c.status, c.payload_bytes AS bytes, c.digest, c.captured_at, c.device, c.verified,
       d.owner, d.is_trusted
     FROM captures c LEFT JOIN devices d ON d.id = c.device WHERE c.id = ?`,
    [args.captureId],
  )
  if (!capture) return
  const { status, bytes, digest, device, owner } = capture
  const end = {
    hostId: args.hostId,
    hash: args.hash,
    outcome: 'captured' as const,
    status,
    code: null,
    bytes,
    digest,
    capturedAt: capture.captured_at,
    device,
    isVerified: capture.verified === 1,
  }
  const ended = await endWaiting(sql, { ends: [end], now: args.now })
  const sender = { device, owner, isTrusted: capture.is_trusted === 1 }
  await paySender(sql, { id: deliveryId(args.id), sender, ended, now: args.now })
}

/** Whether there is one: it may have a capture, of what the server in trouble said. */
async function deliverFailure(sql: Sql, args: Delivered): Promise<boolean> {
  const { collectionId, hostId, hash, now, isConfirmed = false } = args
  const failed = await sql.get<{ status: number | null; code: string | null }>(
    `SELECT status, code FROM urls
     WHERE collection_id = ? AND host_id = ? AND hash = ? AND outcome = 'failed'`,
    [collectionId, hostId, hash],
  )
  if (!failed) return false
  const outcome = 'failed' as const
  const end = { ...NOTHING_FETCHED, ...failed, hostId, hash, outcome, isVerified: isConfirmed }
  await endWaiting(sql, { ends: [end], now })
  return true
}

/**
 * Captures of a device that forged results are not served, its pay is forfeited, clients are
 * refunded, and requests that are still open are fetched again.
 */
async function carryOutStop(sql: Sql, { device, quarantine }: Stopped, now: number): Promise<void> {
  const suspect = await sql.all<{ collectionId: number; hostId: number; hash: number }>(
    `SELECT DISTINCT collection_id AS "collectionId", host_id AS "hostId", hash FROM captures
     WHERE device = ? AND id > ? AND hash <> 0`,
    [device, quarantine.sinceCaptureId],
  )
  await sql.run('UPDATE captures SET verified = 0 WHERE device = ? AND id > ?', [
    device,
    quarantine.sinceCaptureId,
  ])
  await removeDevice(sql, { device, now })
  await fetchAgain(sql, suspect)
  await payBack(sql, { device, since: quarantine.sinceAt, id: quarantine.id, now })
  const reason = `A proven lie (${quarantine.id}).`
  await forfeitHeld(sql, { id: `forfeit ${quarantine.id}`, at: now, device, reason })
}

async function payBack(
  sql: Sql,
  args: { device: string; since: number; id: string; now: number },
): Promise<void> {
  const rows = await sql.all<{
    batch: string
    client: string
    terms: string
    closed_at: number | null
    requests: number
  }>(
    `SELECT r.batch_id AS batch, b.client, b.terms, b.closed_at, COUNT(*) AS requests
     FROM requests r JOIN batches b ON b.id = r.batch_id
     WHERE r.device = ? AND r.outcome = 'captured' AND r.verified = 0 AND r.from_cache = 0
       AND r.ended_at >= ?
     GROUP BY r.batch_id, b.client, b.terms, b.closed_at`,
    [args.device, args.since],
  )
  if (rows.length === 0) return
  await compensate(sql, {
    id: `payback ${args.id}`,
    at: args.now,
    reference: args.device,
    payments: rows.map(({ batch, client, terms, closed_at: closedAt, requests }) => ({
      batch,
      client,
      isOpen: closedAt === null,
      micros: requests * pricesIn(terms).requestMicros,
    })),
  })
}

/** A page that failed for one device may come back to its crawl as long as a second one is asked about it. */
export async function finishCollections(
  sql: Sql,
  args: { now: number; elapsedMs: number },
): Promise<number[]> {
  const doubted = await sql.all<{ id: number }>(
    `SELECT DISTINCT a.collection_id AS id FROM audits a
     JOIN urls u ON u.collection_id = a.collection_id AND u.host_id = a.host_id AND u.hash = a.hash
     WHERE a.is_waiting = 1 AND (u.outcome = 'failed' OR u.status >= 400)`,
  )
  return finish(sql, { ...args, doubted: new Set(doubted.map(({ id }) => id)) })
}

/** At the station's pulse: deliveries that waited long enough, blocks that are over. */
export async function sweepTrust(sql: Sql, args: { now: number }): Promise<void> {
  for (const overdue of await sweepAudits(sql, args)) await deliver(sql, { ...overdue, ...args })
  await sweepBlocks(sql, args)
  await dropExpired(sql, args)
}
