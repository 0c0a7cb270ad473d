/** How robots crawl, and what is measured of it. */
import type { PolitenessName } from './pause.ts'
import type { Workload } from './workload.ts'

export interface CrawlRules {
  politeness: PolitenessName
  /** What politeness is owed to: names, as in the thesis, or machines, as in the product. */
  unit: 'host' | 'address'
  /** Pages at once per robot, each of another server. */
  connections: number
  bytesPerS: number
  /** Who has `bytesPerS`: every connection, or a robot for all of its connections together. */
  sharing: 'connection' | 'robot'
  pageBytes: number
  /** Round trips before the first byte of a page: to connect, and to ask. */
  roundTrips: number
  /** Spread of round trips: standard deviation of their logarithm. */
  jitter: number
  /** Share of requests that are never answered. */
  loss: number
  timeoutS: number
  /** After so many requests without an answer a page is given up. */
  mostTries: number
  /** Foreign URLs leave in batches of so many, or after so many seconds. */
  batchUrls: number
  batchSeconds: number
  /** Pauses are chosen with all pages counted beforehand, or by those found so far. */
  pageCounts: 'known' | 'found'
}

/** The thesis's figures; where it is silent, see docs/experiments-partition.md. */
export const THESIS_CRAWL: CrawlRules = {
  politeness: 'constant-15',
  unit: 'host',
  connections: 50,
  bytesPerS: 250_000,
  sharing: 'robot',
  pageBytes: 25_000,
  roundTrips: 2,
  jitter: 0.2,
  loss: 0,
  timeoutS: 30,
  mostTries: 5,
  batchUrls: 500,
  batchSeconds: 60,
  pageCounts: 'known',
}

/** Who owns which page: by host, or page by page when whole addresses are hashed. */
export type Owners = { byHost: Int32Array } | { byPage: Int32Array }

/** A robot leaves or comes back. */
export interface Change {
  atS: number
  robot: number
  isThere: boolean
}

/** What is known while a crawl runs, for placing again. */
export interface CrawlState {
  /** 1 for pages that were fetched. */
  fetched: Uint8Array
  /** 1 for URLs that were found, fetched or not. */
  found: Uint8Array
  /** 1 for robots that are there. */
  present: Uint8Array
  owners: Owners
}

export interface CrawlTask {
  workload: Workload
  robots: Int32Array
  owners: Owners
  rules: CrawlRules
  seed: number
  changes?: readonly Change[]
  /** Placed again when such shares of all pages are fetched. */
  replanAt?: readonly number[]
  /** The allocator's own rule; needed with changes and replans. */
  place?: (state: CrawlState) => Owners
}

export interface CrawlResult {
  /** Until the last page, 90 % and 99 % of them were fetched. */
  makespanS: number
  to90S: number
  to99S: number
  fetched: number
  failed: number
  /** Links found that lead to another robot's page, over all links found. */
  exchangeShare: number
  /** URLs that were really sent: once per robot and URL; and the messages they went in. */
  urlsSent: number
  messages: number
  /** Mean round trip of all requests, without jitter. */
  rttMs: number
  /** Pages of the busiest robot over the mean, less 1. */
  imbalance: number
  /** Share of robot time after a robot's last page. */
  idleTail: number
  hostViolations: number
  addressViolations: number
  /** Pages still to be fetched whose host changed its owner, over all pages. */
  movedShare: number
}
