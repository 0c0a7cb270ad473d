/**
 * One row for every request a device made, and counters on the device that say the same in sums.
 * Both are written in the transaction that takes the results in, so they never disagree: as long as
 * a row is kept, the counters can be recounted from the rows.
 */
import type { Sql } from '@minga/store'
import { noteEffort } from './device-rates.ts'

/** `denied`: the device's own address guard forbade it. `returned`: it was never dialled. */
export type DetailOutcome = 'captured' | 'failed' | 'denied' | 'returned'

export interface RequestItem {
  readonly collectionId: number
  /** Null for a robots.txt that was given back undialled. */
  readonly url: string | null
  readonly outcome: DetailOutcome
  readonly status: number | null
  readonly responseBytes: number
  readonly elapsedMs: number
  /** The Content-Encoding that the answer came in. */
  readonly encoding: string | null
  /** Why it failed. */
  readonly code: string | null
}

/** In the order of the columns on `devices` and `device_totals`. */
export const COUNTERS = [
  'n_2xx',
  'n_3xx',
  'n_4xx',
  'n_5xx',
  'network_errors',
  'timeouts',
  'denied',
  'bytes',
  'elapsed_ms',
] as const

export type Counters = Record<(typeof COUNTERS)[number], number>

const DETAIL_COLUMNS = [
  'at',
  'device',
  'collection_id',
  'url',
  'outcome',
  'status',
  'response_bytes',
  'elapsed_ms',
  'encoding',
  'code',
]

const ADD = COUNTERS.map((name) => `${name} = ${name} + ?`).join(', ')

export interface NoteResultsArgs {
  readonly device: string
  readonly items: readonly RequestItem[]
  /** Of the upload that brought them. */
  readonly uploadBytes?: number
  readonly now: number
}

export async function noteResults(
  sql: Sql,
  { device, items, uploadBytes = 0, now }: NoteResultsArgs,
): Promise<void> {
  if (items.length === 0) return
  await sql.insertMany({
    table: 'request_details',
    columns: DETAIL_COLUMNS,
    rows: items.map((item) => [
      now,
      device,
      item.collectionId,
      item.url,
      item.outcome,
      item.status,
      item.responseBytes,
      Math.round(item.elapsedMs),
      item.encoding,
      item.code,
    ]),
  })
  const counters = countersOf(items)
  await sql.run(`UPDATE devices SET ${ADD} WHERE id = ?`, [
    ...COUNTERS.map((name) => counters[name]),
    device,
  ])
  const requests = items.filter(({ outcome }) => outcome !== 'returned').length
  const effort = { requests, downBytes: counters.bytes, upBytes: uploadBytes }
  await noteEffort(sql, { device, ...effort, now })
}

function countersOf(items: readonly RequestItem[]): Counters {
  const sums = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Counters
  for (const item of items) {
    sums[counterOf(item)]++
    sums.bytes += item.responseBytes
    sums.elapsed_ms += Math.round(item.elapsedMs)
  }
  return sums
}

/** Statuses that no standard knows (0, 999) are counted with the nearest class. */
function counterOf({ outcome, status, code }: RequestItem): keyof Counters {
  if (outcome === 'returned' || outcome === 'denied') return 'denied'
  if (outcome === 'failed') return code?.endsWith('_TIMEOUT') ? 'timeouts' : 'network_errors'
  const hundreds = Math.min(5, Math.max(2, Math.floor((status ?? 0) / 100)))
  return STATUS_COUNTERS[hundreds - 2]!
}

const STATUS_COUNTERS = ['n_2xx', 'n_3xx', 'n_4xx', 'n_5xx'] as const

/**
 * Deleted at once: enough to keep up with a thousand a second, few enough to delay no other caller.
 */
const SWEEP_ROWS = 2_000

export interface SweepDetailsArgs {
  readonly now: number
  readonly keepMs: number
}

/** Rows older than the retention go, the oldest first; answers how many went. */
export async function sweepDetails(sql: Sql, { now, keepMs }: SweepDetailsArgs): Promise<number> {
  // Ids grow with time: the oldest rows are the first, and no index by time has to be kept.
  const oldest = await sql.get<{ at: number }>('SELECT at FROM request_details ORDER BY id LIMIT 1')
  if (!oldest || oldest.at >= now - keepMs) return 0
  return sql.run(
    `DELETE FROM request_details WHERE at < ? AND id IN
       (SELECT id FROM request_details ORDER BY id LIMIT ${SWEEP_ROWS})`,
    [now - keepMs],
  )
}

export interface DetailView extends RequestItem {
  readonly id: number
  readonly at: number
  readonly device: string
}

/** Newest first, before `beforeId` when given. */
export async function detailsOf(
  sql: Sql,
  args: { device: string; beforeId?: number | undefined; limit: number },
): Promise<DetailView[]> {
  return sql.all<DetailView>(
    `SELECT id, at, device, collection_id AS "collectionId", url, outcome, status,
       response_bytes AS "responseBytes", elapsed_ms AS "elapsedMs", encoding, code
     FROM request_details WHERE device = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    [args.device, args.beforeId ?? Number.MAX_SAFE_INTEGER, args.limit],
  )
}
