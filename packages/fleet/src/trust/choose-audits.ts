/**
 * What becomes of a device's results: served as verified at once, held back for an audit, or
 * served as unverified. Runs in the transaction of their ingest.
 */
import type { Sql } from '@minga/store'
import { openAudits, type NewAudit } from './audit-rows.ts'
import { drawAuditor, listAuditors } from './draw-auditor.ts'
import type { Auditor } from './eligible.ts'
import { unfitPatterns, type PatternKey } from './patterns.ts'
import { mayBeCharged } from './paid-opinions.ts'
import { auditProbability, canaryProbability, isProven } from './reputation.ts'
import { auditId, canaryDraw, isDrawn, type ResultName } from './selection.ts'
import { lockedTrust, noteSight, reputationOf, type DeviceTrust } from './trust-rows.ts'
import type { PageFacts } from './verdict.ts'

export interface SentResult extends ResultName {
  readonly collectionId: number
  readonly captureId: number | null
  readonly url: string
  readonly status: number
  /** Null when the caller did not compute them because the draw was above what it expected. */
  readonly page: PageFacts | null
  /** The archive's version before, if another owner's device brought it. */
  readonly earlier: PageFacts | null
  /** Rules that bind the whole fleet: an unproven device's are always checked. */
  readonly isRobots: boolean
  /** It ends what waits for it, and with nothing: the retries are used up, or the answer is none that is tried again. A
   * robots.txt that cannot be fetched closes its host. A second device is always asked, whatever is known of the place. */
  readonly isFinal: boolean
}

export interface ChooseAuditsArgs {
  readonly device: string
  /** The station's own; never leaves it. */
  readonly secret: string
  readonly results: readonly SentResult[]
  readonly now: number
  /** The share of a proven device's results that is audited; the usual one without it. */
  readonly auditFloor?: number
  /** How long a delivery may wait for its audit. */
  readonly waitMs?: number
}

/** `waits`: deliver when the audit is closed or `sweepAudits` says that it has waited enough. */
export type Delivery =
  | { readonly type: 'verified'; readonly reason: 'trusted' | 'proven' }
  | { readonly type: 'waits'; readonly auditId: string }
  | { readonly type: 'unverified'; readonly reason: UnverifiedReason }

export type UnverifiedReason = 'unproven' | 'no-auditor' | 'unfit' | 'unprepared' | 'stopped'

/** As long as a person waits for a page they asked for; audits of quiet hosts end well before. */
const WAIT_MS = 60_000
const AUDIT_PRIORITY = 1

/** Aligned with `results`. */
export async function chooseAudits(sql: Sql, args: ChooseAuditsArgs): Promise<Delivery[]> {
  const trust = await lockedTrust(sql, args.device)
  await noteSight(sql, trust, args.now)
  if (trust.isTrusted) return args.results.map(() => ({ type: 'verified', reason: 'trusted' }))
  const { state } = trust.standing
  if (state === 'quarantined' || state === 'expelled') {
    return args.results.map(() => ({ type: 'unverified', reason: 'stopped' }))
  }
  const unfit = await unfitPatterns(sql, args.results, args.now)
  const chosen = args.results.map((result, i) =>
    choose(trust, { args, result, isUnfit: unfit[i]! }),
  )
  const auditors = await listAuditors(sql, trust, args)
  const hasChecker = auditors.length > 0
  await noteCanaries(sql, trust, { ...args, hasChecker })
  if (!chosen.some(({ type }) => type === 'waits')) return chosen
  if (!hasChecker) {
    return chosen.map((delivery) =>
      delivery.type === 'waits' ? { type: 'unverified', reason: 'no-auditor' } : delivery,
    )
  }
  const audits = args.results.filter((_, i) => chosen[i]!.type === 'waits')
  await openAudits(
    sql,
    audits.map((result) => auditOf(trust, result, { ...args, auditors })),
  )
  return chosen
}

