/**
 * Which requests of one host go out now: its robots.txt first when it is unknown or old, then
 * queued URLs in order of priority, with what robots.txt and limits forbid ended as denied.
 */
import { asksToStayAway, isAllowedByRobots, originOf } from '@minga/net'
import {
  PRODUCT_TOKEN,
  type BlockRequest,
  type PreviousCapture,
  type RequestKind,
} from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { Running } from '../collections/collections.ts'
import { endUrls, type UrlEnd } from '../queue/end-urls.ts'
import { findOriginal } from '../queue/originals.ts'
import type { HostRow } from '../lease/take-hosts.ts'
import { readRobots, type RobotsMemory } from './robots-memory.ts'
import { isStillWanted, OUT_OF_SCOPE } from '../collections/scope-change/still-wanted.ts'

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
  /** The newest capture of this URL, by whatever collection. */
  previous_id: number | null
}

interface Choosing {
  collection: Running
  host: HostRow
  requestsMax: number
  /** Who asks: some requests are for one device alone. */
  device: string
  now: number
}

export async function chooseRequests(sql: Sql, args: Choosing): Promise<HostQueue> {
  const robots = new RobotsOfHost(sql, args.host.host_id)
  const requests: BlockRequest[] = []
  let denied = 0
  const requestsMax = Math.min(args.requestsMax, hostPagesLeft(args))
  while (requests.length < requestsMax && denied < DENIED_PER_TURN_MAX) {
    const rows = await readQueue(sql, { ...args, requestsMax }, requests.length)
    const ends: UrlEnd[] = []
    let robotsFirst: HostQueue | null = null
    for (const row of rows) {
      const verdict = await judge(robots, args, row)
      if (verdict.type === 'robots-first') {
        robotsFirst = verdict.queue
        break
      }
      if (verdict.type === 'send') requests.push(await requestOf(sql, args, row))
      else {
        const { outcome, code } = verdict
        ends.push({ hash: row.hash, outcome, code, url: addressOf(row.url) })
      }
    }
    await endUrls(sql, {
      collectionId: args.collection.id,
      hostId: args.host.host_id,
      ends,
      now: args.now,
    })
    denied += ends.length
    if (robotsFirst !== null) {
      // A robots.txt travels alone: its answer decides about everything after it.
      return requests.length === 0 ? robotsFirst : { requests, lookAgainAt: args.now }
    }
    if (ends.length === 0) break
  }
  if (requests.length > 0 || denied > 0) return { requests, lookAgainAt: args.now }
  return { requests, lookAgainAt: await earliestNotBefore(sql, args) }
}

const RESERVED = `AND EXISTS (SELECT 1 FROM reserved_urls r
  WHERE r.collection_id = urls.collection_id AND r.host_id = urls.host_id AND r.hash = urls.hash
    AND r.device = ?`

async function readQueue(sql: Sql, args: Choosing, skip: number): Promise<QueuedUrl[]> {
  const isReserved = args.collection.spec.kind === 'audits'
  const closed = args.host.closed_code
  return sql.all<QueuedUrl>(
    `SELECT hash, url, kind, depth, hops, via,
       (SELECT MAX(id) FROM captures c
        WHERE c.host_id = urls.host_id AND c.hash = urls.hash AND c.status = 200) AS previous_id
     FROM urls
     WHERE collection_id = ? AND host_id = ? AND outcome IS NULL AND not_before <= ?
       ${isReserved ? `${RESERVED}${closed === null ? '' : ' AND r.despite = ?'})` : ''}
     ORDER BY priority, hash LIMIT ? OFFSET ?`,
    [
      args.collection.id,
      args.host.host_id,
      args.now,
      ...(isReserved ? [args.device] : []),
      ...(isReserved && closed !== null ? [closed] : []),
      args.requestsMax - skip,
      skip,
    ],
  )
}

type Verdict =
  | { type: 'send' }
  | { type: 'forbidden'; code: string; outcome: 'denied' | 'failed' }
  | { type: 'robots-first'; queue: HostQueue }

async function judge(memory: RobotsOfHost, args: Choosing, row: QueuedUrl): Promise<Verdict> {
  // Another host waits for this file: no limit of this one may keep it waiting for ever.
  if (row.kind === 'robots') return { type: 'send' }
  // Found by the old scope while it was being changed, or not yet gone through since.
  if (args.collection.isRescoped && !isStillWanted(args.collection.spec, row)) {
    return { type: 'forbidden', code: OUT_OF_SCOPE, outcome: 'denied' }
  }
  const overLimit = hostLimitReached(args)
  if (overLimit) return { type: 'forbidden', code: overLimit, outcome: 'denied' }
  const robots = await memory.of(row.url)
  if (robots === null || robots.expiresAt <= args.now) {
    return {
      type: 'robots-first',
      queue: { requests: [robotsRequest(row.url)], lookAgainAt: null },
    }
  }
  if (robots.verdict === 'waiting') {
    return { type: 'robots-first', queue: { requests: [], lookAgainAt: robots.expiresAt } }
  }
  return followsEtiquette(args, robots) || isAllowedBy(robots, row.url)
    ? { type: 'send' }
    : { type: 'forbidden', code: robots.code ?? 'MINGA_ROBOTS_DENIED', outcome: robots.outcome }
}

/** Requests to a wiki's api.php: what robots.txt says of paths is meant for those that follow links. Its
 * Crawl-delay holds all the same, and a host that is closed stays closed. */
function followsEtiquette({ collection }: Choosing, { rules }: RobotsMemory): boolean {
  if (collection.spec.wiki?.robots !== 'etiquette') return false
  return rules === null || !asksToStayAway(rules, PRODUCT_TOKEN)
}

