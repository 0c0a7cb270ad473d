/**
 * The station's map of hosts to agents, for the strategy `partitioned`. Epochs are written page by
 * page, one transaction each, next to the map in force; one row completes an epoch, and readers use
 * only the newest complete epoch. So half of one is never visible, and a writer that dies leaves
 * only rows that count for nothing and that the next writer clears away. Between two epochs the map
 * only grows, by new hosts.
 */
import type { PlacementMove, PlacementReport } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { MapTaken } from '../errors.ts'
import { forUpdate } from '../row-locks.ts'

/** How long a writer may take before another may think it dead. */
const WRITING_MS_MAX = 900_000
/** Epochs whose story is kept. */
const EPOCHS_KEPT = 50

export interface MapWriter {
  epoch: number
  /** Names the run of a coordinator. */
  writer: string
}

/** The newest whole epoch, 0 while there is none. */
export async function currentEpoch(sql: Sql): Promise<number> {
  const row = await sql.get<{ epoch: number }>(
    'SELECT epoch FROM place_maps WHERE is_whole = 1 ORDER BY epoch DESC LIMIT 1',
  )
  return row?.epoch ?? 0
}

export interface PartRow {
  device: string | null
  next_device: string | null
  next_epoch: number
}

/** Whom a row names as of an epoch. */
export function deviceAt(row: PartRow, epoch: number): string | null {
  return row.next_epoch > 0 && row.next_epoch <= epoch ? row.next_device : row.device
}

/** The devices that the map names for these hosts, in their order; null where it names none. */
export async function mappedDevices(
  sql: Sql,
  hostIds: readonly number[],
): Promise<(string | null)[]> {
  for (;;) {
    const epoch = await currentEpoch(sql)
    if (epoch === 0) return hostIds.map(() => null)
    const rows = await sql.selectMany<PartRow>({
      table: 'host_parts',
      keys: ['host_id'],
      rows: hostIds.map((id) => [id]),
      columns: ['device', 'next_device', 'next_epoch'],
    })
    // On PostgreSQL an epoch may become whole, and be tidied, between the two looks.
    if (epoch === (await currentEpoch(sql))) {
      return rows.map((row) => (row === undefined ? null : deviceAt(row, epoch)))
    }
  }
}

/** Claims the next epoch; refused while another coordinator writes it. */
export async function beginMap(sql: Sql, args: { writer: string; now: number }): Promise<number> {
  const { writer, now } = args
  const last = await sql.get<{ epoch: number; is_whole: number; writer: string; at: number }>(
    `SELECT epoch, is_whole, writer, at FROM place_maps ORDER BY epoch DESC LIMIT 1${forUpdate(sql)}`,
  )
  const isOpen = last !== undefined && last.is_whole === 0
  if (isOpen && last.writer !== writer && last.at > now - WRITING_MS_MAX) throw new MapTaken()
  const epoch = isOpen ? last.epoch : (last?.epoch ?? 0) + 1
  await sql.insertMany({
    table: 'place_maps',
    columns: ['epoch', 'is_whole', 'writer', 'at', 'reason', 'why', 'way'],
    rows: [[epoch, 0, writer, now, '', '', '']],
    onConflict: { keys: ['epoch'], update: ['writer', 'at'] },
  })
  // What a dead writer recorded for this epoch never happened.
  await sql.run('DELETE FROM place_moves WHERE epoch = ?', [epoch])
  return epoch
}

/** Only the writer of an epoch that is not whole may go on: another may have taken it for dead. */
async function requireWriter(sql: Sql, { epoch, writer }: MapWriter): Promise<void> {
  const row = await sql.get(
    `SELECT epoch FROM place_maps WHERE epoch = ? AND writer = ? AND is_whole = 0${forUpdate(sql)}`,
    [epoch, writer],
  )
  if (row === undefined) throw new MapTaken()
}

/**
 * Makes rows plain again, in batches, and returns how many there were. A writer that has claimed an
 * epoch and not written to it yet deletes what a dead writer left of it; others only keep what
 * holds already.
 */
export async function tidyMap(
  sql: Sql,
  args: { claim: MapWriter | null; atMost: number },
): Promise<number> {
  const epoch = await currentEpoch(sql)
  if (args.claim !== null) await requireWriter(sql, args.claim)
  const rows = await sql.all<PartRow & { host_id: number }>(
    `SELECT host_id, device, next_device, next_epoch FROM host_parts
     WHERE next_epoch > 0 AND next_epoch <= ? LIMIT ?${forUpdate(sql)}`,
    [args.claim?.epoch ?? epoch, args.atMost],
  )
  await sql.updateMany({
    table: 'host_parts',
    keys: ['host_id'],
    set: ['device', 'next_device', 'next_epoch'],
    rows: rows.map((row) => [row.host_id, deviceAt(row, epoch), null, 0]),
  })
  return rows.length
}

