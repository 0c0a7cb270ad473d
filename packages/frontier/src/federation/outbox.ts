/**
 * The outbox: rows that leave for other stations in the order of their numbers. Numbers are taken from a
 * sequence that is never turned back, and in the transaction that writes the row, so what is numbered
 * lower is durable earlier.
 */
import { faultPoint } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { nextIds } from '../sequences.ts'
import type { OutboxKind } from './entries.ts'
import { splitRow } from './split-row.ts'

export interface OutboxRow {
  station: string
  kind: OutboxKind
  collectionId: number | null
  /** How many URLs or hosts it speaks of. */
  entries: number
  payload: object
}

export async function writeOutbox(sql: Sql, rows: readonly OutboxRow[]): Promise<void> {
  const parts = rows.flatMap((row) => splitRow(row).map((part) => ({ ...row, ...part })))
  if (parts.length === 0) return
  const first = await nextIds(sql, 'outbox', parts.length)
  await sql.insertMany({
    table: 'federation_outbox',
    columns: ['seq', 'station', 'kind', 'collection_id', 'entries', 'payload'],
    rows: parts.map(({ station, kind, collectionId, entries, payload }, i) => [
      first + i,
      station,
      kind,
      collectionId,
      entries,
      payload,
    ]),
  })
  faultPoint('federation:outbox-written')
}

export interface ShippedRow {
  seq: number
  kind: OutboxKind
  /** Of its collection, the same at every station. */
  identity: string | null
  /** How many URLs or hosts it speaks of. */
  entries: number
  /** JSON. */
  payload: string
}

/** Rows that are read at once to see how many of them make a batch. */
const ROWS_PER_BATCH_MAX = 2_000

export interface NextBatch {
  rows: ShippedRow[]
  /** There was more than fits. */
  isMore: boolean
}

/** The next rows for a station, in order; at least one if there is any, else up to so many bytes. */
export async function nextBatch(
  sql: Sql,
  args: { station: string; bytesMax: number },
): Promise<NextBatch> {
  const rows = await sql.all<{ seq: number; length: number }>(
    `SELECT seq, LENGTH(payload) AS length FROM federation_outbox
     WHERE station = ? ORDER BY seq LIMIT ?`,
    [args.station, ROWS_PER_BATCH_MAX],
  )
  let bytes = 0
  let last: number | null = null
  for (const { seq, length } of rows) {
    bytes += length
    if (last !== null && bytes > args.bytesMax) break
    last = seq
  }
  if (last === null) return { rows: [], isMore: false }
  const batch = await sql.all<ShippedRow>(
    `SELECT o.seq, o.kind, c.identity, o.entries, o.payload FROM federation_outbox o
     LEFT JOIN collections c ON c.id = o.collection_id
     WHERE o.station = ? AND o.seq <= ? ORDER BY o.seq`,
    [args.station, last],
  )
  const isMore = batch.length < rows.length || rows.length === ROWS_PER_BATCH_MAX
  return { rows: batch, isMore }
}

/** The other has it, durably. */
export async function acknowledge(sql: Sql, args: { station: string; seq: number }): Promise<void> {
  await sql.run('DELETE FROM federation_outbox WHERE station = ? AND seq <= ?', [
    args.station,
    args.seq,
  ])
}

export interface WaitingStation {
  station: string
  /** Whether there is more than journal, which has time. */
  isUrgent: boolean
}

/** Active stations that something waits for. */
export async function stationsWaiting(sql: Sql): Promise<WaitingStation[]> {
  const rows = await sql.all<{ station: string; is_urgent: number }>(
    `SELECT s.id AS station, (SELECT COUNT(*) FROM (SELECT 1 FROM federation_outbox o
       WHERE o.station = s.id AND o.kind <> 'journal' LIMIT 1) AS urgent) AS is_urgent
     FROM federation_stations s
     WHERE s.state = 'active' AND EXISTS (SELECT 1 FROM federation_outbox o WHERE o.station = s.id)
     ORDER BY s.id`,
  )
  return rows.map(({ station, is_urgent }) => ({ station, isUrgent: is_urgent > 0 }))
}
