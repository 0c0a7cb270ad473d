/**
 * Locations of a fleet's devices, as dots for a map of the world and as counts by country. A
 * location is never more precise than one degree, and a dot for a single machine carries a name
 * only for users who may see that device anyway.
 */
import type { AwayCount, DeviceSpot, Owner } from '@minga/fleet'
import { countryPosition } from '@minga/frontier'
import type { FleetCountry, FleetDot, FleetMap } from '@minga/protocol'
import type { Sql, Calls } from '@minga/store'
import type { Operations } from '../station/station-operations.ts'

interface Position {
  lat: number
  lon: number
}

export interface MapParts {
  store: Calls<Operations>
  /** Where a connected device is, as far as the operator's files say. */
  placeOf: (device: { id: string; name: string }) => Position | null
}

type Counts = { working: number; idle: number; away: number }

const NAMES_MOST = 8

export async function fleetMap(
  { store, placeOf }: MapParts,
  { owner, withHosts }: { owner: Owner; withHosts: boolean },
): Promise<FleetMap> {
  const spots = await store.call('connectedDevices', { owner })
  const away = await store.call('awayDevices', { owner })
  const hosts = withHosts ? await store.call('hostCountries', {}) : null
  return { ...drawn({ spots, away, placeOf }), hosts: hosts === null ? null : placed(hosts) }
}

interface Drawing {
  spots: readonly DeviceSpot[]
  away: readonly AwayCount[]
  placeOf: MapParts['placeOf']
}

/** Those of one degree, or of one country where no more is known, are one dot. */
export function drawn({ spots, away, placeOf }: Drawing): Omit<FleetMap, 'hosts'> {
  const dots = new Map<string, FleetDot>()
  const countries = new Map<string | null, FleetCountry>()
  let nowhere = 0
  for (const { id, name, country, doing } of spots) {
    const counts = { working: 0, idle: 0, away: 0, [doing === 'working' ? 'working' : 'idle']: 1 }
    count(countries, country, counts)
    const dot = dotFor(placeOf({ id, name }), country)
    if (dot === null) nowhere++
    else addDot(dots, dot, { counts, name })
  }
  for (const { country, devices } of away) {
    const counts = { working: 0, idle: 0, away: devices }
    count(countries, country, counts)
    const dot = dotFor(null, country)
    if (dot !== null) addDot(dots, dot, { counts, name: null })
  }
  const total = (counts: Counts): number => counts.working + counts.idle + counts.away
  return {
    dots: [...dots.values()].toSorted((a, b) => total(b) - total(a)),
    countries: [...countries.values()].toSorted((a, b) => total(b) - total(a)),
    nowhere,
  }
}

type Spot = Pick<FleetDot, 'lat' | 'lon' | 'country' | 'isExact'>

function dotFor(place: Position | null, country: string | null): Spot | null {
  if (place !== null) {
    return { lat: Math.round(place.lat), lon: Math.round(place.lon), country, isExact: true }
  }
  const middle = country === null ? null : countryPosition(country)
  return middle === null ? null : { ...middle, country, isExact: false }
}

function addDot(
  dots: Map<string, FleetDot>,
  spot: Spot,
  { counts, name }: { counts: Counts; name: string | null },
): void {
  const key = `${spot.lat} ${spot.lon}`
  const dot = dots.get(key) ?? { ...spot, working: 0, idle: 0, away: 0, names: [] }
  const names = name === null || dot.names.length >= NAMES_MOST ? dot.names : [...dot.names, name]
  dots.set(key, { ...dot, ...sumOf(dot, counts), names })
}

function count(
  countries: Map<string | null, FleetCountry>,
  country: string | null,
  counts: Counts,
): void {
  const known = countries.get(country) ?? { country, working: 0, idle: 0, away: 0 }
  countries.set(country, { country, ...sumOf(known, counts) })
}

function sumOf(one: Counts, other: Counts): Counts {
  return {
    working: one.working + other.working,
    idle: one.idle + other.idle,
    away: one.away + other.away,
  }
}

interface HostCountry {
  country: string
  hosts: number
}

export function hostCountries(sql: Sql): Promise<HostCountry[]> {
  return sql.all(
    `SELECT country, COUNT(*) AS hosts FROM hosts WHERE country IS NOT NULL
     GROUP BY country ORDER BY country`,
  )
}

function placed(hosts: readonly HostCountry[]): FleetMap['hosts'] {
  return hosts.flatMap(({ country, hosts: number }) => {
    const middle = countryPosition(country)
    return middle === null ? [] : [{ country, ...middle, hosts: number }]
  })
}
