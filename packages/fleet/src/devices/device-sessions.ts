/**
 * A boot of a device proves its key once and is known by a session token from then on. The token's
 * hash is on the boot's row in `agents`, so a session lives exactly as long as the boot: it
 * outlives a restart of the coordinator and dies when the device falls silent or is revoked.
 */
import { UnknownAgent, type BotSigningKey, type DeviceFacts } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { UnknownDevice } from '../errors.ts'
import { networkOf } from '../trust/eligible.ts'
import { admitDevice } from '../trust/devices-standing.ts'
import { noteAddress } from './addresses.ts'
import { DeviceRevoked, StaleChallenge } from './device-errors.ts'

export type DeviceState = 'active' | 'paused' | 'revoked'

export interface DeviceKey {
  readonly publicKey: string
  readonly state: DeviceState
}

/** What a hello is checked against. */
export async function deviceKey(sql: Sql, args: { device: string }): Promise<DeviceKey> {
  const row = await sql.get<{ public_key: string; state: DeviceState }>(
    'SELECT public_key, state FROM devices WHERE id = ?',
    [args.device],
  )
  if (!row) throw new UnknownDevice(args.device)
  if (row.state === 'revoked') throw new DeviceRevoked()
  return { publicKey: row.public_key, state: row.state }
}

export interface ProvenHello {
  readonly device: string
  /** The number of the nonce that was answered: each serves once, and later ones are larger. */
  readonly nonceNumber: number
  readonly facts: DeviceFacts
  /** With what it signs its requests to sites; null when it does not. */
  readonly signing?: BotSigningKey | null
  /** Where the connection comes from; null when it did not come over a network. */
  readonly address: string | null
  readonly country: string | null
  /** The number of its network, where a file of places knows it. */
  readonly asn?: number | null
  readonly now: number
}

/** Takes note of a device whose signature was checked; answers whether it may be given work. */
export async function receiveDevice(
  sql: Sql,
  args: ProvenHello,
): Promise<{ state: DeviceState; owner: string }> {
  const { device, facts, now } = args
  const network = args.address === null ? null : networkOf(args.address, args.asn)
  // Asked and answered in one statement: two hellos with one nonce cannot both pass.
  const changed = await sql.run(
    `UPDATE devices SET last_nonce = ?, seen_at = ?, os = ?, os_version = ?, host_name = ?,
       software = ?, country = ?, network = ?, refused = NULL
     WHERE id = ? AND last_nonce < ? AND state <> 'revoked'`,
    [
      args.nonceNumber,
      now,
      facts.os,
      facts.osVersion,
      facts.hostName,
      facts.software,
      args.country,
      network,
      device,
      args.nonceNumber,
    ],
  )
  const row = await sql.get<{ state: DeviceState; owner: string; is_trusted: number }>(
    'SELECT state, owner, is_trusted FROM devices WHERE id = ?',
    [device],
  )
  if (!row) throw new UnknownDevice(device)
  if (row.state === 'revoked') throw new DeviceRevoked()
  if (changed === 0) throw new StaleChallenge()
  await admitDevice(sql, {
    device,
    owner: row.owner,
    network,
    isTrusted: row.is_trusted === 1,
    now,
  })
  if (args.address !== null) await noteAddress(sql, { device, address: args.address, now })
  return { state: row.state, owner: row.owner }
}

/** To be called when the boot's row is there. */
export async function openDeviceSession(
  sql: Sql,
  args: { boot: string; hash: string },
): Promise<void> {
  await sql.run('UPDATE agents SET session = ? WHERE boot = ?', [args.hash, args.boot])
}

export interface DeviceSession {
  readonly boot: string
  readonly device: string
  readonly publicKey: string
  readonly owner: string
  readonly isTrusted: boolean
}

export async function deviceSession(sql: Sql, args: { hash: string }): Promise<DeviceSession> {
  const row = await sql.get<Omit<DeviceSession, 'isTrusted'> & { trusted: number }>(
    `SELECT a.boot, a.device, d.public_key AS "publicKey", d.owner, d.is_trusted AS trusted
     FROM agents a JOIN devices d ON d.id = a.device WHERE a.session = ?`,
    [args.hash],
  )
  if (!row) throw new UnknownAgent('of this session')
  const { trusted, ...session } = row
  return { ...session, isTrusted: trusted === 1 }
}
