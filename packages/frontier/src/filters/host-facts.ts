/** What is known of a host before anything is fetched from it, as far as filters ask about it. */
import type { UrlFacts } from '@minga/partition'
import type { Sql } from '@minga/store'
import { hostNameOf, literalAddress } from '../hosts/host-key.ts'

/** Where a host is; what is not known is left out. */
export type WhereFacts = Pick<UrlFacts, 'addresses' | 'country' | 'place'>

/** What its key alone says: a name, and the address of a host that has none. */
export function factsOfKey(hostKey: string): UrlFacts {
  const address = literalAddress(hostKey)
  return address === null ? { host: hostNameOf(hostKey) } : { host: address, addresses: [address] }
}

export async function noteFacts(
  sql: Sql,
  { hostId, facts, until }: { hostId: number; facts: WhereFacts; until: number },
): Promise<void> {
  await sql.insertMany({
    table: 'host_facts',
    columns: ['host_id', 'facts', 'until'],
    rows: [[hostId, JSON.stringify(facts), until]],
    onConflict: { keys: ['host_id'], update: ['facts', 'until'] },
  })
}

/** Null when there was no lookup, or it is too old. */
export async function factsAt(
  sql: Sql,
  { hostId, now }: { hostId: number; now: number },
): Promise<WhereFacts | null> {
  const row = await sql.get<{ facts: string }>(
    'SELECT facts FROM host_facts WHERE host_id = ? AND until > ?',
    [hostId, now],
  )
  return row ? (JSON.parse(row.facts) as WhereFacts) : null
}
