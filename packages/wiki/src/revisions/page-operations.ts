/**
 * What the store knows of pages apart from their revisions: state, titles, events of the wiki's
 * logs, gaps.
 */
import type { Sql } from '@minga/store'
import type { RevisionSource } from '../model.ts'
import { nextChanges } from './batch-operations.ts'
import type { Gap } from '../api/gap.ts'

export type PageState =
  | 'waiting'
  | 'extracting'
  | 'complete'
  | 'gapped'
  | 'missing'
  | 'deleted'
  | 'redirect'

/** News of a page; what is left out stays as it was. */
export interface PageNote {
  pageId: number
  ns: number
  title: string
  redirect: string | null
  state?: PageState
  lastRevId?: number | null
  /** Time of the newest revision that is stored. */
  newestAt?: number | null
  source?: RevisionSource
  run?: number
  /** Set when the history was fetched just now. */
  extractedAt?: number
  /** How the title is known; `seen` by default. */
  how?: string
  /** Since when it has the title, if that is known. */
  titleSince?: number
}

export interface PageRow {
  pageId: number
  ns: number
  title: string
  redirect: string | null
  state: PageState
  firstAt: number | null
  lastAt: number | null
  lastRevId: number | null
  /** Time of the newest revision that is stored. */
  newestAt: number | null
  revisions: number
  bytes: number
  source: RevisionSource | null
  run: number | null
}

const PAGE = `page_id AS "pageId", ns, title, redirect, state, first_at AS "firstAt", last_at AS "lastAt",
  last_rev_id AS "lastRevId", newest_at AS "newestAt", revisions, bytes, source, run`

const FIELDS = [
  'ns',
  'title',
  'redirect',
  'state',
  'first_at',
  'last_at',
  'last_rev_id',
  'newest_at',
  'source',
  'run',
]
const COLUMNS = ['wiki_id', 'page_id', ...FIELDS, 'changed']

export async function notePages(
  sql: Sql,
  { wikiId, pages, now }: { wikiId: number; pages: readonly PageNote[]; now: number },
): Promise<void> {
  if (pages.length === 0) return
  // Of two notes on one page in one call the later builds on the earlier.
  const latest = new Map<number, PageNote>()
  for (const page of pages) latest.set(page.pageId, { ...latest.get(page.pageId), ...page })
  const notes = [...latest.values()]
  const changed = await nextChanges(sql, wikiId, 1)
  const known = await pagesById(
    sql,
    wikiId,
    notes.map(({ pageId }) => pageId),
  )
  await sql.insertMany({
    table: 'wiki_pages',
    columns: COLUMNS,
    rows: notes.map((note) => [wikiId, ...rowOf(note, known.get(note.pageId)), changed]),
    onConflict: { keys: ['wiki_id', 'page_id'], update: COLUMNS.slice(2) },
  })
  const renamed = notes.filter(({ pageId, title }) => known.get(pageId)?.title !== title)
  await noteTitles(sql, { wikiId, renamed, known, now })
}

function rowOf(note: PageNote, was: PageRow | undefined): (number | string | null)[] {
  const extracted = note.extractedAt ?? null
  return [
    note.pageId,
    note.ns,
    note.title,
    note.redirect,
    note.state ?? was?.state ?? 'waiting',
    was?.firstAt ?? extracted,
    extracted ?? was?.lastAt ?? null,
    note.lastRevId === undefined ? (was?.lastRevId ?? null) : note.lastRevId,
    note.newestAt === undefined ? (was?.newestAt ?? null) : note.newestAt,
    note.source ?? was?.source ?? null,
    note.run ?? was?.run ?? null,
  ]
}

async function pagesById(
  sql: Sql,
  wikiId: number,
  pageIds: readonly number[],
): Promise<Map<number, PageRow>> {
  const rows = await pageRows(sql, { wikiId, pageIds })
  return new Map(rows.map((row) => [row.pageId, row]))
}

interface Renamed {
  wikiId: number
  renamed: readonly PageNote[]
  known: ReadonlyMap<number, PageRow>
  now: number
}

/** The old title ends where the new one begins. A title of unknown start counts from now. */
async function noteTitles(sql: Sql, { wikiId, renamed, known, now }: Renamed): Promise<void> {
  for (const { pageId, title, titleSince = now } of renamed) {
    if (!known.has(pageId)) continue
    await sql.run(
      `UPDATE wiki_titles SET until = ?
       WHERE wiki_id = ? AND page_id = ? AND until IS NULL AND title <> ?`,
      [titleSince, wikiId, pageId, title],
    )
  }
  await sql.insertMany({
    table: 'wiki_titles',
    columns: ['wiki_id', 'page_id', 'since', 'title', 'ns', 'until', 'how'],
    rows: renamed.map((note) => [
      wikiId,
      note.pageId,
      note.titleSince ?? now,
      note.title,
      note.ns,
      null,
      note.how ?? 'seen',
    ]),
    onConflict: 'ignore',
  })
}

export interface TitleRow {
  title: string
  ns: number
  since: number
  until: number | null
  how: string
}

export function titlesOfPage(
  sql: Sql,
  { wikiId, pageId }: { wikiId: number; pageId: number },
): Promise<TitleRow[]> {
  return sql.all(
    `SELECT title, ns, since, until, how FROM wiki_titles WHERE wiki_id = ? AND page_id = ?
     ORDER BY since, title`,
    [wikiId, pageId],
  )
}

export interface PagesAsked {
  wikiId: number
  pageIds?: readonly number[]
  titles?: readonly string[]
}

