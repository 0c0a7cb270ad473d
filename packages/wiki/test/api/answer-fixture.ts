/** Answers as wikis of several versions write them, and the steps they answer. */
import type { SiteInfo } from '../../src/model.ts'
import type { WikiAnswer } from '../../src/api/answer-envelope.ts'
import { readAnswer, type AnswerContext } from '../../src/api/read-answer.ts'
import { sha1Of } from '../../src/api/revision-sha1.ts'
import type { WikiNews } from '../../src/api/wiki-news.ts'
import type { RevisionsStep, Ticket, WikiStep } from '../../src/api/wiki-step.ts'

export const API = 'https://wiki.example/w/api.php'
export const INDEX = 'https://wiki.example/w/index.php'
export const TICKET: Ticket = { run: 3, task: 7, attempt: 0 }

export const SITE: SiteInfo = {
  name: 'Example',
  dbName: 'examplewiki',
  base: 'https://wiki.example/wiki/Main_Page',
  generator: 'MediaWiki 1.43.0',
  language: 'en',
  case: 'first-letter',
  namespaces: [
    { id: 0, name: '', aliases: [], isCaseSensitive: false },
    { id: 1, name: 'Talk', aliases: [], isCaseSensitive: false },
    { id: 4, name: 'Example', aliases: ['Project', 'EX'], isCaseSensitive: false },
    { id: 10, name: 'Template', aliases: [], isCaseSensitive: true },
    { id: 14, name: 'Category', aliases: [], isCaseSensitive: false },
    { id: -1, name: 'Special', aliases: [], isCaseSensitive: false },
  ],
  apiUrl: API,
  articlePath: '/wiki/$1',
  rvLimit: 50,
  rights: { text: null, url: null },
}

export const REVISIONS: RevisionsStep = {
  kind: 'revisions',
  api: API,
  pageId: 9,
  hasSlots: true,
  order: 'oldest-first',
  since: null,
  limit: 50,
  withText: true,
  soFar: 0,
  reached: null,
  more: {},
  ticket: TICKET,
}

export const CONTEXT: AnswerContext = { site: SITE, now: Date.UTC(2026, 0, 1) }

export function jsonAnswer(value: unknown, parts: Partial<WikiAnswer> = {}): WikiAnswer {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  const headers: [string, string][] = [['Content-Type', 'application/json; charset=utf-8']]
  return { status: 200, headers, body, truncated: null, ...parts }
}

export function read(
  step: WikiStep,
  value: unknown,
  context: Partial<AnswerContext> = {},
): WikiNews {
  return readAnswer(step, jsonAnswer(value), { ...CONTEXT, ...context })
}

/** One revision in the form since 1.32; minutes after 2020. */
export function apiRevision(
  revId: number,
  parts: Record<string, unknown> = {},
  text = `text ${revId}`,
) {
  const [size, sha1] = [Buffer.byteLength(text), sha1Of(text)]
  const contentmodel = 'wikitext'
  const contentformat = 'text/x-wiki'
  return {
    revid: revId,
    parentid: revId - 1,
    minor: false,
    user: 'Jane',
    userid: 4,
    timestamp: new Date(Date.UTC(2020, 0, 1, 0, revId)).toISOString().replace('.000', ''),
    size,
    sha1,
    comment: 'why',
    parsedcomment: 'why',
    tags: [],
    slots: { main: { size, sha1, contentmodel, contentformat, content: text } },
    ...parts,
  }
}

export function pageWith(revisions: unknown[], parts: Record<string, unknown> = {}) {
  return { query: { pages: [{ pageid: 9, ns: 0, title: 'Cat', ...parts, revisions }] } }
}
