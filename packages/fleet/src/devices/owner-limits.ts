/** What one owner may have: so many devices and open join tokens, and none after a device was expelled. */
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
  return mayInvite(account?.roles)
}

/** Those of the owners who answer for many, as `answersForMany` says, without locking anyone. */
export async function ownersOfMany(
  sql: Sql,
  owners: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(owners)]
  const rows = await sql.selectMany<{ roles: string }>({
    table: 'accounts',
    keys: ['id'],
    rows: ids.map((id) => [id]),
    columns: ['roles'],
  })
  return new Set(ids.filter((id, i) => id === OPERATOR || mayInvite(rows[i]?.roles)))
}

function mayInvite(roles: string | undefined): boolean {
  const known = roles?.split(' ').filter(isRole) ?? []
  return reachOf(known, 'join-tokens:write') === 'all'
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
  const wasExpelled = await isExpelled(sql, owner)
  if ((worst === undefined && !wasExpelled) || (await answersForMany(sql, owner))) {
    return { type: 'clean' }
  }
  if (wasExpelled || worst === undefined) return { type: 'expelled' }
  return { type: 'probation', lies: worst.lies, liedHostId: worst.lied_host_id }
}

/** For what one of its devices did; those that were expelled with it do not count. */
export async function isExpelled(sql: Sql, owner: string): Promise<boolean> {
  const found = await sql.get(
    `SELECT 1 AS found FROM device_trust WHERE owner = ? AND is_trusted = 0
       AND state = 'expelled' AND reason <> 'owner' LIMIT 1`,
    [owner],
  )
  return found !== undefined
}