export async function pageRows(
  sql: Sql,
  { wikiId, pageIds = [], titles = [] }: PagesAsked,
): Promise<PageRow[]> {
  const byId = await sql.selectMany<Record<string, unknown>>({
    table: 'wiki_pages',
    keys: ['wiki_id', 'page_id'],
    rows: pageIds.map((pageId) => [wikiId, pageId]),
    columns: ['page_id', ...FIELDS, 'revisions', 'bytes'],
  })
  const found = byId.flatMap((row) => (row === undefined ? [] : [pageOf(row)]))
  for (const title of titles) found.push(...(await titled(sql, wikiId, title)))
  return found
}

/** A title may have belonged to a page that is deleted now: the living one comes first. */
function titled(sql: Sql, wikiId: number, title: string): Promise<PageRow[]> {
  return sql.all(
    `SELECT ${PAGE} FROM wiki_pages WHERE wiki_id = ? AND title = ?
     ORDER BY CASE WHEN state IN ('deleted', 'missing') THEN 1 ELSE 0 END, page_id DESC`,
    [wikiId, title],
  )
}

function pageOf(row: Record<string, unknown>): PageRow {
  const { page_id: pageId, first_at: firstAt, last_at: lastAt } = row
  const { last_rev_id: lastRevId, newest_at: newestAt } = row
  const { ns, title, redirect, state, revisions, bytes, source, run } = row
  const renamed = { pageId, firstAt, lastAt, lastRevId, newestAt }
  return { ...renamed, ns, title, redirect, state, revisions, bytes, source, run } as PageRow
}

export interface EventNote {
  kind: string
  at: number
  /** 0 when no log says it. */
  logId: number
  pageId: number | null
  title: string
  details: Record<string, unknown>
}

/** The same entry of a log, met again by an overlapping look at it, is one event. */
export async function noteEvents(
  sql: Sql,
  { wikiId, events, now }: { wikiId: number; events: readonly EventNote[]; now: number },
): Promise<void> {
  await sql.insertMany({
    table: 'wiki_events',
    columns: ['wiki_id', 'log_id', 'kind', 'page_id', 'title', 'at', 'details', 'noted_at'],
    rows: events.map((event) => [
      wikiId,
      event.logId,
      event.kind,
      event.pageId,
      event.title,
      event.at,
      JSON.stringify(event.details),
      now,
    ]),
    onConflict: 'ignore',
  })
}

export interface EventRow extends EventNote {
  id: number
}

const EVENTS_MOST = 10_000

/** Newest first; of one page, or of the wiki. */
export async function listEvents(
  sql: Sql,
  { wikiId, pageId, limit = 100 }: { wikiId: number; pageId?: number; limit?: number },
): Promise<EventRow[]> {
  const rows = await sql.all<Omit<EventRow, 'details'> & { details: string }>(
    `SELECT id, log_id AS "logId", kind, page_id AS "pageId", title, at, details FROM wiki_events
     WHERE wiki_id = ? AND (? = 0 OR page_id = ?) ORDER BY at DESC, id DESC LIMIT ?`,
    [wikiId, pageId === undefined ? 0 : 1, pageId ?? 0, Math.min(limit, EVENTS_MOST)],
  )
  return rows.map((row) => ({
    ...row,
    details: JSON.parse(row.details) as Record<string, unknown>,
  }))
}

export async function noteGaps(
  sql: Sql,
  { wikiId, gaps, now }: { wikiId: number; gaps: readonly Gap[]; now: number },
): Promise<void> {
  await sql.insertMany({
    table: 'wiki_gaps',
    columns: ['wiki_id', 'page_id', 'rev_id', 'kind', 'detail', 'explained_by', 'found_at'],
    rows: gaps.map(({ pageId, revId, kind, detail, explainedBy }) => [
      wikiId,
      pageId,
      revId ?? 0,
      kind,
      detail,
      explainedBy,
      now,
    ]),
    onConflict: {
      keys: ['wiki_id', 'page_id', 'rev_id', 'kind'],
      update: ['detail', 'explained_by'],
    },
  })
}

/** Before a page is checked again; with `revIds` only what was wrong with these. */
export async function clearGaps(
  sql: Sql,
  { wikiId, pageId, revIds }: { wikiId: number; pageId: number; revIds?: readonly number[] },
): Promise<void> {
  if (revIds === undefined) {
    await sql.run('DELETE FROM wiki_gaps WHERE wiki_id = ? AND page_id = ?', [wikiId, pageId])
    return
  }
  await sql.deleteMany({
    table: 'wiki_gaps',
    keys: ['wiki_id', 'page_id', 'rev_id'],
    rows: revIds.map((revId) => [wikiId, pageId, revId]),
  })
}

const GAPS_MOST = 10_000

export async function listGaps(
  sql: Sql,
  { wikiId, pageId, limit = 1_000 }: { wikiId: number; pageId?: number; limit?: number },
): Promise<(Gap & { foundAt: number })[]> {
  const rows = await sql.all<Gap & { foundAt: number }>(
    `SELECT page_id AS "pageId", rev_id AS "revId", kind, detail, explained_by AS "explainedBy",
       found_at AS "foundAt" FROM wiki_gaps
     WHERE wiki_id = ? AND (? = 0 OR page_id = ?) ORDER BY page_id, rev_id, kind LIMIT ?`,
    [wikiId, pageId === undefined ? 0 : 1, pageId ?? 0, Math.min(limit, GAPS_MOST)],
  )
  return rows.map((row) => ({ ...row, revId: row.revId === 0 ? null : row.revId }))
}
