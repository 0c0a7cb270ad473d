/**
 * Step 2½: a host gets its address before it can be leased, so that the clock of the address
 * group and the dial of the agent speak of the same machine.
 */
import { registrableDomainOf } from '@minga/net'
import type { Sql } from '@minga/store'
import { endHost } from './end-urls.ts'
import { hostNameOf } from './host-directory.ts'

export type HostResolution =
  | { hostId: number; name: string; address: string; until: number }
  | { hostId: number; name: string; refused: { outcome: 'denied' | 'failed'; code: string } }

export async function noteResolutions(
  sql: Sql,
  args: { resolutions: HostResolution[] },
): Promise<void> {
  for (const resolution of args.resolutions) {
    if ('refused' in resolution) {
      await endHost(sql, { hostId: resolution.hostId, ...resolution.refused })
    } else await noteAddress(sql, resolution)
  }
}

async function noteAddress(
  sql: Sql,
  { hostId, name, address, until }: Extract<HostResolution, { address: string }>,
): Promise<void> {
  await sql.insertMany({
    table: 'address_groups',
    columns: ['address'],
    rows: [[address]],
    onConflict: 'ignore',
  })
  const domain = registrableDomainOf(hostNameOf(name))
  const [isNewDomain] = await sql.insertNew({
    table: 'address_domains',
    columns: ['address', 'domain'],
    keys: ['address', 'domain'],
    rows: [[address, domain]],
  })
  if (isNewDomain) {
    await sql.run('UPDATE address_groups SET domains = domains + 1 WHERE address = ?', [address])
  }
  await sql.run('UPDATE hosts SET address = ?, address_until = ? WHERE id = ?', [
    address,
    until,
    hostId,
  ])
}
