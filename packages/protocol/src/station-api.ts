/** What a station's API answers to programs, the command line and the page. */
import type { Instant } from './clock.ts'
import type { CollectionState, CollectionStatus } from './collection.ts'

export interface CaptureRow {
  id: number
  /** 0 for captures of imported files. */
  collectionId: number
  url: string
  capturedAt: Instant
  kind: 'response' | 'revisit'
  status: number
  mime: string
  digest: string
  file: string
  offset: number
  length: number
  /**
   * WARC-Record-ID of the response that holds the payload: its own, or the one that a revisit refers
   * to. Null where that is not known, as in archives of older versions.
   */
  recordId: string | null
  title: string | null
}

/** A host and its clock, as the page shows it. */
/** What the clock of a host was before the operator reset it. */
export interface HostReset {
  host: string
  /** Until when the host was to wait; 0 when it was never contacted. */
  waitedUntil: number
  /** The pause after each answer that it had in addition to the delay of collections. */
  backoffMs: number
}

export interface HostStatus {
  id: number
  name: string
  address: string | null
  /** Where the address is, when the station has a file that says so. */
  country: string | null
  nextAllowedAt: Instant
  /** Some agent is at it. */
  isOut: boolean
  /** What the collection by itself lets it rest. */
  delayMs: number
  crawlDelayMs: number
  backoffMs: number
  latencyMs: number
  queued: number
  found: number
  pages: number
  bytes: number
}

/** With the first few seeds only; `seedCount` says how many there are. */
export type LiveCollection = CollectionStatus & { seedCount: number }

/** Counts of every collection that moved, by its id: URLs done and bytes taken in so far. */
export interface Sample {
  at: Instant
  done: Record<number, number>
  bytes: Record<number, number>
}

/** The whole station in a few figures. */
export interface StationFigures {
  /** Over all collections. */
  urls: Pick<
    CollectionStatus,
    'found' | 'queued' | 'leased' | 'pages' | 'captures' | 'bytes' | 'failed'
  >
  collections: Record<CollectionState, number>
  agents: { working: number; idle: number }
  /** Running now. */
  queries: number
  wikiTasks: number
  /** Whose moment has come, those that are out included. */
  visitsDue: number
  lastError: { code: string; url: string | null; at: Instant; collectionId: number } | null
}

export interface CollectionPage {
  rows: LiveCollection[]
  /** Where the next page begins; null at the end. */
  cursor: string | null
  /** How many match. */
  total: number
}

export interface CollectionHosts {
  rows: HostStatus[]
  cursor: string | null
  total: number
}

export interface CollectionCaptures {
  rows: CaptureRow[]
  cursor: string | null
}

/** Counts of a collection at one moment of its life. */
export interface CurvePoint {
  at: Instant
  found: number
  queued: number
  pages: number
  bytes: number
  failed: number
}

export interface CollectionCurve {
  points: CurvePoint[]
}

/** What the station did in a span that begins at `at`. */
export interface ThroughputPoint {
  at: Instant
  spanMs: number
  done: number
  bytes: number
}

export interface FacetBar {
  value: string
  count: number
  bytes: number
}

export interface ErrorView {
  code: string
  count: number
  lastUrl: string | null
  lastAt: Instant | null
}

export interface CollectionFacets {
  /** Families of media types. */
  types: FacetBar[]
  statuses: FacetBar[]
  depths: FacetBar[]
  errors: ErrorView[]
}

/** Whether an address would be collected, and why not. */
export interface PreviewedUrl {
  given: string
  url: string | null
  isIn: boolean
  /** `reach`: outside the scope; `include`: matches none; `exclude`: matches `pattern`. */
  why: 'in' | 'no-address' | 'refused' | 'reach' | 'exclude' | 'include' | 'filter'
  pattern: string | null
}

export interface ScopePreview {
  urls: PreviewedUrl[]
  /** The captured page whose links these are, if they are. */
  page: { url: string; capturedAt: Instant } | null
}

/** What is known of a seed's host before anything is collected from it. */
export interface SeedCheck {
  given: string
  url: string | null
  /** Why it must not be fetched at all; null: nothing forbids it so far. */
  refusal: string | null
  robots:
    | {
        state: 'known'
        fetchedAt: Instant
        isAllowed: boolean
        /** `unavailable`: it could not be fetched, which forbids everything. */
        verdict: 'rules' | 'none' | 'unavailable'
        crawlDelayMs: number
        sitemaps: string[]
      }
    | { state: 'asking' | 'no-agent' | 'silent' | 'unasked' }
    | { state: 'failed'; code: string }
}

export interface SeedChecks {
  seeds: SeedCheck[]
  userAgent: string
}

export interface Snapshot {
  /** The station's clock, by which the page counts down the hosts' clocks. */
  now: Instant
  /** Those that run or rest, and the newest that ended. */
  collections: LiveCollection[]
  station: StationFigures
  captures: CaptureRow[]
  sample: Sample
  /** Only in the first one of a stream and in polled ones. */
  history?: readonly Sample[]
}
