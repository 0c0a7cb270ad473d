/** How a host that is new here stands by the map of the federation. */
import type { Sql } from '@minga/store'
import { readSelf } from './federation-facts.ts'

export interface HostStanding {
  station: string | null
  /** 1: no lease may take it. */
  held: 0 | 1
}

/** At a station that collects alone. */
export const NOBODYS: HostStanding = { station: null, held: 0 }

/** Empty at a station that collects alone. */
export async function standingsOf(
  sql: Sql,
  names: readonly string[],
): Promise<Map<string, HostStanding>> {
  const standings = new Map<string, HostStanding>()
  const self = await readSelf(sql)
  if (self === null) return standings
  const rows = await sql.selectMany<MapRow>({
    table: 'placement_hosts',
    keys: ['host'],
    rows: names.map((name) => [name]),
    columns: ['station', 'awaits', 'epoch', 'applied'],
  })
  for (const [i, name] of names.entries()) {
    const row = rows[i]
    // At the registrar the map may be ahead of what took effect: that is still to come.
    const station = row && row.applied >= row.epoch ? row.station : null
    const isOpen = station === self && row!.awaits === null
    standings.set(name, { station, held: isOpen ? 0 : 1 })
  }
  return standings
}

interface MapRow {
  station: string
  awaits: string | null
  epoch: number
  applied: number
}
