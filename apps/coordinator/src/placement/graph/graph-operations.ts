/** What the store does for the graph of the crawl: batches in, pages of rows out. */
import type { Row, Sql, OperationTable } from '@minga/store'
import {
  publishCoordinates,
  coordinatePart,
  saveCoordinates,
} from '../distance/distance-snapshot.ts'
import { flushGraph } from './flush-graph.ts'
import { countLinkRows, forgetLinks, forgetSources, forgetTimes } from './graph-forgetting.ts'
import type { HostAddress, HostLinks, HostPages, HostTimes } from './graph-iterators.ts'
import { hostsToLookUp, noteLocs } from '../distance/loc-record-refresher.ts'

interface PageArgs {
  after: Row
  limit: number
}

export interface GraphTotals {
  batches: number
  /** Hosts with pages. */
  hosts: number
  pages: number
  /** At most so many pairs of hosts with links, a host with itself included. */
  linkRows: number
  links: number
  /** Pairs of a device and a host. */
  timeRows: number
}

function graphPages(sql: Sql, { after, limit }: PageArgs): Promise<HostPages[]> {
  return sql.all('SELECT host, pages FROM place_pages WHERE host > ? ORDER BY host LIMIT ?', [
    ...after,
    limit,
  ])
}

function graphLinks(sql: Sql, { after, limit }: PageArgs): Promise<HostLinks[]> {
  return sql.all(
    `SELECT from_host, to_host, links FROM place_links
     WHERE (from_host, to_host) > (?, ?) ORDER BY from_host, to_host LIMIT ?`,
    [...after, limit],
  )
}

function graphTimes(sql: Sql, { after, limit }: PageArgs): Promise<HostTimes[]> {
  return sql.all(
    `SELECT host, device, connection, first_byte FROM place_times
     WHERE (host, device) > (?, ?) ORDER BY host, device LIMIT ?`,
    [...after, limit],
  )
}

function graphAddresses(sql: Sql, { after, limit }: PageArgs): Promise<HostAddress[]> {
  return sql.all('SELECT id, name, address FROM hosts WHERE id > ? ORDER BY id LIMIT ?', [
    ...after,
    limit,
  ])
}

async function graphTotals(sql: Sql): Promise<GraphTotals> {
  const totals = await sql.get<GraphTotals>(
    `SELECT batches, hosts, pages, link_rows AS "linkRows", links, time_rows AS "timeRows"
     FROM place_totals WHERE id = 1`,
  )
  return totals!
}

export interface NamedDevice {
  id: string
  name: string
}

/** What places a host may be found by. */
export interface PlaceFacts {
  address: string | null
  loc: string | null
}

async function factsOfHosts(
  sql: Sql,
  { hosts }: { hosts: readonly string[] },
): Promise<PlaceFacts[]> {
  const rows = hosts.map((host) => [host])
  const known = await sql.selectMany<{ address: string | null }>({
    table: 'hosts',
    keys: ['name'],
    rows,
    columns: ['address'],
  })
  const locs = await sql.selectMany<{ loc: string | null }>({
    table: 'place_locs',
    keys: ['host'],
    rows,
    columns: ['loc'],
  })
  return hosts.map((_, i) => ({ address: known[i]?.address ?? null, loc: locs[i]?.loc ?? null }))
}

export interface KnownOfHost extends PlaceFacts {
  times: HostTimes[]
  /** Null when none was captured. */
  pages: number | null
}

async function knownOfHost(sql: Sql, { host }: { host: string }): Promise<KnownOfHost> {
  const times = await sql.all<HostTimes>(
    'SELECT host, device, connection, first_byte FROM place_times WHERE host = ? ORDER BY device',
    [host],
  )
  const known = await sql.get<HostPages>('SELECT host, pages FROM place_pages WHERE host = ?', [
    host,
  ])
  const [placed] = await factsOfHosts(sql, { hosts: [host] })
  return { times, pages: known?.pages ?? null, ...placed! }
}

function devicesAtWork(sql: Sql): Promise<NamedDevice[]> {
  return sql.all(
    `SELECT DISTINCT a.device AS id, COALESCE(d.name, a.device) AS name
     FROM agents a LEFT JOIN devices d ON d.id = a.device ORDER BY 1`,
  )
}

async function devicesNamed(sql: Sql, { ids }: { ids: readonly string[] }): Promise<NamedDevice[]> {
  const rows = await sql.selectMany<{ name: string }>({
    table: 'devices',
    keys: ['id'],
    rows: ids.map((id) => [id]),
    columns: ['name'],
  })
  return ids.map((id, i) => ({ id, name: rows[i]?.name ?? id }))
}

export const graphOperations = {
  coordinatePart,
  countLinkRows,
  devicesAtWork,
  devicesNamed,
  flushGraph,
  forgetLinks,
  forgetSources,
  forgetTimes,
  graphAddresses,
  graphLinks,
  graphPages,
  graphTimes,
  graphTotals,
  hostsToLookUp,
  knownOfHost,
  noteLocs,
  factsOfHosts,
  publishCoordinates,
  saveCoordinates,
} satisfies OperationTable
