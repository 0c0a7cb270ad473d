/** The one transaction in which files begin to exist, and what they hold ends elsewhere. */
import type { DumpCheckpoint } from '../dump/import-dump.ts'
import type { Sql } from '@minga/store'
import {
  noteEvents,
  noteGaps,
  notePages,
  type EventNote,
  type PageNote,
} from './page-operations.ts'
import { dropFold, nextNumber, type NewSegment, type Superseded } from './segment-operations.ts'
import type { Gap } from '../api/gap.ts'

export interface CommitFold {
  wikiId: number
  fold: number
  now: number
  /** The state that was read before writing: `version` must be it still, or, for who only replaces some
   * segments, those must be as they were. */
  expects: { version: number } | { segments: readonly number[]; superseded: number }
  entombed: number
  added: readonly NewSegment[]
  removed: readonly number[]
  batches: readonly number[]
  superseded: readonly Superseded[]
  /** Rows of added segments, by their place in `added`, that do not count. */
  supersededNew: readonly { index: number; revId: number }[]
  pages: readonly PageDelta[]
  /** News of whole pages, from a dump: what was wrong with them before is forgotten. */
  notes?: readonly PageNote[]
  gaps?: readonly Gap[]
  events?: readonly EventNote[]
  checkpoint?: { dump: string; position: string; isDone: boolean }
}

export interface PageDelta {
  pageId: number
  revisions: number
  bytes: number
}

/** `moved`: others changed what this was based on. `expired`: it took too long; its files may be gone. */
export type CommitOutcome = 'done' | 'moved' | 'expired'

export async function commitFold(sql: Sql, commit: CommitFold): Promise<CommitOutcome> {
  const { wikiId, fold, now } = commit
  // Holds the row: commits of one wiki come one after another.
  const wiki = await sql.get<{ version: number }>(
    'UPDATE wikis SET version = version WHERE id = ? RETURNING version',
    [wikiId],
  )
  const running = await sql.get('SELECT id FROM wiki_folds WHERE wiki_id = ? AND id = ?', [
    wikiId,
    fold,
  ])
  if (running === undefined) return 'expired'
  if (!(await isAsExpected(sql, commit, wiki!.version))) return 'moved'
  const version = wiki!.version + 1
  await sql.run('UPDATE wikis SET version = ?, changes = changes + 1 WHERE id = ?', [
    version,
    wikiId,
  ])
  const ids = await addSegments(sql, commit, version)
  await removeSegments(sql, commit, version)
  await removeBatches(sql, commit)
  await sql.insertMany({
    table: 'wiki_superseded',
    columns: ['wiki_id', 'segment_id', 'rev_id'],
    rows: [
      ...commit.superseded.map(({ segmentId, revId }) => [wikiId, segmentId, revId]),
      ...commit.supersededNew.map(({ index, revId }) => [wikiId, ids[index]!, revId]),
    ],
    onConflict: 'ignore',
  })
  await noteNews(sql, commit)
  await countPages(sql, commit)
  if (commit.checkpoint) await writeCheckpoint(sql, { ...commit.checkpoint, wikiId, now })
  // What was written here may hold what was entombed in the meantime: those are to be looked at
  // again.
  await sql.run('UPDATE wiki_purges SET done_at = NULL WHERE wiki_id = ? AND number > ?', [
    wikiId,
    commit.entombed,
  ])
  await dropFold(sql, { wikiId, fold })
  return 'done'
}

async function isAsExpected(sql: Sql, commit: CommitFold, version: number): Promise<boolean> {
  const { expects, wikiId } = commit
  if ('version' in expects) return expects.version === version
  const marks = expects.segments.map(() => '?').join(', ')
  const live = await sql.get<{ n: number }>(
    `SELECT count(*) AS n FROM wiki_segments WHERE wiki_id = ? AND id IN (${marks}) AND removed_in IS NULL`,
    [wikiId, ...expects.segments],
  )
  const superseded = await sql.get<{ n: number }>(
    `SELECT count(*) AS n FROM wiki_superseded WHERE wiki_id = ? AND segment_id IN (${marks})`,
    [wikiId, ...expects.segments],
  )
  return live!.n === expects.segments.length && superseded!.n === expects.superseded
}

