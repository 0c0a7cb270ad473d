/**
 * The registrar assigns hosts that have no owner. Hosts at one address are one unit, because they
 * share a machine's capacity, unless so many sites share the address that it is not one machine (a
 * CDN).
 */
import { noteDomain } from '@minga/frontier'
import type { HostClaim, MapRow } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { activeIds, seatsOf } from '../station-rows.ts'
import {
  moveLoad,
  nextEpoch,
  readLoads,
  weightOf,
  writeLoads,
  writeRows,
  type PlacedRow,
} from './map-rows.ts'
import { TreePlacing } from './tree-placing.ts'

interface ClaimArgs {
  /** Who asks. */
  station: string
  claims: readonly HostClaim[]
  /** Stations that get no more hosts. */
  leaving: readonly string[]
  now: number
}

interface Ground {
  claimer: string
  epoch: number
  known: Map<string, PlacedRow>
  /** Owners of addresses that are one machine each. */
  owners: AddressOwners
  loads: Map<string, number>
  placing: TreePlacing
  linkedOwners: ReadonlyMap<string, string>
}

/** The rows of all claimed hosts, new ones and those that were in the map already. */
export async function claimHosts(sql: Sql, args: ClaimArgs): Promise<MapRow[]> {
  const ground = await survey(sql, args)
  const changed = new Map<string, PlacedRow>()
  for (const claim of args.claims) {
    const row = await decide(sql, ground, claim)
    if (row === null) continue
    ground.known.set(claim.host, row)
    changed.set(claim.host, row)
  }
  await ground.owners.save(sql)
  await writeLoads(sql, ground.loads)
  await writeRows(sql, { rows: [...changed.values()], epoch: ground.epoch, now: args.now })
  return args.claims.map(({ host: name }) => {
    const { host, station, awaits, address, epoch } = ground.known.get(name)!
    return { host, station, awaits, address, epoch }
  })
}

async function survey(sql: Sql, { station, claims, leaving }: ClaimArgs): Promise<Ground> {
  const epoch = await nextEpoch(sql)
  const loads = await readLoads(sql)
  const known = await rowsOf(
    sql,
    claims.map(({ host }) => host),
  )
  const unknown = claims.filter(({ host }) => !known.has(host))
  const linked = unknown.flatMap(({ links }) => links.map(({ host }) => host))
  const linkedRows = await rowsOf(sql, [...new Set(linked)])
  const seats = await seatsOf(sql, { loads, leaving })
  const weight = unknown.reduce((sum, claim) => sum + weightOf(claim), 0)
  return {
    claimer: station,
    epoch,
    known,
    owners: await AddressOwners.read(sql, claims),
    loads,
    placing: new TreePlacing(seats, weight),
    linkedOwners: new Map([...linkedRows].map(([host, row]) => [host, row.station])),
  }
}

async function rowsOf(sql: Sql, hosts: readonly string[]): Promise<Map<string, PlacedRow>> {
  const rows = await sql.selectMany<PlacedRow>({
    table: 'placement_hosts',
    keys: ['host'],
    rows: hosts.map((host) => [host]),
    columns: ['host', 'station', 'awaits', 'address', 'epoch', 'pages'],
  })
  return new Map(rows.filter((row) => row !== undefined).map((row) => [row.host, row]))
}

/** The new row of a host; null when it stays as it is. */
function decide(sql: Sql, ground: Ground, claim: HostClaim): Promise<PlacedRow | null> {
  const known = ground.known.get(claim.host)
  return known === undefined ? place(sql, ground, claim) : readdress(sql, ground, known, claim)
}

async function place(sql: Sql, ground: Ground, claim: HostClaim): Promise<PlacedRow> {
  const { claimer, owners, epoch, loads } = ground
  const { host, address, pages } = claim
  const unit = await owners.unitOf(sql, claim)
  const station = owners.of(unit) ?? (await choose(sql, ground, claim, unit))
  if (unit !== null) owners.give(unit, station)
  moveLoad(loads, weightOf(claim), { from: null, to: station })
  // What the claimer has fetched of it already, and when, its owner has to hear first.
  const awaits = station !== claimer && pages > 0 ? claimer : null
  return { host, station, awaits, address, epoch, pages }
}

