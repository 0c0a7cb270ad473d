/** The map of agents as people read it: its epochs, what moved in them, and who has which host, page by page. */
import type { PlacementEpochRow, PlacementMove, PlacedHostRow } from '@minga/protocol'
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import { currentEpoch, type MapFacts, type MapPart } from './agent-map.ts'

/** A whole epoch as people see it. */
export interface MapView extends MapFacts {
  epoch: number
  at: number
}

const COLUMNS = `epoch, at, reason, why, way, hosts, pages, moved_pages AS "movedPages",
  exchange_share AS "exchangeShare", imbalance, latency_ms AS "latencyMs", story`

type EpochRow = Omit<MapView, 'parts' | 'story'> & { story: string | null }

/** Null when it is not whole, or no longer kept. */
export async function readEpoch(sql: Sql, args: { epoch: number }): Promise<MapView | null> {
  const row = await sql.get<EpochRow>(
    `SELECT ${COLUMNS} FROM place_maps WHERE epoch = ? AND is_whole = 1`,
    [args.epoch],
  )
  return row === undefined ? null : withParts(sql, row)
}

async function withParts(sql: Sql, row: EpochRow): Promise<MapView> {
  const parts = await sql.all<MapPart>(
    'SELECT device, capacity, hosts, pages FROM place_map_parts WHERE epoch = ? ORDER BY device',
    [row.epoch],
  )
  const story = row.story === null ? null : (JSON.parse(row.story) as MapView['story'])
  return { ...row, parts, story }
}

const MOVE_ORDERS = {
  host: 'host',
  from: 'from_device',
  to: 'to_device',
  pages: 'pages',
} as const

export interface EpochMovesArgs extends PageArgs {
  readonly epoch: number
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly order: keyof typeof MOVE_ORDERS
}

/** Hosts that left one device for another in this epoch. */
export function epochMoves(sql: Sql, args: EpochMovesArgs): Promise<FoundPage<PlacementMove>> {
  const listing = {
    columns: 'host, from_device AS "from", to_device AS "to", pages',
    from: 'FROM place_moves',
    id: 'host',
    order: MOVE_ORDERS[args.order],
    texts: ['host'],
    conditions: conditionsOf([
      ['epoch = ?', args.epoch],
      ['from_device = ?', args.from],
      ['to_device = ?', args.to],
    ]),
  }
  return readSortedPage(sql, listing, args)
}

const HOST_ORDERS = {
  host: 'h.name',
  pages: 'COALESCE(g.pages, 0)',
  country: `COALESCE(h.country, '')`,
} as const

export interface HostsOfMapArgs extends PageArgs {
  readonly device?: string | undefined
  readonly country?: string | undefined
  readonly order: keyof typeof HOST_ORDERS
}

export async function hostsOfMap(
  sql: Sql,
  args: HostsOfMapArgs,
): Promise<FoundPage<PlacedHostRow>> {
  const epoch = await currentEpoch(sql)
  const device = `CASE WHEN p.next_epoch > 0 AND p.next_epoch <= ${epoch}
    THEN p.next_device ELSE p.device END`
  const listing = {
    columns: `p.host_id AS "hostId", h.name AS host, ${device} AS device,
      COALESCE(g.pages, 0) AS pages, h.country`,
    from: `FROM host_parts p JOIN hosts h ON h.id = p.host_id
      LEFT JOIN place_pages g ON g.host = h.name`,
    id: 'h.name',
    order: HOST_ORDERS[args.order],
    texts: ['h.name'],
    conditions: conditionsOf([
      [`${device} = ?`, args.device],
      [`${HOST_ORDERS.country} = ?`, args.country],
    ]),
  }
  return readSortedPage(sql, listing, args)
}

/** What an epoch of before its story was kept does not know counts as nothing. */
const EPOCH_ORDERS = {
  epoch: 'm.epoch',
  at: 'm.at',
  reason: 'm.reason',
  hosts: 'm.hosts',
  pages: 'm.pages',
  movedPages: 'm.moved_pages',
  exchangeShare: 'COALESCE(m.exchange_share, -1)',
  imbalance: 'COALESCE(m.imbalance, -1)',
} as const
export type EpochOrder = keyof typeof EPOCH_ORDERS
export const EPOCH_ORDER_NAMES = Object.keys(EPOCH_ORDERS) as EpochOrder[]

export interface FindEpochsArgs extends PageArgs {
  readonly reason?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: EpochOrder
}

/** Without what a plan weighed: matrices of fifty epochs are megabytes, and each is read by itself. */
export function findEpochs(sql: Sql, args: FindEpochsArgs): Promise<FoundPage<PlacementEpochRow>> {
  const moved =
    sql.dialect === 'postgres'
      ? `CAST(CAST(m.story AS json) ->> 'movedHosts' AS BIGINT)`
      : `json_extract(m.story, '$.movedHosts')`
  const listing = {
    columns: `m.epoch, m.at, m.reason, m.why, m.way, m.hosts, m.pages,
      m.moved_pages AS "movedPages", m.exchange_share AS "exchangeShare", m.imbalance,
      m.latency_ms AS "latencyMs", ${moved} AS "movedHosts",
      (SELECT COUNT(*) FROM place_map_parts p WHERE p.epoch = m.epoch) AS agents`,
    from: 'FROM place_maps m',
    id: 'm.epoch',
    isIdNumber: true,
    order: EPOCH_ORDERS[args.order],
    texts: ['m.why', 'm.reason', 'm.way'],
    conditions: conditionsOf([
      ['m.is_whole = ?', 1],
      ['m.reason = ?', args.reason],
      ['m.at >= ?', args.from],
      ['m.at < ?', args.to],
    ]),
  }
  return readSortedPage(sql, listing, args)
}
