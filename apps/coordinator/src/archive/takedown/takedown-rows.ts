/** What is to be taken down and what was: the rows that make it survive a crash at any point. */
import type { CaptureRow, TakedownView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { CAPTURE_COLUMNS, placeOfUrl, PROBES_MAX, capturesOf } from '../captures/captures.ts'

/** One record in a file that a tombstone takes the place of. */
export interface RecordPlace {
  offset: number
  length: number
  isPlain: boolean
  /** Number of the tombstone, chosen beforehand, so that a repeated write writes the same bytes. */
  id: string
  /** WARC-Record-ID of what is removed; null when it cannot be read. */
  refersTo: string | null
}

export interface OpenTakedown {
  id: number
  url: string
  file: string
  offset: number
  length: number
  reason: string
  askedAt: number
  /** Crawls wrote the file: what belongs together lies together. */
  isOwn: 0 | 1
  /** Null until its records have been looked for. */
  places: RecordPlace[] | null
}

export interface AskTakedown {
  captureIds: readonly number[]
  reason: string
  by: string
  isBlocked: boolean
  now: number
}

interface TakenDownCapture extends CaptureRow {
  hostId: number
  hash: number
}

const TAKEN_DOWN = `${CAPTURE_COLUMNS}, c.host_id AS "hostId", c.hash`

export const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/** These captures and those that only refer to them: without their original they cannot be read. */
export async function takedownPlan(
  sql: Sql,
  { captureIds }: Pick<AskTakedown, 'captureIds'>,
): Promise<CaptureRow[]> {
  return capturesOfTakedown(sql, captureIds)
}

async function capturesOfTakedown(
  sql: Sql,
  captureIds: readonly number[],
): Promise<TakenDownCapture[]> {
  if (captureIds.length === 0) return []
  const chosen = await sql.all<TakenDownCapture>(
    `SELECT ${TAKEN_DOWN} FROM captures c WHERE id IN (${marks(captureIds)}) ORDER BY id`,
    captureIds,
  )
  const gone = new Set(chosen.map(({ id }) => id))
  const digests = new Set(chosen.filter(isOriginal).map(({ digest }) => digest))
  const referring: TakenDownCapture[] = []
  for (const digest of digests) {
    const revisits = await sql.all<TakenDownCapture>(
      `SELECT ${TAKEN_DOWN} FROM captures c WHERE kind = 'revisit' AND digest = ? ORDER BY id`,
      [digest],
    )
    for (const revisit of revisits) {
      if (gone.has(revisit.id) || (await hasOther(sql, revisit, gone))) continue
      referring.push(revisit)
    }
  }
  return [...chosen, ...referring]
}

const isOriginal = ({ kind, digest }: CaptureRow): boolean => kind === 'response' && digest !== '-'

/** Is there another capture with this payload, where a reader of the revisit would look for it? */
async function hasOther(
  sql: Sql,
  { digest, url }: CaptureRow,
  gone: ReadonlySet<number>,
): Promise<boolean> {
  const known = await sql.get<{ url: string }>('SELECT url FROM payloads WHERE digest = ?', [
    digest,
  ])
  for (const place of new Set([url, known?.url ?? url])) {
    const of = await capturesOf(sql, place)
    if (!of) continue
    const others = await sql.all<{ id: number }>(
      `SELECT o.id FROM (${of.select} AND kind = 'response' AND digest = ?) AS o
       WHERE NOT EXISTS (SELECT 1 FROM takedowns t WHERE t.file = o.file AND t.offset_bytes = o."offset")`,
      [...of.params, digest],
    )
    if (others.some(({ id }) => !gone.has(id))) return true
  }
  return false
}

/** From here on it happens, whatever dies. Answers how many captures that are. */
export async function askTakedown(sql: Sql, asked: AskTakedown): Promise<number> {
  const captures = await capturesOfTakedown(sql, asked.captureIds)
  const isNew = await insertTakedowns(sql, captures, asked)
  await insertTakedowns(sql, await supersededOf(sql, captures), asked)
  return isNew.filter(Boolean).length
}

/** The former records of repaired captures: they are no captures, but hold what shall be gone. */
const SUPERSEDED = 'superseded'

type TakenDownRecord = Omit<TakenDownCapture, 'kind'> & {
  kind: CaptureRow['kind'] | typeof SUPERSEDED
}

async function supersededOf(
  sql: Sql,
  captures: readonly TakenDownCapture[],
): Promise<TakenDownRecord[]> {
  const byId = new Map(captures.map((capture) => [capture.id, capture]))
  const ids = [...byId.keys()]
  if (ids.length === 0) return []
  const places = await sql.all<Pick<CaptureRow, 'id' | 'file' | 'offset' | 'length'>>(
    `SELECT capture_id AS id, file, offset_bytes AS "offset", length_bytes AS "length"
     FROM superseded_records WHERE capture_id IN (${marks(ids)})`,
    ids,
  )
  return places.map((place) => ({ ...byId.get(place.id)!, ...place, kind: SUPERSEDED }))
}

function insertTakedowns(
  sql: Sql,
  captures: readonly TakenDownRecord[],
  asked: AskTakedown,
): Promise<boolean[]> {
  return sql.insertNew({
    table: 'takedowns',
    keys: ['file', 'offset_bytes'],
    columns: [
      'capture_id',
      'host_id',
      'hash',
      'url',
      'captured_at',
      'kind',
      'digest',
      'file',
      'offset_bytes',
      'length_bytes',
      'reason',
      'by_whom',
      'is_blocked',
      'state',
      'asked_at',
    ],
    rows: captures.map((capture) => [
      capture.id,
      capture.hostId,
      capture.hash,
      capture.url,
      capture.capturedAt,
      capture.kind,
      capture.digest,
      capture.file,
      capture.offset,
      capture.length,
      asked.reason,
      asked.by,
      asked.isBlocked ? 1 : 0,
      'asked',
      asked.now,
    ]),
  })
}

/** Those that are not done, file by file. */
export async function openTakedowns(
  sql: Sql,
  { limit }: { limit: number },
): Promise<OpenTakedown[]> {
  const rows = await sql.all<Omit<OpenTakedown, 'places'> & { places: string | null }>(
    `SELECT id, url, file, offset_bytes AS "offset", length_bytes AS "length", reason,
       asked_at AS "askedAt", places,
       CASE WHEN EXISTS (SELECT 1 FROM blob_files b WHERE b.name = t.file) THEN 1 ELSE 0 END AS "isOwn"
     FROM takedowns t WHERE state <> 'done' ORDER BY file, id LIMIT ?`,
    [limit],
  )
  return rows.map((row) => ({
    ...row,
    places: row.places === null ? null : (JSON.parse(row.places) as RecordPlace[]),
  }))
}

/** Before the first byte is overwritten: a record that is half a tombstone names nothing any more. */
export async function placeTakedowns(
  sql: Sql,
  { placed }: { placed: readonly { id: number; places: RecordPlace[] }[] },
): Promise<void> {
  await sql.updateMany({
    table: 'takedowns',
    keys: ['id'],
    set: ['state', 'places'],
    rows: placed.map(({ id, places }) => [id, 'placed', JSON.stringify(places)]),
    where: `state = 'asked'`,
  })
}

/** Newest first. */
export async function listTakedowns(
  sql: Sql,
  { before, limit }: { before: number; limit: number },
): Promise<TakedownView[]> {
  const rows = await sql.all<Omit<TakedownView, 'isBlocked'> & { isBlocked: number }>(
    `SELECT id, url, captured_at AS "capturedAt", kind, digest, file, reason, by_whom AS "by",
       is_blocked AS "isBlocked", state, asked_at AS "askedAt", done_at AS "doneAt"
     FROM takedowns WHERE id < ? AND kind <> '${SUPERSEDED}' ORDER BY id DESC LIMIT ?`,
    [before, limit],
  )
  return rows.map((row) => ({
    ...row,
    isBlocked: row.isBlocked === 1,
    state: row.state === 'done' ? 'done' : 'asked',
  }))
}

export interface TombstoneQuery {
  url: string
  from: number
  until: number
}

/** Why a capture of a URL in this time is not shown; null when none was taken down. */
export async function tombstoneOf(
  sql: Sql,
  { url, from, until }: TombstoneQuery,
): Promise<{ reason: string; capturedAt: number } | null> {
  const place = await placeOfUrl(sql, url)
  if (place === null) return null
  const { hostId, hash } = place
  for (const [low, high] of [
    [hash, hash + PROBES_MAX],
    [0, 0],
  ]) {
    const row = await sql.get<{ reason: string; capturedAt: number }>(
      `SELECT reason, captured_at AS "capturedAt" FROM takedowns
       WHERE host_id = ? AND hash BETWEEN ? AND ? AND captured_at BETWEEN ? AND ? AND url = ?
       ORDER BY captured_at DESC LIMIT 1`,
      [hostId, low!, high!, from, until, place.url],
    )
    if (row) return row
  }
  return null
}
