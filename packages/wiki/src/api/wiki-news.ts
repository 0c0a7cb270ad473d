/** What an answer of a wiki means: the one form in which all steps tell it. */
import type { HiddenField, Page, Revision, RevisionSource, SiteInfo } from '../model.ts'
import type { Gap } from './gap.ts'
import type { WikiStep } from './wiki-step.ts'

export interface PageNews extends Page {
  lastRevId: number | null
  bytes: number | null
  /** The wiki says that it redirects; `redirect` names the target only where the wiki does. */
  isRedirect: boolean
}

export interface MissingPage {
  title: string | null
  pageId: number | null
  why: 'missing' | 'invalid' | 'special' | 'elsewhere'
  detail: string
}

/** A title that led to another. */
export interface TitleAlias {
  from: string
  to: string
  how: 'normalised' | 'converted' | 'redirect'
}

/** A revision without its text, as the wiki lists it: what a whole history must hold. */
export interface Claim {
  pageId: number
  revId: number
  parentId: number | null
  at: number
  size: number | null
  sha1: string | null
  /** A list tells no texts: where the SHA-1 is hidden, so is the text. */
  hidden: HiddenField[]
}

export type WikiEventKind =
  | 'created'
  | 'deleted'
  | 'restored'
  | 'moved'
  | 'merged'
  | 'imported'
  | 'hidden'

/** Something that changed a history otherwise than by an edit. */
export interface WikiEvent {
  kind: WikiEventKind
  at: number
  logId: number | null
  pageId: number | null
  ns: number
  title: string
  /** Where it was moved or merged to. */
  newTitle: string | null
  /** Those whose fields were hidden or shown again. */
  revIds: number[]
  isSuppressed: boolean
}

/** A page to look at again. */
export interface PageChange {
  pageId: number | null
  ns: number
  title: string
  /** Null for what is no edit. */
  revId: number | null
  at: number
  /** Number of the change in the feed; null where the feed has none. */
  changeId: number | null
}

/** A history that was read to its end. */
export interface FinishedHistory {
  pageId: number
  /** How many revisions all answers together held. */
  revisions: number
  /** From the first revision on; otherwise from a moment on or by numbers. */
  isWhole: boolean
  newestAt: number | null
}

export type WikiErrorCode =
  | 'MINGA_WIKI_LAGGED'
  | 'MINGA_WIKI_RATE_LIMITED'
  | 'MINGA_WIKI_READ_ONLY'
  | 'MINGA_WIKI_UNAVAILABLE'
  | 'MINGA_WIKI_TOO_LARGE'
  | 'MINGA_WIKI_CLOSED'
  | 'MINGA_WIKI_NOT_FOUND'
  | 'MINGA_WIKI_BAD_ANSWER'
  | 'MINGA_WIKI_LOOP'
  | 'MINGA_WIKI_REFUSED'
  | 'MINGA_WIKI_LOG_IN_REFUSED'
  | 'MINGA_WIKI_LOG_IN_THROTTLED'
  | 'MINGA_WIKI_LOG_IN_FAILED'
  | 'MINGA_WIKI_LOGGED_OUT'

/**
 * `later`: the same URL again after the pause; `smaller`: `next` asks for less at a time; `elsewhere`: `next`
 * takes another road; `never`: it ends here.
 */
export interface WikiProblem {
  code: WikiErrorCode
  retry: 'later' | 'smaller' | 'elsewhere' | 'never'
  pauseMs: number
  message: string
}

export interface WikiNews {
  source: RevisionSource
  site: SiteInfo | null
  pages: PageNews[]
  missing: MissingPage[]
  aliases: TitleAlias[]
  revisions: Revision[]
  claims: Claim[]
  finished: FinishedHistory | null
  events: WikiEvent[]
  changes: PageChange[]
  /** The newest time that a feed reported. */
  feedUntil: number | null
  next: WikiStep[]
  gaps: Gap[]
  warnings: string[]
  problem: WikiProblem | null
}

export function newsOf(parts: Partial<WikiNews>): WikiNews {
  return {
    source: 'api',
    site: null,
    pages: [],
    missing: [],
    aliases: [],
    revisions: [],
    claims: [],
    finished: null,
    events: [],
    changes: [],
    feedUntil: null,
    next: [],
    gaps: [],
    warnings: [],
    problem: null,
    ...parts,
  }
}
