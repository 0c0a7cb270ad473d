/** The row of a device's trust: read with a lock, turned into what the rules know, written back. */
import type { EventCode } from '@minga/protocol'
import { logEvents, type Sql, type Value } from '@minga/store'
import { UnknownDevice } from '../errors.ts'
import type { Checker } from './eligible.ts'
import { isProven, type Reputation } from './reputation.ts'
import type { ServiceWindow, Standing, StandingReason, StandingState } from './standing.ts'

interface TrustRow {
  device: string
  owner: string
  network: string | null
  is_trusted: number
  agreements: number
  lies: number
  lied_host_id: number | null
  state: StandingState
  reason: StandingReason | null
  blocked_until: number | null
  blocks: number
  released_at: number
  complaints: number
  canaries_due: number
  seen_at: number
  window_started_at: number
  served: number
  failed: number
  timed_out: number
  slow: number
}

export interface DeviceTrust {
  readonly device: string
  readonly owner: string
  readonly network: string | null
  readonly isTrusted: boolean
  readonly standing: Standing
  readonly window: ServiceWindow
  readonly openComplaints: number
  readonly canariesDue: number
  readonly seenAt: number
}

/** Two verdicts about one device, or a verdict and an upload of it, must see each other's effect. */
export async function lockedTrust(sql: Sql, device: string): Promise<DeviceTrust> {
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const row = await sql.get<TrustRow>(`SELECT * FROM device_trust WHERE device = ?${lock}`, [
    device,
  ])
  if (!row) throw new UnknownDevice(device)
  return fromRow(row)
}

/** `where` is the rest of the statement, from WHERE on. */
export async function listTrust(
  sql: Sql,
  where: string,
  params: readonly Value[],
): Promise<DeviceTrust[]> {
  const rows = await sql.all<TrustRow>(`SELECT * FROM device_trust ${where}`, params)
  return rows.map(fromRow)
}

export async function readTrust(sql: Sql, device: string): Promise<DeviceTrust | null> {
  const row = await sql.get<TrustRow>('SELECT * FROM device_trust WHERE device = ?', [device])
  return row ? fromRow(row) : null
}

function fromRow(row: TrustRow): DeviceTrust {
  return {
    device: row.device,
    owner: row.owner,
    network: row.network,
    isTrusted: row.is_trusted === 1,
    standing: {
      state: row.state,
      reason: row.reason,
      blockedUntil: row.blocked_until,
      blocks: row.blocks,
      agreements: row.agreements,
      lies: row.lies,
      liedHostId: row.lied_host_id,
      releasedAt: row.released_at,
    },
    window: {
      startedAt: row.window_started_at,
      served: row.served,
      failed: row.failed,
      timedOut: row.timed_out,
      slow: row.slow,
    },
    openComplaints: row.complaints,
    canariesDue: row.canaries_due,
    seenAt: row.seen_at,
  }
}

export async function saveStanding(sql: Sql, device: string, standing: Standing): Promise<void> {
  const values: Value[] = [
    standing.state,
    standing.reason,
    standing.blockedUntil,
    standing.blocks,
    standing.agreements,
    standing.lies,
    standing.liedHostId,
    standing.releasedAt,
    device,
  ]
  await sql.run(
    `UPDATE device_trust SET state = ?, reason = ?, blocked_until = ?, blocks = ?, agreements = ?,
       lies = ?, lied_host_id = ?, released_at = ? WHERE device = ?`,
    values,
  )
}

/** Seen again this soon, the row is left alone: every question of every agent must not write. */
const SIGHT_MS = 60_000

export async function noteSight(sql: Sql, trust: DeviceTrust, now: number): Promise<void> {
  if (trust.seenAt >= now - SIGHT_MS) return
  await sql.run('UPDATE device_trust SET seen_at = ? WHERE device = ?', [now, trust.device])
}

export async function saveWindow(sql: Sql, device: string, window: ServiceWindow): Promise<void> {
  await sql.run(
    `UPDATE device_trust SET window_started_at = ?, served = ?, failed = ?, timed_out = ?, slow = ?
     WHERE device = ?`,
    [window.startedAt, window.served, window.failed, window.timedOut, window.slow, device],
  )
}

export function reputationOf({ standing, isTrusted }: DeviceTrust): Reputation {
  return { agreements: standing.agreements, lies: standing.lies, isTrusted }
}

export function checkerOf(trust: DeviceTrust): Checker {
  return {
    device: trust.device,
    owner: trust.owner,
    network: trust.network,
    isTrusted: trust.isTrusted,
    isProven: isProven(reputationOf(trust)),
    state: trust.standing.state,
  }
}

/** Who decided: an account, or the station itself. */
export const STATION = 'station'

export interface LogEntry {
  readonly at: number
  readonly device: string
  readonly who: string
  readonly action: TrustAction
  readonly reason: string | null
  readonly note: string | null
}

export type TrustAction =
  | 'admitted'
  | 'proven'
  | 'blocked'
  | 'unblocked'
  | 'quarantined'
  | 'expelled'
  | 'released'
  | 'lie'
  | 'differs'
  | 'complaint'
  | 'drained'
  | 'undrained'
  | 'told'
  | 'untold'

export async function writeLog(sql: Sql, entry: LogEntry): Promise<void> {
  await sql.run(
    'INSERT INTO trust_log (at, device, who, action, reason, note) VALUES (?, ?, ?, ?, ?, ?)',
    [entry.at, entry.device, entry.who, entry.action, entry.reason, entry.note],
  )
  await logJudgement(sql, entry)
}

/** What the station's log records of it; the rest is between the station and the device. */
const LOGGED = {
  proven: { code: 'agent:proven', sentence: 'The device has proven itself.' },
  blocked: { code: 'agent:blocked', sentence: 'The device was blocked.' },
  unblocked: { code: 'agent:unblocked', sentence: 'The device is no longer blocked.' },
  quarantined: { code: 'agent:quarantined', sentence: 'The device is held back.' },
  expelled: { code: 'agent:expelled', sentence: 'The device was expelled.' },
  released: { code: 'agent:released', sentence: 'The device is no longer held back.' },
  lie: { code: 'agent:lied', sentence: 'What the device sent was proven to be false.' },
  complaint: { code: 'agent:doubted', sentence: 'A client doubts what the device sent.' },
  drained: { code: 'agent:drained', sentence: 'The device gets no new work.' },
  undrained: { code: 'agent:undrained', sentence: 'The device gets work again.' },
} as const satisfies Partial<Record<TrustAction, { code: EventCode; sentence: string }>>

const isLogged = (action: TrustAction): action is keyof typeof LOGGED =>
  Object.hasOwn(LOGGED, action)

async function logJudgement(sql: Sql, entry: LogEntry): Promise<void> {
  const { at, device, who, action, reason, note } = entry
  if (!isLogged(action)) return
  const logged = LOGGED[action]
  const why = [reason, note].filter((part) => part !== null).join('; ')
  const sentence = why === '' ? logged.sentence : `${logged.sentence} ${why}`
  const by = who === STATION ? null : who
  const details = why === '' ? {} : { why }
  await logEvents(sql, [{ at, code: logged.code, subject: device, device, sentence, details, by }])
}
