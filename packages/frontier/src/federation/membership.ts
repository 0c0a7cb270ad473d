/** How a station enters a federation, learns who else is in it, and leaves it. */
import type { FederatedStation, RoutingMode } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { parseSpec } from '../collections/collections.ts'
import { forgetFederation, readFederation, writeFederation } from './federation-facts.ts'
import { keepTo } from './journal-snapshot.ts'
import { Owners } from './owners.ts'
import { releaseLost } from './release.ts'
import { shareCollection, tellCollection } from './shared-collections.ts'
import { suspendLeases } from './suspend-leases.ts'

export interface EnterArgs {
  self: string
  registrar: string
  term: number
  stations: readonly FederatedStation[]
  mode: RoutingMode
  now: number
}

/**
 * From now on this station dials only what the map gives it: its leases end, every host is held,
 * and those with work are claimed. Its crawls are everyone's.
 */
export async function enterFederation(sql: Sql, args: EnterArgs): Promise<void> {
  const { self, registrar, term, mode, now } = args
  await writeFederation(sql, { self, registrar, term, mode, epoch: 0 })
  await writeStations(sql, args.stations, now)
  await suspendLeases(sql, { now })
  await sql.run('UPDATE hosts SET station = NULL, held = 1')
  await sql.run(
    `INSERT INTO host_claims (host_id)
     SELECT DISTINCT host_id FROM collection_hosts WHERE queued > 0 ON CONFLICT DO NOTHING`,
  )
  const owners = (await Owners.read(sql))!
  await sql.run(`INSERT INTO station_facts (name, value) VALUES (?, ?)`, [
    TOLD,
    JSON.stringify(owners.others),
  ])
  for (const id of await unendedCrawls(sql)) await shareCollection(sql, id)
  await keepTo(sql, owners.keeper)
}

async function unendedCrawls(sql: Sql): Promise<number[]> {
  const rows = await sql.all<{ id: number; spec: string }>(
    `SELECT id, spec FROM collections WHERE state IN ('running', 'paused') ORDER BY id`,
  )
  return rows.filter(({ spec }) => parseSpec(spec).kind === 'crawl').map(({ id }) => id)
}

/** Stations that have received the collections. */
const TOLD = 'federation.told'

const TABLES = [
  'federation_stations',
  'placement_hosts',
  'placement_addresses',
  'federation_outbox',
  'federation_inbox',
  'kept_batches',
  'federation_handovers',
  'federation_settled',
  'federation_early',
  'sent_urls',
  'federation_releases',
  'host_claims',
]

/** It collects alone again. What others have stays with them. */
export async function leaveFederation(sql: Sql, args: { now: number }): Promise<void> {
  await forgetFederation(sql)
  for (const table of TABLES) await sql.run(`DELETE FROM ${table}`)
  await sql.run('UPDATE hosts SET station = NULL, held = 0')
  await sql.run('UPDATE collection_hosts SET turn_at = ? WHERE queued > 0', [args.now])
  await sql.run(
    `UPDATE collections SET federated = 0, home = NULL, origin_spec = NULL, shares = NULL,
       pages_share = NULL, bytes_share = NULL WHERE federated = 1`,
  )
}

export interface StationsNews {
  stations: readonly FederatedStation[]
  registrar: string
  term: number
  mode?: RoutingMode
}

/** Who is in the federation, as the registrar says. What follows from it is done here, once. */
export async function noteStations(sql: Sql, args: StationsNews & { now: number }): Promise<void> {
  const federation = await readFederation(sql)
  if (federation === null) return
  const { registrar, term, mode = federation.mode } = args
  const isSame =
    registrar === federation.registrar && term === federation.term && mode === federation.mode
  if (!isSame) await writeFederation(sql, { registrar, term, mode })
  await writeStations(sql, args.stations, args.now)
  const owners = (await Owners.read(sql))!
  await tellNewcomers(sql, owners)
  await keepTo(sql, owners.keeper)
  await dropForeignJournals(sql, owners.self)
  for (const { id, state } of args.stations) {
    if (state !== 'active') await releaseLost(sql, { station: id })
  }
}

async function writeStations(
  sql: Sql,
  stations: readonly FederatedStation[],
  now: number,
): Promise<void> {
  await sql.insertMany({
    table: 'federation_stations',
    columns: ['id', ...TOLD_COLUMNS, 'joined_at'],
    rows: stations.map(({ id, name, url, publicKey, ca, branch, capacity, state, keeper }) => [
      id,
      name,
      url,
      publicKey,
      ca,
      branch,
      capacity,
      state,
      keeper,
      now,
    ]),
    onConflict: { keys: ['id'], update: TOLD_COLUMNS },
  })
}

const TOLD_COLUMNS = ['name', 'url', 'public_key', 'ca', 'branch', 'capacity', 'state', 'keeper']

async function tellNewcomers(sql: Sql, owners: Owners): Promise<void> {
  const fact = await sql.get<{ value: string }>('SELECT value FROM station_facts WHERE name = ?', [
    TOLD,
  ])
  const told = new Set(JSON.parse(fact?.value ?? '[]') as string[])
  const isSame = told.size === owners.others.length && owners.others.every((id) => told.has(id))
  if (isSame) return
  const stations = owners.others.filter((id) => !told.has(id))
  const shared = await sql.all<{ id: number }>(
    `SELECT id FROM collections WHERE federated = 1 AND state IN ('running', 'paused') ORDER BY id`,
  )
  for (const { id } of shared) await tellCollection(sql, { id, stations })
  await sql.insertMany({
    table: 'station_facts',
    columns: ['name', 'value'],
    rows: [[TOLD, JSON.stringify(owners.others)]],
    onConflict: { keys: ['name'], update: ['value'] },
  })
}

/** Journals of stations that have another keeper now. */
async function dropForeignJournals(sql: Sql, self: string): Promise<void> {
  await sql.run(
    `DELETE FROM kept_batches WHERE station IN (
       SELECT id FROM federation_stations
       WHERE state = 'active' AND keeper IS NOT NULL AND keeper <> ?)`,
    [self],
  )
}

export interface FederationView {
  self: string
  registrar: string
  term: number
  epoch: number
  mode: RoutingMode
  stations: FederatedStation[]
  /** Rows that wait, by station. */
  outbox: Record<string, number>
  /** Hosts that this station owns and may lease, and all that it may not. */
  owned: number
  held: number
  /** Hosts that are still to be handed over. */
  handovers: number
  /** Lost stations whose work is still being given to others. */
  releases: number
  /** Batches of others' journals that are kept here. */
  kept: number
}

/** Null at a station that collects alone. */
export async function federationView(sql: Sql): Promise<FederationView | null> {
  const federation = await readFederation(sql)
  if (federation === null) return null
  const stations = await sql.all<FederatedStation>(
    `SELECT id, name, url, public_key AS "publicKey", ca, branch, capacity, state, keeper
     FROM federation_stations ORDER BY joined_at, id`,
  )
  const waiting = await sql.all<{ station: string; n: number }>(
    'SELECT station, COUNT(*) AS n FROM federation_outbox GROUP BY station ORDER BY station',
  )
  const count = async (text: string, params: string[] = []): Promise<number> =>
    (await sql.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${text}`, params))!.n
  return {
    ...federation,
    stations,
    outbox: Object.fromEntries(waiting.map(({ station, n }) => [station, n])),
    owned: await count('placement_hosts WHERE station = ? AND awaits IS NULL', [federation.self]),
    held: await count('hosts WHERE held = 1'),
    handovers: await count('federation_handovers'),
    releases: await count('federation_releases'),
    kept: await count('kept_batches'),
  }
}
