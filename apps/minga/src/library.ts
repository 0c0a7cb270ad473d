/**
 * Minga as a library: `import { crawl, openStation } from 'minga'`. It prints nothing and ends no
 * process; what goes wrong is thrown, with a `code` that docs/reference/errors.md explains.
 *
 * Nothing is imported before the version of Node is known, and types are written out: what programs
 * rely on is this file alone.
 */

const OLDEST = [24, 12] as const

export class NodeTooOld extends Error {
  readonly code = 'MINGA_NODE_TOO_OLD'
  constructor(version: string) {
    super(`Minga needs Node ${OLDEST.join('.')} or newer and this is Node ${version}.`)
    this.name = 'NodeTooOld'
  }
}

export interface CrawlOptions {
  /** The folder that holds the archive; by default `minga-data` in the current one. */
  data?: string
  /** How far links are followed; by default `host`. */
  scope?: 'page' | 'prefix' | 'host' | 'domain' | 'any'
  maxPages?: number
  /** Links to follow away from the first addresses. */
  maxDepth?: number
  /** Between two requests to a host; by default one second. */
  delayMs?: number
  /** Regular expressions: only addresses that match one of them. */
  include?: readonly string[]
  /** Regular expressions: no addresses that match any of them. */
  exclude?: readonly string[]
  /** Also dial loopback and private addresses. */
  allowPrivateAddresses?: boolean
  /** A mail address or a page, for owners of sites who want to reach you. */
  contact?: string
  /** Requests in flight at once. */
  concurrency?: number
  /** Stops it: what is in flight is finished, and the same call continues it later. */
  signal?: AbortSignal
  /** Called a few times per second. What it throws ends the crawl. */
  onProgress?: (progress: CrawlCounts) => void
}

/** Totals of the collection, over all calls that continued it. */
export interface CrawlCounts {
  pages: number
  captures: number
  bytes: number
  failed: number
  /** Not asked for, by robots.txt or another rule. */
  denied: number
  duplicates: number
  /** Addresses that are still to be fetched. */
  left: number
}

export interface CrawlSummary extends CrawlCounts {
  /** `failed`: nothing could be captured. `stopped`: by the signal, or at its station. */
  outcome: 'complete' | 'with-errors' | 'at-limit' | 'failed' | 'stopped'
  /** How often each error happened, by its code. */
  errors: Record<string, number>
  /** Of this call. */
  seconds: number
  /** The folder of WARC files. */
  archive: string
}

export interface StationOptions {
  /** The folder of the station; by default `minga-data` in the current one. */
  data?: string
  /** By default any that is free. */
  port?: number
  /** The address to bind; by default 127.0.0.1. */
  listen?: string
  /** Agents of this machine; by default one. */
  agents?: number
  /** Processes that work on queries; by default one. */
  workers?: number
  /** Also dial loopback and private addresses. */
  allowPrivateAddresses?: boolean
  /** A mail address or a page, for owners of sites who want to reach you. */
  contact?: string
  /** Where the world reaches the station, as in `https://minga.example`. */
  publicUrl?: string
  /** Keep the state in PostgreSQL. */
  postgres?: string
  /** Requests in flight at once, for each agent. */
  concurrency?: number
}

export interface Station {
  /** Where its page and its API are. */
  url: string
  /** An API key with all rights. */
  key: string
  /** Calls the API: `call('GET', '/collections')`. Answers what the station answered, read as JSON. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<unknown>
  /** Finishes what is in flight and ends every process of the station. */
  close(): Promise<void>
}

/** Collects sites into an archive; the same addresses and scope again continue it. */
export async function crawl(
  urls: string | readonly string[],
  options: CrawlOptions = {},
): Promise<CrawlSummary> {
  requireNode()
  const { runCrawl } = await import('./library-crawl.ts')
  return runCrawl(typeof urls === 'string' ? [urls] : [...urls], options)
}

/** Starts a station, which runs until it is closed or this process ends. */
export async function openStation(options: StationOptions = {}): Promise<Station> {
  requireNode()
  const { startStation } = await import('./library-station.ts')
  return startStation(options)
}

function requireNode(): void {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  if (!isNewEnough) throw new NodeTooOld(node)
}
