/** The map of agents as people read it: its epochs, what moved in them, and who has which host, page by page. */
import type { PlaceMove, PlacedHostRow } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
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

/** Newest first. */
export async function readEpochs(sql: Sql): Promise<MapView[]> {
  const rows = await sql.all<EpochRow>(
    `SELECT ${COLUMNS} FROM place_maps WHERE is_whole = 1 ORDER BY epoch DESC`,
  )
  const epochs: MapView[] = []
  for (const row of rows) epochs.push(await withParts(sql, row))
  return epochs
}

async function withParts(sql: Sql, row: EpochRow): Promise<MapView> {
  const parts = await sql.all<MapPart>(
    'SELECT device, capacity, hosts, pages FROM place_map_parts WHERE epoch = ? ORDER BY device',
    [row.epoch],
  )
  const story = row.story === null ? null : (JSON.parse(row.story) as MapView['story'])
  return { ...row, parts, story }
}

interface Condition {
  text: string
  params: readonly Value[]
}

export interface PageOf<Row> {
  rows: Row[]
  next: { value: string | number; id: string } | null
  total: number
}

interface PageArgs {
  readonly text?: string
  readonly isDescending: boolean
  readonly after: { readonly value: string | number; readonly id: string } | null
  readonly limit: number
}

/** One page of a list that is sorted by `order` and then by the name of a host. */
interface Listing {
  columns: string
  from: string
  name: string
  order: string
  conditions: readonly Condition[]
}

async function pageOf<Row>(sql: Sql, listing: Listing, args: PageArgs): Promise<PageOf<Row>> {
  const { columns, from, name, order } = listing
  const wanted = [...listing.conditions, ...textCondition(name, args.text)]
  const counted = await sql.get<{ total: number }>(
    `SELECT COUNT(*) AS total ${from} WHERE ${textOf(wanted)}`,
    paramsOf(wanted),
  )
  const sign = args.isDescending ? '<' : '>'
  const page =
    args.after === null
      ? wanted
      : [
          ...wanted,
          { text: `(${order}, ${name}) ${sign} (?, ?)`, params: [args.after.value, args.after.id] },
        ]
  const way = args.isDescending ? 'DESC' : 'ASC'
  const rows = await sql.all<Row & { value: string | number; id: string }>(
    `SELECT ${columns}, ${order} AS value, ${name} AS id ${from} WHERE ${textOf(page)}
     ORDER BY ${order} ${way}, ${name} ${way} LIMIT ?`,
    [...paramsOf(page), args.limit],
  )
  const last = rows.length < args.limit ? undefined : rows.at(-1)
  return {
    rows: rows.map(({ value: _value, id: _id, ...row }) => row as Row),
    next: last === undefined ? null : { value: last.value, id: last.id },
    total: counted!.total,
  }
}

function textCondition(column: string, text: string | undefined): Condition[] {
  if (text === undefined || text === '') return []
  const like = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
  return [{ text: `LOWER(${column}) LIKE ? ESCAPE '\\'`, params: [like] }]
}

const textOf = (conditions: readonly Condition[]): string =>
  conditions.map(({ text }) => text).join(' AND ')

const paramsOf = (conditions: readonly Condition[]): Value[] =>
  conditions.flatMap(({ params }) => [...params])

const MOVE_ORDERS = {
  host: 'host',
  from: 'from_device',
  to: 'to_device',
  pages: 'pages',
} as const

export interface EpochMovesArgs extends PageArgs {
  readonly epoch: number
  readonly from?: string
  readonly to?: string
  readonly order: keyof typeof MOVE_ORDERS
}

/** Hosts that left one device for another in this epoch. */
export function epochMoves(sql: Sql, args: EpochMovesArgs): Promise<PageOf<PlaceMove>> {
  const { epoch, from, to } = args
  const conditions: Condition[] = [{ text: 'epoch = ?', params: [epoch] }]
  if (from !== undefined) conditions.push({ text: 'from_device = ?', params: [from] })
  if (to !== undefined) conditions.push({ text: 'to_device = ?', params: [to] })
  const listing: Listing = {
    columns: 'host, from_device AS "from", to_device AS "to", pages',
    from: 'FROM place_moves',
    name: 'host',
    order: MOVE_ORDERS[args.order],
    conditions,
  }
  return pageOf(sql, listing, args)
}

const HOST_ORDERS = {
  host: 'h.name',
  pages: 'COALESCE(g.pages, 0)',
  country: `COALESCE(h.country, '')`,
} as const

export interface HostsOfMapArgs extends PageArgs {
  readonly device?: string
  readonly order: keyof typeof HOST_ORDERS
}

/** Who has which host by the map that holds. */
export async function hostsOfMap(sql: Sql, args: HostsOfMapArgs): Promise<PageOf<PlacedHostRow>> {
  const epoch = await currentEpoch(sql)
  const device = `CASE WHEN p.next_epoch > 0 AND p.next_epoch <= ${epoch}
    THEN p.next_device ELSE p.device END`
  const conditions: Condition[] = [{ text: '1 = 1', params: [] }]
  if (args.device !== undefined) conditions.push({ text: `${device} = ?`, params: [args.device] })
  const listing: Listing = {
    columns: `p.host_id AS "hostId", h.name AS host, ${device} AS device,
      COALESCE(g.pages, 0) AS pages, h.country`,
    from: `FROM host_parts p JOIN hosts h ON h.id = p.host_id
      LEFT JOIN place_pages g ON g.host = h.name`,
    name: 'h.name',
    order: HOST_ORDERS[args.order],
    conditions,
  }
  return pageOf(sql, listing, args)
}
