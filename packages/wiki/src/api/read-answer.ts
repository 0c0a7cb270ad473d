/**
 * What an answer to a step means: `readAnswer` never throws, whatever came. Trouble says whether the same
 * step is asked again later, a smaller one instead, another road is taken, or it ends here.
 */
import type { Revision, SiteInfo } from '../model.ts'
import { openAnswer, problemOf, type Envelope, type WikiAnswer } from './answer-envelope.ts'
import { listAt } from './answer-shape.ts'
import { gapOf, type Gap } from './gap.ts'
import type { LogInProblem } from './log-in.ts'
import {
  readExport,
  readHistoryPage,
  readRaw,
  readSource,
  sourceOf,
  problemOfPage,
} from './read-closed-wiki.ts'
import { readFeed } from './read-feed.ts'
import { readPageList } from './read-pages.ts'
import { readByIds, readIds, readRevisions } from './read-revisions.ts'
import { readPageHead, siteOf } from './read-site.ts'
import { historyPageOf, smallerStep } from './step-size.ts'
import { candidatesOf, stepAtCandidate, wantedOfUrl } from './wiki-address.ts'
import { newsOf, type WikiProblem, type WikiNews } from './wiki-news.ts'
import {
  indexUrlFor,
  type DiscoverStep,
  type ExportStep,
  type HistoryPageStep,
  type RawStep,
  type SiteinfoStep,
  type SourceStep,
  type WikiStep,
} from './wiki-step.ts'

export interface AnswerContext {
  /** Null before the wiki is known. */
  site: SiteInfo | null
  now: number
  /** For the texts of closed wikis: what the history page reported about the revision. */
  known?: ((revId: number) => Revision | null) | undefined
  /** Of the page that the step is about, where the asker knows it: closed wikis know no page ids. */
  title?: string | null | undefined
}

const RV_LIMIT = 50
const PAUSE_MS = 60_000

export function readAnswer(step: WikiStep, answer: WikiAnswer, context: AnswerContext): WikiNews {
  // A redirect is a capture of its own; its target is asked as another address.
  if (answer.status >= 300 && answer.status < 400) return newsOf({})
  switch (step.kind) {
    case 'discover':
      return readDiscovery(step, answer, context)
    case 'export':
    case 'historyPage':
    case 'raw':
    case 'source':
      return readPage(step, answer, context)
    default: {
      const opened = openAnswer(answer, context.now)
      if (!opened.ok) return withProblem(step, opened.problem, context)
      return readEnvelope(step, opened.envelope, context)
    }
  }
}

type PageStep = ExportStep | HistoryPageStep | RawStep | SourceStep
type ApiStep = Exclude<WikiStep, DiscoverStep | PageStep>

function readEnvelope(step: ApiStep, envelope: Envelope, context: AnswerContext): WikiNews {
  if (OF_PAGES.has(step.kind) && saysNothing(envelope)) {
    const message = 'The answer says nothing of what was asked for.'
    const problem = problemOf('MINGA_WIKI_BAD_ANSWER', 'later', PAUSE_MS, message)
    return withProblem(step, problem, context)
  }
  switch (step.kind) {
    case 'siteinfo': {
      const site = siteOf(envelope, step.api)
      if (site !== null) return newsOf({ site, warnings: envelope.warnings })
      return withProblem(step, notAWiki('The answer does not describe a wiki.'), context)
    }
    case 'titles':
    case 'allpages':
    case 'category':
      return readPageList(step, envelope)
    case 'revisions':
      return readRevisions(step, envelope, context.site?.rvLimit ?? RV_LIMIT)
    case 'ids':
      return readIds(step, envelope)
    case 'byIds':
      return readByIds(step, envelope)
    case 'recentchanges':
    case 'logevents':
      return readFeed(step, envelope)
  }
}

/** Of which every true answer says something: that they are there, or that they are not. */
const OF_PAGES = new Set<WikiStep['kind']>(['titles', 'revisions', 'ids', 'byIds'])
const SAYING = ['pages', 'badrevids', 'badpageids', 'interwiki', 'redirects', 'normalized']

/** Taken for the end of a history, it would cut the history in silence. */
function saysNothing({ query, more }: Envelope): boolean {
  return more === null && SAYING.every((key) => listAt(query, key).length === 0)
}

function readPage(step: PageStep, answer: WikiAnswer, context: AnswerContext): WikiNews {
  const isGoneText = step.kind === 'raw' && answer.status === 404
  const problem = isGoneText ? null : problemOfPage(answer, context.now)
  if (problem !== null) return withProblem(step, problem, context)
  if (step.kind === 'export') return readExport(step, answer)
  if (step.kind === 'historyPage') return readHistoryPage(step, answer)
  const known = context.known?.(step.revId) ?? null
  return step.kind === 'raw' ? readRaw(step, answer, known) : readSource(step, answer, known)
}

function readDiscovery(step: DiscoverStep, answer: WikiAnswer, context: AnswerContext): WikiNews {
  const problem = problemOfPage(answer, context.now)
  // A page that cannot be found may still have the skin of its wiki around the message.
  const isPage = problem === null || problem.code === 'MINGA_WIKI_NOT_FOUND'
  if (!isPage) return withProblem(step, problem, context)
  const head = readPageHead(answer, step.url)
  if (head.api !== null) {
    // The remaining guesses stay open: some wikis name an api.php that is closed to strangers.
    const { origin, candidate, ticket } = step
    return newsOf({ next: [{ kind: 'siteinfo', api: head.api, origin, candidate, ticket }] })
  }
  const title = wantedOfUrl(new URL(step.origin)).title
  if (head.isMediaWiki && head.index !== null && title !== null) {
    return newsOf({ next: [{ kind: 'export', index: head.index, title, ticket: step.ticket }] })
  }
  return withProblem(step, notAWiki('The page does not say where its api.php is.'), context)
}

