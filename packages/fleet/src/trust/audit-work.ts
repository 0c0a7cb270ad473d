/**
 * Audits on their way: handed to devices that may do them, their answers judged, the effects
 * booked. An answer counts once, and only from the device that the audit is out to.
 */
import type { Sql } from '@minga/store'
import {
  ATTEMPTS_MAX,
  closeAudit,
  json,
  lockedAudit,
  selectAudits,
  type Audit,
  type AuditState,
} from './audit-rows.ts'
import { convict, type Stopped } from './convict.ts'
import { listAuditors, redraw } from './draw-auditor.ts'
import { mayAudit, mayJudge } from './eligible.ts'
import { noteDynamic, noteSteady } from './patterns.ts'
import { isProven, RECHECK_SHARE } from './reputation.ts'
import { drawByAudit, isLasting, isUnfetched } from './selection.ts'
import { afterAgreement } from './standing.ts'
import {
  checkerOf,
  lockedTrust,
  noteSight,
  readTrust,
  reputationOf,
  saveStanding,
  STATION,
  writeLog,
} from './trust-rows.ts'
import { NO_PAGE, verdictOf, type PageFacts } from './verdict.ts'

/** How long a device has an audit before another may take it: a block's usual life. */
const OUT_MS = 120_000

export interface NextAuditsArgs {
  readonly device: string
  readonly limit: number
  readonly now: number
  readonly outMs?: number
}

/** An audit in the hands of a device: to the device it is a request like any other. */
export interface AuditRequest {
  readonly id: string
  readonly url: string
  /** Where the subject's result belongs. */
  readonly collectionId: number
  readonly hostId: number
  readonly hash: number
}

/** Takes audits that this device is to do; they come back by `noteAuditResult` or by time. */
export async function nextAuditsFor(sql: Sql, args: NextAuditsArgs): Promise<AuditRequest[]> {
  const trust = await readTrust(sql, args.device)
  if (trust === null || trust.standing.state !== 'active') return []
  await noteSight(sql, trust, args.now)
  const found = await freeAudits(sql, args, {
    states: ['canary'],
    rule: 'device = ?',
    params: [args.device],
  })
  if (checkerOf(trust).isTrusted) {
    const states: AuditState[] = ['judging', 'confirming']
    const params = [trust.device]
    found.push(...(await freeAudits(sql, args, { states, rule: 'device <> ?', params })))
  }
  const drawn = { states: ['wanted' as const], rule: 'drawn = ?', params: [args.device] }
  found.push(...(await freeAudits(sql, args, drawn)))
  const taken = found.slice(0, args.limit)
  const outUntil = args.now + (args.outMs ?? OUT_MS)
  await sql.updateMany({
    table: 'audits',
    keys: ['id'],
    set: ['out_to', 'out_until', 'drawn_until'],
    rows: taken.map(({ id }) => [id, args.device, outUntil, outUntil]),
  })
  return taken.map(({ id, url, collectionId, hostId, hash }) => ({
    id,
    url,
    collectionId,
    hostId,
    hash,
  }))
}

/** Audits that no device has, in the order in which they are to be done. */
async function freeAudits(
  sql: Sql,
  args: NextAuditsArgs,
  which: { states: AuditState[]; rule: string; params: (string | number | null)[] },
): Promise<Audit[]> {
  const found: Audit[] = []
  for (const state of which.states) {
    if (found.length >= args.limit) break
    const audits = await selectAudits(
      sql,
      `WHERE closed_at IS NULL AND state = ? AND ${which.rule}
         AND (out_to IS NULL OR out_until <= ?) AND expires_at > ?
       ORDER BY priority, opened_at LIMIT ?${sql.forUpdateSkipLocked}`,
      [state, ...which.params, args.now, args.now, args.limit - found.length],
    )
    found.push(...audits)
  }
  return found
}

export interface AuditResultArgs {
  readonly id: string
  readonly device: string
  /** Null when the device could not fetch the page. */
  readonly page: PageFacts | null
  /** The share of agreements that the station's own devices check; the usual one without it. */
  readonly recheckShare?: number
  readonly now: number
}

export type AuditOutcome =
  /** The audit is closed, unknown, or leased to another device: the answer changes nothing. */
  | { readonly type: 'stale' }
  /** Another fetch is needed. */
  | { readonly type: 'open' }
  | {
      readonly type: 'closed'
      readonly verdict: 'agree' | 'lie' | 'none'
      readonly reason: string | null
      readonly audit: Audit
      /** The subject counts as proven since this verdict: its held pay may go. */
      readonly becameProven: boolean
      readonly stopped: readonly Stopped[]
    }

