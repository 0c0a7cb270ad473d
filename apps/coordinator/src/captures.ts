/** Reading and importing captures. */
import { urlHash, hostIdsOf } from '@minga/frontier'
import { hostKeyOf } from '@minga/net'
import type { Sql, Value } from '@minga/store'

export interface CaptureRow {
  id: number
  url: string
  capturedAt: number
  kind: 'response' | 'revisit'
  status: number
  mime: string
  digest: string
  file: string
  offset: number
  length: number
  title: string | null
}

const COLUMNS = `id, url, captured_at AS "capturedAt", kind, status, mime, digest, file,
  offset_bytes AS "offset", length_bytes AS "length", title`

/** A URL's hash is probed upwards on collision; further than this it never got. */
const PROBES_MAX = 8

export interface CaptureQuery {
  url?: string
  afterId?: number
  newestFirst?: boolean
  limit: number
}

export async function listCaptures(sql: Sql, query: CaptureQuery): Promise<CaptureRow[]> {
  if (query.url !== undefined) return capturesOf(sql, query.url, query.limit)
  const order = query.newestFirst ? 'DESC' : 'ASC'
  return sql.all<CaptureRow>(
    `SELECT ${COLUMNS} FROM captures WHERE id > ? ORDER BY id ${order} LIMIT ?`,
    [query.afterId ?? 0, query.limit],
  )
}

async function capturesOf(sql: Sql, url: string, limit: number): Promise<CaptureRow[]> {
  const host = await sql.get<{ id: number }>('SELECT id FROM hosts WHERE name = ?', [hostKeyOf(url)])
  if (!host) return []
  const hash = urlHash(url)
  const rows = await sql.all<CaptureRow>(
    `SELECT ${COLUMNS} FROM captures WHERE host_id = ? AND (hash = 0 OR hash BETWEEN ? AND ?)
     AND url = ? ORDER BY captured_at LIMIT ?`,
    [host.id, hash, hash + PROBES_MAX, url, limit],
  )
  return rows
}

export interface ContentPlace {
  capture: CaptureRow
  /** Where the payload is: the capture itself, or what its revisit refers to. */
  payload: CaptureRow
}

/** The capture of a URL at or before an instant (the newest without one), with its payload. */
export async function captureContent(
  sql: Sql,
  args: { url: string; at: number | null },
): Promise<ContentPlace | null> {
  const captures = await capturesOf(sql, args.url, 1_000_000)
  const upTo = args.at === null ? captures : captures.filter(({ capturedAt }) => capturedAt <= args.at!)
  const capture = upTo.at(-1)
  if (!capture) return null
  if (capture.kind === 'response') return { capture, payload: capture }
  const original = await sql.get<{ url: string; captured_at: number }>(
    'SELECT url, captured_at FROM payloads WHERE digest = ?',
    [capture.digest],
  )
  const from = original ? await capturesOf(sql, original.url, 1_000_000) : captures
  const payload = from.find(({ kind, digest }) => kind === 'response' && digest === capture.digest)
  return payload ? { capture, payload } : null
}

/** Figures by which a derived index knows whether it is current. */
export async function archiveFacts(sql: Sql): Promise<{ lastId: number; captures: number }> {
  const row = await sql.get<{ last: number | null; n: number }>(
    'SELECT MAX(id) AS last, COUNT(*) AS n FROM captures',
  )
  return { lastId: row?.last ?? 0, captures: row?.n ?? 0 }
}

export interface ImportedCapture {
  url: string
  capturedAt: number
  kind: 'response' | 'revisit'
  status: number
  mime: string
  digest: string
  payloadBytes: number
  offset: number
  length: number
}

/** Indexes the captures of a foreign WARC file that was copied into the archive. */
export async function importCaptures(
  sql: Sql,
  args: { file: string; captures: ImportedCapture[] },
): Promise<number> {
  const { captures } = args
  const ids = await hostIdsOf(sql, captures.map(({ url }) => hostKeyOf(url)))
  const rows = captures.map((capture): Value[] => [
    0,
    ids.get(hostKeyOf(capture.url))!,
    urlHash(capture.url),
    capture.url,
    capture.capturedAt,
    capture.kind,
    capture.status,
    capture.mime,
    capture.digest,
    capture.payloadBytes,
    args.file,
    capture.offset,
    capture.length,
  ])
  await sql.insertMany({ table: 'captures', columns: IMPORT_COLUMNS, rows })
  const originals = captures.filter(({ kind, status }) => kind === 'response' && status === 200)
  await sql.insertMany({
    table: 'payloads',
    columns: ['digest', 'url', 'captured_at'],
    rows: originals.map(({ digest, url, capturedAt }) => [digest, url, capturedAt]),
    onConflict: 'ignore',
  })
  return rows.length
}

const IMPORT_COLUMNS = [
  'collection_id',
  'host_id',
  'hash',
  'url',
  'captured_at',
  'kind',
  'status',
  'mime',
  'digest',
  'payload_bytes',
  'file',
  'offset_bytes',
  'length_bytes',
]
