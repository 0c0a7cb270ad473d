/**
 * What the wiki room speaks of. A *wiki* is one MediaWiki, a *page* is known by its id inside its wiki, a
 * *revision* by its id inside its wiki; titles change, ids do not.
 */

/** Fields that the wiki itself hides from everyone who may not see them. */
export type HiddenField = 'user' | 'comment' | 'text' | 'sha1'

/** The content of one slot of a revision. Wikis before 1.32 have `main` alone. */
export interface Slot {
  role: string
  /** For example `wikitext`; null when the source does not say. */
  model: string | null
  /** For example `text/x-wiki`; null when the source does not say. */
  format: string | null
  /** Bytes of the text in UTF-8; null when the source does not say. */
  size: number | null
  /** 40 lower-case hex digits; null when hidden or not given. */
  sha1: string | null
  /** UTF-8, byte for byte as the wiki gave it; null when hidden, lost upstream or not asked for. */
  text: Uint8Array | null
}

/** How an editor was known to the wiki at the time. `temporary` are MediaWiki's accounts without a name (`~2026-1`). */
export type EditorKind = 'registered' | 'anonymous' | 'temporary' | 'imported' | 'unknown'

export interface Revision {
  pageId: number
  revId: number
  /** 0: it created its page; null: the source does not say. */
  parentId: number | null
  /** Milliseconds since 1970, UTC; wikis count whole seconds. */
  at: number
  /** Name, or the address of an anonymous editor; null when hidden. */
  user: string | null
  userId: number | null
  editor: EditorKind
  isMinor: boolean
  /** Sum over its slots, in bytes; null when the source does not say. */
  size: number | null
  /** Of the whole revision, as the wiki says it: 40 lower-case hex digits. With one slot that of its text. */
  sha1: string | null
  /** Edit summary; null when hidden or not given. */
  comment: string | null
  /** The summary as HTML, where the source gives it. */
  parsedComment: string | null
  tags: string[]
  hidden: HiddenField[]
  /** Hidden even from administrators. */
  isSuppressed: boolean
  /** `main` first. */
  slots: Slot[]
}

/** What is known of a page besides its revisions. */
export interface Page {
  pageId: number
  /** Number of its namespace; 0 holds articles. */
  ns: number
  /** With the name of its namespace, spaces instead of underscores. */
  title: string
  /** The page it redirects to, by title; null for one that does not. */
  redirect: string | null
}

/** By which road revisions came; the store says so of each. */
export type RevisionSource = 'api' | 'dump' | 'export' | 'history-pages'

export interface Namespace {
  id: number
  name: string
  /** Other names it answers to: canonical English, local aliases. */
  aliases: string[]
  isCaseSensitive: boolean
}

/** What `meta=siteinfo` or the head of a dump tells of a wiki. */
export interface SiteInfo {
  name: string
  /** Name of its database, for example `enwiki`; many small wikis share one, so it is no identity. */
  dbName: string | null
  /** Address of its main page, for example `https://en.wikipedia.org/wiki/Main_Page`. */
  base: string
  /** For example `MediaWiki 1.39.17`. */
  generator: string | null
  language: string | null
  /** `first-letter` or `case-sensitive`. */
  case: string
  namespaces: Namespace[]
  /** Where its api.php answers; null for a wiki known from a dump alone. */
  apiUrl: string | null
  /** Path of articles with `$1` for the title, for example `/wiki/$1`. */
  articlePath: string | null
  /** Revisions with text that one request may ask for; 50 by default. */
  rvLimit: number
  /** Where its content says what licence it has. */
  rights: { text: string | null; url: string | null }
}
