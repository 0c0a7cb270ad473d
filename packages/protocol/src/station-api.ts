/** What a station's API answers to programs, the command line and the page. */
import type { Instant } from './clock.ts'
import type { CollectionStatus } from './collection.ts'

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
  title: string | null
}

/** A host and its clock, as the page shows it. */
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

export interface Snapshot {
  /** The station's clock, by which the page counts down the hosts' clocks. */
  now: Instant
  collections: LiveCollection[]
  captures: CaptureRow[]
  sample: Sample
  /** Only in the first one of a stream and in polled ones. */
  history?: readonly Sample[]
}
