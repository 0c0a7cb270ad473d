/** The captures of one URL around a moment. Moments are seconds: so are the dates of HTTP. */
import type { MementoPlace } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { CAPTURE_COLUMNS, capturesOf, slotsOf, type UrlSlots } from '../captures/captures.ts'

const SECOND_MS = 1_000

export interface FoundMemento {
  capture: CaptureRow
  place: MementoPlace
}

/**
 * The capture nearest to a moment (the newest without one); the earlier of two that are as near. With a collection,
 * of its own captures alone.
 */
export async function findMemento(
  sql: Sql,
  args: { url: string; at: number | null; collectionId?: number | null },
): Promise<FoundMemento | null> {
  const found = await slotsOf(sql, args.url)
  const slots = found && { ...found, collectionId: args.collectionId ?? null }
  const last = slots && (await newest(sql, slots))
  if (!slots || !last) return null
  const at = args.at ?? last.capturedAt
  const second = secondOf(at)
  const before = await newest(sql, slots, second + SECOND_MS)
  const after = await oldest(sql, slots, second + SECOND_MS)
  const chosen = nearer(before, after, at)
  const moment = secondOf(chosen.capturedAt)
  const first = await oldest(sql, slots)
  const previous = await newest(sql, slots, moment)
  const next = await oldest(sql, slots, moment + SECOND_MS)
  return {
    // Of several captures in one second the last is shown, whichever was the nearest.
    capture: (await newest(sql, slots, moment + SECOND_MS))!,
    place: {
      url: last.url,
      first: secondOf(first!.capturedAt),
      last: secondOf(last.capturedAt),
      previous: previous ? secondOf(previous.capturedAt) : null,
      memento: moment,
      next: next ? secondOf(next.capturedAt) : null,
    },
  }
}

function nearer(
  before: CaptureRow | undefined,
  after: CaptureRow | undefined,
  at: number,
): CaptureRow {
  if (!before || !after) return (before ?? after)!
  return after.capturedAt - at < at - before.capturedAt ? after : before
}

function secondOf(at: number): number {
  return Math.floor(at / SECOND_MS) * SECOND_MS
}

interface SearchedSlots extends UrlSlots {
  collectionId: number | null
}

/** Before an instant; without one, of all. */
async function newest(
  sql: Sql,
  slots: SearchedSlots,
  before = Number.MAX_SAFE_INTEGER,
): Promise<CaptureRow | undefined> {
  const order = { where: 'captured_at < ? ORDER BY captured_at DESC, id DESC', at: before }
  const found = await oneOfEach(sql, slots, order)
  return found.toSorted((a, b) => b.capturedAt - a.capturedAt || b.id - a.id)[0]
}

/** From an instant on. */
async function oldest(sql: Sql, slots: SearchedSlots, from = 0): Promise<CaptureRow | undefined> {
  const order = { where: 'captured_at >= ? ORDER BY captured_at, id', at: from }
  const found = await oneOfEach(sql, slots, order)
  return found.toSorted((a, b) => a.capturedAt - b.capturedAt || a.id - b.id)[0]
}

async function oneOfEach(
  sql: Sql,
  { hostId, hashes, url, collectionId }: SearchedSlots,
  { where, at }: { where: string; at: number },
): Promise<CaptureRow[]> {
  const found: CaptureRow[] = []
  const [own, ofOwn] = collectionId === null ? ['', []] : ['collection_id = ? AND', [collectionId]]
  for (const hash of hashes) {
    const row = await sql.get<CaptureRow>(
      `SELECT ${CAPTURE_COLUMNS} FROM captures c
       WHERE host_id = ? AND hash = ? AND url = ? AND ${own} ${where} LIMIT 1`,
      [hostId, hash, url, ...ofOwn, at],
    )
    if (row) found.push(row)
  }
  return found
}

/** The moments of a URL's captures from one on, each once. */
export async function listMoments(
  sql: Sql,
  args: { url: string; from: number; limit: number },
): Promise<number[]> {
  const of = await capturesOf(sql, args.url)
  if (!of) return []
  const rows = await sql.all<{ second: number }>(
    `SELECT c."capturedAt" / ${SECOND_MS} AS second FROM (${of.select} AND captured_at >= ?) AS c
     GROUP BY c."capturedAt" / ${SECOND_MS} ORDER BY second LIMIT ?`,
    [...of.params, args.from, args.limit],
  )
  return rows.map(({ second }) => second * SECOND_MS)
}
