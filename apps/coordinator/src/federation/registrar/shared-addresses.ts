/** Addresses that very many sites share are no machines: they say nothing of who should own a host. */
import type { Sql } from '@minga/store'

/** More registrable domains than this. As in the lease, which then caps requests instead of spacing them. */
export const SHARED_DOMAINS = 50

export async function isShared(sql: Sql, address: string): Promise<boolean> {
  const row = await sql.get<{ domains: number }>(
    'SELECT domains FROM address_groups WHERE address = ?',
    [address],
  )
  return (row?.domains ?? 0) > SHARED_DOMAINS
}
