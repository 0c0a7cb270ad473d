/** What the page asks about wikis: which are kept, their pages, histories, editors, and what is being extracted. */
import type {
  DumpImportView,
  WikiGapRow,
  WikiListPart,
  WikiPageRow,
  WikiRevisionRow,
  WikiSummary,
} from '@minga/protocol'
import { ask, queryOf } from './call.ts'
import type { Operations, WikiScheduleView } from './station-api.ts'
import { station } from './station.ts'

/** Below /api; keys may hold colons and slashes. */
const wikiPath = (wiki: string, rest = ''): string => `/wikis/${encodeURIComponent(wiki)}${rest}`

export async function readWikis(): Promise<WikiSummary[]> {
  return (await station('GET /wikis/overview')).wikis
}

export async function readSchedule(): Promise<WikiScheduleView[]> {
  return (await station('GET /wikis/schedule')).wikis
}

export async function readImports(): Promise<DumpImportView[]> {
  return (await station('GET /wikis/imports')).imports
}

interface PagesAsked {
  search: string
  match: string
  ns: string | undefined
  state: string | undefined
  sort: string
  cursor: string | null
  limit: number
}

/** A cursor holds its order. */
const orderOf = (sort: string, cursor: string | null) =>
  cursor === null ? { sort: sort || null } : { cursor }

export const readPages = (wiki: string, asked: PagesAsked): Promise<WikiListPart<WikiPageRow>> =>
  station('GET /wikis/{wiki}/pages', {
    params: { wiki },
    query: {
      search: asked.search || null,
      match: asked.match || null,
      ns: asked.ns,
      state: asked.state,
      page_size: asked.limit,
      ...orderOf(asked.sort, asked.cursor),
    },
  })

export interface RevisionsAsked {
  pageId?: number
  user?: string
  search: string
  editor: string | undefined
  isMinor: string | undefined
  from: number | null
  until: number | null
  sort: string
  cursor: string | null
  limit: number
}

export const readRevisions = (
  wiki: string,
  { sort, cursor, limit, search, ...asked }: RevisionsAsked,
): Promise<WikiListPart<WikiRevisionRow>> =>
  station('GET /wikis/{wiki}/revisions', {
    params: { wiki },
    query: { ...asked, search: search || null, page_size: limit, ...orderOf(sort, cursor) },
  })

/** One of a page, without its text; null when it is not here. */
export async function readRevision(
  wiki: string,
  pageId: number,
  revId: number,
): Promise<WikiRevisionRow | null> {
  const query = { pageId, revId }
  const { rows } = await station('GET /wikis/{wiki}/revisions', { params: { wiki }, query })
  return rows[0] ?? null
}

export const textPath = (wiki: string, revId: number): string => wikiPath(wiki, `/text/${revId}`)

export async function readText(wiki: string, revId: number): Promise<string> {
  return (await ask('GET', textPath(wiki, revId))).text()
}

export async function readGaps(wiki: string): Promise<WikiGapRow[]> {
  return (await station('GET /wikis/{wiki}/gaps', { params: { wiki } })).gaps
}

/** Of which revisions figures are: those of a page, of an editor, of a span of days. */
export interface WikiScope {
  pageId?: number
  user?: string
  /** Days, both included. */
  from?: string
  until?: string
}

interface Question {
  by: string[]
  measure: Record<string, unknown>
  having?: Record<string, unknown>
  sort?: string[]
  limit: number
}

/** A question in the language of `docs/wiki-metrics.md`. */
export async function askHistory(
  wiki: string,
  scope: WikiScope & { pageIds?: readonly number[] },
  question: Question,
): Promise<Record<string, unknown>[]> {
  const { pageId, pageIds, user, from, until } = scope
  const match = {
    ...(pageId === undefined ? {} : { pageid: pageId }),
    ...(pageIds === undefined ? {} : { pageid: { in: pageIds } }),
    ...(user === undefined ? {} : { user }),
    ...(from === undefined && until === undefined
      ? {}
      : {
          timestamp: {
            ...(from === undefined ? {} : { gte: `${from}T00:00:00Z` }),
            ...(until === undefined ? {} : { lte: `${until}T23:59:59Z` }),
          },
        }),
  }
  const body = { match, ...question }
  const answer = await station('POST /wikis/{wiki}/query', { params: { wiki }, body })
  return answer.rows
}

/** As `docs/wiki-metrics.md` defines them; only those that were asked for are there. */
export type WikiMeasures = Required<Operations['GET /wikis/{wiki}/metrics']['answer']>

type MeasureName = Exclude<keyof WikiMeasures, 'revisions'>

export async function readMeasures<Name extends MeasureName>(
  wiki: string,
  { pageId, user, from, until }: WikiScope,
  only: readonly Name[],
): Promise<Pick<WikiMeasures, Name | 'revisions'>> {
  const filter = { pageid: pageId, user, datestart: from, dateend: until }
  const query = { ...filter, only: only.join() }
  const figures = await station('GET /wikis/{wiki}/metrics', { params: { wiki }, query })
  // As many as were asked for are there.
  return figures as Pick<WikiMeasures, Name | 'revisions'>
}

export const EXPORTS = ['xml', 'csv', 'jsonl', 'parquet'] as const

/** Of some pages, or of all. */
export const exportPath = (
  wiki: string,
  as: (typeof EXPORTS)[number],
  title: string | null = null,
): string => wikiPath(wiki, `/export${queryOf({ as, pages: title })}`)
