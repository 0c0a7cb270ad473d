/**
 * Standing belongs to the owner: what one device did counts for all devices of the same account. Otherwise twenty of them
 * would have twenty first lies. Each step begins with `lockOwner`, so that siblings judged at the same moment see each other.
 */
import type { Sql } from '@minga/store'
import { answersForMany, isExpelled, pastOf } from '../devices/owner-limits.ts'
import { closeAuditsOf } from './audit-rows.ts'
import { afterExpulsion, afterRelease, type Standing } from './standing.ts'
import {
  listTrust,
  lockedTrust,
  readTrust,
  saveStanding,
  writeLog,
  type DeviceTrust,
} from './trust-rows.ts'

/** Locks all devices of the owner, in one order; null when the device answers for itself. */
export async function lockOwner(sql: Sql, device: string): Promise<string | null> {
  const trust = await readTrust(sql, device)
  if (trust === null || trust.isTrusted || (await answersForMany(sql, trust.owner))) return null
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  await listTrust(sql, `WHERE owner = ? ORDER BY device${lock}`, [trust.owner])
  return trust.owner
}

export function siblingsOf(sql: Sql, owner: string, device: string): Promise<DeviceTrust[]> {
  return listTrust(sql, 'WHERE owner = ? AND device <> ? AND is_trusted = 0 ORDER BY device', [
    owner,
    device,
  ])
}

/** The device's standing with the lies of its owner's other devices, by which its next one is judged. */
export async function withLiesOf(sql: Sql, owner: string, standing: Standing): Promise<Standing> {
  const past = await pastOf(sql, owner)
  if (past.type !== 'probation') return standing
  const liedHostId = standing.liedHostId ?? past.liedHostId
  return { ...standing, lies: Math.max(standing.lies, past.lies), liedHostId }
}

interface Deed {
  device: string
  who: string
  now: number
}

/**
 * After the first forgery the other devices have to prove themselves again, and their first forgery
 * is the owner's second.
 */
export async function putOnProbation(
  sql: Sql,
  owner: string,
  { device, lied, who, now }: Deed & { lied: Standing },
): Promise<void> {
  const { lies, liedHostId } = lied
  for (const { device: other, standing } of await siblingsOf(sql, owner, device)) {
    if (standing.state === 'expelled' || standing.lies >= lies) continue
    await saveStanding(sql, other, { ...standing, agreements: 0, lies, liedHostId })
    const entry = { at: now, device: other, who, note: device }
    await writeLog(sql, { ...entry, action: 'differs', reason: 'probation' })
  }
}

/** Who was expelled by an operator does not go on with another device. */
export async function expelSiblings(
  sql: Sql,
  owner: string,
  { device, who, now }: Deed,
): Promise<void> {
  for (const { device: other, standing } of await siblingsOf(sql, owner, device)) {
    if (standing.state === 'expelled') continue
    await closeAuditsOf(sql, { device: other, now, reason: 'expelled' })
    await saveStanding(sql, other, afterExpulsion(standing, 'owner'))
    const entry = { at: now, device: other, who, note: device }
    await writeLog(sql, { ...entry, action: 'expelled', reason: 'owner' })
  }
}

/** When no device of the owner is expelled for what it did, neither are the others; when no lie of theirs is left, they
 * are on probation no more. */
export async function releaseSiblings(
  sql: Sql,
  owner: string,
  { device, who, now }: Deed,
): Promise<void> {
  if (await isExpelled(sql, owner)) return
  const isForgiven = !(await hasLied(sql, owner))
  for (const { device: other } of await siblingsOf(sql, owner, device)) {
    const { standing } = await lockedTrust(sql, other)
    const wasExpelled = standing.state === 'expelled'
    const next = wasExpelled ? afterRelease(standing, { now, isForgiven }) : standing
    await saveStanding(sql, other, isForgiven ? { ...next, lies: 0, liedHostId: null } : next)
    if (!wasExpelled) continue
    const entry = { at: now, device: other, who, note: device }
    await writeLog(sql, { ...entry, action: 'released', reason: null })
  }
}

/** A lie that no operator has forgiven. */
async function hasLied(sql: Sql, owner: string): Promise<boolean> {
  const found = await sql.get(
    `SELECT 1 AS found FROM quarantines q JOIN device_trust t ON t.device = q.device
     WHERE t.owner = ? AND t.is_trusted = 0 AND q.released_at IS NULL
       AND q.reason IN ('lie', 'lies') LIMIT 1`,
    [owner],
  )
  return found !== undefined
}
