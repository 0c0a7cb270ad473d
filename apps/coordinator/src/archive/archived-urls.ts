/**
 * Every archived URL in the order of its search key (SURT), one row for all its captures. The table
 * is derived: captures are written without it, so that a crawl pays nothing, and every reader first
 * adds what is missing. This also covers archives that are older than the table.
 */
import { searchKey, type KeyRange } from '@minga/archive'
import type { CaptureRow, Tombstone } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { readFact, writeFact } from '../station/station-facts.ts'
import { CAPTURE_COLUMNS, PROBES_MAX, placeOfUrl } from './captures/captures.ts'

/** An index of PostgreSQL takes no more than 2.7 KB; longer keys share their beginning. */
export const KEY_CHARS = 1_000
const FACT = 'urlsIndexed'
/**
 * Several coordinators of one PostgreSQL commit ids out of order: those behind the last one are
 * read again. Too few lose a URL until its next capture; too many only cost time.
 */
const LATE_IDS = 2_000
/** URLs read in one call: a search that finds little must not hold up the store. */
const BLOCK_URLS = 500

function keyOf(url: string): string {
  return searchKey(url).slice(0, KEY_CHARS)
}

interface SeenCapture {
  id: number
  hostId: number
  hash: number
  url: string
  title: string | null
  at: number
}

/** Takes in the next captures. Resolves to whether all are in. */
export async function indexUrls(sql: Sql, args: { rowsMax: number }): Promise<boolean> {
  const upTo = Number((await readFact(sql, { name: FACT })) ?? 0)
  const newest = await sql.get<{ id: number | null }>('SELECT MAX(id) AS id FROM captures')
  if ((newest?.id ?? 0) <= upTo) return true
  const from = sql.dialect === 'postgres' ? Math.max(0, upTo - LATE_IDS) : upTo
  const rowsMax = args.rowsMax + upTo - from
  const captures = await sql.all<SeenCapture>(
    `SELECT id, host_id AS "hostId", hash, url, title, captured_at AS "at" FROM captures
     WHERE id > ? ORDER BY id LIMIT ?`,
    [from, rowsMax],
  )
  await putUrls(sql, captures)
  const last = captures.at(-1)?.id ?? upTo
  await writeFact(sql, { name: FACT, value: String(Math.max(last, upTo)) })
  return captures.length < rowsMax
}

interface UrlRow {
  url: string
  title: string | null
  first_at: number
  last_at: number
}

async function putUrls(sql: Sql, captures: readonly SeenCapture[]): Promise<void> {
  const slots = new Map<string, { place: Value[]; captures: SeenCapture[] }>()
  for (const capture of captures) {
    const place = [keyOf(capture.url), capture.hostId, capture.hash]
    const name = place.join(' ')
    const slot = slots.get(name) ?? { place, captures: [] }
    slot.captures.push(capture)
    slots.set(name, slot)
  }
  // All writers use one order: two coordinators must not wait for each other.
  const ordered = [...slots].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, slot]) => slot)
  const known = await sql.selectMany<UrlRow>({
    table: 'archived_urls',
    keys: PLACE,
    rows: ordered.map(({ place }) => place),
    columns: FACTS,
  })
  await sql.insertMany({
    table: 'archived_urls',
    columns: [...PLACE, ...FACTS],
    rows: ordered.map((slot, i) => [...slot.place, ...merged(known[i], slot.captures)]),
    onConflict: { keys: PLACE, update: FACTS },
  })
}

const PLACE = ['url_key', 'host_id', 'hash']
const FACTS = ['url', 'title', 'first_at', 'last_at']

function merged(known: UrlRow | undefined, captures: readonly SeenCapture[]): Value[] {
  const first = captures[0]!
  let { url, title } = known ?? { url: first.url, title: null }
  let [firstAt, lastAt] = known ? [known.first_at, known.last_at] : [first.at, first.at]
  for (const capture of captures) {
    firstAt = Math.min(firstAt, capture.at)
    if (capture.at < lastAt) continue
    lastAt = capture.at
    url = capture.url
    title = capture.title ?? title
  }
  return [url, title, firstAt, lastAt]
}

/** A place in the order of keys, then times. */
export interface KeyPlace {
  key: string
  at: number
  id: number
}

export interface KeyedQuery extends KeyRange {
  /** Where the last answer ended. */
  after: KeyPlace | null
  fromAt: number
  toAt: number
  newestFirst: boolean
  limit: number
}

export interface KeyedCapture extends CaptureRow {
  key: string
}

export interface KeyedPage {
  captures: KeyedCapture[]
  /** Where to go on; null at the end. */
  next: KeyPlace | null
}

