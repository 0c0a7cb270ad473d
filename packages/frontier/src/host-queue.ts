/**
 * Which requests of one host go out now: its robots.txt first when it is unknown or old, then
 * queued URLs in order of priority, with what robots.txt and limits forbid ended as denied.
 */
import { isAllowedByRobots, originOf } from '@minga/net'
import type { BlockRequest, PreviousCapture, RequestKind } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { Running } from './collections.ts'
import { endUrls, type UrlEnd } from './end-urls.ts'
import type { HostRow } from './lease.ts'
import { readRobots, ROBOTS_TOKEN, type RobotsMemory } from './robots-memory.ts'

/** Denied URLs ended per look at a host; the rest wait for its next turn, so one transaction
 * stays short on a host with a million forbidden URLs. */
const DENIED_PER_TURN_MAX = 2_000

export interface HostQueue {
  requests: BlockRequest[]
  /** With no request to send: when to look again, or null when nothing is left. */
  lookAgainAt: number | null
}

interface QueuedUrl {
  hash: number
  url: string
  kind: RequestKind
  depth: number
  hops: number
  via: string | null
}

interface Choosing {
  collection: Running
  host: HostRow
  requestsMax: number
  now: number
}

export async function chooseRequests(sql: Sql, args: Choosing): Promise<HostQueue> {
  const requests: BlockRequest[] = []
  let denied = 0
  while (requests.length < args.requestsMax && denied < DENIED_PER_TURN_MAX) {
    const rows = await readQueue(sql, args, requests.length)
    const ends: UrlEnd[] = []
    let robotsFirst: HostQueue | null = null
    for (const row of rows) {
      const verdict = await judge(sql, args, row)
      if (verdict.type === 'robots-first') {
        robotsFirst = verdict.queue
        break
      }
      if (verdict.type === 'send') requests.push(await requestOf(sql, args, row))
      else ends.push({ hash: row.hash, outcome: verdict.outcome, code: verdict.code })
    }
    await endUrls(sql, { collectionId: args.collection.id, hostId: args.host.host_id, ends })
    denied += ends.length
    if (robotsFirst !== null) {
      // A robots.txt travels alone: its answer decides about everything after it.
      return requests.length === 0 ? robotsFirst : { requests, lookAgainAt: args.now }
    }
    if (ends.length === 0) break
  }
  return { requests, lookAgainAt: denied > 0 ? args.now : await earliestNotBefore(sql, args) }
}

async function readQueue(sql: Sql, args: Choosing, skip: number): Promise<QueuedUrl[]> {
  return sql.all<QueuedUrl>(
    `SELECT hash, url, kind, depth, hops, via FROM urls
     WHERE collection_id = ? AND host_id = ? AND outcome IS NULL AND not_before <= ?
     ORDER BY priority LIMIT ? OFFSET ?`,
    [
      args.collection.id,
      args.host.host_id,
      args.now,
      args.requestsMax - skip,
      skip,
    ],
  )
}

type Verdict =
  | { type: 'send' }
  | { type: 'forbidden'; code: string; outcome: 'denied' | 'failed' }
  | { type: 'robots-first'; queue: HostQueue }

async function judge(sql: Sql, args: Choosing, row: QueuedUrl): Promise<Verdict> {
  const overLimit = hostLimitReached(args)
  if (overLimit) return { type: 'forbidden', code: overLimit, outcome: 'denied' }
  if (row.kind === 'robots') return { type: 'send' }
  const scheme = row.url.startsWith('https:') ? 'https' : 'http'
  const robots = await readRobots(sql, args.host.host_id, scheme)
  if (robots === null || robots.expiresAt <= args.now) {
    return { type: 'robots-first', queue: { requests: [robotsRequest(row.url)], lookAgainAt: null } }
  }
  if (robots.verdict === 'waiting') {
    return { type: 'robots-first', queue: { requests: [], lookAgainAt: robots.expiresAt } }
  }
  return allowedBy(robots, row.url)
    ? { type: 'send' }
    : { type: 'forbidden', code: robots.code ?? 'MINGA_ROBOTS_DENIED', outcome: robots.outcome }
}

function allowedBy(robots: RobotsMemory, url: string): boolean {
  if (robots.verdict === 'allow-all') return true
  if (robots.verdict === 'forbid-all' || robots.rules === null) return false
  return isAllowedByRobots(robots.rules, ROBOTS_TOKEN, url)
}

function hostLimitReached({ collection, host }: Choosing): string | null {
  const { maxPagesPerHost, maxBytesPerHost } = collection.spec
  if (maxPagesPerHost !== null && host.pages >= maxPagesPerHost) return 'MINGA_HOST_LIMIT'
  if (maxBytesPerHost !== null && host.bytes >= maxBytesPerHost) return 'MINGA_HOST_LIMIT'
  return null
}

function robotsRequest(url: string): BlockRequest {
  return {
    hash: 0,
    url: `${originOf(url)}/robots.txt`,
    kind: 'robots',
    hops: 0,
    depth: 0,
    via: null,
    previous: null,
  }
}

async function requestOf(sql: Sql, args: Choosing, row: QueuedUrl): Promise<BlockRequest> {
  return {
    hash: row.hash,
    // The queue's key of a redirected robots.txt carries a fragment (see robots-memory.ts).
    url: row.kind === 'robots' ? row.url.replace(/#.*$/s, '') : row.url,
    kind: row.kind,
    hops: row.hops,
    depth: row.depth,
    via: row.via,
    previous: await previousCapture(sql, args.host.host_id, row),
  }
}

async function previousCapture(
  sql: Sql,
  hostId: number,
  row: QueuedUrl,
): Promise<PreviousCapture | null> {
  const last = await sql.get<PreviousCapture & { url: string }>(
    `SELECT digest, url, captured_at AS "capturedAt", etag, last_modified AS "lastModified"
     FROM captures WHERE host_id = ? AND hash = ? AND status = 200
     ORDER BY captured_at DESC LIMIT 1`,
    [hostId, row.hash],
  )
  return last && last.url === row.url ? last : null
}

async function earliestNotBefore(sql: Sql, args: Choosing): Promise<number | null> {
  const row = await sql.get<{ at: number | null }>(
    `SELECT MIN(not_before) AS at FROM urls
     WHERE collection_id = ? AND host_id = ? AND outcome IS NULL`,
    [args.collection.id, args.host.host_id],
  )
  return row?.at ?? null
}
