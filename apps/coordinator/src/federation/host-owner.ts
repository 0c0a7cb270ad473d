/** Whose a host is by this station's map, since when, and why. */
import { ELSEWHERE, Owners } from '@minga/frontier'
import type { OwnerFacts, ResultLine } from '@minga/protocol'
import type { Calls, Sql } from '@minga/store'
import { canonicalUrl, hostKeyOf } from '@minga/net'
import type { Operations } from '../station/station-operations.ts'
import { changeAt } from './registrar/map-rows.ts'

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

/** As the map is now: a host may have moved since. */
export async function addHostOwners(
  store: Calls<Operations>,
  lines: readonly ResultLine[],
): Promise<ResultLine[]> {
  const hosts = new Set(lines.flatMap((line) => hostElsewhere(line) ?? []))
  if (hosts.size === 0) return [...lines]
  const owners = await store.call('knownOwners', { hosts: [...hosts] })
  const sentences = new Map(owners.map((owner) => [owner.host, sentenceOf(owner)]))
  return lines.map((line) => {
    const message = sentences.get(hostElsewhere(line) ?? '')
    return message === undefined ? line : { ...line, message }
  })
}

function hostElsewhere({ code, url, finalUrl }: ResultLine): string | null {
  const asked = code === ELSEWHERE ? canonicalUrl(finalUrl ?? url) : null
  return asked === null ? null : hostKeyOf(asked)
}

const sentenceOf = ({ host, name, url }: KnownOwner): string =>
  `The host ${host} belongs to the station ${name} (${url}), and this request cannot move there; ask that station.`