export async function noteAuditResult(sql: Sql, args: AuditResultArgs): Promise<AuditOutcome> {
  const audit = await lockedAudit(sql, args.id)
  if (audit === null || audit.state === 'closed' || audit.outTo !== args.device) {
    return { type: 'stale' }
  }
  if (!(await mayAnswer(sql, audit, args.device))) return { type: 'stale' }
  // A server in trouble answers neither yes nor no.
  if (args.page === null || !isLasting(args.page.status)) return failedAttempt(sql, audit, args)
  const heard = withAnswer(audit, args.device, args.page, args.now)
  await saveAnswers(sql, heard)
  const verdict = verdictOf({
    isRechecked: await isRechecked(sql, heard, args),
    subject: heard.subject!,
    receivedAt: heard.receivedAt,
    auditor: heard.auditorPage!,
    judge: heard.judgePage,
    again: heard.againPage,
    earlier: heard.earlier,
    isCanary: heard.kind === 'canary',
  })
  if (verdict.type === 'open') {
    const state: AuditState = verdict.needs === 'judge' ? 'judging' : 'confirming'
    await sql.run('UPDATE audits SET state = ?, out_to = NULL, attempts = 0 WHERE id = ?', [
      state,
      audit.id,
    ])
    return { type: 'open' }
  }
  const reason = verdict.type === 'none' ? verdict.reason : null
  await closeAudit(sql, heard, { verdict: verdict.type, reason, now: args.now })
  if (reason === 'dynamic' || reason === 'refuted') await noteDynamic(sql, audit, args.now)
  if (reason === 'refuted') await undoTrust(sql, heard, args.now)
  const becameProven = verdict.type === 'agree' && (await bookAgreement(sql, heard, args.now))
  const liars = verdict.type === 'lie' ? verdict.liars : []
  const stopped = await convict(sql, heard, { liars, now: args.now })
  return { type: 'closed', verdict: verdict.type, reason, audit: heard, becameProven, stopped }
}

/** It was eligible when it took the audit; it may have been stopped since. */
async function mayAnswer(sql: Sql, audit: Audit, device: string): Promise<boolean> {
  const trust = await readTrust(sql, device)
  if (trust === null) return false
  if (audit.state === 'canary') return device === audit.device
  const checker = checkerOf(trust)
  return audit.state === 'wanted' ? mayAudit(audit, checker) : mayJudge(audit, checker)
}

/** Whether one of the station's own devices checks an agreement of two volunteers' as well. */
async function isRechecked(sql: Sql, audit: Audit, args: AuditResultArgs): Promise<boolean> {
  const share = args.recheckShare ?? RECHECK_SHARE
  if (audit.state !== 'wanted' || drawByAudit(audit.id, 'recheck') >= share) return false
  const auditors = await listAuditors(sql, audit, args)
  const own = auditors.filter(({ isTrusted }) => isTrusted)
  return own.length > 0 && !own.some(({ device }) => device === args.device)
}

/**
 * Two agreed on what the station's own device did not see: a forgery, or a page that differs
 * elsewhere. That is no proof, so no device is stopped; but neither is proven any more.
 */
async function undoTrust(sql: Sql, audit: Audit, now: number): Promise<void> {
  for (const device of [audit.device, audit.auditor!].toSorted()) {
    const { standing } = await lockedTrust(sql, device)
    await saveStanding(sql, device, { ...standing, agreements: 0 })
    const note = `${audit.url} (${audit.id})`
    await writeLog(sql, {
      at: now,
      device,
      who: STATION,
      action: 'differs',
      reason: 'recheck',
      note,
    })
  }
}

async function failedAttempt(sql: Sql, audit: Audit, args: AuditResultArgs): Promise<AuditOutcome> {
  const attempts = audit.attempts + 1
  const isConfirmed = isSameTrouble(audit.subject, args.page)
  if (attempts >= ATTEMPTS_MAX || isConfirmed) {
    const end = { verdict: 'none', reason: 'unreachable', now: args.now } as const
    await closeAudit(sql, audit, end)
    return { type: 'closed', ...end, audit, becameProven: false, stopped: [] }
  }
  await sql.run('UPDATE audits SET attempts = ?, out_to = NULL WHERE id = ?', [attempts, audit.id])
  if (audit.state === 'wanted') await redraw(sql, audit, args)
  return { type: 'open' }
}

