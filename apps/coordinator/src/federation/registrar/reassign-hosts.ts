/** Hosts of a station that is lost or leaves go to others of its branch first, a part in each transaction. */
import type { Sql } from '@minga/store'
import { nearestOf } from './branches.ts'
import {
  moveLoad,
  nextEpoch,
  noteChange,
  readLoads,
  weightOf,
  writeLoads,
  writeRows,
  type PlacedRow,
} from './map-rows.ts'
import { isShared } from './claim-hosts.ts'
import { activeIds, readStations, seatsOf } from '../station-rows.ts'
import { TreePlacing } from './tree-placing.ts'

/** About so many in one transaction: it takes a few hundred milliseconds. */
const HOSTS_PER_EPOCH = 2_000

interface ReassignArgs {
  from: string
  /** Stations that get no more hosts, `from` among them if it is not lost. */
  leaving: readonly string[]
  now: number
}

/** Answers how many went; 0: it has none left that may go. */
export async function reassignHosts(sql: Sql, args: ReassignArgs): Promise<number> {
  const epoch = await nextEpoch(sql)
  const { from, now } = args
  const source = (await readStations(sql)).find(({ id }) => id === from)
  if (source === undefined) return 0
  const active = new Set(await activeIds(sql))
  const isLost = !active.has(from)
  const units = await unitsOf(sql, from, isLost)
  const loads = await readLoads(sql)
  const seats = (await seatsOf(sql, { loads, leaving: args.leaving })).filter(
    ({ id }) => id !== from,
  )
  if (units.size === 0 || seats.length === 0) return 0
  const handedBy = isLost && !active.has(source.keeper ?? '') ? null : isLost ? source.keeper : from
  const awaitsOf = (row: PlacedRow): string | null =>
    // Its own handover never ended: the previous owner of the host has still to report.
    row.awaits !== null && row.awaits !== from && active.has(row.awaits) ? row.awaits : handedBy
  const weight = weightOfAll([...units.values()].flat())
  const placing = new TreePlacing(nearestOf(seats, source.branch), weight)
  const rows: PlacedRow[] = []
  for (const [unit, hosts] of units) {
    const unplaced = { key: unit, weight: weightOfAll(hosts), links: new Map() }
    const owner =
      (await addressOwner(sql, unit, seats)) ??
      placing.place({ ...unplaced, wantedBy: null, near: null })
    moveLoad(loads, unplaced.weight, { from, to: owner })
    rows.push(...hosts.map((row) => ({ ...row, station: owner, awaits: awaitsOf(row), epoch })))
  }
  await writeAddresses(sql, rows)
  await writeLoads(sql, loads)
  await noteChange(sql, 'handed-on', epoch)
  await writeRows(sql, { rows, epoch, now })
  return rows.length
}

const weightOfAll = (rows: readonly PlacedRow[]): number =>
  rows.reduce((sum, row) => sum + weightOf(row), 0)

/** By address, which moves whole: one machine must not have two visitors in between. */
async function unitsOf(sql: Sql, from: string, isLost: boolean): Promise<Map<string, PlacedRow[]>> {
  // Until a host's handover has arrived, its owner could not hand it on.
  const settled = isLost ? '' : ' AND awaits IS NULL'
  const some = await sql.all<PlacedRow>(
    `${SELECT} WHERE station = ?${settled} ORDER BY host LIMIT ?`,
    [from, HOSTS_PER_EPOCH],
  )
  const units = new Map<string, PlacedRow[]>()
  for (const row of some) {
    const address = row.address !== null && !(await isShared(sql, row.address)) ? row.address : null
    const unit = address ?? row.host
    if (units.has(unit)) continue
    units.set(unit, address === null ? [row] : await hostsAt(sql, address, from))
  }
  if (isLost) return units
  return new Map([...units].filter(([, rows]) => rows.every(({ awaits }) => awaits === null)))
}

function hostsAt(sql: Sql, address: string, from: string): Promise<PlacedRow[]> {
  return sql.all<PlacedRow>(`${SELECT} WHERE address = ? AND station = ?`, [address, from])
}

const SELECT = 'SELECT host, station, awaits, address, epoch, pages FROM placement_hosts'

/** Another station may have got the address in the meantime, by a claim. */
async function addressOwner(
  sql: Sql,
  address: string,
  seats: readonly { id: string }[],
): Promise<string | null> {
  const row = await sql.get<{ station: string }>(
    'SELECT station FROM placement_addresses WHERE address = ?',
    [address],
  )
  return row !== undefined && seats.some(({ id }) => id === row.station) ? row.station : null
}

/** The addresses of these hosts have the owners that the hosts have now. */
export async function writeAddresses(sql: Sql, rows: readonly PlacedRow[]): Promise<void> {
  const owners = new Map<string, string>()
  for (const { address, station } of rows) if (address !== null) owners.set(address, station)
  await sql.updateMany({
    table: 'placement_addresses',
    keys: ['address'],
    set: ['station'],
    rows: [...owners],
  })
}

/** Stations that wait for a handover of a lost station wait for its keeper's instead. */
export async function reawaitHosts(
  sql: Sql,
  { from, now }: { from: string; now: number },
): Promise<number> {
  const epoch = await nextEpoch(sql)
  const source = (await readStations(sql)).find(({ id }) => id === from)
  const active = await activeIds(sql)
  if (source === undefined || active.includes(from)) return 0
  const keeper = active.includes(source.keeper ?? '') ? source.keeper : null
  const waiting = await sql.all<PlacedRow>(`${SELECT} WHERE awaits = ? ORDER BY host LIMIT ?`, [
    from,
    HOSTS_PER_EPOCH,
  ])
  const rows = waiting.map((row) => ({ ...row, awaits: keeper, epoch }))
  if (rows.length > 0) await noteChange(sql, 'handed-on', epoch)
  await writeRows(sql, { rows, epoch, now })
  return rows.length
}
