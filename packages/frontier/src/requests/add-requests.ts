/**
 * Step 1 for clients: each request is refused, answered from the archive, or waits for a URL in
 * the queue, in one transaction. Sent again after a lost answer, it adds nothing.
 */
import { hostKeyOf } from '@minga/net'
import type { Sql } from '@minga/store'
import { NoSuchBatch } from '../errors.ts'
import { hostsOf } from '../hosts/host-directory.ts'
import { forUpdate } from '../row-locks.ts'
import { nextIds } from '../sequences.ts'
import { urlHash } from '../queue/url-hash.ts'
import { knownAnswer } from './cached-captures.ts'
import { endRequests, NOTHING_FETCHED, type EndedRequest, type RequestEnd } from './end-requests.ts'
import { queueDocuments, type UrlKey } from './queue-documents.ts'
import { stationCollection } from './station-collection.ts'

/** One request as the coordinator judged it: a canonical URL, or the reason why it is none. */
export interface NewRequest {
  seq: number
  asked: string
  url: string | null
  refusal: { code: string } | null
}

export interface AddRequests {
  batchId: string
  requests: readonly NewRequest[]
  delayMs: number
  now: number
}

interface Batch {
  received: number
  priority: number
  max_age_ms: number
  state: string
}

/** Room for 2^48 requests below each of the few priorities, inside safe integers. */
const PRIORITY_STEP = 2 ** 48

/** `archive`: what the client may see of the archive. Nothing else answers without a fetch. */
export async function addRequests(
  sql: Sql,
  args: AddRequests,
  archive: Sql = sql,
): Promise<EndedRequest[]> {
  const batch = await sql.get<Batch>(
    `SELECT received, priority, max_age_ms, state FROM batches WHERE id = ?${forUpdate(sql)}`,
    [args.batchId],
  )
  if (!batch) throw new NoSuchBatch(args.batchId)
  if (batch.state !== 'filling') return []
  const fresh = args.requests.filter(({ seq }) => seq >= batch.received)
  if (fresh.length === 0) return []
  const age = { maxAgeMs: batch.max_age_ms, now: args.now }
  const sorted = await sortOut({ sql, archive }, fresh, age)
  const keys = await queueAll(sql, args, { batch, waiting: sorted.waiting })
  await insertRequests(sql, args.batchId, fresh, new Map([...sorted.keys, ...keys]))
  await sql.run('UPDATE batches SET received = received + ? WHERE id = ?', [
    fresh.length,
    args.batchId,
  ])
  const ends = sorted.ends.map((end) => ({ ...end, batchId: args.batchId }))
  return endRequests(sql, { ends, now: args.now })
}

interface SortedOut {
  waiting: NewRequest[]
  ends: Omit<RequestEnd, 'batchId'>[]
  keys: Map<number, UrlKey>
}

async function sortOut(
  { sql, archive }: { sql: Sql; archive: Sql },
  requests: readonly NewRequest[],
  age: { maxAgeMs: number; now: number },
): Promise<SortedOut> {
  const sorted: SortedOut = { waiting: [], ends: [], keys: new Map() }
  const names = requests.map(({ url }) => (url === null ? '' : hostKeyOf(url)))
  const hosts = await hostsOf(sql, namesOf(names))
  for (const [i, request] of requests.entries()) {
    const { seq, url, refusal } = request
    const host = hosts.get(names[i]!)
    const code = refusal?.code ?? host?.closedCode ?? null
    if (url === null || host === undefined || code !== null) {
      const end = { ...NOTHING_FETCHED, outcome: 'denied' as const, code }
      sorted.ends.push({ seq, end, fromCache: false })
      continue
    }
    const key = { hostId: host.id, hash: urlHash(url) }
    const known = await knownAnswer({ sql, archive }, { ...key, url, ...age })
    if (known === null) sorted.waiting.push(request)
    else {
      const { end, isRemembered } = known
      // Failures are free of charge, remembered or not.
      const fromCache = end.outcome === 'captured'
      sorted.ends.push({ seq, end, fromCache, isRemembered })
      sorted.keys.set(seq, key)
    }
  }
  return sorted
}

const namesOf = (names: readonly string[]): string[] => names.filter((name) => name !== '')

async function queueAll(
  sql: Sql,
  args: AddRequests,
  { batch, waiting }: { batch: Batch; waiting: readonly NewRequest[] },
): Promise<Map<number, UrlKey>> {
  if (waiting.length === 0) return new Map()
  const collectionId = await stationCollection(sql, { ...args, kind: 'requests' })
  const first = await nextIds(sql, 'request', waiting.length)
  const keys = await queueDocuments(sql, {
    collectionId,
    documents: waiting.map(({ url }, i) => ({
      url: url!,
      priority: batch.priority * PRIORITY_STEP + first + i,
    })),
  })
  return new Map(waiting.map(({ seq }, i) => [seq, keys[i]!]))
}

async function insertRequests(
  sql: Sql,
  batchId: string,
  requests: readonly NewRequest[],
  keys: ReadonlyMap<number, UrlKey>,
): Promise<void> {
  await sql.insertMany({
    table: 'requests',
    columns: ['batch_id', 'seq', 'url', 'asked', 'host_id', 'hash'],
    rows: requests.map(({ seq, asked, url }) => {
      const key = keys.get(seq)
      const isSame = url === asked
      const shown = url ?? asked
      return [batchId, seq, shown, isSame ? null : asked, key?.hostId ?? 0, key?.hash ?? 0]
    }),
  })
}
