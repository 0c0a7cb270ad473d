/**
 * What may be removed: files without a reference, segments without a reader, finished tombstones.
 */
import type { Sql } from '@minga/store'

export interface GoneSegment {
  id: number
  wikiId: number
  pack: string
  rows: string
}

/** Removed before `before`; of one wiki, or of all. */
export function goneSegments(
  sql: Sql,
  { before, wikiId }: { before: number; wikiId?: number },
): Promise<GoneSegment[]> {
  return sql.all(
    `SELECT id, wiki_id AS "wikiId", pack, rows FROM wiki_segments
     WHERE removed_in IS NOT NULL AND removed_at <= ? AND (? = 0 OR wiki_id = ?)`,
    [before, wikiId === undefined ? 0 : 1, wikiId ?? 0],
  )
}

/** After their files are gone. */
export async function forgetSegments(
  sql: Sql,
  { segments }: { segments: readonly GoneSegment[] },
): Promise<void> {
  const rows = segments.map(({ wikiId, id }) => [wikiId, id])
  await sql.deleteMany({ table: 'wiki_segments', keys: ['wiki_id', 'id'], rows })
}

export interface NamedFiles {
  /** Names that a segment of the wiki carries, removed ones included. */
  files: string[]
  /** Numbers under which files are being written now. */
  folds: number[]
}

/**
 * `isOpening`: no other process can be writing, if the store is one file that this process has just
 * locked. Call it after the folder was listed: a file in the list had its number before.
 */
export async function namedFiles(
  sql: Sql,
  { wikiId, now, isOpening }: { wikiId: number; now: number; isOpening: boolean },
): Promise<NamedFiles> {
  const isAlone = isOpening && sql.dialect === 'sqlite'
  await sql.run('DELETE FROM wiki_folds WHERE wiki_id = ? AND (until < ? OR ? = 1)', [
    wikiId,
    now,
    isAlone ? 1 : 0,
  ])
  const folds = await sql.all<{ id: number }>('SELECT id FROM wiki_folds WHERE wiki_id = ?', [
    wikiId,
  ])
  const segments = await sql.all<{ pack: string; rows: string }>(
    'SELECT pack, rows FROM wiki_segments WHERE wiki_id = ?',
    [wikiId],
  )
  return {
    files: segments.flatMap(({ pack, rows }) => [pack, rows]),
    folds: folds.map(({ id }) => id),
  }
}

/** The bytes are gone from every file of that version. False when there is a newer one to look at. */
export async function closePurges(
  sql: Sql,
  asked: { wikiId: number; version: number; revIds: readonly number[]; now: number },
): Promise<boolean> {
  const { wikiId, version, revIds, now } = asked
  const wiki = await sql.get<{ version: number }>(
    'UPDATE wikis SET version = version WHERE id = ? RETURNING version',
    [wikiId],
  )
  if (wiki?.version !== version) return false
  await sql.updateMany({
    table: 'wiki_purges',
    keys: ['wiki_id', 'rev_id'],
    set: ['done_at'],
    rows: revIds.map((revId) => [wikiId, revId, now]),
  })
  return true
}

export interface WikiTotals {
  wikiId: number
  pages: number
  revisions: number
  rawBytes: number
  gaps: number
  /** Packs and metadata of all segments in use, and what is pending. */
  storedBytes: number
}

export async function wikiTotals(sql: Sql): Promise<WikiTotals[]> {
  return sql.all(
    `SELECT w.id AS "wikiId",
       (SELECT count(*) FROM wiki_pages p WHERE p.wiki_id = w.id AND p.state <> 'missing') AS pages,
       CAST((SELECT coalesce(sum(revisions), 0) FROM wiki_pages p WHERE p.wiki_id = w.id) AS BIGINT) AS revisions,
       CAST((SELECT coalesce(sum(bytes), 0) FROM wiki_pages p WHERE p.wiki_id = w.id) AS BIGINT) AS "rawBytes",
       (SELECT count(*) FROM wiki_gaps g WHERE g.wiki_id = w.id AND g.explained_by IS NULL) AS gaps,
       CAST((SELECT coalesce(sum(pack_bytes + rows_bytes), 0) FROM wiki_segments s
             WHERE s.wiki_id = w.id AND s.removed_in IS NULL) AS BIGINT)
       + CAST((SELECT coalesce(sum(stored_bytes), 0) FROM wiki_batches b WHERE b.wiki_id = w.id) AS BIGINT)
         AS "storedBytes"
     FROM wikis w ORDER BY w.id`,
  )
}
