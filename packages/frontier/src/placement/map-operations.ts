/** What a station asks of its map of agents, by name: writing it, and reading it page by page. */
import type { OperationTable, Sql } from '@minga/store'
import {
  beginMap,
  currentEpoch,
  deviceAt,
  growMap,
  mappedDevices,
  publishMap,
  tidyMap,
  writeMapPage,
  writeMoves,
  type PartRow,
} from './agent-map.ts'
import { epochMoves, findEpochs, hostsOfMap, readEpoch, type MapView } from './map-reading.ts'

/** Null while there is none. New hosts since are counted in its parts. */
async function readMap(sql: Sql): Promise<MapView | null> {
  return readEpoch(sql, { epoch: await currentEpoch(sql) })
}

export interface MappedHost {
  hostId: number
  host: string
  device: string | null
}

/** In the order of ids; hosts without a part are left out. All of one epoch. */
async function mappedHosts(
  sql: Sql,
  args: { after: number; atMost: number },
): Promise<{ epoch: number; hosts: MappedHost[] }> {
  const rows = await sql.all<PartRow & { host_id: number; name: string; epoch: number | null }>(
    `SELECT p.host_id, h.name, p.device, p.next_device, p.next_epoch,
            (SELECT MAX(epoch) FROM place_maps WHERE is_whole = 1) AS epoch
     FROM host_parts p JOIN hosts h ON h.id = p.host_id
     WHERE p.host_id > ? ORDER BY p.host_id LIMIT ?`,
    [args.after, args.atMost],
  )
  const hosts = rows.map((row) => ({
    hostId: row.host_id,
    host: row.name,
    device: deviceAt(row, row.epoch ?? 0),
  }))
  return { epoch: rows[0]?.epoch ?? (await currentEpoch(sql)), hosts }
}

export interface UnmappedHost {
  hostId: number
  host: string
}

/** Hosts that no part was found for yet, in the order of ids. */
function unmappedHosts(sql: Sql, args: { after: number; atMost: number }): Promise<UnmappedHost[]> {
  return sql.all<UnmappedHost>(
    `SELECT h.id AS "hostId", h.name AS host FROM hosts h
     LEFT JOIN host_parts p ON p.host_id = h.id
     WHERE h.id > ? AND p.host_id IS NULL ORDER BY h.id LIMIT ?`,
    [args.after, args.atMost],
  )
}

export interface ReadyDevice {
  device: string
  success: number
}

/** Agents that hosts can be assigned to. */
function readyDevices(sql: Sql): Promise<ReadyDevice[]> {
  return sql.all<ReadyDevice>(
    'SELECT device, success FROM agent_loads WHERE ready = 1 ORDER BY device',
  )
}

export interface HostStanding {
  /** The device in the map; null: none. */
  device: string | null
  /** What the host itself asks for between two requests. */
  pauseMs: number
}

/** Of hosts by their names, in their order; null for those that no collection has met. */
async function hostStandings(
  sql: Sql,
  args: { hosts: readonly string[] },
): Promise<(HostStanding | null)[]> {
  const found = await sql.selectMany<{ id: number; crawl_delay_ms: number; slow_ms: number }>({
    table: 'hosts',
    keys: ['name'],
    rows: args.hosts.map((host) => [host]),
    columns: ['id', 'crawl_delay_ms', 'slow_ms'],
  })
  const ids = found.flatMap((row) => (row === undefined ? [] : [row.id]))
  const devices = await mappedDevices(sql, ids)
  const deviceOf = new Map(ids.map((id, i) => [id, devices[i]!]))
  return found.map((row) => {
    if (row === undefined) return null
    const pauseMs = Math.max(row.crawl_delay_ms, row.slow_ms)
    return { device: deviceOf.get(row.id)!, pauseMs }
  })
}

export const mapOperations = {
  beginMap,
  epochMoves,
  findEpochs,
  growMap,
  hostStandings,
  mappedHosts,
  hostsOfMap,
  publishMap,
  readEpoch,
  readMap,
  readyDevices,
  tidyMap,
  unmappedHosts,
  writeMapPage,
  writeMoves,
} satisfies OperationTable
