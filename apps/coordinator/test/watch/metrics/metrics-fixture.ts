/**
 * Watches with a synthetic past: visits, captures and harvests as the engine would have noted them.
 */
import type { OperationTable, Sql } from '@minga/store'
import { blobSeries as series, operations as real } from '../../../src/operations.ts'

export interface PastVisit {
  at: number
  outcome: 'first' | 'changed' | 'unchanged' | 'failed'
  bytes?: number
  /** That had been said beforehand. */
  chance?: number
}

export interface PastUrl {
  url: string
  role?: string
  rate: number
  visits: PastVisit[]
}

export interface PastWatch {
  id: number
  name: string
  subject?: 'page' | 'site' | 'list'
  kind?: 'crawl' | 'watch'
  maxBytes?: number
  receivedBytes?: number
  urls: PastUrl[]
  harvests?: { at: number; bytes: number }[]
}

async function putWatch(sql: Sql, watch: PastWatch): Promise<void> {
  const { id, name, subject = 'page', kind = 'watch', maxBytes = null } = watch
  const seeds = watch.urls.map(({ url }) => url)
  await sql.run(
    `INSERT INTO collections (id, identity, spec, state, created_at, bytes)
     VALUES (?, ?, ?, 'finished', 0, ?)`,
    [id, String(id), JSON.stringify({ kind, seeds, maxBytes }), watch.receivedBytes ?? 0],
  )
  if (kind === 'watch') {
    await sql.run(
      `INSERT INTO watches (collection_id, subject, name, settings, created_at, updated_at)
       VALUES (?, ?, ?, ?, 0, 0)`,
      [id, subject, name, JSON.stringify({ name })],
    )
  }
  for (const [i, url] of watch.urls.entries()) await putUrl(sql, { id, hash: i + 1 }, url)
  for (const [i, harvest] of (watch.harvests ?? []).entries()) {
    await sql.run(
      `INSERT INTO versions (collection_id, number, state, cause, started_at, bytes)
       VALUES (?, ?, 'complete', 'changed', ?, ?)`,
      [id, i + 1, harvest.at, harvest.bytes],
    )
  }
}

async function putUrl(sql: Sql, place: { id: number; hash: number }, past: PastUrl): Promise<void> {
  const { url, role = 'page', rate, visits } = past
  await sql.run(
    `INSERT INTO forecasts (collection_id, host_id, hash, url, role, rate, visits)
     VALUES (?, 1, ?, ?, ?, ?, ?)`,
    [place.id, place.hash, url, role, rate, visits.length],
  )
  for (const visit of visits) {
    const captureId =
      visit.bytes === undefined ? null : await putCapture(sql, { ...place, url }, visit)
    await sql.run(
      `INSERT INTO visits (collection_id, host_id, hash, at, outcome, capture_id, chance, is_important)
       VALUES (?, 1, ?, ?, ?, ?, ?, ?)`,
      [
        place.id,
        place.hash,
        visit.at,
        visit.outcome,
        captureId,
        visit.chance ?? null,
        visit.outcome === 'changed' ? 1 : 0,
      ],
    )
  }
}

async function putCapture(
  sql: Sql,
  { id, hash, url }: { id: number; hash: number; url: string },
  { at, bytes = 0 }: Pick<PastVisit, 'at' | 'bytes'>,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `INSERT INTO captures (collection_id, host_id, hash, url, captured_at, kind, status, mime, digest,
       payload_bytes, file, offset_bytes, length_bytes)
     VALUES (?, 1, ?, ?, ?, 'response', 200, 'text/html', 'sha256:0', ?, 'a.warc.gz', 0, ?)
     RETURNING id`,
    [id, hash, url, at, bytes, bytes],
  )
  return row!.id
}

type CaptureArgs = [
  place: { id: number; hash: number; url: string },
  visit: { at: number; bytes: number },
]

const addCapture = (sql: Sql, [place, visit]: CaptureArgs): Promise<number> =>
  putCapture(sql, place, visit)

export const operations = { ...real, addCapture, putWatch } satisfies OperationTable

export type MetricsFixtureOperations = typeof operations
export const blobSeries = series
