/** Operations on a device's standing: who may work, who was stopped, by whom and why. */
import type { Sql } from '@minga/store'
import { pastOf, type OwnerPast } from '../devices/owner-limits.ts'
import { closeAuditsOf } from './audit-rows.ts'
import { expelSiblings, lockOwner, releaseSiblings } from './owner-standing.ts'
import { auditProbability, honestyBound, isProven } from './reputation.ts'
import {
  afterBlock,
  afterExpulsion,
  afterQuarantine,
  afterRelease,
  afterTime,
  poorService,
  sentenceOf,
  withService,
  emptyWindow,
  type ServiceWindow,
  type Standing,
  type StandingReason,
} from './standing.ts'
import {
  lockedTrust,
  readTrust,
  reputationOf,
  saveStanding,
  saveWindow,
  STATION,
  writeLog,
  type LogEntry,
} from './trust-rows.ts'

export interface AdmitDeviceArgs {
  readonly device: string
  readonly owner: string
  /** As `networkOf` says. */
  readonly network: string | null
  readonly isTrusted: boolean
  readonly now: number
}

/** To be called at each hello: a new device begins unproven, a known one may have moved. */
export async function admitDevice(sql: Sql, args: AdmitDeviceArgs): Promise<void> {
  const { device, owner, network, now } = args
  const isTrusted = args.isTrusted ? 1 : 0
  const [isNew] = await sql.insertNew({
    table: 'device_trust',
    columns: ['device', 'owner', 'network', 'is_trusted', 'seen_at'],
    keys: ['device'],
    rows: [[device, owner, network, isTrusted, now]],
  })
  if (isNew) return admitNew(sql, args)
  await sql.run(
    'UPDATE device_trust SET owner = ?, network = ?, is_trusted = ?, seen_at = ? WHERE device = ?',
    [owner, network, isTrusted, now, device],
  )
}

async function admitNew(
  sql: Sql,
  { device, owner, isTrusted, now }: AdmitDeviceArgs,
): Promise<void> {
  const past: OwnerPast = isTrusted ? { type: 'clean' } : await pastOf(sql, owner)
  const entry = { at: now, device, who: STATION, note: null }
  const admitted = isTrusted ? 'trusted' : past.type === 'probation' ? 'probation' : null
  await writeLog(sql, { ...entry, action: 'admitted', reason: admitted })
  if (past.type === 'clean') return
  const { standing } = await lockedTrust(sql, device)
  if (past.type === 'probation') {
    const { lies, liedHostId } = past
    return saveStanding(sql, device, { ...standing, lies, liedHostId })
  }
  // Enrolled before the owner was expelled, and comes only now.
  await saveStanding(sql, device, afterExpulsion(standing, 'owner'))
  await writeLog(sql, { ...entry, action: 'expelled', reason: 'owner' })
}

export interface TrustView {
  readonly device: string
  readonly owner: string
  readonly network: string | null
  readonly isTrusted: boolean
  readonly isProven: boolean
  /** The lower bound of the belief in its honesty; 1 for trusted, 0 for stopped liars. */
  readonly honesty: number
  readonly auditProbability: number
  readonly standing: Standing
  /** Why it may not work, in words; null when it may. */
  readonly sentence: string | null
  readonly openComplaints: number
}

export interface TrustOfArgs {
  readonly device: string
  /** The share of a proven device's results that is audited; the usual one without it. */
  readonly auditFloor?: number
}

export async function trustOf(sql: Sql, args: TrustOfArgs): Promise<TrustView | null> {
  const trust = await readTrust(sql, args.device)
  if (trust === null) return null
  const { device, owner, network, isTrusted, standing, openComplaints } = trust
  const reputation = reputationOf(trust)
  const isLiar = standing.state === 'quarantined' || standing.state === 'expelled'
  const bound = isTrusted ? 1 : honestyBound(reputation)
  return {
    device,
    owner,
    network,
    isTrusted,
    isProven: !isLiar && isProven(reputation),
    honesty: isLiar ? 0 : bound,
    auditProbability: auditProbability(reputation, {
      openComplaints,
      ...(args.auditFloor === undefined ? {} : { floor: args.auditFloor }),
    }),
    standing,
    sentence: standing.reason === null ? null : sentenceOf(standing.reason),
    openComplaints,
  }
}

export interface NoteServiceArgs extends Omit<ServiceWindow, 'startedAt'> {
  readonly device: string
  readonly now: number
}

/** Adds to the device's window; blocks it for a time when it serves poorly. */
export async function noteService(sql: Sql, args: NoteServiceArgs): Promise<Standing> {
  const { device, now } = args
  const trust = await lockedTrust(sql, device)
  const window = withService(trust.window, args, now)
  const reason = trust.standing.state === 'active' && !trust.isTrusted ? poorService(window) : null
  if (reason === null) {
    await saveWindow(sql, device, window)
    return trust.standing
  }
  // After the block it begins with an empty window: old failures do not block it again.
  await saveWindow(sql, device, emptyWindow(now))
  const note = `${window.served} requests: ${window.failed} failed, ${window.timedOut} lost, ${window.slow} slow`
  const standing = afterBlock(trust.standing, { reason, now })
  await saveStanding(sql, device, standing)
  await writeLog(sql, { at: now, device, who: STATION, action: 'blocked', reason, note })
  return standing
}

