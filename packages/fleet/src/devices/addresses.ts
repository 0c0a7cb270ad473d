/**
 * The addresses from which a device connects, minimised: the network (a /24 of IPv4, a /48 of
 * IPv6), once per network, for a limited time. An owner sees the location of a device; no one sees
 * a household.
 */
import type { Sql } from '@minga/store'
import { isIPv4, isIPv6 } from 'node:net'

const V4_PARTS = 3
const V6_GROUPS = 3

/** Null when it is no address. */
export function networkPrefix(address: string): string | null {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (isIPv4(plain)) return `${plain.split('.').slice(0, V4_PARTS).join('.')}.0/24`
  if (!isIPv6(plain)) return null
  return `${groupsOf(plain).slice(0, V6_GROUPS).join(':')}::/48`
}

/** All eight groups of an IPv6 address without leading zeros. */
function groupsOf(address: string): string[] {
  const [before = '', after = ''] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === '' ? [] : after.split(':')
  // An IPv4 tail counts as two groups, but never reaches those that are kept.
  const gap = address.includes('::') ? 8 - head.length - tail.length : 0
  const zeros = Array.from({ length: gap }, () => '0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(16))
}

export async function noteAddress(
  sql: Sql,
  args: { device: string; address: string; now: number },
): Promise<void> {
  const prefix = networkPrefix(args.address)
  if (prefix === null) return
  await sql.insertMany({
    table: 'device_addresses',
    columns: ['device', 'network_prefix', 'first_seen_at', 'last_seen_at'],
    rows: [[args.device, prefix, args.now, args.now]],
    onConflict: { keys: ['device', 'network_prefix'], update: ['last_seen_at'] },
  })
}

export async function sweepAddresses(
  sql: Sql,
  args: { now: number; keepMs: number },
): Promise<number> {
  return sql.run('DELETE FROM device_addresses WHERE last_seen_at <= ?', [args.now - args.keepMs])
}
