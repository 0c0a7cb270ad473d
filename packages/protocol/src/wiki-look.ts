/**
 * What people can view of wikis: which there are, their pages, revisions and editors. Times in ms.
 */

export interface WikiSummary {
  /** Its key, by which it is asked for. */
  wiki: string
  name: string
  /** Address of its main page; null for a wiki that is known from a dump alone. */
  base: string | null
  language: string | null
  licence: string | null
  /** Whether it can be asked what is new. */
  hasApi: boolean
  addedAt: number
  pages: number
  revisions: number
  editors: number
  /** Of all texts. */
  rawBytes: number
  /** On disk. */
  storedBytes: number
  gaps: number
  /** Times of the first and the newest revision that are kept. */
  firstAt: number | null
  newestAt: number | null
  /** When a page of it was last asked for, or its dump was made. */
  askedAt: number | null
  /** How it is kept fresh; null when that is turned off. */
  feed: { isOn: boolean; nextPollAt: number; nextSweepAt: number } | null
}

export interface WikiDetail extends WikiSummary {
  namespaces: { ns: number; name: string; pages: number; revisions: number }[]
  /** Pages by what is known of them: `complete`, `gapped`, `extracting` … */
  states: { state: string; pages: number }[]
}

/** A part of a list, and where it continues. */
export interface WikiListPart<Row> {
  rows: Row[]
  cursor: string | null
  /** Of all parts. */
  total: number
}

export interface WikiPageRow {
  pageId: number
  ns: number
  title: string
  redirect: string | null
  state: string
  /** At the wiki. */
  url: string | null
  revisions: number
  editors: number
  /** Of the newest revision. */
  size: number | null
  firstAt: number | null
  lastAt: number | null
}

export interface WikiRevisionRow {
  revId: number
  pageId: number
  ns: number
  title: string | null
  at: number
  /** Null when hidden. */
  user: string | null
  /** `registered`, `anonymous`, `temporary`, `imported` or `unknown`. */
  editor: string
  isMinor: boolean
  size: number | null
  /** Bytes more than the revision before; null when either is unknown. */
  delta: number | null
  comment: string | null
  tags: string[]
  /** Fields that the wiki hides. */
  hidden: string[]
}

/** Every revision of a page as columns, oldest first. */
export interface WikiPageTrack {
  page: {
    pageId: number
    ns: number
    title: string
    redirect: string | null
    state: string
    url: string | null
  }
  revIds: number[]
  at: number[]
  sizes: (number | null)[]
  /** Their editors, as places in `editors`. */
  editorOf: number[]
  /** Null stands for everyone who is hidden. */
  editors: (string | null)[]
  /** The page has more revisions than are listed: these are the newest. */
  isCut: boolean
}

export interface WikiAuthorShare {
  user: string | null
  /** Tokens ever brought, and those that the text has. */
  added: number
  present: number
  /** Of all tokens of the text. */
  share: number
}

/** Words that follow one another and came with one revision. */
export interface WikiAuthoredRun {
  text: string
  /** A place in `authors`. */
  author: number
  revId: number
}

export interface WikiAuthorship {
  revId: number
  /** Who wrote most of it first. */
  authors: WikiAuthorShare[]
  runs: WikiAuthoredRun[]
}

export interface WikiEditorView {
  user: string
  editor: string
  edits: number
  pages: number
  minor: number
  firstAt: number
  lastAt: number
  netBytes: number
  revertsMade: number
  undoneByOthers: number
}

export interface WikiGapRow {
  pageId: number
  title: string | null
  revId: number | null
  kind: string
  sentence: string
  /** The log of the wiki explains it: then it is no fault. */
  isExplained: boolean
  foundAt: number
}

/** The credentials of the station; the secrets themselves are never sent. */
export interface WikiLogInState {
  hasToken: boolean
  bot: { user: string; refusedUntil: number | null; code: string | null } | null
}

export interface WikiPageComparison {
  pages: {
    wiki: string
    pageId: number
    title: string | null
    revisions: number
    editors: number
    minor: number
    anonymous: number
    firstAt: number
    lastAt: number
    size: number | null
    reverts: number
  }[]
  /** Of each two pages, the editors that both have. */
  overlaps: { one: number; other: number; common: number; likeness: number }[]
}
