/** Reading the captures table. */
import { urlHash } from '@minga/frontier'
import { canonicalUrl, hostKeyOf } from '@minga/net'
import type { CaptureRow } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { wholeSql } from '../../accounts/visibility/limited-sql.ts'

/** Of the table that a query calls `c`. */
export const CAPTURE_COLUMNS = `c.id, c.collection_id AS "collectionId", c.url,
  c.captured_at AS "capturedAt", c.kind, c.status, c.mime, c.digest, c.file,
  c.offset_bytes AS "offset", c.length_bytes AS "length", c.record_id AS "recordId", c.title`

/** A URL's hash is probed upwards on collision; further than this it never got. */
export const PROBES_MAX = 8

export interface CaptureQuery {
  url?: string | undefined
  collectionId?: number | undefined
  /** Together with `afterAt` when a URL is given, whose captures come in order of time. */
  afterId?: number | undefined
  afterAt?: number | undefined
  newestFirst?: boolean | undefined
  limit: number
}

export async function listCaptures(sql: Sql, query: CaptureQuery): Promise<CaptureRow[]> {
  if (query.url !== undefined) return listOneUrl(sql, query, query.url)
  const order = query.newestFirst ? 'DESC' : 'ASC'
  const ofCollection = query.collectionId === undefined ? '' : 'AND collection_id = ?'
  const collection = query.collectionId === undefined ? [] : [query.collectionId]
  return sql.all<CaptureRow>(
    `SELECT ${CAPTURE_COLUMNS} FROM captures c WHERE id > ? ${ofCollection} ORDER BY id ${order} LIMIT ?`,
    [query.afterId ?? 0, ...collection, query.limit],
  )
}

async function listOneUrl(sql: Sql, query: CaptureQuery, url: string): Promise<CaptureRow[]> {
  const of = await capturesOf(sql, url)
  if (!of) return []
  const isLater = query.afterAt === undefined ? '' : 'AND (captured_at, id) > (?, ?)'
  const after = query.afterAt === undefined ? [] : [query.afterAt, query.afterId ?? 0]
  const order = query.newestFirst ? 'DESC' : 'ASC'
  return sql.all<CaptureRow>(
    `${of.select} ${isLater} ORDER BY captured_at ${order}, id ${order} LIMIT ?`,
    [...of.params, ...after, query.limit],
  )
}

export interface UrlSelect {
  /** Ends inside its WHERE, so that further conditions can follow. */
  select: string
  params: Value[]
}

interface UrlPlace {
  url: string
  hostId: number
  hash: number
}

/** Where captures of a URL begin in the index; null when its host was never met. */
export async function placeOfUrl(sql: Sql, given: string): Promise<UrlPlace | null> {
  const url = canonicalUrl(given)
  if (url === null) return null
  const name = hostKeyOf(url)
  const host = await sql.get<{ id: number }>('SELECT id FROM hosts WHERE name = ?', [name])
  return host ? { url, hostId: host.id, hash: urlHash(url) } : null
}

/** All captures of one URL; null when there cannot be any. */
export async function capturesOf(sql: Sql, given: string): Promise<UrlSelect | null> {
  const place = await placeOfUrl(sql, given)
  if (place === null) return null
  const { url, hostId, hash } = place
  return {
    // Hash 0 is the host's own robots.txt, whatever its address. Written out as two places, or SQLite
    // would walk through all captures of the host.
    select: `SELECT ${CAPTURE_COLUMNS} FROM captures c
      WHERE ((host_id = ? AND hash BETWEEN ? AND ? AND url = ?)
        OR (host_id = ? AND hash = 0 AND url = ?))`,
    params: [hostId, hash, hash + PROBES_MAX, url, hostId, url],
  }
}

/** Where captures of a URL lie in the index, in the order of time each: mostly in one place. */
export interface UrlSlots {
  hostId: number
  url: string
  hashes: number[]
}

/** A page that is watched every minute has half a million captures a year: none of them is sorted. */
export async function slotsOf(sql: Sql, given: string): Promise<UrlSlots | null> {
  const place = await placeOfUrl(sql, given)
  if (place === null) return null
  const { url, hostId, hash } = place
  const candidates = [0, ...Array.from({ length: PROBES_MAX + 1 }, (_, i) => hash + i)]
  const one = `SELECT * FROM (
    SELECT hash FROM captures WHERE host_id = ? AND hash = ? AND url = ? LIMIT 1) AS slot`
  const rows = await sql.all<{ hash: number }>(
    candidates.map(() => one).join(' UNION ALL '),
    candidates.flatMap((candidate) => [hostId, candidate, url]),
  )
  return { hostId, url, hashes: rows.map((row) => row.hash) }
}

export interface ContentPlace {
  capture: CaptureRow
  /**
   * Where the payload is: the capture itself, or the original of a revisit. Null when only the
   * revisit's own record can tell, as in files that others made.
   */
  payload: CaptureRow | null
}

