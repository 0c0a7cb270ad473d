/**
 * Histories of wikis whose api.php is closed: Special:Export gives all of a page at once; where that is too
 * much or shut as well, the pages of its history list the revisions and each text is asked for alone.
 */
import { headerValues, retryAfterMs } from '@minga/net'
import type { Revision, Slot } from '../model.ts'
import { isMingaError } from '@minga/protocol'
import { readDumpBody } from '../dump/xml-reader.ts'
import type { DumpItem } from '../dump/dump-model.ts'
import { parseJson, problemOf, type WikiAnswer } from './answer-envelope.ts'
import { asObject, numberAt, textAt, timeAt } from './answer-shape.ts'
import { gapOf, type Gap } from './gap.ts'
import { readHistoryRows, revisionOfRow } from './history-rows.ts'
import { readPageHead } from './read-site.ts'
import { checkTexts, sha1Of } from './revision-sha1.ts'
import { historyPageOf } from './step-size.ts'
import { newsOf, type PageNews, type WikiProblem, type WikiNews } from './wiki-news.ts'
import {
  restUrlFor,
  type ExportStep,
  type HistoryPageStep,
  type RawStep,
  type SourceStep,
  type WikiStep,
} from './wiki-step.ts'

const PAUSE_MS = 60_000

/** What the status alone says of a page; null when the body must tell. */
export function problemOfPage(
  { status, headers, truncated }: WikiAnswer,
  now: number,
): WikiProblem | null {
  const pauseMs = retryAfterMs(headers, now) ?? PAUSE_MS
  const message = `The wiki answers with status ${status}.`
  if (status === 429) return problemOf('MINGA_WIKI_RATE_LIMITED', 'later', pauseMs, message)
  if (status === 503 || status === 502)
    return problemOf('MINGA_WIKI_UNAVAILABLE', 'later', pauseMs, message)
  if (status >= 500) return problemOf('MINGA_WIKI_UNAVAILABLE', 'smaller', pauseMs, message)
  if (status === 401 || status === 403)
    return problemOf('MINGA_WIKI_REFUSED', 'elsewhere', 0, message)
  if (status >= 400) return problemOf('MINGA_WIKI_NOT_FOUND', 'never', 0, message)
  if (truncated === 'length' || truncated === 'time') {
    return problemOf('MINGA_WIKI_TOO_LARGE', 'smaller', 0, 'The answer was larger than one may be.')
  }
  if (truncated === 'disconnect') {
    return problemOf('MINGA_WIKI_BAD_ANSWER', 'later', PAUSE_MS, 'The answer was cut short.')
  }
  return null
}

export function readExport(step: ExportStep, answer: WikiAnswer): WikiNews {
  const items = itemsOf(answer.body)
  if (items === null || !items.some(({ type }) => type === 'site')) {
    const message = 'Special:Export of this wiki is closed; its history pages are read.'
    const problem = problemOf('MINGA_WIKI_CLOSED', 'elsewhere', 0, message)
    return newsOf({
      source: 'export',
      problem,
      next: [historyPageOf(step.index, step.title, step.ticket)],
    })
  }
  return newsOfExport(step, items)
}

function itemsOf(body: Uint8Array): DumpItem[] | null {
  try {
    return readDumpBody(body)
  } catch (error) {
    if (isMingaError(error)) return null
    throw error
  }
}

function newsOfExport(step: ExportStep, items: DumpItem[]): WikiNews {
  const news = newsOf({ source: 'export' })
  for (const item of items) {
    if (item.type === 'site') news.site = item.site
    if (item.type === 'page') news.pages.push(pageNews(item.page))
    if (item.type === 'revision') news.revisions.push(item.revision)
    if (item.type === 'trouble')
      news.warnings.push(`Line ${item.trouble.line}: ${item.trouble.message}`)
  }
  news.gaps = news.revisions.flatMap(checkTexts)
  const end = items.find((item) => item.type === 'pageEnd')
  const [page] = news.pages
  if (page === undefined || end === undefined) {
    news.missing.push({
      title: step.title,
      pageId: null,
      why: 'missing',
      detail: 'the export is empty',
    })
    return news
  }
  if (!end.isWhole || isNewestAlone(news.revisions)) {
    news.next.push(historyPageOf(step.index, step.title, step.ticket))
    return news
  }
  const times = news.revisions.map(({ at }) => at)
  const newestAt = times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b))
  page.lastRevId = news.revisions.find(({ at }) => at === newestAt)?.revId ?? null
  news.finished = { pageId: page.pageId, revisions: news.revisions.length, isWhole: true, newestAt }
  return news
}

function pageNews(page: Omit<PageNews, 'lastRevId' | 'bytes' | 'isRedirect'>): PageNews {
  return { ...page, lastRevId: null, bytes: null, isRedirect: page.redirect !== null }
}

/**
 * A wiki may forbid the export of histories; it then gives the newest revision without a message.
 */
function isNewestAlone(revisions: Revision[]): boolean {
  const [only] = revisions
  return revisions.length === 1 && only !== undefined && only.parentId !== 0
}

