/** Rows of audits: opening, reading and closing them. */
import type { Sql, Value } from '@minga/store'
import { endDeposit, type Deposit } from '../ledger/deposits.ts'
import { DRAWN_MS } from './draw-auditor.ts'
import type { PageFacts } from './verdict.ts'

/** Whose fetch an open audit waits for; the subject's own in a canary. */
export type AuditState = 'wanted' | 'judging' | 'confirming' | 'canary' | 'closed'
export type AuditKind = 'audit' | 'canary' | 'complaint'

export interface Audit {
  readonly id: string
  readonly kind: AuditKind
  readonly device: string
  readonly owner: string
  readonly network: string | null
  readonly collectionId: number
  readonly hostId: number
  readonly hash: number
  readonly url: string
  readonly captureId: number | null
  readonly receivedAt: number
  readonly subject: PageFacts | null
  readonly earlier: PageFacts | null
  readonly auditor: string | null
  readonly auditorPage: PageFacts | null
  readonly judge: string | null
  readonly judgePage: PageFacts | null
  readonly againPage: PageFacts | null
  readonly state: AuditState
  readonly outTo: string | null
  readonly attempts: number
  /** The device that is to audit, and how often one was drawn. */
  readonly drawn: string | null
  readonly draws: number
  /** A delivery waits for the verdict. */
  readonly isWaiting: boolean
  /** Of a complaint: who made it, and what was paid in for it. */
  readonly deposit: Deposit | null
}

interface AuditRow {
  id: string
  kind: AuditKind
  device: string
  owner: string
  network: string | null
  collection_id: number
  host_id: number
  hash: number
  url: string
  capture_id: number | null
  received_at: number
  subject: string | null
  earlier: string | null
  auditor: string | null
  auditor_page: string | null
  judge: string | null
  judge_page: string | null
  again_page: string | null
  state: AuditState
  out_to: string | null
  attempts: number
  drawn: string | null
  draws: number
  is_waiting: number
  client: string | null
  complaint: string | null
  deposit_micros: number
}

const COLUMNS = `id, kind, device, owner, network, collection_id, host_id, hash, url, capture_id,
  received_at, subject, earlier, auditor, auditor_page, judge, judge_page, again_page, state, out_to,
  attempts, drawn, draws, is_waiting, client, complaint, deposit_micros`

/** Two answers to one audit (a lease that ended, its successor) must not both be judged. */
export async function lockedAudit(sql: Sql, id: string): Promise<Audit | null> {
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const row = await sql.get<AuditRow>(`SELECT ${COLUMNS} FROM audits WHERE id = ?${lock}`, [id])
  return row ? fromRow(row) : null
}

/** `where` is the rest of the statement, from WHERE on. */
export async function selectAudits(
  sql: Sql,
  where: string,
  params: readonly (string | number | null)[],
): Promise<Audit[]> {
  const rows = await sql.all<AuditRow>(`SELECT ${COLUMNS} FROM audits ${where}`, params)
  return rows.map(fromRow)
}

function fromRow(row: AuditRow): Audit {
  return {
    id: row.id,
    kind: row.kind,
    device: row.device,
    owner: row.owner,
    network: row.network,
    collectionId: row.collection_id,
    hostId: row.host_id,
    hash: row.hash,
    url: row.url,
    captureId: row.capture_id,
    receivedAt: row.received_at,
    subject: page(row.subject),
    earlier: page(row.earlier),
    auditor: row.auditor,
    auditorPage: page(row.auditor_page),
    judge: row.judge,
    judgePage: page(row.judge_page),
    againPage: page(row.again_page),
    state: row.state,
    outTo: row.out_to,
    attempts: row.attempts,
    drawn: row.drawn,
    draws: row.draws,
    isWaiting: row.is_waiting === 1,
    deposit: depositOf(row),
  }
}

function depositOf({ client, complaint: name, deposit_micros: micros }: AuditRow): Deposit | null {
  return client === null || name === null ? null : { client, name, micros }
}

function page(text: string | null): PageFacts | null {
  return text === null ? null : (JSON.parse(text) as PageFacts)
}

/** Three devices that could not reach the page: it is gone or shy, and no verdict will come. */
export const ATTEMPTS_MAX = 3
/** Longer than any host's delay keeps an audit waiting, short enough that the page is still
 * the one that the subject saw. */