/** Captures in the order of their keys and times, as far as one call goes. */
export async function capturesByKey(sql: Sql, query: KeyedQuery): Promise<KeyedPage> {
  const { newestFirst, after } = query
  const order = newestFirst ? 'DESC' : 'ASC'
  const keys = remainingKeys(query)
  const block = await sql.get<{ end: string }>(
    `SELECT u.url_key AS "end" FROM archived_urls u WHERE ${whereOf(keys)}
     ORDER BY u.url_key ${order} LIMIT 1 OFFSET ${BLOCK_URLS}`,
    paramsOf(keys),
  )
  const end = block?.end ?? null
  const inBlock = end === null ? keys : endingAt(keys, end, newestFirst)
  const captures = await sql.all<KeyedCapture>(
    `SELECT u.url_key AS "key", ${CAPTURE_COLUMNS}
     FROM archived_urls u CROSS JOIN captures c
     WHERE ${whereOf(inBlock)}
       AND c.host_id = u.host_id AND c.hash = u.hash AND c.captured_at BETWEEN ? AND ?
       ${after ? `AND (u.url_key, c.captured_at, c.id) ${newestFirst ? '<' : '>'} (?, ?, ?)` : ''}
     ORDER BY u.url_key ${order}, c.captured_at ${order}, c.id ${order} LIMIT ?`,
    [
      ...paramsOf(inBlock),
      query.fromAt,
      query.toAt,
      ...(after ? [after.key, after.at, after.id] : []),
      query.limit,
    ],
  )
  return {
    // Two URLs may share a slot of the seen-set when their hashes collide.
    captures: captures.filter(({ key, url }) => keyOf(url) === key),
    next: captures.length === query.limit ? placeOf(captures.at(-1)!) : behind(end, newestFirst),
  }
}

/** Exactly one bound on each side: of two SQLite would use the first, and walk to the far one. */
interface KeyBounds {
  low: [sign: '>' | '>=', key: string]
  high: [sign: '<' | '<=', key: string]
}

const whereOf = ({ low, high }: KeyBounds): string =>
  `u.url_key ${low[0]} ? AND u.url_key ${high[0]} ?`

const paramsOf = ({ low, high }: KeyBounds): string[] => [low[1], high[1]]

function endingAt(keys: KeyBounds, end: string, newestFirst: boolean): KeyBounds {
  return newestFirst ? { ...keys, low: ['>=', end] } : { ...keys, high: ['<=', end] }
}

function remainingKeys({ low, high, after, newestFirst }: KeyedQuery): KeyBounds {
  const whole: KeyBounds = { low: ['>=', low], high: ['<', high] }
  if (after === null) return whole
  const isKeyDone = after.id === BEHIND_ALL || after.id === BEFORE_ALL
  return newestFirst
    ? { ...whole, high: [isKeyDone ? '<' : '<=', after.key] }
    : { ...whole, low: [isKeyDone ? '>' : '>=', after.key] }
}

function placeOf({ key, capturedAt, id }: KeyedCapture): KeyPlace {
  return { key, at: capturedAt, id }
}

const BEHIND_ALL = Number.MAX_SAFE_INTEGER
const BEFORE_ALL = -1

/** All captures of the last key of a block have been read. */
function behind(end: string | null, newestFirst: boolean): KeyPlace | null {
  if (end === null) return null
  const beyond = newestFirst ? BEFORE_ALL : BEHIND_ALL
  return { key: end, at: beyond, id: beyond }
}

/** How many different keys there are in a range, at most `limit`, and the last of them. */
export async function countKeys(
  sql: Sql,
  args: KeyRange & { limit: number },
): Promise<{ count: number; last: string | null }> {
  const row = await sql.get<{ count: number; last: string | null }>(
    `SELECT COUNT(*) AS count, MAX(url_key) AS last FROM (
       SELECT url_key FROM archived_urls WHERE url_key >= ? AND url_key < ?
       GROUP BY url_key ORDER BY url_key LIMIT ?
     ) AS keys`,
    [args.low, args.high, args.limit],
  )
  return { count: row?.count ?? 0, last: row?.last ?? null }
}

const SHOWN_MOST = 200

/**
 * What was taken down of an address: readers get the fact that there was something, and why it is
 * gone.
 * Newest capture first.
 */
export async function tombstonesOfUrl(sql: Sql, args: { url: string }): Promise<Tombstone[]> {
  const place = await placeOfUrl(sql, args.url)
  if (place === null) return []
  return sql.all<Tombstone>(
    `SELECT url, captured_at AS "capturedAt", reason, asked_at AS "askedAt" FROM takedowns
     WHERE host_id = ? AND ((hash BETWEEN ? AND ?) OR hash = 0) AND url = ?
       AND kind <> 'superseded'
     ORDER BY captured_at DESC, id DESC LIMIT ${SHOWN_MOST}`,
    [place.hostId, place.hash, place.hash + PROBES_MAX, place.url],
  )
}