export function readHistoryPage(step: HistoryPageStep, answer: WikiAnswer): WikiNews {
  const page = readHistoryRows(answer)
  if (page.pageId === null || (page.rows.length === 0 && step.soFar === 0)) {
    const message =
      'The page does not show a history: this wiki is closed, or its pages are not MediaWiki’s.'
    const problem = problemOf('MINGA_WIKI_CLOSED', 'never', 0, message)
    return newsOf({ source: 'history-pages', problem })
  }
  const { pageId, title, ns } = page
  const { index, ticket } = step
  const revisions = page.rows.flatMap((row) => revisionOfRow(row, pageId) ?? [])
  const soFar = step.soFar + page.rows.length
  const raws = page.rows
    .filter(({ isTextHidden }) => !isTextHidden)
    .map(({ revId }): WikiStep => ({
      kind: 'raw',
      index,
      title: step.title,
      pageId,
      revId,
      ticket,
    }))
  const isOnward = page.nextOffset !== null && page.nextOffset !== step.offset
  const onward: WikiStep[] = isOnward ? [{ ...step, offset: page.nextOffset, soFar }] : []
  const facts = { pageId, ns, title: title ?? step.title, redirect: null, isRedirect: false }
  const newestAt = revisions.reduce<number | null>((a, { at }) => Math.max(a ?? at, at), null)
  return newsOf({
    source: 'history-pages',
    pages: [{ ...facts, lastRevId: page.lastRevId, bytes: null }],
    revisions,
    next: [...onward, ...raws],
    finished: isOnward ? null : { pageId, revisions: soFar, isWhole: true, newestAt },
    warnings:
      revisions.length < page.rows.length ? ['Some dates of the history page cannot be read.'] : [],
  })
}

export function readRaw(step: RawStep, answer: WikiAnswer, known: Revision | null): WikiNews {
  const { pageId, revId } = step
  const at = Date.parse(headerValues(answer, 'last-modified')[0] ?? '')
  const source = 'history-pages'
  const isGone = answer.status === 404
  if (isGone && (Number.isNaN(at) || known === null)) {
    return newsOf({
      source,
      gaps: [gapOf('revision-missing', { pageId, revId }, 'It has no text any more.')],
    })
  }
  const [type = ''] = headerValues(answer, 'content-type')
  if (!isGone && /html/i.test(type) && readPageHead(answer, step.index).isMediaWiki) {
    const message = 'The wiki shows a page of its own instead of the text: it is closed to readers.'
    return newsOf({
      source,
      problem: problemOf('MINGA_WIKI_CLOSED', 'elsewhere', 0, message),
      next: [sourceOf(step)],
    })
  }
  if (!isGone && (/html/i.test(type) || Number.isNaN(at))) {
    const message = 'A page came instead of the text of a revision.'
    return newsOf({
      source,
      problem: problemOf('MINGA_WIKI_BAD_ANSWER', 'later', PAUSE_MS, message),
    })
  }
  const base = known ?? { ...NAMELESS, pageId, revId }
  return textNews(base, isGone ? withoutText(base, at) : withText(base, at, answer.body))
}

function textNews(base: Revision, revision: Revision): WikiNews {
  const isTold = revision.slots[0]?.text != null && base.slots.length === 0
  const others = isTold ? bytesElsewhere(revision) : []
  const gaps = [...checkTexts(revision), ...others]
  return newsOf({ source: 'history-pages', revisions: [revision], gaps })
}

/** The road that is left where index.php shows no texts. */
export function sourceOf({ index, pageId, revId, ticket }: RawStep): SourceStep {
  return { kind: 'source', rest: restUrlFor(index), pageId, revId, ticket }
}

/** Unlike api.php, the REST API gives a text byte for byte, in whatever form of Unicode it is stored. */
export function readSource(step: SourceStep, answer: WikiAnswer, known: Revision | null): WikiNews {
  const told = asObject(parseJson(answer.body))
  const [text, at] = [textAt(told, 'source'), timeAt(told, 'timestamp')]
  if (text === null || at === null || numberAt(told, 'id') !== step.revId) {
    const message = 'The answer is not the text that was asked for.'
    const problem = problemOf('MINGA_WIKI_BAD_ANSWER', 'later', PAUSE_MS, message)
    return newsOf({ source: 'history-pages', problem })
  }
  const base = known ?? { ...NAMELESS, pageId: step.pageId, revId: step.revId }
  return textNews(base, withText(base, at, Buffer.from(text)))
}

/** History pages tell the size of all slots together, and nothing of any slot but the main one can be had. */
function bytesElsewhere({ pageId, revId, size, slots }: Revision): Gap[] {
  if (size === null || slots[0]?.text?.length === size) return []
  return [
    gapOf('size-wrong', { pageId, revId }, `It has ${size} bytes; the rest is in other slots.`),
  ]
}

/** What the text alone reveals of a revision that is in no list. */
const NAMELESS: Omit<Revision, 'pageId' | 'revId'> = {
  parentId: null,
  at: 0,
  user: null,
  userId: null,
  editor: 'unknown',
  isMinor: false,
  size: null,
  sha1: null,
  comment: null,
  parsedComment: null,
  tags: [],
  hidden: [],
  isSuppressed: false,
  slots: [],
}

/** The time of a revision stands in Last-Modified to the second; a history page shows minutes. */
function withText(known: Revision, at: number, text: Uint8Array): Revision {
  const main = known.slots.find(({ role }) => role === 'main')
  const others = known.slots.filter(({ role }) => role !== 'main')
  // History pages tell no SHA-1; the text's own finds reverts just as well.
  const sha1 = main?.sha1 ?? sha1Of(text)
  const slot: Slot = {
    role: 'main',
    model: main?.model ?? null,
    format: main?.format ?? null,
    size: main?.size ?? text.length,
    sha1,
    text,
  }
  const isOnly = others.length === 0 && (known.size ?? text.length) === text.length
  return {
    ...known,
    at,
    size: known.size ?? (isOnly ? text.length : null),
    sha1: known.sha1 ?? (isOnly ? sha1 : null),
    slots: [slot, ...others],
  }
}

/** The wiki knows the revision and keeps its text back. */
function withoutText(known: Revision, at: number): Revision {
  const hidden = [...new Set([...known.hidden, 'text' as const])]
  return { ...known, at, hidden, slots: known.slots.map((slot) => ({ ...slot, text: null })) }
}