const AUDIT_LIFE_MS = 6 * 3_600_000

type AskedOf = 'auditor' | 'judge' | 'judgePage' | 'againPage'
type Progress = 'state' | 'outTo' | 'attempts' | 'draws' | 'isWaiting' | 'deposit'

/**
 * A canary's answer is known before it is requested, so `auditorPage` may be there already, and no
 * auditor is drawn.
 */
export interface NewAudit extends Omit<Audit, AskedOf | Progress> {
  readonly priority: number
  readonly waitUntil: number | null
  readonly deposit?: Deposit
  readonly now: number
}

/** Opens those that are not there yet; answers which were new. */
export async function openAudits(sql: Sql, audits: readonly NewAudit[]): Promise<boolean[]> {
  if (audits.length === 0) return []
  const rows = audits.map(columnsOf)
  return sql.insertNew({
    table: 'audits',
    columns: Object.keys(rows[0]!),
    keys: ['id'],
    rows: rows.map((row) => Object.values(row)),
  })
}

function columnsOf(audit: NewAudit): Record<string, Value> {
  return {
    id: audit.id,
    kind: audit.kind,
    priority: audit.priority,
    device: audit.device,
    owner: audit.owner,
    network: audit.network,
    collection_id: audit.collectionId,
    host_id: audit.hostId,
    hash: audit.hash,
    url: audit.url,
    capture_id: audit.captureId,
    received_at: audit.receivedAt,
    opened_at: audit.now,
    subject: json(audit.subject),
    earlier: json(audit.earlier),
    auditor_page: json(audit.auditorPage),
    state: audit.kind === 'canary' ? 'canary' : 'wanted',
    is_waiting: audit.waitUntil === null ? 0 : 1,
    wait_until: audit.waitUntil ?? 0,
    expires_at: audit.now + AUDIT_LIFE_MS,
    drawn: audit.drawn,
    drawn_until: audit.now + DRAWN_MS,
    draws: 1,
    client: audit.deposit?.client ?? null,
    complaint: audit.deposit?.name ?? null,
    deposit_micros: audit.deposit?.micros ?? 0,
  }
}

export function json(facts: PageFacts | null): string | null {
  return facts === null ? null : JSON.stringify(facts)
}

export interface AuditEnd {
  verdict: 'agree' | 'lie' | 'none'
  reason: string | null
  now: number
}

/** `audit` with all answers that were received. */
export async function closeAudit(sql: Sql, audit: Audit, end: AuditEnd): Promise<void> {
  await sql.run(
    `UPDATE audits SET state = 'closed', verdict = ?, reason = ?, closed_at = ?, is_waiting = 0,
       out_to = NULL WHERE id = ?`,
    [end.verdict, end.reason, end.now, audit.id],
  )
  if (audit.kind !== 'complaint') return
  await sql.run(
    'UPDATE device_trust SET complaints = complaints - 1 WHERE device = ? AND complaints > 0',
    [audit.device],
  )
  await returnDeposit(sql, audit, end)
}

/** A second fetch that found nothing wrong has been paid for: then the deposit is kept. */
async function returnDeposit(sql: Sql, audit: Audit, { verdict, now }: AuditEnd): Promise<void> {
  if (audit.deposit === null) return
  const wasInVain = verdict === 'agree' || (verdict === 'none' && audit.auditorPage !== null)
  await endDeposit(sql, { ...audit.deposit, isKept: wasInVain, at: now })
}

/** What is still open about a device that was stopped: no verdict is needed any more, and clients that complained
 * were right. A delivery that waits for one of them stays marked as waiting, and the sweep hands it out at its time. */
export async function closeAuditsOf(
  sql: Sql,
  args: { device: string; now: number; reason: string },
): Promise<void> {
  const complaints = await selectAudits(
    sql,
    `WHERE device = ? AND kind = 'complaint' AND closed_at IS NULL`,
    [args.device],
  )
  for (const { deposit } of complaints) {
    if (deposit !== null) await endDeposit(sql, { ...deposit, isKept: false, at: args.now })
  }
  await sql.run(
    `UPDATE audits SET state = 'closed', verdict = 'none', reason = ?, closed_at = ?, out_to = NULL
     WHERE device = ? AND closed_at IS NULL`,
    [args.reason, args.now, args.device],
  )
  await sql.run('UPDATE device_trust SET complaints = 0 WHERE device = ?', [args.device])
}
