/**
 * Step 2½: a host gets its address before it can be leased, so that the clock of the address
 * group and the dial of the agent speak of the same machine.
 */
import { registrableDomainOf } from '@minga/net'
import type { Sql } from '@minga/store'
import { endHost } from '../queue/end-urls.ts'
import { claimIfMoved } from '../federation/host-claims.ts'
import { noteFacts, type WhereFacts } from '../filters/host-facts.ts'
import { retryPauseMs } from './host-clock.ts'
import { hostNameOf } from './host-key.ts'

export type HostResolution = HostAddress | { hostId: number; name: string; refused: HostRefusal }

interface HostAddress {
  hostId: number
  name: string
  address: string
  until: number
  /** Where the address is, null when that is not known; left as it is when not given. */
  country?: string | null
  /** Where it is, when a filter asked. */
  where?: WhereFacts
}

export interface HostRefusal {
  outcome: 'denied' | 'failed'
  code: string
  /** True when a later look-up may succeed: a name server that is out of order. */
  mayPass: boolean
}

/** Look-ups of a name before a failure that may pass counts as final. */
const LOOKUPS_MAX = 3

export async function noteResolutions(
  sql: Sql,
  args: { resolutions: HostResolution[]; now: number },
): Promise<void> {
  for (const resolution of args.resolutions) {
    if ('refused' in resolution) await noteRefusal(sql, resolution, args.now)
    else await noteAddress(sql, resolution)
  }
}

async function noteRefusal(
  sql: Sql,
  { hostId, refused }: Extract<HostResolution, { refused: HostRefusal }>,
  now: number,
): Promise<void> {
  const host = await sql.get<{ lookups_failed: number }>(
    'UPDATE hosts SET lookups_failed = lookups_failed + 1 WHERE id = ? RETURNING lookups_failed',
    [hostId],
  )
  const lookups = host?.lookups_failed ?? LOOKUPS_MAX
  if (refused.mayPass && lookups < LOOKUPS_MAX) {
    const again = now + retryPauseMs(lookups)
    await sql.run('UPDATE collection_hosts SET turn_at = ? WHERE host_id = ?', [again, hostId])
    await sql.run('UPDATE host_claims SET asked_at = ? WHERE host_id = ?', [again, hostId])
    return
  }
  await sql.run('UPDATE hosts SET lookups_failed = 0 WHERE id = ?', [hostId])
  await sql.run('DELETE FROM host_claims WHERE host_id = ?', [hostId])
  await endHost(sql, { hostId, outcome: refused.outcome, code: refused.code, now })
}

async function noteAddress(
  sql: Sql,
  { hostId, name, address, until, country, where }: HostAddress,
): Promise<void> {
  if (where !== undefined) await noteFacts(sql, { hostId, facts: where, until })
  await noteDomain(sql, { address, host: name })
  const host = await sql.get<{ station: string | null }>(
    `UPDATE hosts SET address = ?, address_until = ?, lookups_failed = 0 WHERE id = ?
     RETURNING station`,
    [address, until, hostId],
  )
  if (host?.station != null) await claimIfMoved(sql, { hostId, name, address })
  if (country === undefined) return
  await sql.run('UPDATE hosts SET country = ? WHERE id = ?', [country, hostId])
}

/** One more host at an address; answers how many registrable domains are known there. */
export async function noteDomain(
  sql: Sql,
  { address, host }: { address: string; host: string },
): Promise<number> {
  await sql.insertMany({
    table: 'address_groups',
    columns: ['address'],
    rows: [[address]],
    onConflict: 'ignore',
  })
  const domain = registrableDomainOf(hostNameOf(host))
  const [isNewDomain] = await sql.insertNew({
    table: 'address_domains',
    columns: ['address', 'domain'],
    keys: ['address', 'domain'],
    rows: [[address, domain]],
  })
  if (isNewDomain) {
    await sql.run('UPDATE address_groups SET domains = domains + 1 WHERE address = ?', [address])
  }
  const row = await sql.get<{ domains: number }>(
    'SELECT domains FROM address_groups WHERE address = ?',
    [address],
  )
  return row!.domains
}
