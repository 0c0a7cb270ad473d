/** A host that is this station's may be leased from now on; its clock and its address's say when. */
import type { Sql } from '@minga/store'
import { parseSpec } from '../collections/collections.ts'

interface Opening {
  hostId: number
  /** Of its address group, as far as they are known; its own is added. */
  addresses: readonly string[]
  /** Clocks never move backwards. */
  restUntil: number
  now: number
}

export async function openHost(sql: Sql, args: Opening): Promise<void> {
  const { hostId, restUntil, now } = args
  await sql.run(
    `UPDATE hosts SET held = 0,
       next_allowed_at = CASE WHEN next_allowed_at > ? THEN next_allowed_at ELSE ? END
     WHERE id = ?`,
    [restUntil, restUntil, hostId],
  )
  const host = await sql.get<{ address: string | null }>('SELECT address FROM hosts WHERE id = ?', [
    hostId,
  ])
  const own = host?.address ?? null
  for (const address of new Set([...args.addresses, ...(own === null ? [] : [own])])) {
    await restAddress(sql, address, restUntil)
  }
  await sql.run('UPDATE collection_hosts SET turn_at = ? WHERE host_id = ? AND queued > 0', [
    Math.max(now, restUntil),
    hostId,
  ])
}

async function restAddress(sql: Sql, address: string, restUntil: number): Promise<void> {
  if (restUntil === 0) return
  await sql.insertMany({
    table: 'address_groups',
    columns: ['address'],
    rows: [[address]],
    onConflict: 'ignore',
  })
  await sql.run(
    `UPDATE address_groups SET next_allowed_at = ? WHERE address = ? AND next_allowed_at < ?`,
    [restUntil, address, restUntil],
  )
}

/**
 * How long a host rests that another station may have contacted a moment ago: as long as the most patient
 * of our collections waits between two requests.
 */
export async function restAfterOthersMs(sql: Sql): Promise<number> {
  const rows = await sql.all<{ spec: string }>(
    `SELECT spec FROM collections WHERE state IN ('running', 'paused')`,
  )
  return rows.reduce((most, { spec }) => Math.max(most, parseSpec(spec).delayMs), 0)
}
