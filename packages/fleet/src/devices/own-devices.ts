/**
 * What owners do with their devices. The owner is an argument and the check is here: another user's
 * device does not exist for them. A null owner is the operator, who may access all.
 */
import type { Sql } from '@minga/store'
import { NoSuchDevice } from './device-errors.ts'
import type { DeviceState } from './device-sessions.ts'
import { keyHash } from './enrol.ts'
import type { Owner } from './join-tokens.ts'
import { COUNTERS, detailsOf, type Counters, type DetailView } from './request-details.ts'

export interface DevicePlace {
  readonly networkPrefix: string
  readonly firstSeenAt: number
  readonly lastSeenAt: number
}

export interface DeviceView {
  readonly id: string
  readonly owner: string
  /** As they call themselves; their id when they have no account any more. */
  readonly ownerName: string
  readonly name: string
  readonly state: DeviceState
  readonly isTrusted: boolean
  /** Whether a boot of it is at work now. */
  readonly isConnected: boolean
  readonly enrolledAt: number
  readonly seenAt: number
  readonly os: string
  readonly osVersion: string
  readonly software: string
  readonly hostName: string
  readonly country: string | null
  /** Since when it is to finish what it has and take no more; null: it may take more. */
  readonly drainedAt: number | null
  /** The operator's latest words to its owner. */
  readonly message: { readonly text: string; readonly at: number } | null
  /** Why its last hello came to nothing; null: it did not. */
  readonly refused: string | null
  readonly counters: Counters
  readonly places: readonly DevicePlace[]
}

interface DeviceRow extends Counters {
  id: string
  owner: string
  owner_name: string | null
  name: string
  public_key: string
  state: DeviceState
  is_trusted: number
  is_connected: number
  enrolled_at: number
  seen_at: number
  os: string
  os_version: string
  software: string
  host_name: string
  country: string | null
  drained_at: number | null
  message: string | null
  message_at: number | null
  refused: string | null
}

export interface ListDevicesArgs {
  readonly owner: Owner
  /** Ids after this one, in the order of ids. */
  readonly afterId?: string
  readonly limit: number
}

const SEEN = `SELECT d.*, CASE WHEN EXISTS (SELECT 1 FROM agents a WHERE a.device = d.id)
  THEN 1 ELSE 0 END AS is_connected, (SELECT o.name FROM accounts o WHERE o.id = d.owner) AS owner_name
  FROM devices d`

export async function listDevices(sql: Sql, args: ListDevicesArgs): Promise<DeviceView[]> {
  const rows = await sql.all<DeviceRow>(
    `${SEEN} WHERE (d.owner = ? OR CAST(? AS BIGINT) = 1) AND d.id > ?
     ORDER BY d.id LIMIT ?`,
    [args.owner, args.owner === null ? 1 : 0, args.afterId ?? '', args.limit],
  )
  const views: DeviceView[] = []
  for (const row of rows) views.push(viewOf(row, await placesOf(sql, row.id)))
  return views
}

function viewOf(row: DeviceRow, places: DevicePlace[]): DeviceView {
  return {
    id: row.id,
    owner: row.owner,
    ownerName: row.owner_name ?? row.owner,
    name: row.name,
    state: row.state,
    isTrusted: row.is_trusted === 1,
    isConnected: row.is_connected === 1,
    enrolledAt: row.enrolled_at,
    seenAt: row.seen_at,
    os: row.os,
    osVersion: row.os_version,
    software: row.software,
    hostName: row.host_name,
    country: row.country,
    drainedAt: row.drained_at,
    message: row.message === null ? null : { text: row.message, at: row.message_at! },
    refused: row.refused,
    counters: Object.fromEntries(COUNTERS.map((name) => [name, row[name]])) as Counters,
    places,
  }
}

function placesOf(sql: Sql, device: string): Promise<DevicePlace[]> {
  return sql.all(
    `SELECT network_prefix AS "networkPrefix", first_seen_at AS "firstSeenAt",
       last_seen_at AS "lastSeenAt"
     FROM device_addresses WHERE device = ? ORDER BY last_seen_at DESC, network_prefix`,
    [device],
  )
}

