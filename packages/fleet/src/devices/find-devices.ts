/**
 * Devices by what they do, where they are and what they are called, in an order that the reader chose, page by
 * page. What a device does is one word that its own row, its trust and its connection decide together; it is
 * worked out in SQL, so that a list of any length can be filtered and sorted by it.
 */
import type { Condition, Sql, Value } from '@minga/store'
import { findDevice, type DeviceView } from './own-devices.ts'
import type { Owner } from './join-tokens.ts'

export const DOINGS = [
  'working',
  'idle',
  'resting',
  'away',
  'paused',
  'drained',
  'blocked',
  'stopped',
  'revoked',
] as const
export type Doing = (typeof DOINGS)[number]

/** What stops it for longest comes first. */
const DOING = `CASE
  WHEN d.state = 'revoked' THEN 'revoked'
  WHEN t.state IN ('expelled', 'quarantined') THEN 'stopped'
  WHEN t.state = 'blocked' THEN 'blocked'
  WHEN d.drained_at IS NOT NULL THEN 'drained'
  WHEN d.state = 'paused' THEN 'paused'
  WHEN a.device IS NULL THEN 'away'
  WHEN a.rest IS NOT NULL THEN 'resting'
  WHEN COALESCE(l.in_hand, 0) > 0 THEN 'working'
  ELSE 'idle' END`

/** A device has one boot at a time, but for the moment in which a second one comes. */
const FROM = `FROM devices d
  LEFT JOIN device_trust t ON t.device = d.id
  LEFT JOIN (SELECT device, MIN(rest) AS rest FROM agents GROUP BY device) a ON a.device = d.id
  LEFT JOIN agent_loads l ON l.device = d.id
  LEFT JOIN accounts o ON o.id = d.owner`

/** By what a list can be sorted; text sorts as bytes do. */
const ORDERS = {
  id: 'd.id',
  name: 'LOWER(d.name)',
  owner: 'COALESCE(o.name, d.owner)',
  doing: DOING,
  country: `COALESCE(d.country, '')`,
  software: 'd.software',
  seenAt: 'd.seen_at',
  enrolledAt: 'd.enrolled_at',
  bytes: 'd.bytes',
  requests: '(d.n_2xx + d.n_3xx + d.n_4xx + d.n_5xx)',
} as const
export type DeviceOrder = keyof typeof ORDERS
export const DEVICE_ORDERS = Object.keys(ORDERS) as DeviceOrder[]

export interface FindDevicesArgs {
  readonly owner: Owner
  /** Part of a name, a host name, an owner, a program or an id. */
  readonly text?: string | undefined
  readonly doing?: readonly Doing[] | undefined
  readonly country?: string | undefined
  readonly order: DeviceOrder
  readonly isDescending: boolean
  readonly after: { readonly value: string | number; readonly id: string } | null
  readonly limit: number
}

export interface FoundDevices {
  readonly devices: readonly (DeviceView & { readonly doing: Doing })[]
  readonly next: { readonly value: string | number; readonly id: string } | null
  /** How many there are on all pages. */
  readonly total: number
}

export async function findDevices(sql: Sql, args: FindDevicesArgs): Promise<FoundDevices> {
  const wanted = conditionsOf(args)
  const counted = await sql.get<{ total: number }>(
    `SELECT COUNT(*) AS total ${FROM} WHERE ${textOf(wanted)}`,
    paramsOf(wanted),
  )
  const page = args.after === null ? wanted : [...wanted, beyond(args)]
  const order = ORDERS[args.order]
  const way = args.isDescending ? 'DESC' : 'ASC'
  const rows = await sql.all<{ id: string; doing: Doing; value: string | number }>(
    `SELECT d.id, ${DOING} AS doing, ${order} AS value ${FROM} WHERE ${textOf(page)}
     ORDER BY ${order} ${way}, d.id ${way} LIMIT ?`,
    [...paramsOf(page), args.limit],
  )
  const devices: (DeviceView & { doing: Doing })[] = []
  for (const { id, doing } of rows) {
    devices.push({ ...(await findDevice(sql, { device: id, owner: args.owner })), doing })
  }
  const last = rows.length < args.limit ? undefined : rows.at(-1)
  const next = last === undefined ? null : { value: last.value, id: last.id }
  return { devices, next, total: counted!.total }
}

function conditionsOf({ owner, text, doing, country }: FindDevicesArgs): Condition[] {
  const conditions: Condition[] = [{ text: '1 = 1', params: [] }]
  if (owner !== null) conditions.push({ text: 'd.owner = ?', params: [owner] })
  if (country !== undefined) {
    conditions.push({ text: `COALESCE(d.country, '') = ?`, params: [country] })
  }
  if (doing !== undefined && doing.length > 0) {
    const marks = doing.map(() => '?').join(', ')
    conditions.push({ text: `(${DOING}) IN (${marks})`, params: doing })
  }
  if (text !== undefined && text !== '') {
    const like = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
    const columns = ['d.name', 'd.host_name', ORDERS.owner, 'd.software', 'd.id']
    const any = columns.map((column) => `LOWER(${column}) LIKE ? ESCAPE '\\'`).join(' OR ')
    conditions.push({ text: `(${any})`, params: columns.map(() => like) })
  }
  return conditions
}

function beyond({ order, isDescending, after }: FindDevicesArgs): Condition {
  const sign = isDescending ? '<' : '>'
  return { text: `(${ORDERS[order]}, d.id) ${sign} (?, ?)`, params: [after!.value, after!.id] }
}

const textOf = (conditions: readonly Condition[]): string =>
  conditions.map(({ text }) => text).join(' AND ')

const paramsOf = (conditions: readonly Condition[]): Value[] =>
  conditions.flatMap(({ params }) => [...params])

export async function doingOf(sql: Sql, { device }: { device: string }): Promise<Doing> {
  const row = await sql.get<{ doing: Doing }>(`SELECT ${DOING} AS doing ${FROM} WHERE d.id = ?`, [
    device,
  ])
  return row!.doing
}

export interface DeviceSpot {
  readonly id: string
  readonly name: string
  readonly country: string | null
  readonly doing: Doing
}

/** Those that are connected one by one; the others are counted by country elsewhere. */
export function connectedDevices(sql: Sql, { owner }: { owner: Owner }): Promise<DeviceSpot[]> {
  return sql.all(
    `SELECT d.id, d.name, d.country, ${DOING} AS doing ${FROM}
     WHERE a.device IS NOT NULL AND (d.owner = ? OR CAST(? AS BIGINT) = 1) ORDER BY d.id`,
    [owner, owner === null ? 1 : 0],
  )
}

export interface AwayCount {
  readonly country: string | null
  readonly devices: number
}

/** Without those that were revoked: they do not come back. */
export function awayDevices(sql: Sql, { owner }: { owner: Owner }): Promise<AwayCount[]> {
  return sql.all(
    `SELECT d.country, COUNT(*) AS devices ${FROM}
     WHERE a.device IS NULL AND d.state <> 'revoked' AND (d.owner = ? OR CAST(? AS BIGINT) = 1)
     GROUP BY d.country ORDER BY d.country`,
    [owner, owner === null ? 1 : 0],
  )
}
