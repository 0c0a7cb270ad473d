import { SILENCE_MS } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { endLeases } from '../lease/lease-end.ts'

/**
 * The right to dial has lapsed: nothing is out any more. Agents learn of it by their next heartbeat
 * or stop when there is none; until then they may dial.
 */
export async function suspendLeases(sql: Sql, args: { now: number }): Promise<number> {
  const leases = await sql.all<{ fence: number }>('SELECT fence FROM leases ORDER BY fence')
  const fences = leases.map(({ fence }) => fence)
  await endLeases(sql, { fences, now: args.now, stillDialsMs: SILENCE_MS })
  return fences.length
}
