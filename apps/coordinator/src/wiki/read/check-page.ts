/**
 * Whether the history of a page is whole, as far as what is stored and an answer together tell: asked
 * before the transaction, when an answer ends a history or repairs one. What is missing is asked for
 * again, at most twice, by steps that follow from the answer like any other.
 */
import {
  checkHistory,
  planRepair,
  revisionsByIds,
  type Claim,
  type Gap,
  type GapKind,
  type HistoryRow,
  type Revision,
  type Revisions,
  type WikiNews,
  type WikiStep,
} from '@minga/wiki'
import type { WikiOfCollection } from '../wiki-of-collection.ts'

export interface CheckedPage {
  pageId: number
  /** Only new revisions were checked, and whether they join what was known. */
  isPart: boolean
  /** What the history as a whole lacks; texts are checked as they come. */
  gaps: Gap[]
  repairs: WikiStep[]
}

interface Checking {
  step: WikiStep
  news: WikiNews
  wiki: WikiOfCollection
  /** Of the page that the step is about, where it is known. */
  title: string | null
}

/** By number first, then each text alone; a third time would bring the same. */
const ATTEMPTS_MAX = 2

export async function checkPage(
  revisions: Revisions,
  checking: Checking,
): Promise<CheckedPage | null> {
  const { step, news, wiki } = checking
  const pageId = pageToCheck(step, news)
  if (pageId === null) return null
  const since = step.kind === 'revisions' ? step.since : null
  const isPart = since !== null
  const rows = await rowsOf(revisions, wiki, { pageId, from: since ?? 0 })
  const stored = new Map(rows.map((row) => [row.revId, row]))
  rows.push(...news.revisions.filter((one) => one.pageId === pageId).map(rowOf))
  const missing = news.claims.filter(({ revId }) => !stored.has(revId))
  const wanted = [...missing, ...news.claims.filter((claim) => hidesMore(claim, stored))]
  const revIds = wanted.map(({ revId }) => revId)
  const fetching =
    revIds.length === 0 ? [] : revisionsByIds(wiki.site, { pageId, revIds }, step.ticket)
  if (news.finished === null && step.kind === 'ids') {
    return { pageId, isPart: true, gaps: [], repairs: fetching }
  }
  const gaps = checkHistory(rows, { pageId, isPart, ...countIn(step, news, missing.length) })
  const logs = logsOf(gaps, rows, checking)
  return { pageId, isPart, gaps, repairs: [...fetching, ...repairsOf(gaps, checking), ...logs] }
}

/** Not of a history that is read page by page from HTML: its texts come one by one afterwards. */
function pageToCheck(step: WikiStep, news: WikiNews): number | null {
  if (news.source === 'history-pages') return null
  if (step.kind === 'ids' && news.claims.length > 0) return step.pageId
  if (step.kind === 'byIds' && news.next.length === 0) return step.pageId
  return news.finished?.pageId ?? null
}

/**
 * No public log tells what was suppressed; where a list shows it, what is kept of it must go. To ask for it
 * again is enough: the answer brings the tombstone.
 */
function hidesMore({ revId, hidden }: Claim, stored: ReadonlyMap<number, HistoryRow>): boolean {
  const kept = stored.get(revId)?.hidden
  return kept !== undefined && hidden.some((field) => !kept.includes(field))
}

/** The wiki's own count, when it was asked for the whole list and nothing of it is still to come. */
function countIn(step: WikiStep, { finished }: WikiNews, missing: number): { count?: number } {
  return step.kind === 'ids' && finished !== null && missing === 0
    ? { count: finished.revisions }
    : {}
}

async function rowsOf(
  revisions: Revisions,
  { key }: WikiOfCollection,
  { pageId, from }: { pageId: number; from: number },
): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = []
  const history = revisions.history(key, { pageId }, { from })
  for await (const revision of history) rows.push(rowOf(revision))
  return rows
}

/** Texts were checked when they came, and what was wrong with them was noted then. */
function rowOf({ revId, parentId, at, size, sha1, hidden }: Revision): HistoryRow {
  return { revId, parentId, at, size, sha1, hidden, hasText: true, textGaps: [] }
}

/** For an answer after which the history continues: what is wrong with the texts it brought. */
export function repairsOfTexts(checking: Checking): WikiStep[] {
  const { step, news } = checking
  return step.kind === 'revisions' || step.kind === 'byIds' ? repairsOf(news.gaps, checking) : []
}

function repairsOf(gaps: readonly Gap[], { step, news, wiki, title }: Checking): WikiStep[] {
  const { ticket } = step
  if (ticket.attempt >= ATTEMPTS_MAX || wiki.site.apiUrl === null) return []
  // Only what this very answer brought: another portion is another answer's matter.
  const wanted = step.kind === 'byIds' ? news.gaps : [...new Set([...gaps, ...news.gaps])]
  const next = { ...ticket, attempt: ticket.attempt + 1 }
  return planRepair(wanted, { site: wiki.site, ticket: next, title })
}

/** Gaps that a merge, an import or a deletion may explain. */
export const EXPLICABLE: readonly GapKind[] = [
  'several-roots',
  'no-root',
  'parent-missing',
  'time-order',
  // Counted when nothing listed is missing, so it is the wiki that has fewer now.
  'count-differs',
]
const LOG_LIMIT = 500

/**
 * Asks the wiki's log, once, why a history is not one chain. A merge is written down under the page that
 * was merged away, so for the other one the log of merges is read, from the time of the later beginning.
 */
function logsOf(gaps: readonly Gap[], rows: readonly HistoryRow[], asked: Checking): WikiStep[] {
  const { step, wiki, title } = asked
  const { apiUrl: api } = wiki.site
  const isFirst = step.ticket.attempt === 0
  if (!isFirst || api === null || title === null) return []
  if (!gaps.some(({ kind }) => EXPLICABLE.includes(kind))) return []
  const ticket = { ...step.ticket, attempt: 1 }
  const log = { kind: 'logevents', api, limit: LOG_LIMIT, more: {}, ticket } as const
  const ofPage: WikiStep = { ...log, type: null, since: null, title }
  if (!gaps.some(({ kind }) => kind === 'several-roots')) return [ofPage]
  const roots = rows.filter(({ parentId }) => parentId === 0)
  const since = Math.max(...roots.map(({ at }) => at))
  return [ofPage, { ...log, type: 'merge', since, title: null }]
}
