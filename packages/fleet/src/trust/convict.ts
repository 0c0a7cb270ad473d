/**
 * A proven forgery and its consequences: the device is stopped, and its recent results are not
 * believed. The other devices of the same owner are on probation after the first forgery and
 * expelled after the second, whichever device sent it: otherwise the next one would continue.
 */
import type { Sql } from '@minga/store'
import { closeAuditsOf, type Audit } from './audit-rows.ts'
import { putInQuarantine, type Quarantine } from './devices-standing.ts'
import { afterExpulsion, afterLie, type Standing, type StandingState } from './standing.ts'
import { lockOwner, putOnProbation, siblingsOf, withLiesOf } from './owner-standing.ts'
import { lockedTrust, saveStanding, STATION, writeLog } from './trust-rows.ts'

/**
 * Results are believed that came before so many agreements in a row. One alone says little of a device that lies now and
 * then; one that lies in three of ten results has twenty in a row once in a thousand times.
 */
const AGREEMENTS_BELIEVED = 20

/** A device that was stopped by a verdict, and what of its results is not to be believed. */
export interface Stopped {
  readonly device: string
  readonly owner: string
  readonly state: StandingState
  readonly quarantine: Quarantine
}

export async function convict(
  sql: Sql,
  audit: Audit,
  { liars, now }: { liars: readonly ('subject' | 'auditor')[]; now: number },
): Promise<Stopped[]> {
  const stopped: Stopped[] = []
  for (const role of liars) {
    // The verified page of a canary has no auditor to blame.
    const device = role === 'subject' ? audit.device : audit.auditor
    if (device === null) continue
    const receivedAt = role === 'subject' ? audit.receivedAt : now
    stopped.push(...(await convictOne(sql, { audit, device, role, receivedAt, now })))
  }
  return stopped
}

interface Conviction {
  audit: Audit
  device: string
  role: 'subject' | 'auditor'
  receivedAt: number
  now: number
}

async function convictOne(sql: Sql, conviction: Conviction): Promise<Stopped[]> {
  const { audit, device, role, receivedAt, now } = conviction
  const owner = await lockOwner(sql, device)
  const trust = await lockedTrust(sql, device)
  const entry = { at: now, device, who: STATION, note: `${audit.url} (${audit.id})` }
  if (trust.isTrusted) {
    // The station's own device is not punished; that it differs is for the operator to see.
    await writeLog(sql, { ...entry, action: 'differs', reason: role })
    return []
  }
  const before = owner === null ? trust.standing : await withLiesOf(sql, owner, trust.standing)
  const standing = afterLie(before, { hostId: audit.hostId, receivedAt })
  await writeLog(sql, { ...entry, action: 'lie', reason: role })
  const id = `qua_${role}_${audit.id}`
  const stopped = await stop(sql, { ...entry, id, receivedAt, standing, owner: trust.owner })
  if (owner === null) return [stopped]
  if (standing.state === 'expelled')
    return [stopped, ...(await expelOthers(sql, conviction, owner))]
  await putOnProbation(sql, owner, { device, lied: standing, who: STATION, now })
  return [stopped]
}

/** Other devices of the owner of one that was expelled for lying. */
async function expelOthers(
  sql: Sql,
  { audit, device, now }: Conviction,
  owner: string,
): Promise<Stopped[]> {
  const stopped: Stopped[] = []
  for (const other of await siblingsOf(sql, owner, device)) {
    const { standing } = other
    if (standing.state === 'expelled') continue
    const id = `qua_owner_${audit.id}_${other.device}`
    const entry = { at: now, device: other.device, who: STATION, note: device }
    const expelled = afterExpulsion(standing, 'owner')
    stopped.push(await stop(sql, { ...entry, id, receivedAt: now, standing: expelled, owner }))
  }
  return stopped
}

interface Stop {
  id: string
  device: string
  owner: string
  standing: Standing
  /** When the lie was received: agreements of later results say nothing of those before it. */
  receivedAt: number
  at: number
  who: string
  note: string
}

async function stop(sql: Sql, args: Stop): Promise<Stopped> {
  const { id, device, owner, standing, receivedAt, at: now, who, note } = args
  const last = await sql.get<{ received_at: number; capture_id: number | null }>(
    `SELECT received_at, capture_id FROM audits
     WHERE device = ? AND verdict = 'agree' AND received_at < ?
     ORDER BY received_at DESC LIMIT 1 OFFSET ?`,
    [device, receivedAt, AGREEMENTS_BELIEVED - 1],
  )
  const quarantine: Quarantine = {
    id,
    device,
    sinceAt: last?.received_at ?? 0,
    sinceCaptureId: last?.capture_id ?? 0,
    untilAt: now,
    reason: standing.reason ?? 'lie',
  }
  await putInQuarantine(sql, quarantine)
  await saveStanding(sql, device, standing)
  const action = standing.state === 'expelled' ? 'expelled' : 'quarantined'
  await writeLog(sql, { at: now, device, who, action, reason: standing.reason, note })
  if (action === 'expelled') await closeAuditsOf(sql, { device, now, reason: 'expelled' })
  return { device, owner, state: standing.state, quarantine }
}