function choose(
  trust: DeviceTrust,
  { args, result, isUnfit }: { args: ChooseAuditsArgs; result: SentResult; isUnfit: boolean },
): Delivery {
  const reputation = reputationOf(trust)
  const proven = isProven(reputation)
  const { auditFloor: floor } = args
  const doubts = { openComplaints: trust.openComplaints, ...(floor === undefined ? {} : { floor }) }
  const probability = auditProbability(reputation, doubts)
  const isAlways = result.isFinal || (result.isRobots && !proven)
  const isWanted = isAlways || isDrawn(args.secret, result, probability)
  if (!isAlways && isUnfit) return { type: 'unverified', reason: 'unfit' }
  if (!isWanted) {
    return proven
      ? { type: 'verified', reason: 'proven' }
      : { type: 'unverified', reason: 'unproven' }
  }
  if (result.page === null) return { type: 'unverified', reason: 'unprepared' }
  return { type: 'waits', auditId: auditId(args.secret, result) }
}

/** So many wait at most: without pages to make them of they would pile up. */
const CANARIES_DUE_MAX = 4

/** How many canaries these results bring upon their sender; they are made when there is time. */
async function noteCanaries(
  sql: Sql,
  trust: DeviceTrust,
  args: Pick<ChooseAuditsArgs, 'secret' | 'results' | 'auditFloor'> & { hasChecker: boolean },
): Promise<void> {
  const { hasChecker, auditFloor } = args
  const probability = canaryProbability(reputationOf(trust), hasChecker, auditFloor)
  // Canaries are paid: results that cost no client anything must not bring any.
  const drawn = args.results.filter(
    (result) => mayBeCharged(result) && canaryDraw(args.secret, result) < probability,
  )
  const due = Math.min(CANARIES_DUE_MAX, trust.canariesDue + drawn.length)
  if (due === trust.canariesDue) return
  await sql.run('UPDATE device_trust SET canaries_due = ? WHERE device = ?', [due, trust.device])
}

function auditOf(
  trust: DeviceTrust,
  result: SentResult,
  args: ChooseAuditsArgs & { auditors: readonly Auditor[] },
): NewAudit {
  const name = { id: auditId(args.secret, result), kind: 'audit' } as const
  return {
    ...placeOf(result),
    ...name,
    drawn: drawAuditor(args.auditors, { ...name, draws: 0 }),
    priority: AUDIT_PRIORITY,
    device: trust.device,
    owner: trust.owner,
    network: trust.network,
    receivedAt: args.now,
    subject: result.page,
    earlier: result.earlier,
    auditorPage: null,
    waitUntil: args.now + (args.waitMs ?? WAIT_MS),
    now: args.now,
  }
}

export type AuditPlace = PatternKey & Pick<SentResult, 'hash' | 'collectionId' | 'captureId'>

export function placeOf({ hostId, hash, collectionId, captureId, url }: AuditPlace): AuditPlace {
  return { hostId, hash, collectionId, captureId, url }
}

export interface OpenCanaryArgs extends AuditPlace {
  readonly id: string
  readonly device: string
  /** The verified page, as `chooseCanary` chose it. */
  readonly page: PageFacts
  readonly now: number
}

/** The request goes to the device alone; its answer is given to `noteAuditResult`. */
export async function openCanary(sql: Sql, args: OpenCanaryArgs): Promise<void> {
  const trust = await lockedTrust(sql, args.device)
  await sql.run(
    'UPDATE device_trust SET canaries_due = canaries_due - 1 WHERE device = ? AND canaries_due > 0',
    [args.device],
  )
  await openAudits(sql, [
    {
      ...placeOf(args),
      id: args.id,
      kind: 'canary',
      priority: AUDIT_PRIORITY,
      device: trust.device,
      owner: trust.owner,
      network: trust.network,
      receivedAt: args.now,
      subject: null,
      earlier: null,
      auditorPage: args.page,
      drawn: null,
      waitUntil: null,
      now: args.now,
    },
  ])
}
