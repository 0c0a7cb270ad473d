/**
 * Which of an upload's captures may be served as verified, which wait for a second opinion and
 * which go out as they are. Runs in the transaction that keeps them.
 */
import {
  NO_PAGE,
  NoSuchDevice,
  chooseAudits,
  isFailure,
  noteService,
  trustLog,
  trustOf,
  type PageFacts,
  type SentResult,
  type TrustView,
} from '@minga/fleet'
import {
  addressOf,
  hasCapture,
  isRedirect,
  isRobots,
  type Accepted,
  type EndedRequest,
} from '@minga/frontier'
import { BAD_RECORD, type Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { payFetched, type PaidDevice } from '../../clients/paid-requests.ts'

export interface Sender {
  device: string
  /** Null when the device is not enrolled: then no one is paid and nothing is verified. */
  owner: string | null
  isTrusted: boolean
}

/** How the sender is paid; strangers' pay is held until they are proven. */
export async function paidDevice(sql: Sql, sender: Sender | null): Promise<PaidDevice | null> {
  if (sender === null || sender.owner === null) return null
  const { device: id, owner, isTrusted } = sender
  const trust = isTrusted ? null : await trustOf(sql, { device: id })
  return { id, owner, isHeld: !isTrusted && !(trust?.isProven ?? false) }
}

/** The sender is paid for the requests that its results ended. */
export async function paySender(
  sql: Sql,
  args: { id: string; sender: Sender | null; ended: readonly EndedRequest[]; now: number },
): Promise<void> {
  const { id, sender, ended, now } = args
  await payFetched(sql, { id, at: now, ended, device: await paidDevice(sql, sender) })
}

type ReadResult = Accepted & { page?: PageFacts }

export interface Delivering {
  /** With the facts of the pages that may be audited. */
  accepted: readonly ReadResult[]
  sender: Sender | null
  secret: string
  auditFloor?: number
  now: number
}

export interface Deliveries {
  isVerified: (result: Result) => boolean
  /** Results that are delivered to no client before their audit is over. */
  isHeld: (result: Result) => boolean
}

export async function chooseDeliveries(sql: Sql, args: Delivering): Promise<Deliveries> {
  const { sender } = args
  if (sender === null || sender.isTrusted) return { isVerified: () => true, isHeld: () => false }
  if (sender.owner === null) return { isVerified: () => false, isHeld: () => false }
  await noteBadRecords(sql, { ...args, device: sender.device })
  const kept = args.accepted.filter(isAuditable)
  const sent = await Promise.all(kept.map((item) => sentResult(sql, item)))
  const { device } = sender
  const { secret, auditFloor, now } = args
  const floor = auditFloor === undefined ? {} : { auditFloor }
  const deliveries = await chooseAudits(sql, { device, secret, results: sent, now, ...floor })
  const verified = new Set<Result>()
  const held = new Set<Result>()
  for (const [i, { type }] of deliveries.entries()) {
    const { result } = kept[i]!
    if (type === 'verified') verified.add(result)
    // A redirect is not delivered; its target is fetched and audited by itself. A robots.txt is
    // delivered with its target's content, so a redirect to another site's file would be a forgery
    // of which every part is genuine.
    if (type === 'waits' && (isRobots(kept[i]!) || !leadsOn(result))) held.add(result)
  }
  const ids = sent.filter((_, i) => deliveries[i]!.type === 'verified')
  await sql.updateMany({
    table: 'captures',
    keys: ['id'],
    set: ['verified'],
    rows: ids.map(({ captureId }) => [captureId, 1]),
  })
  return { isVerified: (result) => verified.has(result), isHeld: (result) => held.has(result) }
}

/** A device most of whose records do not hold gets no work for a time: it delays what others could fetch. */
async function noteBadRecords(
  sql: Sql,
  { accepted, device, now }: Pick<Delivering, 'accepted' | 'now'> & { device: string },
): Promise<void> {
  const served = accepted.filter(({ result }) => result.type !== 'returned')
  const failed = served.filter(
    ({ result }) => result.type === 'failed' && result.code === BAD_RECORD,
  )
  const counts = { served: served.length, failed: failed.length, timedOut: 0, slow: 0 }
  if (served.length > 0) await noteService(sql, { device, ...counts, now })
}

/** It ends what waits for it, and there is nothing: retries are used up, or it is no answer that is tried again. */
function isFinal(item: Accepted): boolean {
  const { decision, result } = item
  if (decision.type === 'failed') return true
  // A robots.txt that says no forbids nothing.
  return result.type === 'captured' && isFailure(result.status) && !isRobots(item)
}

/** Also what ends without a capture: one device alone must not say that there is nothing. */
function isAuditable({ spec, decision, result }: Accepted): boolean {
  const isUnfetched = decision.type === 'failed' && result.type === 'failed'
  return spec.kind !== 'audits' && (isUnfetched || hasCapture(decision))
}

function leadsOn(result: Result): boolean {
  return result.type === 'captured' && isRedirect(result.status)
}

async function sentResult(sql: Sql, item: ReadResult): Promise<SentResult> {
  const { result, page = null } = item
  // Nothing is read of a request that comes back undone, and none is audited.
  if (result.type === 'returned') throw new Error('a returned request was chosen for an audit')
  const { fence, hostId, hash } = result
  const { collection_id: collectionId } = item.lease
  const kind = { isRobots: isRobots(item), isFinal: isFinal(item) }
  const place = { fence, hostId, hash, collectionId, earlier: null, ...kind }
  if (result.type !== 'captured') {
    // A host's own robots.txt is not in the queue; that the result names it was checked when it was accepted.
    const url = item.url === null ? result.url : addressOf(item.url.url)
    const { status } = NO_PAGE
    return { ...place, url, status, captureId: null, page: NO_PAGE }
  }
  const { url, status } = result
  const capture = await sql.get<{ id: number }>(
    'SELECT MAX(id) AS id FROM captures WHERE host_id = ? AND hash = ?',
    [hostId, hash],
  )
  return { ...place, captureId: capture?.id ?? null, url, status, page }
}

interface DeviceTrustArgs {
  device: string
  /** Whose devices may be seen; null: everyone's. */
  owner: string | null
  auditFloor?: number
  beforeId?: number
  limit: number
}

export interface DeviceTrust {
  trust: TrustView | null
  log: Awaited<ReturnType<typeof trustLog>>
}

/** How far a device is believed and what happened to it, for its owner and the operator. */
export async function deviceTrust(sql: Sql, args: DeviceTrustArgs): Promise<DeviceTrust> {
  const { owner, ...asked } = args
  const row = await sql.get<{ owner: string }>('SELECT owner FROM devices WHERE id = ?', [
    args.device,
  ])
  if (!row || (owner !== null && row.owner !== owner)) throw new NoSuchDevice(args.device)
  return { trust: await trustOf(sql, args), log: await trustLog(sql, asked) }
}