/** That nothing can be fetched there is what the subject said; one more who cannot is enough. `page` is null, or the
 * answer of a server in trouble. */
function isSameTrouble(subject: PageFacts | null, page: PageFacts | null): boolean {
  if (subject === null || !isUnfetched(subject.status)) return false
  return (subject.status === NO_PAGE.status) === (page === null)
}

function withAnswer(audit: Audit, device: string, page: PageFacts, now: number): Audit {
  if (audit.state === 'canary') return { ...audit, subject: page, receivedAt: now }
  if (audit.state === 'wanted') return { ...audit, auditor: device, auditorPage: page }
  if (audit.state === 'judging') return { ...audit, judge: device, judgePage: page }
  return { ...audit, againPage: page }
}

async function saveAnswers(sql: Sql, audit: Audit): Promise<void> {
  await sql.run(
    `UPDATE audits SET subject = ?, received_at = ?, auditor = ?, auditor_page = ?, judge = ?,
       judge_page = ?, again_page = ? WHERE id = ?`,
    [
      json(audit.subject),
      audit.receivedAt,
      audit.auditor,
      json(audit.auditorPage),
      audit.judge,
      json(audit.judgePage),
      json(audit.againPage),
      audit.id,
    ],
  )
}

/** Whether the device became proven by it. */
async function bookAgreement(sql: Sql, audit: Audit, now: number): Promise<boolean> {
  await noteSteady(sql, audit)
  const before = await lockedTrust(sql, audit.device)
  if (!(await raisesTrust(sql, audit))) return false
  const standing = afterAgreement(before.standing)
  await saveStanding(sql, audit.device, standing)
  const becameProven =
    !isProven(reputationOf(before)) && isProven(reputationOf({ ...before, standing }))
  if (becameProven) {
    const note = `${standing.agreements} audited agreements`
    const entry = { at: now, device: audit.device, who: STATION, note }
    await writeLog(sql, { ...entry, action: 'proven', reason: null })
  }
  return becameProven
}

/** Clients choose what they complain about and what is fetched again: neither a complaint nor another agreement on
 * the same page may count, or a client could have a device proven by one honest page. */
async function raisesTrust(sql: Sql, audit: Audit): Promise<boolean> {
  if (audit.kind === 'complaint') return false
  const before = await sql.get(
    `SELECT 1 AS found FROM audits WHERE device = ? AND host_id = ? AND hash = ?
       AND verdict = 'agree' AND kind <> 'complaint' AND id <> ? LIMIT 1`,
    [audit.device, audit.hostId, audit.hash, audit.id],
  )
  return before === undefined
}

/** A delivery that waited long enough for its audit: it goes out unverified. */
export interface Overdue {
  readonly id: string
  readonly device: string
  readonly collectionId: number
  readonly hostId: number
  readonly hash: number
  readonly captureId: number | null
}

/** More wait for the next sweep, so that no sweep holds the store for long. */
const SWEEP_MAX = 1_000

export async function sweepAudits(sql: Sql, args: { now: number }): Promise<Overdue[]> {
  const overdue = await selectAudits(
    sql,
    `WHERE is_waiting = 1 AND wait_until <= ? ORDER BY wait_until LIMIT ?${sql.forUpdateSkipLocked}`,
    [args.now, SWEEP_MAX],
  )
  await sql.updateMany({
    table: 'audits',
    keys: ['id'],
    set: ['is_waiting'],
    rows: overdue.map(({ id }) => [id, 0]),
  })
  const expired = await selectAudits(
    sql,
    `WHERE closed_at IS NULL AND expires_at <= ? AND is_waiting = 0 ORDER BY expires_at LIMIT ?${sql.forUpdateSkipLocked}`,
    [args.now, SWEEP_MAX],
  )
  for (const audit of expired) {
    await closeAudit(sql, audit, { verdict: 'none', reason: 'expired', now: args.now })
  }
  await redrawLate(sql, args)
  return overdue.map(({ id, device, collectionId, hostId, hash, captureId }) => ({
    id,
    device,
    collectionId,
    hostId,
    hash,
    captureId,
  }))
}

/** Auditors that did not accept or answer in time are replaced. */
async function redrawLate(sql: Sql, args: { now: number }): Promise<void> {
  const late = await selectAudits(
    sql,
    `WHERE closed_at IS NULL AND state = 'wanted' AND drawn_until <= ? ORDER BY drawn_until LIMIT ?${sql.forUpdateSkipLocked}`,
    [args.now, SWEEP_MAX],
  )
  for (const audit of late) await redraw(sql, audit, args)
}