export interface MapPage extends MapWriter {
  /** Names of hosts and the devices they are assigned to; null: to none any more. */
  rows: readonly (readonly [host: string, device: string | null])[]
}

/** Names that no collection has met are left out; they are placed when one meets them. */
export async function writeMapPage(sql: Sql, page: MapPage): Promise<number> {
  await requireWriter(sql, page)
  const found = await sql.selectMany<{ id: number }>({
    table: 'hosts',
    keys: ['name'],
    rows: page.rows.map(([host]) => [host]),
    columns: ['id'],
  })
  const known = page.rows.flatMap(([, device], i) =>
    found[i] === undefined ? [] : [[found[i].id, device, page.epoch] as const],
  )
  await sql.insertMany({
    table: 'host_parts',
    columns: ['host_id', 'next_device', 'next_epoch'],
    rows: known,
    onConflict: { keys: ['host_id'], update: ['next_device', 'next_epoch'] },
  })
  return known.length
}

/** Which hosts leave which device in an epoch, for information only. */
export async function writeMoves(
  sql: Sql,
  args: MapWriter & { moves: readonly PlacementMove[] },
): Promise<void> {
  await requireWriter(sql, args)
  await sql.insertMany({
    table: 'place_moves',
    columns: ['epoch', 'host', 'from_device', 'to_device', 'pages'],
    rows: args.moves.map(({ host, from, to, pages }) => [args.epoch, host, from, to, pages]),
    onConflict: { keys: ['epoch', 'host'], update: ['from_device', 'to_device', 'pages'] },
  })
}

export interface MapFacts {
  /** What made the station plan, and the sentence for people. */
  reason: string
  why: string
  way: string
  hosts: number
  pages: number
  movedPages: number
  exchangeShare: number | null
  imbalance: number | null
  latencyMs: number | null
  parts: readonly MapPart[]
  /** What the plan weighed, for people. */
  story: PlacementReport | null
}

export interface MapPart {
  device: string
  capacity: number
  hosts: number
  pages: number
}

/** From this commit on the epoch holds, all of it. */
export async function publishMap(
  sql: Sql,
  args: MapWriter & { now: number; facts: MapFacts },
): Promise<void> {
  const { epoch, now, facts } = args
  await requireWriter(sql, args)
  await sql.run(
    `UPDATE place_maps SET is_whole = 1, at = ?, reason = ?, why = ?, way = ?, hosts = ?, pages = ?,
       moved_pages = ?, exchange_share = ?, imbalance = ?, latency_ms = ?, story = ?
     WHERE epoch = ?`,
    [
      now,
      facts.reason,
      facts.why,
      facts.way,
      facts.hosts,
      facts.pages,
      facts.movedPages,
      facts.exchangeShare,
      facts.imbalance,
      facts.latencyMs,
      facts.story === null ? null : JSON.stringify(facts.story),
      epoch,
    ],
  )
  await sql.insertMany({
    table: 'place_map_parts',
    columns: ['epoch', 'device', 'capacity', 'hosts', 'pages'],
    rows: facts.parts.map((part) => [epoch, part.device, part.capacity, part.hosts, part.pages]),
  })
  for (const table of ['place_maps', 'place_map_parts', 'place_moves']) {
    await sql.run(`DELETE FROM ${table} WHERE epoch <= ?`, [epoch - EPOCHS_KEPT])
  }
}

export interface MapGrowth {
  epoch: number
  rows: readonly { hostId: number; device: string; pages: number }[]
}

/** New hosts, placed against this epoch; when another one holds by now, they are checked again. */
export async function growMap(sql: Sql, { epoch, rows }: MapGrowth): Promise<boolean> {
  const held = await sql.get(
    `SELECT epoch FROM place_maps WHERE epoch = ? AND is_whole = 1${forUpdate(sql)}`,
    [epoch],
  )
  if (held === undefined || (await currentEpoch(sql)) !== epoch) return false
  const isNew = await sql.insertNew({
    table: 'host_parts',
    columns: ['host_id', 'device'],
    keys: ['host_id'],
    rows: rows.map(({ hostId, device }) => [hostId, device]),
  })
  for (const [device, added] of Map.groupBy(
    rows.filter((_, i) => isNew[i]),
    (row) => row.device,
  )) {
    const pages = added.reduce((sum, row) => sum + row.pages, 0)
    await sql.run(
      `UPDATE place_map_parts SET hosts = hosts + ?, pages = pages + ?
       WHERE epoch = ? AND device = ?`,
      [added.length, pages, epoch, device],
    )
  }
  return true
}
