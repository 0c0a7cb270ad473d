/**
 * Step 1 of the life of a capture: candidates become queued URLs unless they were seen before.
 * The seen-set is exact: the full URL is compared, and a hash collision probes the next number.
 */
import { hostKeyOf } from '@minga/net'
import type { RequestKind } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { countErrors } from './counters.ts'
import { hostIdsOf } from './host-directory.ts'
import { forUpdate } from './row-locks.ts'
import { overTrapBudget } from './trap-budget.ts'
import { urlHash } from './url-hash.ts'

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
  await countFound(sql, args.collectionId, fresh)
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
  const ids = await hostIdsOf(sql, keys)
  const placed = new Map<string, Placed>()
  for (const [i, candidate] of candidates.entries()) {
    if (placed.has(candidate.url)) continue
    const hostId = ids.get(keys[i]!)!
    placed.set(candidate.url, { ...candidate, hostId, hash: urlHash(candidate.url) })
  }
  return [...placed.values()]
}

async function unseen(sql: Sql, collectionId: number, urls: Placed[]): Promise<Placed[]> {
  const fresh: Placed[] = []
  const taken = new Set<string>()
  let open = urls
  while (open.length > 0) {
    const rows = await sql.selectMany<{ url: string }>({
      table: 'urls',
      keys: ['collection_id', 'host_id', 'hash'],
      rows: open.map((url) => [collectionId, url.hostId, url.hash]),
      columns: ['url'],
    })
    const collided: Placed[] = []
    for (const [i, url] of open.entries()) {
      const slot = `${url.hostId} ${url.hash}`
      if (rows[i]?.url === url.url) continue
      if (rows[i] !== undefined || taken.has(slot)) collided.push({ ...url, hash: url.hash + 1 })
      else {
        taken.add(slot)
        fresh.push(url)
      }
    }
    open = collided
  }
  return fresh
}

async function countFound(sql: Sql, collectionId: number, fresh: Placed[]): Promise<void> {
  const byHost = new Map<number, { queued: number; found: number }>()
  const refusals = new Map<string, number>()
  let queued = 0
  for (const url of fresh) {
    const host = byHost.get(url.hostId) ?? { queued: 0, found: 0 }
    byHost.set(url.hostId, host)
    host.found++
    if (url.refusal === null) {
      host.queued++
      queued++
    } else refusals.set(url.refusal, (refusals.get(url.refusal) ?? 0) + 1)
  }
  for (const [hostId, host] of byHost) {
    await sql.run(
      `INSERT INTO collection_hosts (collection_id, host_id, queued, found) VALUES (?, ?, ?, ?)
       ON CONFLICT (collection_id, host_id) DO UPDATE SET
         queued = collection_hosts.queued + excluded.queued,
         found = collection_hosts.found + excluded.found`,
      [collectionId, hostId, host.queued, host.found],
    )
  }
  await sql.run(
    'UPDATE collections SET queued = queued + ?, found = found + ?, denied = denied + ? WHERE id = ?',
    [queued, fresh.length, fresh.length - queued, collectionId],
  )
  await countErrors(sql, collectionId, refusals)
}