export function isAllowedBy(robots: RobotsMemory, url: string): boolean {
  if (robots.verdict === 'allow-all') return true
  if (robots.verdict === 'forbid-all' || robots.rules === null) return false
  return isAllowedByRobots(robots.rules, PRODUCT_TOKEN, url)
}

function hostLimitReached({ collection, host, now }: Choosing): string | null {
  const { maxPagesPerHost, maxBytesPerHost, maxTimePerHostS } = collection.spec
  if (maxTimePerHostS !== null && host.started_at > 0) {
    if (now - host.started_at >= maxTimePerHostS * 1_000) return 'MINGA_HOST_LIMIT'
  }
  if (maxPagesPerHost !== null && host.pages >= maxPagesPerHost) return 'MINGA_HOST_LIMIT'
  if (maxBytesPerHost !== null && host.bytes >= maxBytesPerHost) return 'MINGA_HOST_LIMIT'
  return null
}

/**
 * A host is out with one lease at a time, so what is not out now is all that may still come. At a
 * limit one URL is checked all the same, which ends it.
 */
function hostPagesLeft({ collection, host }: Choosing): number {
  const { maxPagesPerHost } = collection.spec
  return maxPagesPerHost === null ? Infinity : Math.max(1, maxPagesPerHost - host.pages)
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

async function requestOf(
  sql: Sql,
  { collection, now }: Choosing,
  row: QueuedUrl,
): Promise<BlockRequest> {
  const isVisit = collection.spec.kind === 'watch' && row.kind === 'document'
  return {
    hash: row.hash,
    url: addressOf(row.url),
    kind: row.kind,
    hops: row.hops,
    depth: row.depth,
    via: row.via,
    previous:
      row.previous_id === null ? null : await previousCapture(sql, row, isVisit ? now : null),
  }
}

/** The queue's key of a redirected robots.txt or a reserved document carries a fragment (see
 * robots-memory.ts, requests/reserved.ts); canonical addresses have none. */
export function addressOf(key: string): string {
  const cut = key.indexOf('#')
  return cut < 0 ? key : key.slice(0, cut)
}

type Known = Pick<PreviousCapture, 'digest' | 'url' | 'etag' | 'lastModified'> & {
  mime: string
  hostId: number
}

/** `visitedAt`: when a watched URL is visited; null: it is another kind of request. */
async function previousCapture(
  sql: Sql,
  row: QueuedUrl,
  visitedAt: number | null,
): Promise<PreviousCapture | null> {
  const last = await sql.get<Known>(
    `SELECT digest, url, etag, last_modified AS "lastModified", mime, host_id AS "hostId"
     FROM captures WHERE id = ?`,
    [row.previous_id],
  )
  if (!last || last.url !== row.url) return null
  const { mime, hostId, ...known } = last
  // Without it nothing could be repeated: what only refers to a lost payload is asked for whole.
  const original = await findOriginal(sql, { ...known, hostId, hashes: [row.hash, row.hash] })
  if (original === null) return null
  const previous = { ...known, ...original }
  const isWhole =
    visitedAt === null ? leadsOn(mime) || row.kind === 'document' : await isConfirmedLong(sql, row)
  if (isWhole) return { ...previous, etag: null, lastModified: null }
  return visitedAt === null
    ? previous
    : { ...previous, lastModified: pastOnly(previous, visitedAt) }
}

/** A site whose tags lie says "not modified" for ever: one visit in so many asks for the page. */
const CONFIRMED_MAX = 9

/** Whether the only known change of a URL for long is that the stored page is still the same. */
async function isConfirmedLong(sql: Sql, { hash, url, previous_id }: QueuedUrl): Promise<boolean> {
  const row = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM captures WHERE id > ? AND status = 304 AND hash = ? AND url = ?
       AND host_id = (SELECT host_id FROM captures WHERE id = ?)`,
    [previous_id, hash, url, previous_id],
  )
  return (row?.n ?? 0) >= CONFIRMED_MAX
}

/** A date that is yet to come would make a site say "not modified" until then, whatever it shows. */
function pastOnly({ lastModified }: PreviousCapture, now: number): string | null {
  return lastModified !== null && Date.parse(lastModified) > now ? null : lastModified
}

/**
 * A "not modified" has no body, so a collection that meets the page for the first time would never
 * see its links. Such pages are asked for whole; an unchanged one still becomes a revisit record.
 * So are clients' documents: the client wants the answer, not news of it. A visit of a watched URL
 * wants the news alone: it asks whether there is any, and costs the site next to nothing.
 */
function leadsOn(mime: string): boolean {
  return /html|css|xml|^unk$/.test(mime)
}

/** The host's robots memory, read once per scheme and turn instead of once per URL. */
class RobotsOfHost {
  readonly #sql: Sql
  readonly #hostId: number
  readonly #known = new Map<string, RobotsMemory | null>()

  constructor(sql: Sql, hostId: number) {
    this.#sql = sql
    this.#hostId = hostId
  }

  async of(url: string): Promise<RobotsMemory | null> {
    const scheme = url.startsWith('https:') ? 'https' : 'http'
    const known = this.#known.get(scheme)
    if (known !== undefined) return known
    const read = await readRobots(this.#sql, this.#hostId, scheme)
    this.#known.set(scheme, read)
    return read
  }
}

async function earliestNotBefore(sql: Sql, args: Choosing): Promise<number | null> {
  const row = await sql.get<{ at: number | null }>(
    `SELECT MIN(not_before) AS at FROM urls
     WHERE collection_id = ? AND host_id = ? AND outcome IS NULL`,
    [args.collection.id, args.host.host_id],
  )
  return row?.at ?? null
}