async function choose(
  sql: Sql,
  { placing, claimer, linkedOwners }: Ground,
  claim: HostClaim,
  unit: string | null,
): Promise<string> {
  const links = new Map<string, number>()
  for (const { host, count } of claim.links) {
    const owner = linkedOwners.get(host)
    if (owner !== undefined) links.set(owner, (links.get(owner) ?? 0) + count)
  }
  return placing.place({
    key: unit ?? claim.host,
    weight: weightOf(claim),
    wantedBy: claim.wants ? claimer : null,
    links,
    near: unit === null ? null : await ownerAround(sql, unit),
  })
}

/**
 * Names move from machine to machine; only the owner's report counts, because others may resolve
 * another address.
 */
async function readdress(
  sql: Sql,
  { claimer, owners, epoch, loads }: Ground,
  row: PlacedRow,
  claim: HostClaim,
): Promise<PlacedRow | null> {
  const { address } = claim
  if (claimer !== row.station || address === null || address === row.address) return null
  const unit = await owners.unitOf(sql, claim)
  const station = owners.of(unit) ?? row.station
  if (unit !== null) owners.give(unit, station)
  if (station === row.station) return { ...row, address, epoch }
  // What it awaits itself it could not hand on; its owner asks again.
  if (row.awaits !== null) return null
  moveLoad(loads, weightOf(row), { from: row.station, to: station })
  return { ...row, address, epoch, station, awaits: row.station }
}

class AddressOwners {
  readonly #owners: Map<string, string>
  readonly #active: ReadonlySet<string>
  readonly #given = new Set<string>()

  constructor(owners: Map<string, string>, active: ReadonlySet<string>) {
    this.#owners = owners
    this.#active = active
  }

  static async read(sql: Sql, claims: readonly HostClaim[]): Promise<AddressOwners> {
    const addresses = new Set(claims.map(({ address }) => address).filter((one) => one !== null))
    const rows = await sql.selectMany<{ address: string; station: string }>({
      table: 'placement_addresses',
      keys: ['address'],
      rows: [...addresses].map((address) => [address]),
      columns: ['address', 'station'],
    })
    const found = rows.filter((row) => row !== undefined)
    const owners = new Map(found.map((row) => [row.address, row.station]))
    return new AddressOwners(owners, new Set(await activeIds(sql)))
  }

  /** The address that the host shares a machine with; null when it stands for itself. */
  async unitOf(sql: Sql, { host, address }: HostClaim): Promise<string | null> {
    if (address === null) return null
    return (await noteDomain(sql, { address, host })) > SHARED_DOMAINS ? null : address
  }

  /** Null as well for an address of a station that is lost. One that is about to leave gets the
   * host, and gives it away together with all others there. */
  of(address: string | null): string | null {
    const owner = address === null ? undefined : this.#owners.get(address)
    return owner !== undefined && this.#active.has(owner) ? owner : null
  }

  give(address: string, station: string): void {
    this.#owners.set(address, station)
    this.#given.add(address)
  }

  async save(sql: Sql): Promise<void> {
    await sql.insertMany({
      table: 'placement_addresses',
      columns: ['address', 'station'],
      rows: [...this.#given].map((address) => [address, this.#owners.get(address)!]),
      onConflict: { keys: ['address'], update: ['station'] },
    })
  }
}

/** Who has most of the addresses in the same /24, or /48 of IPv6. */
async function ownerAround(sql: Sql, address: string): Promise<string | null> {
  const prefix = /^(\d+\.\d+\.\d+\.)\d+$/.exec(address)?.[1] ?? /^(\w+:\w+:\w+:)/.exec(address)?.[1]
  if (prefix === undefined) return null
  const row = await sql.get<{ station: string }>(
    `SELECT station FROM placement_addresses WHERE address >= ? AND address < ?
     GROUP BY station ORDER BY COUNT(*) DESC, station LIMIT 1`,
    [prefix, `${prefix.slice(0, -1)}${AFTER[prefix.at(-1)!]}`],
  )
  return row?.station ?? null
}

/** The character that follows the last one of a prefix. */
const AFTER: Record<string, string> = { '.': '/', ':': ';' }

/** More registrable domains than this. As in the lease, which then caps requests instead of spacing them. */
const SHARED_DOMAINS = 50

export async function isShared(sql: Sql, address: string): Promise<boolean> {
  const row = await sql.get<{ domains: number }>(
    'SELECT domains FROM address_groups WHERE address = ?',
    [address],
  )
  return (row?.domains ?? 0) > SHARED_DOMAINS
}
