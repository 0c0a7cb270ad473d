/**
 * Step 1 of the life of a capture: candidates become queued URLs unless they were seen before.
 * The seen-set is exact: the full URL is compared, and a hash collision probes the next number.
 */
import { hostKeyOf } from '@minga/net'
import type { RequestKind } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { addError, countErrors, type ErrorCounts } from './counters.ts'
import { wantOwners } from '../federation/host-claims.ts'
import { isUndecided, routeFound } from '../federation/route-found.ts'
import { insertSent, journalFound, sendUrls, type LeavingUrl } from '../federation/send-urls.ts'
import { hostsOf } from '../hosts/host-directory.ts'
import { priorityOf, URL_COLUMNS } from './queue-order.ts'
import { countFound, type HostCounts } from './queue-counts.ts'
import { forUpdate } from '../row-locks.ts'
import { overTrapBudget } from './trap-budget.ts'
import { urlHash } from './url-hash.ts'
import { findSlots } from './url-slots.ts'

export interface Candidate {
  /** Canonical: what `canonicalUrl` of the net room answers. */
  url: string
  kind: RequestKind
  depth: number
  hops: number
  via: string | null
  /** Why it must never be fetched, decided before it came here; recorded as denied. */
  refusal: string | null
}

export interface Placed extends Candidate {
  hostId: number
  hash: number
  /** Its host's key. */
  host: string
  /** The owner of its host by the map of a federation; null: there is none, or it is undecided. */
  station: string | null
  isHeld: boolean
  /** Another station that is to have it. */
  owner?: string
}

export async function discover(
  sql: Sql,
  args: { collectionId: number; candidates: readonly Candidate[]; trapBudget: boolean },
): Promise<number> {
  const { collectionId } = args
  if (args.candidates.length === 0) return 0
  const collection = await lockCollection(sql, collectionId)
  // What is still out when a collection is cancelled may come back, but it leads nowhere any more.
  if (collection?.state === 'cancelled') return 0
  const placed = await placeUrls(sql, args.candidates)
  const owners = await routeFound(sql, placed, collection?.federated === 1)
  const fresh = await unseen(sql, collectionId, placed)
  if (fresh.length === 0) return 0
  const staying = owners === null ? fresh : fresh.filter(({ owner }) => owner === undefined)
  await queueFresh(sql, { ...args, fresh: staying })
  if (owners === null) return fresh.length
  const leaving = fresh.filter((url): url is Placed & LeavingUrl => url.owner !== undefined)
  await insertSent(sql, { collectionId, urls: leaving })
  await sendUrls(sql, { collectionId, urls: leaving })
  const found = fresh.filter(({ refusal, kind }) => refusal === null && kind !== 'robots')
  if (collection?.federated === 1) await journalFound(sql, { owners, collectionId, found })
  await wantOwners(sql, hostsIn(staying.filter(isUndecided)))
  return fresh.length
}

export const hostsIn = (urls: readonly Placed[]): number[] => [
  ...new Set(urls.map(({ hostId }) => hostId)),
]

/** Two operations that find the same new URL: one after the other, the second sees it as seen. */
export function lockCollection(
  sql: Sql,
  id: number,
): Promise<{ state: string; federated: number } | undefined> {
  return sql.get(`SELECT state, federated FROM collections WHERE id = ?${forUpdate(sql)}`, [id])
}

/** Puts new URLs of hosts that are fetched from here into the queue, or notes why they never are. */
export async function queueFresh(
  sql: Sql,
  args: { collectionId: number; fresh: readonly Placed[]; trapBudget: boolean },
): Promise<void> {
  const { collectionId, fresh } = args
  if (fresh.length === 0) return
  if (args.trapBudget) await refuseTraps(sql, collectionId, fresh)
  await sql.insertMany({
    table: 'urls',
    columns: URL_COLUMNS,
    rows: fresh.map((url) => urlRow(collectionId, url)),
  })
  await countFresh(sql, collectionId, fresh)
}

export async function refuseTraps(
  sql: Sql,
  collectionId: number,
  fresh: readonly Placed[],
): Promise<void> {
  const suspects = fresh.filter((url) => url.kind === 'page' && url.refusal === null)
  const over = await overTrapBudget(sql, { collectionId, urls: suspects })
  for (const url of fresh) if (over.has(url)) url.refusal = 'MINGA_TRAP'
}

function urlRow(collectionId: number, url: Placed): Value[] {
  const outcome = url.refusal === null ? null : 'denied'
  return [
    collectionId,
    url.hostId,
    url.hash,
    url.url,
    url.kind,
    priorityOf(url),
    url.depth,
    url.hops,
    url.via,
    outcome,
    url.refusal,
  ]
}

export async function placeUrls(sql: Sql, candidates: readonly Candidate[]): Promise<Placed[]> {
  const keys = candidates.map((candidate) => hostKeyOf(candidate.url))
  const hosts = await hostsOf(sql, keys)
  const placed = new Map<string, Placed>()
  for (const [i, candidate] of candidates.entries()) {
    if (placed.has(candidate.url)) continue
    const host = keys[i]!
    const { id: hostId, closedCode, station, isHeld } = hosts.get(host)!
    const refusal = candidate.refusal ?? closedCode
    const hash = urlHash(candidate.url)
    const { url, kind, depth, hops, via } = candidate
    // Written out: spread objects cost a tenth of finding URLs.
    placed.set(url, { url, kind, depth, hops, via, refusal, hostId, hash, host, station, isHeld })
  }
  return [...placed.values()]
}

async function unseen(sql: Sql, collectionId: number, urls: Placed[]): Promise<Placed[]> {
  const slots = await findSlots(sql, { collectionId, urls, columns: [] })
  const fresh: Placed[] = []
  for (const { url, hash, row } of slots) {
    if (row !== null) continue
    url.hash = hash
    fresh.push(url)
  }
  return fresh
}

export async function countFresh(
  sql: Sql,
  collectionId: number,
  fresh: readonly Placed[],
): Promise<void> {
  const byHost = new Map<number, HostCounts>()
  const refusals: ErrorCounts = new Map()
  for (const url of fresh) {
    const host = byHost.get(url.hostId) ?? { queued: 0, found: 0 }
    byHost.set(url.hostId, host)
    host.found++
    if (url.refusal === null) host.queued++
    else addError(refusals, url.refusal, { url: url.url, at: null })
  }
  await countFound(sql, collectionId, byHost)
  await countErrors(sql, collectionId, refusals)
}
