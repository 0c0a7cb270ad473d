/**
 * Host names and their ids. Ids are small and handed out in order of discovery so that new
 * hosts land side by side in the clustered tables.
 */
import type { Sql } from '@minga/store'
import { NOBODYS, standingsOf } from '../federation/host-standing.ts'
import { literalAddress } from './host-key.ts'
import { effectsOn } from './host-rules-read.ts'
import { nextIds } from '../sequences.ts'

export interface HostEntry {
  id: number
  /** Why nothing may be fetched from it (see host-rules.ts), or null. */
  closedCode: string | null
  /** Its owner by the map of a federation (see federation/owners.ts); null: none or undecided. */
  station: string | null
  /** It may not be leased: it belongs to another station, or has no owner yet. */
  isHeld: boolean
}

export async function hostIdsOf(sql: Sql, names: readonly string[]): Promise<Map<string, number>> {
  const hosts = await hostsOf(sql, names)
  return new Map([...hosts].map(([name, { id }]) => [name, id]))
}

/** Adds those that are not known yet. */
export async function hostsOf(sql: Sql, names: readonly string[]): Promise<Map<string, HostEntry>> {
  const hosts = new Map<string, HostEntry>()
  const asked = [...new Set(names)]
  const missing = await readHosts(sql, asked, hosts)
  if (missing.length > 0) await addHosts(sql, missing, hosts)
  return hosts
}

interface KnownHost {
  id: number
  closed_code: string | null
  station: string | null
  held: number
}

/** Fills in the known names and answers the unknown ones. */
async function readHosts(
  sql: Sql,
  names: string[],
  hosts: Map<string, HostEntry>,
): Promise<string[]> {
  const rows = await sql.selectMany<KnownHost>({
    table: 'hosts',
    keys: ['name'],
    rows: names.map((name) => [name]),
    columns: ['id', 'closed_code', 'station', 'held'],
  })
  for (const [i, row] of rows.entries()) {
    if (!row) continue
    const { id, closed_code: closedCode, station, held } = row
    hosts.set(names[i]!, { id, closedCode, station, isHeld: held === 1 })
  }
  return names.filter((_, i) => rows[i] === undefined)
}

async function addHosts(sql: Sql, names: string[], hosts: Map<string, HostEntry>): Promise<void> {
  const first = await nextIds(sql, 'host', names.length)
  // After the ids: a change of the rules locks them, so these are the rules that count.
  const effects = await effectsOn(sql, names)
  const standings = await standingsOf(sql, names)
  await sql.insertMany({
    table: 'hosts',
    columns: [
      'id',
      'name',
      'address',
      'address_until',
      'closed_code',
      'slow_ms',
      'station',
      'held',
    ],
    rows: names.map((name, i) => {
      const address = literalAddress(name)
      const until = address ? Number.MAX_SAFE_INTEGER : 0
      const { closed, delayMs } = effects.get(name)!
      const { station, held } = standings.get(name) ?? NOBODYS
      return [first + i, name, address, until, closed?.code ?? null, delayMs, station, held]
    }),
    onConflict: 'ignore',
  })
  // Another coordinator may have added a name in the meantime: what the table says counts.
  await readHosts(sql, names, hosts)
  await rememberLiteralAddresses(sql, names)
}

async function rememberLiteralAddresses(sql: Sql, names: string[]): Promise<void> {
  const literals = names.map(literalAddress).filter((address) => address !== null)
  if (literals.length === 0) return
  await sql.insertMany({
    table: 'address_groups',
    columns: ['address', 'domains'],
    rows: literals.map((address) => [address, 1]),
    onConflict: 'ignore',
  })
}
