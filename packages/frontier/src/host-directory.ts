/**
 * Host names and their ids. Ids are small and handed out in order of discovery so that new
 * hosts land side by side in the clustered tables.
 */
import type { Sql } from '@minga/store'
import { isIP } from 'node:net'
import { nextIds } from './sequences.ts'

export async function hostIdsOf(sql: Sql, names: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  const asked = [...new Set(names)]
  const missing = await readIds(sql, asked, ids)
  if (missing.length > 0) await addHosts(sql, missing, ids)
  return ids
}

/** Fills in the ids of known names and answers the unknown names. */
async function readIds(sql: Sql, names: string[], ids: Map<string, number>): Promise<string[]> {
  const rows = await sql.selectMany<{ id: number }>({
    table: 'hosts',
    keys: ['name'],
    rows: names.map((name) => [name]),
    columns: ['id'],
  })
  for (const [i, row] of rows.entries()) if (row) ids.set(names[i]!, row.id)
  return names.filter((_, i) => rows[i] === undefined)
}

async function addHosts(sql: Sql, names: string[], ids: Map<string, number>): Promise<void> {
  const first = await nextIds(sql, 'host', names.length)
  await sql.insertMany({
    table: 'hosts',
    columns: ['id', 'name', 'address', 'address_until'],
    rows: names.map((name, i) => {
      const address = literalAddress(name)
      return [first + i, name, address, address ? Number.MAX_SAFE_INTEGER : 0]
    }),
    onConflict: 'ignore',
  })
  // Another coordinator may have added a name in the meantime: what the table says counts.
  await readIds(sql, names, ids)
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

/** The address inside `127.0.0.1:8080` or `[::1]:8080`, or null for a name to be resolved. */
export function literalAddress(hostKey: string): string | null {
  const bracketed = /^\[([^\]]+)\]/.exec(hostKey)
  const bare = bracketed ? bracketed[1]! : hostKey.replace(/:\d+$/, '')
  return isIP(bare) ? bare : null
}

/** The name to resolve: the host key without its port. */
export function hostNameOf(hostKey: string): string {
  return hostKey.replace(/:\d+$/, '')
}
