/**
 * A *step* is one request to a wiki, and its URL (`step-url.ts`) is its whole state: a run that is
 * killed continues from the URLs that still wait, and a step that was asked once in a run is never
 * asked twice.
 */

/** What belongs to Minga and not to the wiki; it travels inside the URL. */
export interface Ticket {
  /** Number of the extraction run: the same step of a later run is another URL. */
  run: number
  task: number
  /** 0 unless a step that ended is requested again. */
  attempt: number
}

/** The opaque `continue` object of the wiki, sent back as it came; empty at the start. */
export type Continue = Readonly<Record<string, string>>

/** The last revision of the answer before: what follows must come after it, or the wiki runs in circles. */
export interface Reached {
  at: number
  revId: number
}

interface Base {
  ticket: Ticket
}

export interface DiscoverStep extends Base {
  kind: 'discover'
  /** A page whose head says where api.php is. */
  url: string
  /** What the user wrote, as an address: the other places to look follow from it. */
  origin: string
  candidate: number
}

export interface SiteinfoStep extends Base {
  kind: 'siteinfo'
  api: string
  /** Null when api.php is known, so that there is nowhere else to look. */
  origin: string | null
  candidate: number
}

export interface TitlesStep extends Base {
  kind: 'titles'
  api: string
  by: 'titles' | 'pageids' | 'revids'
  of: string[]
  /** Redirects lead to their targets; a sweep over known pages must not follow them. */
  isFollowing: boolean
  more: Continue
}

export interface RevisionsStep extends Base {
  kind: 'revisions'
  api: string
  pageId: number
  hasSlots: boolean
  order: 'oldest-first' | 'newest-first'
  /** Milliseconds since 1970, inclusive; null for all. */
  since: number | null
  limit: number
  /** False only to pass over a revision whose text the wiki cannot deliver. */
  withText: boolean
  soFar: number
  reached: Reached | null
  more: Continue
}

export interface IdsStep extends Base {
  kind: 'ids'
  api: string
  pageId: number
  /** Without slots, size and SHA-1 would be those of the main slot alone. */
  hasSlots: boolean
  limit: number
  soFar: number
  reached: Reached | null
  more: Continue
}

export interface ByIdsStep extends Base {
  kind: 'byIds'
  api: string
  /** The page whose history wants them; the answer says to which they belong. */
  pageId: number
  revIds: number[]
  hasSlots: boolean
  more: Continue
}

export interface AllPagesStep extends Base {
  kind: 'allpages'
  api: string
  ns: number
  limit: number
  more: Continue
}

export interface CategoryStep extends Base {
  kind: 'category'
  api: string
  /** With its namespace, for example `Category:Cats`. */
  title: string
  /** How many levels of subcategories are still entered. */
  depth: number
  limit: number
  more: Continue
}

export interface RecentChangesStep extends Base {
  kind: 'recentchanges'
  api: string
  since: number
  until: number | null
  limit: number
  more: Continue
}

/** The logs that tell of histories which changed otherwise than by an edit. */
export const LOG_TYPES = ['delete', 'move', 'merge', 'import', 'suppress'] as const
export type LogType = (typeof LOG_TYPES)[number]

export interface LogEventsStep extends Base {
  kind: 'logevents'
  api: string
  type: LogType | null
  since: number | null
  title: string | null
  limit: number
  more: Continue
}

export interface ExportStep extends Base {
  kind: 'export'
  index: string
  title: string
}

export interface HistoryPageStep extends Base {
  kind: 'historyPage'
  index: string
  title: string
  offset: string | null
  limit: number
  soFar: number
}

export interface RawStep extends Base {
  kind: 'raw'
  index: string
  title: string
  pageId: number
  revId: number
}

/** The same text from the REST API, which lets bots in where pages do not (MediaWiki 1.37 and newer). */
export interface SourceStep extends Base {
  kind: 'source'
  /** The address of its rest.php. */
  rest: string
  pageId: number
  revId: number
}

export type WikiStep =
  | DiscoverStep
  | SiteinfoStep
  | TitlesStep
  | RevisionsStep
  | IdsStep
  | ByIdsStep
  | AllPagesStep
  | CategoryStep
  | RecentChangesStep
  | LogEventsStep
  | ExportStep
  | HistoryPageStep
  | RawStep
  | SourceStep

/** What MediaWiki serves to everyone: more is cut to these. */
export const LIST_LIMIT = 500
export const TITLES_LIMIT = 50
/** Addresses above 8 KiB are refused by many servers (and by Minga); what else is in one needs about 1 KiB. */
const LIST_CHARS = 6_000

/** Lists in portions that fit into one address each. */
export function portionsOf(items: readonly string[]): string[][] {
  const portions: string[][] = []
  let portion: string[] = []
  let chars = 0
  for (const item of items) {
    const itemChars = encodeURIComponent(item).length + 3
    const isFull = portion.length === TITLES_LIMIT || chars + itemChars > LIST_CHARS
    if (isFull && portion.length > 0) {
      portions.push(portion)
      portion = []
      chars = 0
    }
    portion.push(item)
    chars += itemChars
  }
  if (portion.length > 0) portions.push(portion)
  return portions
}

/** The wiki continues as it was asked: it would never end. */
export function isSame(a: Continue, b: Continue): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

/** index.php is next to api.php in every installation. */
export function indexUrlFor(api: string): string {
  return api.replace(/api\.php$/, 'index.php')
}

export function restUrlFor(script: string): string {
  return script.replace(/(?:api|index)\.php$/, 'rest.php')
}
