/** Rows on their way into the station's tables: read at a turn, and committed with their segment if it is still that turn. */
import { applySegments } from '@minga/lake/operations'
import type { Column, Segment, SegmentChange } from '@minga/lake'
import type { Sql } from '@minga/store'
import { horizonOf, rawState, takeTurn, writeCursor } from '../../archive/feed-state.ts'
import { FEED_TABLES, type Cell, type RowFeed } from './feed-tables.ts'
import { advanced, START, type IdCursor } from '../../archive/id-cursor.ts'
import type { Packed } from './packed-rows.ts'

export interface FeedRead {
  turn: number
  /** Where it continues; null when what was read is deleted instead. */
  cursor: string | null
  /** What is deleted with the commit. */
  ids: number[]
  rows: Cell[][]
  packed: Packed[]
  /** There may be more. */
  isCut: boolean
}

export interface ReadFeed {
  feed: RowFeed
  /** Rows; of packed ones about as many. */
  most: number
  now: number
}

/** Without rows there is nothing to commit. */
export async function readFeed(sql: Sql, args: ReadFeed): Promise<FeedRead> {
  const { turn, cursor } = await rawState<IdCursor>(sql, args.feed, START)
  const read = await READERS[args.feed](sql, args, cursor)
  return { turn, cursor: null, ids: [], rows: [], packed: [], ...read }
}

type Reader = (
  sql: Sql,
  args: ReadFeed,
  cursor: IdCursor,
) => Promise<Pick<FeedRead, 'isCut'> & Partial<FeedRead>>

const READERS: Record<RowFeed, Reader> = {
  captures: byId(
    `SELECT c.id, c.collection_id, c.url, h.name, h.country, c.captured_at, c.kind, c.status, c.mime, c.digest,
       c.payload_bytes, c.title, c.file, c.offset_bytes, c.length_bytes
     FROM captures c LEFT JOIN hosts h ON h.id = c.host_id`,
    'c.id',
    (row) => Object.values(row),
  ),
  changes: byId(
    `SELECT v.id, v.collection_id, f.url, h.name, v.at, v.outcome, v.visual, v.structural, v.content,
       v.is_important
     FROM visits v LEFT JOIN hosts h ON h.id = v.host_id
     LEFT JOIN forecasts f
       ON f.collection_id = v.collection_id AND f.host_id = v.host_id AND f.hash = v.hash`,
    'v.id',
    (row) => [
      ...Object.values(row).slice(1, -1),
      row['outcome'] === 'changed' && row['is_important'] === 1,
    ],
  ),
  links: readBatches,
  requests: readBatches,
  events: async (sql, { most }) => {
    const found = await sql.all<{ id: number } & Record<string, Cell>>(
      'SELECT id, at, kind, subject, detail FROM station_events ORDER BY id LIMIT ?',
      [most],
    )
    const rows = found.map((row) => Object.values(row).slice(1))
    return { rows, ids: found.map(({ id }) => id), isCut: found.length === most }
  },
}

type IdRow = { id: number } & Record<string, Cell>

/** `id` is the name of the column that grows. */
function byId(select: string, id: string, cellsOf: (row: IdRow) => Cell[]): Reader {
  return async (sql, { most, now }, cursor) => {
    // Before the rows: who had ended by then can be seen by what follows.
    const horizon = await horizonOf(sql, now)
    const holes = cursor.holes.map(() => ` OR ${id} BETWEEN ? AND ?`).join('')
    const found = await sql.all<IdRow>(`${select} WHERE ${id} > ?${holes} ORDER BY ${id} LIMIT ?`, [
      cursor.last,
      ...cursor.holes.flatMap(({ from, to }) => [from, to]),
      most,
    ])
    const next = advanced(
      cursor,
      found.map((row) => row.id),
      horizon,
    )
    const isCut = found.length === most
    return { rows: found.map(cellsOf), cursor: JSON.stringify(next), isCut }
  }
}

interface BatchRow {
  id: number
  row_count: number
  kept: string | null
  bytes: Uint8Array
}

/** Batches in one read: what they unpack to is held in memory. */
const BATCHES_MOST = 500

async function readBatches(
  sql: Sql,
  { feed, most }: ReadFeed,
): Promise<Pick<FeedRead, 'ids' | 'packed' | 'isCut'>> {
  const sizes = await sql.all<Pick<BatchRow, 'id' | 'row_count'>>(
    'SELECT id, row_count FROM lake_batches WHERE feed = ? ORDER BY id LIMIT ?',
    [feed, BATCHES_MOST],
  )
  let rows = 0
  const fitting = sizes.findIndex((size) => (rows += size.row_count) >= most)
  const ids = sizes.slice(0, fitting === -1 ? sizes.length : fitting + 1).map(({ id }) => id)
  const found = await sql.selectMany<BatchRow>({
    table: 'lake_batches',
    keys: ['id'],
    rows: ids.map((id) => [id]),
    columns: ['kept', 'bytes'],
  })
  const packed = found.map((row) => ({
    bytes: row!.bytes,
    kept: row!.kept === null ? null : (JSON.parse(row!.kept) as number[]),
  }))
  return { ids, packed, isCut: fitting !== -1 || sizes.length === BATCHES_MOST }
}

export interface CommitFeed extends Pick<FeedRead, 'turn' | 'cursor' | 'ids'> {
  feed: RowFeed
  /** Null when the rows were switched off, or none of them count. */
  segment: Segment | null
  writer?: string
  now: number
}

/** The rows are in the table and will not be read again: both, or neither. */
export async function commitFeed(sql: Sql, args: CommitFeed): Promise<void> {
  const { feed, turn, cursor, ids, segment, writer, now } = args
  await takeTurn(sql, feed, turn)
  if (cursor !== null) await writeCursor(sql, feed, cursor)
  await sql.deleteMany({
    table: feed === 'events' ? 'station_events' : 'lake_batches',
    keys: ['id'],
    rows: ids.map((id) => [id]),
  })
  const change = systemChange(feed, FEED_TABLES[feed], segment === null ? [] : [segment])
  const ofWriter = writer === undefined ? {} : { writer }
  await applySegments(sql, { now, changes: [{ ...change, ...ofWriter }] })
}

export function systemChange(
  table: string,
  columns: readonly Column[],
  add: readonly Segment[],
): SegmentChange {
  return { table, columns, add, why: 'news', makes: { owner: null, kind: 'system' } }
}

/** All of them are there, also when nothing happened yet. */
export async function makeFeedTables(sql: Sql, { now }: { now: number }): Promise<void> {
  const changes = Object.entries(FEED_TABLES).map(([table, columns]) =>
    systemChange(table, columns, []),
  )
  await applySegments(sql, { now, changes })
}
