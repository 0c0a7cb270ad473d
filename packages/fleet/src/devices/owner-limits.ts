/** What one owner may have: so many devices and open join tokens, and none after a device was expelled for lying. */
import type { Sql } from '@minga/store'
import { isRole, reachOf } from '../accounts/permissions.ts'
import { OwnerExpelled, TooManyDevices, TooManyJoinTokens } from './device-errors.ts'

/** The account of the station's own devices. */
const OPERATOR = 'operator'

/**
 * Operators invite other people's devices, which then belong to their account: there each device answers for itself.
 * The account's row is locked, so that limits hold when several calls of one owner come at once.
 */
export async function answersForMany(sql: Sql, owner: string): Promise<boolean> {
  if (owner === OPERATOR) return true
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const account = await sql.get<{ roles: string }>(
    `SELECT roles FROM accounts WHERE id = ?${lock}`,
    [owner],
  )
  const roles = account?.roles.split(' ').filter(isRole) ?? []
  return reachOf(roles, 'join-tokens:write') === 'all'
}

export async function requireRoomForToken(
  sql: Sql,
  { owner, openMax, now }: { owner: string; openMax: number; now: number },
): Promise<void> {
  if (await answersForMany(sql, owner)) return
  const open = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM join_tokens WHERE owner = ? AND used_at IS NULL
       AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
    [owner, now],
  )
  if (open!.n >= openMax) throw new TooManyJoinTokens(openMax)
}

export async function requireRoomForDevice(
  sql: Sql,
  { owner, devicesMax }: { owner: string; devicesMax: number },
): Promise<void> {
  if (await answersForMany(sql, owner)) return
  if (await isExpelled(sql, owner)) throw new OwnerExpelled()
  const own = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM devices WHERE owner = ? AND state <> 'revoked'`,
    [owner],
  )
  if (own!.n >= devicesMax) throw new TooManyDevices(devicesMax)
}

/** What becomes of a new device by what its owner's others did. They count also when they were deleted since. */
export type OwnerPast =
  | { readonly type: 'clean' }
  /** Another one was proven wrong: this one has to prove itself as long, and its first lie is the second. */
  | { readonly type: 'probation'; readonly lies: number; readonly liedHostId: number | null }
  | { readonly type: 'expelled' }

export async function pastOf(sql: Sql, owner: string): Promise<OwnerPast> {
  const worst = await sql.get<{ lies: number; lied_host_id: number | null }>(
    `SELECT lies, lied_host_id FROM device_trust WHERE owner = ? AND is_trusted = 0 AND lies > 0
     ORDER BY lies DESC, device LIMIT 1`,
    [owner],
  )
  if (worst === undefined || (await answersForMany(sql, owner))) return { type: 'clean' }
  if (await isExpelled(sql, owner)) return { type: 'expelled' }
  return { type: 'probation', lies: worst.lies, liedHostId: worst.lied_host_id }
}

async function isExpelled(sql: Sql, owner: string): Promise<boolean> {
  const found = await sql.get(
    `SELECT 1 AS found FROM device_trust WHERE owner = ? AND is_trusted = 0
       AND state = 'expelled' AND reason = 'lies' LIMIT 1`,
    [owner],
  )
  return found !== undefined
}
