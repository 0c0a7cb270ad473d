/**
 * Which files hold a wiki's histories. A segment is a pack of texts and a Parquet file of what is
 * known of their revisions; it exists when its row commits. A writer of files takes a number first,
 * which their names carry: so the remains of a killed process are distinguished from what another
 * is writing now.
 */
import type { Sql } from '@minga/store'
import { listPurges, type PurgeRow } from './batch-operations.ts'

export interface SegmentRow {
  id: number
  wikiId: number
  part: number
  fold: number
  pack: string
  rows: string
  revisions: number
  rawBytes: number
  packBytes: number
  rowsBytes: number
  revMin: number
  revMax: number
}

export type NewSegment = Omit<SegmentRow, 'id' | 'wikiId'>

const SEGMENT = `id, wiki_id AS "wikiId", part, fold, pack, rows, revisions, raw_bytes AS "rawBytes",
  pack_bytes AS "packBytes", rows_bytes AS "rowsBytes", rev_min AS "revMin", rev_max AS "revMax"`

export interface Superseded {
  segmentId: number
  revId: number
}

/** What a wiki's files hold at one moment. Oldest segments first. */
export interface Manifest {
  wikiId: number
  version: number
  changes: number
  entombed: number
  parts: number
  segments: SegmentRow[]
  superseded: Superseded[]
}

export async function readManifest(sql: Sql, { wikiId }: { wikiId: number }): Promise<Manifest> {
  const wiki = await sql.get<{
    version: number
    changes: number
    entombed: number
    parts: number
  }>('SELECT version, changes, entombed, parts FROM wikis WHERE id = ?', [wikiId])
  const segments = await sql.all<SegmentRow>(
    `SELECT ${SEGMENT} FROM wiki_segments WHERE wiki_id = ? AND removed_in IS NULL ORDER BY id`,
    [wikiId],
  )
  const superseded = await sql.all<Superseded>(
    'SELECT segment_id AS "segmentId", rev_id AS "revId" FROM wiki_superseded WHERE wiki_id = ?',
    [wikiId],
  )
  const { version = 0, changes = 0, entombed = 0, parts = 1 } = wiki ?? {}
  return { wikiId, version, changes, entombed, parts, segments, superseded }
}

/** News for a reader that knows the state of a moment ago. */
export interface WikiSnapshot {
  version: number
  changes: number
  /** Null when the segments are those it knows. */
  manifest: Manifest | null
  pending: number[]
  purges: PurgeRow[]
}

export interface ReaderPage {
  changed: number
  pageId: number
  ns: number
  title: string
  redirect: string | null
  state: string
  firstAt: number | null
  lastAt: number | null
  lastRevId: number | null
  source: string | null
}

/**
 * Null when nothing has changed since. On PostgreSQL each statement sees what was committed before it: a fold that
 * commits between two of them would have moved batches to segments that were not read. So the state is read again.
 */
export async function readWikiSnapshot(
  sql: Sql,
  known: { wikiId: number; version: number; changes: number },
): Promise<WikiSnapshot | null> {
  const { wikiId } = known
  let state = await stateOf(sql, wikiId)
  for (;;) {
    const { version, changes } = state
    if (version === known.version && changes === known.changes) return null
    const pending = await sql.all<{ seq: number }>(
      'SELECT seq FROM wiki_batches WHERE wiki_id = ? ORDER BY seq',
      [wikiId],
    )
    const manifest = version === known.version ? null : await readManifest(sql, { wikiId })
    const purges = await listPurges(sql, { wikiId, isOpen: true })
    state = await stateOf(sql, wikiId)
    if (state.version === version && state.changes === changes)
      return { version, changes, manifest, pending: pending.map(({ seq }) => seq), purges }
  }
}

async function stateOf(sql: Sql, wikiId: number): Promise<{ version: number; changes: number }> {
  const wiki = await sql.get<{ version: number; changes: number }>(
    'SELECT version, changes FROM wikis WHERE id = ?',
    [wikiId],
  )
  return wiki ?? { version: 0, changes: 0 }
}

/** Where a reader of pages is: the number of the last one's change, and its id. */
export interface PagesAfter {
  wikiId: number
  changed: number
  pageId: number
  limit: number
}

/** Pages in the order of their last change; one that changes in the meantime comes again. */
export function pagesAfter(
  sql: Sql,
  { wikiId, changed, pageId, limit }: PagesAfter,
): Promise<ReaderPage[]> {
  return sql.all(
    `SELECT changed, page_id AS "pageId", ns, title, redirect, state, first_at AS "firstAt",
       last_at AS "lastAt", last_rev_id AS "lastRevId", source FROM wiki_pages
     WHERE wiki_id = ? AND (changed, page_id) > (?, ?) ORDER BY changed, page_id LIMIT ?`,
    [wikiId, changed, pageId, limit],
  )
}

export type FoldKind = 'fold' | 'compact' | 'purge' | 'import'

export interface BegunFold {
  fold: number
  manifest: Manifest
}

/** Until then its files are in use. Long enough for the slowest step between two renewals. */
export const FOLD_LEASE_MS = 10 * 60_000

export async function beginFold(
  sql: Sql,
  { wikiId, kind, now }: { wikiId: number; kind: FoldKind; now: number },
): Promise<BegunFold> {
  const fold = await nextNumber(sql, wikiId)
  await sql.run('INSERT INTO wiki_folds (wiki_id, id, kind, until) VALUES (?, ?, ?, ?)', [
    wikiId,
    fold,
    kind,
    now + FOLD_LEASE_MS,
  ])
  return { fold, manifest: await readManifest(sql, { wikiId }) }
}

/** Never given twice: files and caches of what is gone would be taken for it. */
export async function nextNumber(sql: Sql, wikiId: number): Promise<number> {
  const row = await sql.get<{ numbers: number }>(
    'UPDATE wikis SET numbers = numbers + 1 WHERE id = ? RETURNING numbers',
    [wikiId],
  )
  return row!.numbers
}

interface FoldName {
  wikiId: number
  fold: number
}

export async function renewFold(
  sql: Sql,
  { wikiId, fold, now }: FoldName & { now: number },
): Promise<void> {
  await sql.run('UPDATE wiki_folds SET until = ? WHERE wiki_id = ? AND id = ?', [
    now + FOLD_LEASE_MS,
    wikiId,
    fold,
  ])
}

export async function dropFold(sql: Sql, { wikiId, fold }: FoldName): Promise<void> {
  await sql.run('DELETE FROM wiki_folds WHERE wiki_id = ? AND id = ?', [wikiId, fold])
}
