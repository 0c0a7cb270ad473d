/** A device becomes known: its public key, its owner, and what it says of itself. */
import type { DeviceFacts } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { createHash } from 'node:crypto'
import { DeviceRevoked, DeviceTaken, TokenUsed } from './device-errors.ts'
import { validToken, type TokenRow } from './join-tokens.ts'
import { requireRoomForDevice } from './owner-limits.ts'

export interface EnrolDeviceArgs {
  readonly tokenHash: string
  /** For a new device; a known one keeps its own. */
  readonly id: string
  readonly publicKey: string
  readonly name: string
  readonly facts: DeviceFacts
  /** Devices that one owner may have; operators any number. */
  readonly devicesMax: number
  readonly now: number
}

/**
 * The caller has checked that the key is the caller's own. After a lost answer the request is
 * repeated: the same key with the same token gives the same device.
 */
export async function enrolDevice(sql: Sql, args: EnrolDeviceArgs): Promise<{ device: string }> {
  const token = await validToken(sql, { hash: args.tokenHash, now: args.now })
  await refuseRevokedKey(sql, args.publicKey)
  const known = await sql.get<{ id: string; owner: string }>(
    'SELECT id, owner FROM devices WHERE public_key = ?',
    [args.publicKey],
  )
  refuseUsed(token, known?.id ?? null)
  if (known && known.owner !== token.owner) throw new DeviceTaken()
  const device = known?.id ?? args.id
  if (!known) {
    await requireRoomForDevice(sql, { owner: token.owner, devicesMax: args.devicesMax })
    await insertDevice(sql, args, token)
  }
  if (token.used_at === null) {
    await sql.run('UPDATE join_tokens SET used_at = ?, used_by = ? WHERE hash = ?', [
      args.now,
      device,
      token.hash,
    ])
  }
  return { device }
}

async function refuseRevokedKey(sql: Sql, publicKey: string): Promise<void> {
  const revoked = await sql.get('SELECT 1 AS one FROM revoked_keys WHERE hash = ?', [
    keyHash(publicKey),
  ])
  if (revoked) throw new DeviceRevoked()
}

/** A deleted device leaves no key behind, only this, if it had been revoked. */
export function keyHash(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex')
}

function refuseUsed(token: TokenRow, device: string | null): void {
  if (token.is_reusable === 1 || token.used_at === null) return
  if (device === null || token.used_by !== device) throw new TokenUsed()
}

async function insertDevice(sql: Sql, args: EnrolDeviceArgs, token: TokenRow): Promise<void> {
  const { os, osVersion, hostName, software } = args.facts
  await sql.run(
    `INSERT INTO devices (id, owner, name, public_key, is_trusted, enrolled_at, seen_at,
       os, os_version, host_name, software)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      args.id,
      token.owner,
      args.name,
      args.publicKey,
      token.is_trusted,
      args.now,
      args.now,
      os,
      osVersion,
      hostName,
      software,
    ],
  )
}
