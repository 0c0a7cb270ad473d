/**
 * Visits are read in the order in which they were noted, each once: they settle notices, and lead to
 * captures in which feeds, sitemaps and hubs may be found. A station that is killed in between reads
 * a source at its next visit.
 */
import type { WatchSubject } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'
import type { WatchRole } from '../watch-places.ts'

export interface SourceDocument {
  collectionId: number
  hostId: number
  hash: number
  subject: WatchSubject
  role: WatchRole
  outcome: string
  digest: string
  /** Of the capture, which a redirect may have led to. */
  url: string
  capturedAt: number
}

interface VisitRow extends Omit<SourceDocument, 'digest' | 'url' | 'capturedAt'> {
  id: number
  at: number
  captureId: number | null
}

const CURSOR = 'visitsHeard'

export interface Heard {
  /** To be read. */
  documents: SourceDocument[]
  /** There are further visits to be heard. */
  more: boolean
}

export async function hearVisits(sql: Sql, args: { limit: number }): Promise<Heard> {
  const after = Number((await readFact(sql, { name: CURSOR })) ?? 0)
  const visits = await sql.all<VisitRow>(
    `SELECT v.id, v.at, v.outcome, v.capture_id AS "captureId", v.collection_id AS "collectionId",
       v.host_id AS "hostId", v.hash, f.role, w.subject
     FROM visits v
     JOIN watches w ON w.collection_id = v.collection_id
     JOIN forecasts f
       ON f.collection_id = v.collection_id AND f.host_id = v.host_id AND f.hash = v.hash
     WHERE v.id > ? ORDER BY v.id LIMIT ?`,
    [after, args.limit],
  )
  const last = visits.at(-1)
  if (last === undefined) return { documents: [], more: false }
  await settleNotices(sql, visits)
  await writeFact(sql, { name: CURSOR, value: String(last.id) })
  const documents = await documentsOf(sql, visits.filter(mayTell))
  return { documents, more: visits.length === args.limit }
}

/** What a visit says of the notice that led to it, where that has another name. */
const NOTICED: Record<string, string> = { first: 'unchanged', noise: 'unchanged' }

/** The first visit after a notice says whether it was true. */
async function settleNotices(sql: Sql, visits: readonly VisitRow[]): Promise<void> {
  for (const { collectionId, hostId, hash, outcome, at } of visits) {
    await sql.run(
      `UPDATE notices SET outcome = ?, settled_at = ? WHERE outcome IS NULL
         AND collection_id = ? AND host_id = ? AND hash = ? AND at <= ?`,
      [NOTICED[outcome] ?? outcome, at, collectionId, hostId, hash, at],
    )
  }
}

/** A page reports its feeds when it is new or has changed; lists have too many pages to check. */
function mayTell({ outcome, role, subject, captureId }: VisitRow): boolean {
  if (outcome === 'failed' || captureId === null) return false
  if (role === 'feed' || role === 'sitemap') return true
  return subject !== 'list' && outcome !== 'unchanged' && outcome !== 'noise'
}

async function documentsOf(sql: Sql, visits: readonly VisitRow[]): Promise<SourceDocument[]> {
  const captures = await sql.selectMany<{ url: string; captured_at: number; digest: string }>({
    table: 'captures',
    keys: ['id'],
    rows: visits.map(({ captureId }) => [captureId]),
    columns: ['url', 'captured_at', 'digest'],
  })
  const read = await sql.selectMany<{ digest: string }>({
    table: 'watch_sources',
    keys: ['collection_id', 'host_id', 'hash'],
    rows: visits.map(({ collectionId, hostId, hash }) => [collectionId, hostId, hash]),
    columns: ['digest'],
  })
  return visits.flatMap(({ id: _id, at: _at, captureId: _captureId, ...visit }, i) => {
    const capture = captures[i]
    // The same bytes tell the same.
    if (!capture || capture.digest === read[i]?.digest) return []
    const { url, captured_at: capturedAt, digest } = capture
    return [{ ...visit, url, capturedAt, digest }]
  })
}