interface Decision {
  readonly device: string
  readonly who: string
  readonly note?: string | null
  readonly now: number
}

export interface BlockDeviceArgs extends Decision {
  readonly reason: StandingReason
  readonly durationMs?: number
}

export async function blockDevice(sql: Sql, args: BlockDeviceArgs): Promise<Standing> {
  const { standing } = await lockedTrust(sql, args.device)
  return decide(sql, args, { action: 'blocked', standing: afterBlock(standing, args) })
}

export interface QuarantineDeviceArgs extends Decision {
  /** Id of the quarantine, made by the caller. */
  readonly id: string
  readonly reason: StandingReason
  /** What it sent after this is not to be believed; 0 for all it ever sent. */
  readonly since: number
}

export async function quarantineDevice(sql: Sql, args: QuarantineDeviceArgs): Promise<Standing> {
  const { standing } = await lockedTrust(sql, args.device)
  await putInQuarantine(sql, {
    id: args.id,
    device: args.device,
    sinceAt: args.since,
    sinceCaptureId: 0,
    untilAt: args.now,
    reason: args.reason,
  })
  const next = afterQuarantine(standing, args.reason)
  return decide(sql, args, { action: 'quarantined', standing: next })
}

export interface ExpelDeviceArgs extends Decision {
  readonly reason: StandingReason
}

/** With all devices of its owner, who cannot enrol others either. */
export async function expelDevice(sql: Sql, args: ExpelDeviceArgs): Promise<Standing> {
  const owner = await lockOwner(sql, args.device)
  const { standing } = await lockedTrust(sql, args.device)
  await closeAuditsOf(sql, { device: args.device, now: args.now, reason: 'expelled' })
  const next = afterExpulsion(standing, args.reason)
  const expelled = await decide(sql, args, { action: 'expelled', standing: next })
  if (owner !== null) await expelSiblings(sql, owner, args)
  return expelled
}

export interface ReleaseDeviceArgs extends Decision {
  /** The operator found that there was no forgery: the count of forgeries starts again as well. */
  readonly isForgiven: boolean
}

export async function releaseDevice(sql: Sql, args: ReleaseDeviceArgs): Promise<Standing> {
  const owner = await lockOwner(sql, args.device)
  const { standing } = await lockedTrust(sql, args.device)
  if (args.isForgiven) {
    await sql.run(
      'UPDATE quarantines SET released_at = ? WHERE device = ? AND released_at IS NULL',
      [args.now, args.device],
    )
  }
  const next = afterRelease(standing, args)
  const released = await decide(sql, args, { action: 'released', standing: next })
  if (owner !== null) await releaseSiblings(sql, owner, args)
  return released
}

async function decide(
  sql: Sql,
  args: Decision & { reason?: StandingReason },
  { action, standing }: { action: LogEntry['action']; standing: Standing },
): Promise<Standing> {
  await saveStanding(sql, args.device, standing)
  await writeLog(sql, {
    at: args.now,
    device: args.device,
    who: args.who,
    action,
    reason: args.reason ?? null,
    note: args.note ?? null,
  })
  return standing
}

/** Blocks that are over end; answers whose. */
export async function sweepBlocks(sql: Sql, args: { now: number }): Promise<string[]> {
  const due = await sql.all<{ device: string }>(
    `SELECT device FROM device_trust WHERE state = 'blocked' AND blocked_until <= ? ORDER BY device`,
    [args.now],
  )
  const ended: string[] = []
  for (const { device } of due) {
    const { standing } = await lockedTrust(sql, device)
    const next = afterTime(standing, args.now)
    if (next === standing) continue
    await decide(
      sql,
      { device, who: STATION, now: args.now },
      { action: 'unblocked', standing: next },
    )
    ended.push(device)
  }
  return ended
}

export interface Quarantine {
  readonly id: string
  readonly device: string
  readonly sinceAt: number
  readonly sinceCaptureId: number
  readonly untilAt: number
  readonly reason: string
}

export async function putInQuarantine(sql: Sql, quarantine: Quarantine): Promise<void> {
  const { id, device, sinceAt, sinceCaptureId, untilAt, reason } = quarantine
  await sql.insertMany({
    table: 'quarantines',
    columns: ['id', 'device', 'since_at', 'since_capture_id', 'until_at', 'reason'],
    rows: [[id, device, sinceAt, sinceCaptureId, untilAt, reason]],
    onConflict: 'ignore',
  })
}

/** Newest first, before `beforeId` when given. */
export async function trustLog(
  sql: Sql,
  args: { device: string; beforeId?: number; limit: number },
): Promise<(LogEntry & { id: number })[]> {
  return sql.all(
    `SELECT id, at, device, who, action, reason, note FROM trust_log
     WHERE device = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    [args.device, args.beforeId ?? Number.MAX_SAFE_INTEGER, args.limit],
  )
}
