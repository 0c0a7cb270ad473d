/** Who is of the federation, as the registrar writes it. Every change holds the epoch's lock. */
import { noteStations } from '@minga/frontier'
import type { FederatedStation, FederationFacts, RoutingMode } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { readFact } from '../station/station-facts.ts'
import { keeperOf } from './registrar/placing.ts'
import type { StationSeat } from './registrar/tree-placing.ts'

interface StationRow extends Omit<FederatedStation, 'publicKey'> {
  public_key: string
}

export async function readStations(sql: Sql): Promise<FederatedStation[]> {
  const rows = await sql.all<StationRow>(
    `SELECT id, name, url, public_key, ca, branch, capacity, state, keeper
     FROM federation_stations ORDER BY id`,
  )
  return rows.map(({ public_key: publicKey, ...row }) => ({ ...row, publicKey }))
}

export async function activeIds(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `SELECT id FROM federation_stations WHERE state = 'active' ORDER BY id`,
  )
  return rows.map(({ id }) => id)
}

/** The stations that may receive hosts; those that are leaving only while there is no other. */
export async function seatsOf(
  sql: Sql,
  { loads, leaving }: { loads: ReadonlyMap<string, number>; leaving: readonly string[] },
): Promise<StationSeat[]> {
  const rows = await sql.all<Omit<StationSeat, 'load'>>(
    `SELECT id, branch, capacity FROM federation_stations WHERE state = 'active' ORDER BY id`,
  )
  const staying = rows.filter(({ id }) => !leaving.includes(id))
  return (staying.length === 0 ? rows : staying).map((row) => ({
    ...row,
    load: loads.get(row.id) ?? 0,
  }))
}

/** Chooses the keeper of each journal again where the previous one is gone. */
export async function writeStations(
  sql: Sql,
  { stations, now }: { stations: readonly FederatedStation[]; now: number },
): Promise<FederatedStation[]> {
  const active = stations.filter(({ state }) => state === 'active')
  const kept = stations.map((station) =>
    // The keeper of a lost station's journal still has it.
    station.state === 'active' ? { ...station, keeper: keeperOf(station, active) } : station,
  )
  const { registrar, term } = await readTerm(sql)
  await noteStations(sql, { stations: kept, registrar, term, now })
  return kept
}

export interface FederationTerm {
  registrar: string
  term: number
  mode: RoutingMode
  /** What the map was when this term began. */
  since: number
}

/** What this station knows of its federation's registrar. */
export async function readTerm(sql: Sql): Promise<FederationTerm> {
  const read = (name: string): Promise<string | null> =>
    readFact(sql, { name: `federation.${name}` })
  return {
    registrar: (await read('registrar')) ?? '',
    term: Number((await read('term')) ?? 0),
    mode: (await read('mode')) === 'hold' ? 'hold' : 'hash',
    since: Number((await read('since')) ?? 0),
  }
}

export async function readFacts(sql: Sql): Promise<FederationFacts & { since: number }> {
  return { ...(await readTerm(sql)), stations: await readStations(sql) }
}

/** What a station goes by from moment to moment. */
export interface Standing extends FederationFacts {
  self: string
  /** Up to here it has the map. */
  epoch: number
  /** Whose term it is in: a registrar that was reported to it may have begun another. */
  under: string
  since: number
}

/** Null at a station that collects alone. */
export async function federationStanding(sql: Sql): Promise<Standing | null> {
  const self = await readFact(sql, { name: 'federation.self' })
  if (self === null) return null
  const epoch = Number(await readFact(sql, { name: 'federation.epoch' }))
  const term = await readTerm(sql)
  const under = (await readFact(sql, { name: 'federation.under' })) ?? term.registrar
  return { ...term, self, epoch, under, stations: await readStations(sql) }
}

export interface OpenEnds {
  ownsHosts: boolean
  /** Something is on its way from here, or still to be sent. */
  isBusy: boolean
}

export async function federationOpenEnds(sql: Sql, { self }: { self: string }): Promise<OpenEnds> {
  const row = await sql.get(
    `SELECT 1 FROM federation_outbox
     UNION ALL SELECT 1 FROM federation_handovers UNION ALL SELECT 1 FROM federation_releases LIMIT 1`,
  )
  return { ownsHosts: await hasHosts(sql, self), isBusy: row !== undefined }
}

export async function hasHosts(sql: Sql, station: string): Promise<boolean> {
  const row = await sql.get('SELECT 1 FROM placement_hosts WHERE station = ? LIMIT 1', [station])
  return row !== undefined
}
