/**
 * Step 1 of the life of a capture: candidates become queued URLs unless they were seen before.
 * The seen-set is exact: the full URL is compared, and a hash collision probes the next number.
 */
import { hostKeyOf } from '@minga/net'
import type { RequestKind } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { countErrors } from './counters.ts'
import { hostsOf } from './host-directory.ts'
import { countFound, type HostCounts } from './queue-counts.ts'
import { forUpdate } from './row-locks.ts'
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

interface Placed extends Candidate {
  hostId: number
  hash: number
}

const URL_COLUMNS = [
  'collection_id',
  'host_id',
  'hash',
  'url',
  'kind',
  'priority',
  'depth',
  'hops',
  'via',
  'outcome',
  'code',
]

export async function discover(
  sql: Sql,
  args: { collectionId: number; candidates: readonly Candidate[]; trapBudget: boolean },
): Promise<number> {
  if (args.candidates.length === 0 || (await isCancelled(sql, args.collectionId))) return 0
  const fresh = await unseen(sql, args.collectionId, await place(sql, args.candidates))
  if (fresh.length === 0) return 0
  if (args.trapBudget) {
    const suspects = fresh.filter((url) => url.kind === 'page' && url.refusal === null)
    const over = await overTrapBudget(sql, { collectionId: args.collectionId, urls: suspects })
    for (const url of fresh) if (over.has(url)) url.refusal = 'MINGA_TRAP'
  }
  await sql.insertMany({
    table: 'urls',
    columns: URL_COLUMNS,
    rows: fresh.map((url) => urlRow(args.collectionId, url)),
  })
  await countFresh(sql, args.collectionId, fresh)
  return fresh.length
}

/** What is still out when a collection is cancelled may come back, but it leads nowhere any more. */
async function isCancelled(sql: Sql, collectionId: number): Promise<boolean> {
  const row = await sql.get<{ state: string }>(
    `SELECT state FROM collections WHERE id = ?${forUpdate(sql)}`,
    [collectionId],
  )
  return row?.state === 'cancelled'
}

/** Breadth first: the queue is ordered by depth, seeds (depth 0) and robots.txt before all. */
function urlRow(collectionId: number, url: Placed): Value[] {
  const priority = url.kind === 'page' ? url.depth + 1 : 0
  const outcome = url.refusal === null ? null : 'denied'
  return [
    collectionId,
    url.hostId,
    url.hash,
    url.url,
    url.kind,
    priority,
    url.depth,
    url.hops,
    url.via,
    outcome,
    url.refusal,
  ]
}

async function place(sql: Sql, candidates: readonly Candidate[]): Promise<Placed[]> {
  const keys = candidates.map((candidate) => hostKeyOf(candidate.url))
  const hosts = await hostsOf(sql, keys)
  const placed = new Map<string, Placed>()
  for (const [i, candidate] of candidates.entries()) {
    if (placed.has(candidate.url)) continue
    const { id: hostId, closedCode } = hosts.get(keys[i]!)!
    const refusal = candidate.refusal ?? closedCode
    placed.set(candidate.url, { ...candidate, refusal, hostId, hash: urlHash(candidate.url) })
  }
  return [...placed.values()]
}

async function unseen(sql: Sql, collectionId: number, urls: Placed[]): Promise<Placed[]> {
  const slots = await findSlots(sql, { collectionId, urls, columns: [] })
  return slots.filter(({ row }) => row === null).map(({ url, hash }) => ({ ...url, hash }))
}

async function countFresh(sql: Sql, collectionId: number, fresh: Placed[]): Promise<void> {
  const byHost = new Map<number, HostCounts>()
  const refusals = new Map<string, number>()
  for (const url of fresh) {
    const host = byHost.get(url.hostId) ?? { queued: 0, found: 0 }
    byHost.set(url.hostId, host)
    host.found++
    if (url.refusal === null) host.queued++
    else refusals.set(url.refusal, (refusals.get(url.refusal) ?? 0) + 1)
  }
  await countFound(sql, collectionId, byHost)
  await countErrors(sql, collectionId, refusals)
}