export interface OwnDeviceArgs {
  readonly device: string
  readonly owner: Owner
}

export async function findDevice(sql: Sql, args: OwnDeviceArgs): Promise<DeviceView> {
  const row = await sql.get<DeviceRow>(`${SEEN} WHERE d.id = ?`, [args.device])
  if (!row || (args.owner !== null && row.owner !== args.owner)) throw new NoSuchDevice(args.device)
  return viewOf(row, await placesOf(sql, row.id))
}

/** The owner's device, locked until the end of the operation. */
async function ownDevice(sql: Sql, { device, owner }: OwnDeviceArgs): Promise<DeviceRow> {
  // A hello at this moment waits and finds the device as it is afterwards.
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const row = await sql.get<DeviceRow>(`SELECT * FROM devices WHERE id = ?${lock}`, [device])
  if (!row || (owner !== null && row.owner !== owner)) throw new NoSuchDevice(device)
  return row
}

/** The log of what it fetched, newest first. */
export async function deviceRequests(
  sql: Sql,
  args: OwnDeviceArgs & { beforeId?: number | undefined; limit: number },
): Promise<DetailView[]> {
  await ownDevice(sql, args)
  return detailsOf(sql, args)
}

export async function renameDevice(
  sql: Sql,
  args: OwnDeviceArgs & { name: string },
): Promise<void> {
  await ownDevice(sql, args)
  await sql.run('UPDATE devices SET name = ? WHERE id = ?', [args.name, args.device])
}

/** It gets no more work; a revoked device stays revoked. */
export async function pauseDevice(sql: Sql, args: OwnDeviceArgs): Promise<void> {
  await ownDevice(sql, args)
  await setState(sql, args.device, 'paused')
}

export async function resumeDevice(sql: Sql, args: OwnDeviceArgs): Promise<void> {
  await ownDevice(sql, args)
  await setState(sql, args.device, 'active')
}

async function setState(sql: Sql, device: string, state: DeviceState): Promise<void> {
  await sql.run(`UPDATE devices SET state = ? WHERE id = ? AND state <> 'revoked'`, [state, device])
}

/** For good: neither this device nor another with its key comes back. */
export async function markRevoked(sql: Sql, args: OwnDeviceArgs & { now: number }): Promise<void> {
  const row = await ownDevice(sql, args)
  await setState(sql, args.device, 'revoked')
  await sql.insertMany({
    table: 'revoked_keys',
    columns: ['hash', 'revoked_at'],
    rows: [[keyHash(row.public_key), args.now]],
    onConflict: 'ignore',
  })
}

/** What it counted stays in the sums of the fleet; whose it was and what it is, is forgotten. */
export async function eraseDevice(sql: Sql, args: OwnDeviceArgs): Promise<void> {
  const row = await ownDevice(sql, args)
  const add = COUNTERS.map((name) => `${name} = ${name} + ?`).join(', ')
  await sql.run(
    `UPDATE device_totals SET devices = devices + 1, ${add} WHERE name = 'deleted'`,
    COUNTERS.map((name) => row[name]),
  )
  await sql.run('DELETE FROM device_addresses WHERE device = ?', [args.device])
  await sql.run('DELETE FROM device_minutes WHERE device = ?', [args.device])
  await sql.run('UPDATE device_days SET owner = NULL WHERE device = ?', [args.device])
  await sql.run('DELETE FROM devices WHERE id = ?', [args.device])
}

/** What all devices that ever were have done. */
export async function fleetTotals(sql: Sql): Promise<Counters & { devices: number }> {
  const sums = COUNTERS.map((name) => `CAST(COALESCE(SUM(${name}), 0) AS BIGINT) AS ${name}`)
  const row = await sql.get<Counters & { devices: number }>(
    `SELECT CAST(COALESCE(SUM(devices), 0) AS BIGINT) AS devices, ${sums.join(', ')} FROM
       (SELECT 1 AS devices, ${COUNTERS.join(', ')} FROM devices
        UNION ALL SELECT devices, ${COUNTERS.join(', ')} FROM device_totals) AS everybody`,
  )
  return row!
}
