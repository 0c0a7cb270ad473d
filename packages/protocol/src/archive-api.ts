/** What reading the archive answers: search, versions, calendars, and what people keep. */
import type { Instant } from './clock.ts'
import type { CaptureRow } from './station-api.ts'
import type { VersionState } from './watch.ts'

/** An archived URL with the span of its captures. */
export interface ArchivedUrl {
  url: string
  /** Of its newest capture. */
  title: string | null
  firstAt: Instant
  lastAt: Instant
  captures: number
}

export interface ArchiveSearchPage {
  urls: ArchivedUrl[]
  /** To be sent as `after` for more; null at the end. */
  next: string | null
}

/** A text with places in it: from, and up to but not including. */
export interface MarkedText {
  text: string
  marks: [from: number, to: number][]
}

/** A text with the words that were asked for; captures with the very same bytes are one. */
export interface ArchiveTextHit {
  /** Of the capture with this text that was kept last. */
  captureId: number
  url: string
  title: MarkedText | null
  capturedAt: Instant
  collectionId: number
  mime: string
  /** How many captures have this text; counted up to 1,000. */
  captures: number
  snippet: MarkedText
}

/** How far the archive's texts are indexed. */
export interface TextIndexState {
  /** False when the setting `textCharacters` is 0. */
  isOn: boolean
  /** Captures that were checked, of all. */
  indexed: number
  captures: number
}

export interface ArchiveTextPage {
  /** Those that came last first. */
  hits: ArchiveTextHit[]
  /** To be sent as `after` for more; null at the end. */
  next: number | null
  /** On the first page: texts with these words, whatever else was asked of them. */
  estimate: { texts: number; isMore: boolean } | null
  index: TextIndexState
}

/** Captures by the page. */
export interface CapturePage {
  captures: CaptureRow[]
  /** To be sent as `after` for more; null at the end. */
  next: string | null
}

/** What the archive, or one collection of it, holds. */
export interface ArchiveSizes {
  captures: number
  /** Captures with a payload of their own, and those that refer to an earlier one. */
  responses: number
  revisits: number
  /** Of the records as they lie in the files. */
  storedBytes: number
  /** Of all payloads, as they were sent. */
  payloadBytes: number
  /** Payloads that were not kept a second time. */
  savedBytes: number
}

/** One step of a repair: revisits that were led to the response with their payload. */
export interface RepairAnswer {
  /** Revisits that were checked. */
  checked: number
  /** Those that did not refer to the response with their payload. */
  repaired: number
  /** Those whose payload is not in the archive. */
  lost: { url: string; timestamp: string }[]
  /** To be sent as `afterId` for the next step; null at the end. */
  next: number | null
}

/** What a repaired capture was before; it stays in its file, and nothing leads to it any more. */
export interface SupersededRecord {
  file: string
  offset: number
  length: number
}

/** A capture that was taken down. */
export interface Tombstone {
  url: string
  capturedAt: Instant
  reason: string
  askedAt: Instant
}

/** A URL's captures around a moment. */
export interface ArchivedMoment {
  url: string
  capture: CaptureRow
  first: Instant
  last: Instant
  previous: Instant | null
  next: Instant | null
}

/** The body of a 404: what there is instead, and how to get it. */
export interface NotArchivedView {
  error: { code: string; message: string }
  url: string
  /** Captures of other spellings of the address, each the nearest in time. */
  variants: CaptureRow[]
  /** Other addresses of the same host. */
  sameHost: ArchivedUrl[]
  /** The call that collects it now. */
  collect: { method: 'POST'; path: string; body: { seeds: string[]; scope: 'page' } }
}

/** A site as it was at one moment: a harvest of a watch, or a crawl that has ended. */
export interface ArchiveVersion {
  collectionId: number
  number: number
  name: string
  seed: string | null
  state: VersionState
  /** Why it is truncated or cancelled. */
  reason: string | null
  /** What it was made for; `crawl` for a crawl. */
  cause: string
  startedAt: Instant
  endedAt: Instant | null
  durationMs: number | null
  documents: number
  bytes: number
  failed: number
  /** WARC files and devices; in a list, those of crawls are left out. */
  files: string[]
  agents: string[]
}

export const DOCUMENT_STATES = ['added', 'removed', 'changed', 'unchanged'] as const
export type DocumentState = (typeof DOCUMENT_STATES)[number]
export type VersionCounts = Record<DocumentState, number>

export interface DocumentChange {
  url: string
  title: string | null
  state: DocumentState
  beforeAt: Instant | null
  afterAt: Instant | null
}

export interface VersionComparison {
  before: ArchiveVersion
  after: ArchiveVersion
  counts: VersionCounts
  documents: DocumentChange[]
  next: string | null
}

/** What happened on one day, in UTC. */
export interface CalendarDay {
  /** `2026-01-31`. */
  day: string
  captures: number
  changes: number
}

export interface Favourite {
  url: string
  note: string
  addedAt: Instant
}

export interface PastSearch {
  id: number
  text: string
  by: string
  searchedAt: Instant
}

/** Where archived pages are shown: origins of their own, so that their scripts cannot reach this one. */
export interface ReplayOrigin {
  /** As the operator says, with a wildcard in place of the collection; null: names of this machine with the port. */
  url: string | null
  port: number | null
}

export interface ReplayAccess extends ReplayOrigin {
  /**
   * Where the pages of the collection are replayed, which no other collection shares. Null without a collection, and
   * where the station has no wildcard name: only raw views are shown there, at the port.
   */
  origin: string | null
  /** Opens what the collection captured for an hour, as in `/pass/PASS/view/…`; null for unknown callers. */
  pass: string | null
}

/** One of two captures that were compared. */
export interface DiffSide {
  timestamp: string
  capturedAt: Instant
  status: number
  mime: string
  digest: string
}

export interface DiffBlockView {
  kind: 'same' | 'added' | 'removed' | 'moved' | 'edited'
  before?: string
  after?: string
  /** Of an edited block. */
  words?: { kind: 'same' | 'added' | 'removed'; text: string }[]
  /** It differs in a region that the watch ignores as noise, and does not count. */
  isIgnored?: true
}

/** The watch by whose eyes two captures were compared: by its selectors, and past the noise it learnt. */
export interface DiffWatch {
  id: number
  name: string
  /** It was asked for, is the only one that has the URL, or the most important of several. */
  chosen: 'asked' | 'only' | 'important'
  selectors: { include: string[]; exclude: string[] }
  /** Places of the page that are known to change by themselves. */
  masks: number
}

/** What changed between two captures of a URL; the three figures are from 0 to 1. */
export interface CaptureDiff {
  url: string
  before: DiffSide
  after: DiffSide
  changed: boolean
  visual: number
  structural: number
  content: number
  magnitude: number
  reasons: string[]
  blocks: DiffBlockView[]
  /** Null: everything in them counted. */
  watch: DiffWatch | null
  /** Only so many blocks, or bytes, of each were compared. */
  truncatedAt?: number
  comparedBytes?: number
}