async function addSegments(sql: Sql, commit: CommitFold, version: number): Promise<number[]> {
  const ids: number[] = []
  for (const one of commit.added) {
    const id = await nextNumber(sql, commit.wikiId)
    await sql.run(
      `INSERT INTO wiki_segments (wiki_id, id, part, fold, pack, rows, revisions, raw_bytes, pack_bytes,
         rows_bytes, rev_min, rev_max, added_in) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        commit.wikiId,
        id,
        one.part,
        one.fold,
        one.pack,
        one.rows,
        one.revisions,
        one.rawBytes,
        one.packBytes,
        one.rowsBytes,
        one.revMin,
        one.revMax,
        version,
      ],
    )
    ids.push(id)
  }
  return ids
}

async function removeSegments(sql: Sql, commit: CommitFold, version: number): Promise<void> {
  const { wikiId, removed, now } = commit
  await sql.updateMany({
    table: 'wiki_segments',
    keys: ['wiki_id', 'id'],
    set: ['removed_in', 'removed_at'],
    rows: removed.map((id) => [wikiId, id, version, now]),
  })
  await sql.deleteMany({
    table: 'wiki_superseded',
    keys: ['wiki_id', 'segment_id'],
    rows: removed.map((id) => [wikiId, id]),
  })
}

async function removeBatches(sql: Sql, { wikiId, batches }: CommitFold): Promise<void> {
  const rows = batches.map((seq) => [wikiId, seq])
  // What the wiki hides later must not lie about in the database then.
  await sql.wipe()
  await sql.deleteMany({ table: 'wiki_batches', keys: ['wiki_id', 'seq'], rows })
  if (batches.length === 0) return
  const highest = Math.max(...batches)
  // By number, not by revision: there is no index for it, and a fold takes nearly all.
  const folded = new Set(batches)
  const pending = await sql.all<{ rev_id: number; seq: number }>(
    'SELECT rev_id, seq FROM wiki_pending WHERE wiki_id = ? AND seq <= ?',
    [wikiId, highest],
  )
  await sql.deleteMany({
    table: 'wiki_pending',
    keys: ['wiki_id', 'rev_id', 'seq'],
    rows: pending
      .filter(({ seq }) => folded.has(seq))
      .map(({ rev_id: revId, seq }) => [wikiId, revId, seq]),
  })
}

async function noteNews(sql: Sql, commit: CommitFold): Promise<void> {
  const { wikiId, now, notes = [], gaps = [], events = [] } = commit
  await notePages(sql, { wikiId, pages: notes, now })
  const rows = notes.map(({ pageId }) => [wikiId, pageId])
  await sql.deleteMany({ table: 'wiki_gaps', keys: ['wiki_id', 'page_id'], rows })
  await noteGaps(sql, { wikiId, gaps, now })
  await noteEvents(sql, { wikiId, events, now })
}

/**
 * The caller holds the wiki's row, so no other transaction changes these counts in the meantime.
 */
async function countPages(sql: Sql, { wikiId, pages, now }: CommitFold): Promise<void> {
  const known = await sql.selectMany<{ revisions: number; bytes: number }>({
    table: 'wiki_pages',
    keys: ['wiki_id', 'page_id'],
    rows: pages.map(({ pageId }) => [wikiId, pageId]),
    columns: ['revisions', 'bytes'],
  })
  // A page known only from its revisions: it is counted, and named when its title arrives.
  const strangers = pages.filter((_, index) => known[index] === undefined)
  await notePages(sql, {
    wikiId,
    pages: strangers.map(({ pageId }) => ({ pageId, ns: 0, title: '', redirect: null })),
    now,
  })
  await sql.updateMany({
    table: 'wiki_pages',
    keys: ['wiki_id', 'page_id'],
    set: ['revisions', 'bytes'],
    rows: pages.map(({ pageId, revisions, bytes }, index) => {
      const was = known[index] ?? { revisions: 0, bytes: 0 }
      return [wikiId, pageId, was.revisions + revisions, was.bytes + bytes]
    }),
  })
}

interface WriteCheckpoint {
  dump: string
  wikiId: number
  position: string
  isDone: boolean
  now: number
}

async function writeCheckpoint(sql: Sql, at: WriteCheckpoint): Promise<void> {
  await sql.insertMany({
    table: 'wiki_checkpoints',
    columns: ['dump', 'wiki_id', 'position', 'is_done', 'at'],
    rows: [[at.dump, at.wikiId, at.position, at.isDone ? 1 : 0, at.now]],
    onConflict: { keys: ['dump'], update: ['wiki_id', 'position', 'is_done', 'at'] },
  })
}

export interface Checkpoint {
  wikiId: number
  /** Null when an import ended before it came to its first checkpoint. */
  position: DumpCheckpoint | null
  isDone: boolean
}

/** How far the import of a dump came; null when it never began. */
export async function readCheckpoint(
  sql: Sql,
  { dump }: { dump: string },
): Promise<Checkpoint | null> {
  const row = await sql.get<{ wikiId: number; position: string; is_done: number }>(
    'SELECT wiki_id AS "wikiId", position, is_done FROM wiki_checkpoints WHERE dump = ?',
    [dump],
  )
  if (!row) return null
  const position = JSON.parse(row.position) as Checkpoint['position']
  return { wikiId: row.wikiId, position, isDone: row.is_done === 1 }
}
