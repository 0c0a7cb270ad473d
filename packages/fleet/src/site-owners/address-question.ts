/**
 * Answers "Was this address yours at that time?" from existing data: the networks from which
 * devices connected, and the rows of their requests. Both are minimised and expire. The caller must
 * name the host that was visited, and learns about requests to that host only: neither who the
 * volunteer is nor whether an address belongs to one who was elsewhere.
 */
import type { Sql } from '@minga/store'
import { networkPrefix } from '../devices/addresses.ts'

export type AddressAnswer = 'yes' | 'no' | 'unknown'

export interface AddressQuestion {
  address: string
  /** A host's key. */
  host: string
  at: number
  windowMs: number
  /** How far back rows of requests and of networks are kept. */
  keptMs: number
  now: number
}

/** Rows read per device: more than a device does in the widest window. */
const ROWS_MAX = 50_000

export async function askAddress(sql: Sql, args: AddressQuestion): Promise<AddressAnswer> {
  const { at, windowMs, now } = args
  const prefix = networkPrefix(args.address)
  const [from, to] = [at - windowMs, at + windowMs]
  if (prefix === null || from > now || from < now - args.keptMs) return 'unknown'
  const devices = await devicesIn(sql, { prefix, from, to })
  if (devices.length === 0) return 'no'
  const first = await firstRowSince(sql, from)
  if (first === null) return 'no'
  for (const device of devices) {
    const rows = await sql.all<{ url: string | null }>(
      `SELECT url FROM request_details WHERE device = ? AND id >= ? AND at >= ? AND at <= ?
         AND outcome IN ('captured', 'failed') ORDER BY id LIMIT ${ROWS_MAX}`,
      [device, first, from, to],
    )
    if (rows.some(({ url }) => url !== null && isOn(url, args.host))) return 'yes'
  }
  return 'no'
}

function isOn(url: string, host: string): boolean {
  return url.startsWith(`http://${host}/`) || url.startsWith(`https://${host}/`)
}

/** Devices that were in this network then: seen there before, and not first seen elsewhere since. */
async function devicesIn(
  sql: Sql,
  { prefix, from, to }: { prefix: string; from: number; to: number },
): Promise<string[]> {
  const rows = await sql.all<{ device: string }>(
    `SELECT device FROM device_addresses a
     WHERE network_prefix = ? AND first_seen_at <= ? AND NOT EXISTS (
       SELECT 1 FROM device_addresses b WHERE b.device = a.device
         AND b.first_seen_at > a.last_seen_at AND b.first_seen_at < ?)`,
    [prefix, to, from],
  )
  return rows.map(({ device }) => device)
}

/** Ids grow with time: halving finds the first row of a moment without an index by time. */
async function firstRowSince(sql: Sql, from: number): Promise<number | null> {
  const ends = await sql.get<{ low: number | null; high: number | null }>(
    'SELECT MIN(id) AS low, MAX(id) AS high FROM request_details',
  )
  if (ends?.low == null || ends.high == null) return null
  let { low, high } = { low: ends.low, high: ends.high + 1 }
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = await sql.get<{ id: number; at: number }>(
      'SELECT id, at FROM request_details WHERE id >= ? ORDER BY id LIMIT 1',
      [middle],
    )
    if (!row || row.at >= from) high = middle
    else low = row.id + 1
  }
  return low
}