/**
 * The capture of a URL at or before an instant (the newest without one), with its payload; with a collection, of its
 * own captures alone.
 */
export async function captureContent(
  sql: Sql,
  args: { url: string; at: number | null; collectionId?: number | null },
): Promise<ContentPlace | null> {
  const { at, collectionId = null } = args
  const of = await capturesOf(sql, args.url)
  if (!of) return null
  const upTo = at === null ? '' : 'AND captured_at <= ?'
  const own = collectionId === null ? '' : 'AND collection_id = ?'
  const capture = await sql.get<CaptureRow>(
    `${of.select} ${upTo} ${own} ORDER BY captured_at DESC, id DESC LIMIT 1`,
    [...of.params, ...[at, collectionId].filter((value) => value !== null)],
  )
  if (!capture) return null
  if (capture.kind === 'response') return { capture, payload: capture }
  return { capture, payload: await originalOf(sql, capture) }
}

/**
 * The response that a revisit refers to, or another one with its payload. The payload table knows what
 * crawls kept; imported revisits mostly repeat their own URL.
 */
export async function originalOf(
  limited: Sql,
  revisit: Pick<CaptureRow, 'url' | 'digest' | 'recordId'>,
): Promise<CaptureRow | null> {
  // Who may see a revisit may see what it found unchanged, in whichever collection that was first stored.
  const sql = wholeSql(limited)
  const known = await sql.get<{ url: string }>('SELECT url FROM payloads WHERE digest = ?', [
    revisit.digest,
  ])
  let same: CaptureRow | null = null
  for (const url of new Set([known?.url ?? revisit.url, revisit.url])) {
    const of = await capturesOf(sql, url)
    if (!of) continue
    const original = await sql.get<CaptureRow>(
      `${of.select} AND kind = 'response' AND digest = ?
       ORDER BY CASE WHEN record_id = ? THEN 0 ELSE 1 END, captured_at DESC LIMIT 1`,
      [...of.params, revisit.digest, revisit.recordId],
    )
    if (original && original.recordId === revisit.recordId) return original
    same ??= original ?? null
  }
  return same
}

export interface ArchiveFacts {
  lastId: number
  captures: number
  /** Captures up to this id are in `index.cdxj`. */
  indexedUpTo: number
  /** Files that crawls write, each with the bytes that count. Imported files are not among them. */
  files: { file: string; committedBytes: number }[]
  /** Imported files whose captures are not all indexed yet. */
  unfinishedImports: string[]
}

/** What a check or an export of the archive has to agree with, of one moment. */
export async function archiveFacts(sql: Sql): Promise<ArchiveFacts> {
  const row = await sql.get<{ last: number | null; n: number }>(
    'SELECT MAX(id) AS last, COUNT(*) AS n FROM captures',
  )
  const facts = await sql.all<{ name: string; value: string }>(
    `SELECT name, value FROM station_facts WHERE name = 'indexed' OR name LIKE 'import:%'`,
  )
  const files = await sql.all<{ file: string; committedBytes: number }>(
    `SELECT name AS "file", committed_bytes AS "committedBytes" FROM blob_files
     WHERE series = 'archive' ORDER BY name`,
  )
  const indexed = facts.find(({ name }) => name === 'indexed')?.value
  const unfinished = facts.filter(
    ({ name, value }) => name.startsWith('import:') && !value.startsWith('done'),
  )
  return {
    lastId: row?.last ?? 0,
    captures: row?.n ?? 0,
    indexedUpTo: Number(indexed?.split('/', 1)[0] ?? 0),
    files,
    unfinishedImports: unfinished.map(({ name }) => name.slice('import:'.length)),
  }
}

export interface NewCapture extends Omit<CaptureRow, 'id'> {
  hostId: number
  hash: number
  payloadBytes: number
  etag: string | null
  lastModified: string | null
  /** Who fetched it; null for what was imported. */
  device: string | null
  /** 1 when it may be served as verified (see trust). */
  verified: 0 | 1
}

/** Column → where its value comes from. */
const COLUMNS: Record<string, keyof NewCapture> = {
  collection_id: 'collectionId',
  host_id: 'hostId',
  hash: 'hash',
  url: 'url',
  captured_at: 'capturedAt',
  kind: 'kind',
  status: 'status',
  mime: 'mime',
  digest: 'digest',
  payload_bytes: 'payloadBytes',
  file: 'file',
  offset_bytes: 'offset',
  length_bytes: 'length',
  record_id: 'recordId',
  title: 'title',
  etag: 'etag',
  last_modified: 'lastModified',
  device: 'device',
  verified: 'verified',
}

/** Writing the captures table: what crawls keep and what imported files hold, in one form. */
export async function insertCaptures(sql: Sql, captures: readonly NewCapture[]): Promise<void> {
  const fields = Object.values(COLUMNS)
  await sql.insertMany({
    table: 'captures',
    columns: Object.keys(COLUMNS),
    rows: captures.map((capture) => fields.map((field): Value => capture[field])),
  })
}
