/** Whose a host is by this station's map, since when, and why. */
import { Owners } from '@minga/frontier'
import type { OwnerFacts } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { changeAt } from './registrar/map-changes.ts'

interface MapRow {
  station: string
  awaits: string | null
  address: string | null
  epoch: number
}

/** Null at a station that collects alone. */
export async function hostOwner(sql: Sql, { host }: { host: string }): Promise<OwnerFacts | null> {
  const owners = await Owners.read(sql)
  if (owners === null) return null
  const row = await sql.get<MapRow>(
    'SELECT station, awaits, address, epoch FROM placement_hosts WHERE host = ?',
    [host],
  )
  if (row !== undefined) return { ...row, rule: RULES[(await changeAt(sql, row.epoch)) ?? 'map'] }
  const isHeld = owners.facts.mode === 'hold'
  const station = isHeld ? null : owners.ownerOf({ name: host, station: null })
  return { station, awaits: null, address: null, epoch: null, rule: isHeld ? 'held' : 'hash' }
}

const RULES = { claim: 'placed', plan: 'plan', 'handed-on': 'handed-on', map: 'map' } as const

export interface KnownOwner {
  host: string
  name: string
  url: string
}

/** The stations of hosts that are in the map; others are left out. */
export async function knownOwners(
  sql: Sql,
  { hosts }: { hosts: readonly string[] },
): Promise<KnownOwner[]> {
  const rows = await sql.selectMany<{ station: string }>({
    table: 'placement_hosts',
    keys: ['host'],
    rows: hosts.map((host) => [host]),
    columns: ['station'],
  })
  const stations = await sql.all<{ id: string; name: string; url: string }>(
    'SELECT id, name, url FROM federation_stations',
  )
  return hosts.flatMap((host, i) => {
    const station = stations.find(({ id }) => id === rows[i]?.station)
    return station === undefined ? [] : [{ host, name: station.name, url: station.url }]
  })
}