function notAWiki(message: string): WikiProblem {
  return problemOf('MINGA_WIKI_NOT_FOUND', 'elsewhere', 0, message)
}

/** Asking again changes nothing. */
const HOPELESS = ['MINGA_ADDRESS_REFUSED', 'MINGA_REQUEST_INVALID', 'MINGA_TLS_FAILED']

/** No answer came at all; `code` is that of the failed fetch. */
export function readFailure(step: WikiStep, code: string, context: AnswerContext): WikiNews {
  const message = `No answer came (${code}).`
  const problem = (retry: WikiProblem['retry'], pauseMs: number) =>
    withProblem(step, problemOf('MINGA_WIKI_UNAVAILABLE', retry, pauseMs, message), context)
  if (HOPELESS.includes(code)) return problem('elsewhere', 0)
  // The caller had to stop: nothing is wrong with the wiki.
  if (code === 'MINGA_CANCELLED') return problem('later', 0)
  return problem(code === 'MINGA_RESPONSE_TIMEOUT' ? 'smaller' : 'later', PAUSE_MS)
}

/**
 * The login failed, so nothing was requested. Retrying by another way is useless: the login has to
 * be corrected.
 */
export function readLogInFailure(
  step: WikiStep,
  { code, retry, retryAfterMs, message }: LogInProblem,
): WikiNews {
  const problem = problemOf(code, retry, retryAfterMs ?? PAUSE_MS, message)
  if (retry === 'later') return newsOf({ problem })
  return newsOf({ problem, warnings: [message], gaps: cutOff(step, problem) })
}

/** Trouble with what follows from it for this step. */
function withProblem(step: WikiStep, problem: WikiProblem, context: AnswerContext): WikiNews {
  if (step.kind === 'siteinfo' || step.kind === 'discover') return withoutWiki(step, problem)
  if (problem.retry === 'smaller') {
    const smaller = smallerStep(step, problem)
    // What is smallest already waits: the wiki itself is in trouble.
    if (smaller === null) return newsOf({ problem: { ...problem, retry: 'later' } })
    return newsOf({ problem, next: smaller.next, gaps: smaller.gaps })
  }
  if (problem.retry === 'elsewhere') {
    const next = roadsFor(step, context)
    if (next.length > 0) return newsOf({ problem, next })
  }
  if (problem.retry === 'later') return newsOf({ problem })
  return newsOf({ problem: { ...problem, retry: 'never' }, gaps: cutOff(step, problem) })
}

/** A history that ends here has not come to its end. */
function cutOff(step: WikiStep, { message }: WikiProblem): Gap[] {
  if (step.kind !== 'revisions' && step.kind !== 'ids') return []
  return [gapOf('history-cut', { pageId: step.pageId }, message)]
}

/**
 * Discovery goes to the next place to look. When MediaWiki itself says that its API is closed, or when all
 * places have been tried, the page that was asked for is read without an API.
 */
function withoutWiki(step: SiteinfoStep | DiscoverStep, problem: WikiProblem): WikiNews {
  const isPassing = problem.retry === 'later' && problem.code !== 'MINGA_WIKI_BAD_ANSWER'
  if (isPassing) return newsOf({ problem })
  const { origin, candidate, ticket } = step
  const isClosed = problem.code === 'MINGA_WIKI_CLOSED' && step.kind === 'siteinfo'
  const another =
    origin === null || isClosed ? null : stepAtCandidate(origin, candidate + 1, ticket)
  const title = origin === null ? null : wantedOfUrl(new URL(origin)).title
  const api = isClosed ? step.api : origin === null ? null : firstApiOf(origin)
  const page: WikiStep[] =
    title === null || api === null
      ? []
      : [{ kind: 'export', index: indexUrlFor(api), title, ticket }]
  const next = another === null ? page : [another]
  if (next.length > 0) return newsOf({ problem: { ...problem, retry: 'elsewhere' }, next })
  const code = isClosed ? problem.code : 'MINGA_WIKI_NOT_FOUND'
  return newsOf({ problem: { ...problem, code, retry: 'never' } })
}

function firstApiOf(origin: string): string | null {
  return candidatesOf(origin).find(({ kind }) => kind === 'api')?.url ?? null
}

/** Other roads to the same history. */
function roadsFor(step: WikiStep, context: AnswerContext): WikiStep[] {
  const { ticket } = step
  if (step.kind === 'raw') return [sourceOf(step)]
  if (step.kind === 'export') return [historyPageOf(step.index, step.title, ticket)]
  const isHistory = step.kind === 'revisions' || step.kind === 'ids' || step.kind === 'byIds'
  if (isHistory && context.title != null) {
    return [{ kind: 'export', index: indexUrlFor(step.api), title: context.title, ticket }]
  }
  if (step.kind === 'titles' && step.by === 'titles') {
    const index = indexUrlFor(step.api)
    return step.of.map((title) => ({ kind: 'export', index, title, ticket }))
  }
  return []
}
