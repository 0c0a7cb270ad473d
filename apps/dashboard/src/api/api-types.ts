/** The station's API as the page reads it. The page knows nothing of the station but this. */

export type CollectionState = 'running' | 'paused' | 'finished' | 'cancelled'

export const SCOPES = ['page', 'prefix', 'host', 'domain', 'any'] as const
export type ScopeKind = (typeof SCOPES)[number]

export interface CollectionSpec {
  /** The first few; `seedCount` says how many there are. */
  seeds: string[]
  scope: ScopeKind
  maxPages: number | null
  maxDepth: number | null
  maxBytes: number | null
  maxTimeS: number | null
  delayMs: number
}

export interface CollectionRequest extends CollectionSpec {
  include: string[]
  exclude: string[]
  embeds: boolean
}

export interface Collection {
  id: number
  state: CollectionState
  reason: string | null
  createdAt: number
  endedAt: number | null
  spec: CollectionSpec
  seedCount: number
  found: number
  /** URLs without an outcome, those out with agents included. */
  queued: number
  leased: number
  pages: number
  captures: number
  bytes: number
  failed: number
  denied: number
  cancelled: number
  duplicates: number
  errors: Record<string, number>
}

export interface Capture {
  id: number
  collectionId: number
  url: string
  capturedAt: number
  kind: 'response' | 'revisit'
  status: number
  mime: string
  length: number
  title: string | null
}

export interface Host {
  id: number
  name: string
  address: string | null
  nextAllowedAt: number
  isOut: boolean
  crawlDelayMs: number
  backoffMs: number
  queued: number
  pages: number
  bytes: number
}

/** Counts of the running collections at one moment, by their ids. */
export interface Sample {
  at: number
  done: Record<number, number>
  bytes: Record<number, number>
}

export interface Snapshot {
  now: number
  collections: Collection[]
  captures: Capture[]
  sample: Sample
  /** Only in the first one of a stream and in polled ones. */
  history?: Sample[]
}
