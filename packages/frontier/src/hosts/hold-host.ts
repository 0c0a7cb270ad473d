/**
 * A host and its address group are kept free of ordinary work, because something else uses them (a
 * load test that the owner requested). Their clocks are moved ahead again and again while it lasts:
 * if the caller dies, the clocks run out by themselves.
 */
import { registrableDomainOf } from '@minga/net'
import type { Sql } from '@minga/store'
import { hostsOf } from './host-directory.ts'
import { hostNameOf } from './host-key.ts'

interface HoldArgs {
  /** A host's key. */
  host: string
  address: string
  until: number
}

/** Answers whether requests are still out there from before. */
export async function holdHost(sql: Sql, args: HoldArgs): Promise<{ isOut: boolean }> {
  const { host, address, until } = args
  await sql.run('UPDATE hosts SET next_allowed_at = ? WHERE name = ? AND next_allowed_at < ?', [
    until,
    host,
    until,
  ])
  await sql.run(
    'UPDATE address_groups SET next_allowed_at = ? WHERE address = ? AND next_allowed_at < ?',
    [until, address, until],
  )
  const out = await sql.get<{ one: number }>(
    `SELECT 1 AS one FROM hosts WHERE name = ? AND fence <> 0
     UNION SELECT 1 AS one FROM address_groups WHERE address = ? AND in_flight > 0`,
    [host, address],
  )
  return { isOut: out !== undefined }
}

export interface HostTarget {
  hostId: number
  name: string
  /** Null, or too old to be dialled: to be resolved first. */
  address: string | null
  /** Why nothing may be fetched from it (see host-rules.ts), or null. */
  closedCode: string | null
  /** It belongs to another station, or has no owner yet: it may not be dialled from here. */
  isHeld: boolean
}

/** Where a host is, as far as that is known; it is added when it is new. */
export async function findHostTarget(
  sql: Sql,
  args: { host: string; now: number },
): Promise<HostTarget> {
  const { id, closedCode, isHeld } = (await hostsOf(sql, [args.host])).get(args.host)!
  const row = await sql.get<{ address: string | null; address_until: number }>(
    'SELECT address, address_until FROM hosts WHERE id = ?',
    [id],
  )
  const isFresh = row !== undefined && row.address_until > args.now
  return { hostId: id, name: args.host, address: isFresh ? row.address : null, closedCode, isHeld }
}

/** Registrable domains, in addition to the host's own, that are known to live on the address. */
export async function neighboursOf(
  sql: Sql,
  args: { host: string; address: string },
): Promise<string[]> {
  const own = registrableDomainOf(hostNameOf(args.host))
  const rows = await sql.all<{ domain: string }>(
    'SELECT domain FROM address_domains WHERE address = ? AND domain <> ? ORDER BY domain LIMIT 10',
    [args.address, own],
  )
  return rows.map(({ domain }) => domain)
}
