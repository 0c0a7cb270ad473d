/**
 * Step 6, first half: which results count. A result counts when its host is still out under the
 * result's fence and the request has not been settled before; everything else is stale and
 * changes nothing. `host_leases.items` lists what is still open, so a batch that is sent again
 * after a lost answer is recognised result by result.
 */
import { hostKeyOf } from '@minga/net'
import { BAD_RECORD, type CollectionSpec, type RequestKind, type Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { parseSpec } from '../collections/collections.ts'
import { FILTERED } from '../filters/read-filter.ts'
import { retryPauseMs } from '../hosts/host-clock.ts'
import { addressOf } from '../hosts/host-queue.ts'
import { lockRows } from '../row-locks.ts'
import { isRedirect, REDIRECTS_MAX, TOO_MANY_REDIRECTS } from './redirects.ts'

export interface HostLease {
  host_id: number
  fence: number
  collection_id: number
  address: string
  delay_ms: number
  last_end_at: number
  open: Set<number>
}

export interface QueuedUrl {
  url: string
  kind: RequestKind
  depth: number
  hops: number
  attempts: number
}

/** What becomes of a request. `again` keeps it queued. */
export type Decision =
  | { type: 'captured'; isPage: boolean; isKept?: false }
  | { type: 'failed'; code: string; hasCapture: boolean }
  | { type: 'denied'; code: string }
  | { type: 'again'; notBefore: number }
  | { type: 'returned' }

/**
 * What an answer says where its status alone does not: read from its body before it came here.
 * `again` asks for a pause as loudly as a 503 would, and fails by its code when patience ends.
 */
export type Verdict =
  | { type: 'read'; isKept: boolean }
  | { type: 'again'; pauseMs: number; code: string }
  | { type: 'failed'; code: string; isKept: boolean }

export interface Accepted {
  result: Result
  lease: HostLease
  spec: CollectionSpec
  /** Several stations gather the collection. */
  isFederated: boolean
  /** Null for a host's own robots.txt, which is not in the queue. */
  url: QueuedUrl | null
  decision: Decision
  /** The site asks for a pause by what it says, not by its status. */
  pauseMs?: number
}

/** A result as it was received, with what was read of it before the transaction. */
export interface ReceivedResult {
  result: Result
  verdict?: Verdict
  /** A filter does not want it, now that its content is known. */
  isUnwanted?: boolean
}

/** What else is known of a result stays with it: an accepted one is the received one and what the queue knows. */
export async function acceptResults<T extends ReceivedResult>(
  sql: Sql,
  args: { items: readonly T[]; now: number; boot?: string | null },
): Promise<{ accepted: (Accepted & T)[]; stale: number }> {
  const own = await ownItems(sql, args)
  const leases = await readLeases(
    sql,
    own.map(({ result }) => result),
  )
  const specs = await readSpecs(sql, leases)
  const current = own.filter(({ result }) => {
    const lease = leases.get(result.hostId)
    return (
      lease !== undefined &&
      lease.fence === result.fence &&
      lease.collection_id === result.collectionId &&
      lease.open.delete(result.hash)
    )
  })
  const urls = await sql.selectMany<QueuedUrl & { outcome: string | null }>({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    rows: current.map(({ result: { hostId, hash } }) => [
      leases.get(hostId)!.collection_id,
      hostId,
      hash,
    ]),
    columns: ['url', 'kind', 'depth', 'hops', 'attempts', 'outcome'],
  })
  const hosts = await robotsHosts(sql, current)
  const accepted = current.map((item, i) => {
    const { result, isUnwanted = false } = item
    const lease = leases.get(result.hostId)!
    const { spec, isFederated } = specs.get(lease.collection_id)!
    const row = urls[i] ?? null
    // A URL that was cancelled while it was out has its outcome already, and an answer to another
    // question answers nothing: in both cases nothing is stored.
    const isVoid = (row !== null && row.outcome !== null) || isAnother(result, row, hosts)
    const verdict = isVoid ? undefined : item.verdict
    const decision: Decision = isVoid
      ? { type: 'returned' }
      : decide(result, { row, spec, now: args.now, verdict })
    return {
      ...item,
      ...(verdict?.type === 'again' ? { pauseMs: verdict.pauseMs } : {}),
      lease,
      spec,
      isFederated,
      url: row,
      decision: isUnwanted ? withoutCapture(decision) : decision,
    }
  })
  return { accepted, stale: args.items.length - accepted.length }
}

/** What would end with a page ends as denied; what fails fails, and nothing of it is kept. */
function withoutCapture(decision: Decision): Decision {
  if (decision.type === 'captured') return { type: 'denied', code: FILTERED }
  return decision.type === 'failed' ? { ...decision, hasCapture: false } : decision
}

/** Names of the hosts whose own robots.txt is among the results. */
async function robotsHosts(
  sql: Sql,
  items: readonly ReceivedResult[],
): Promise<Map<number, string>> {
  const ids = items.flatMap(({ result: { hash, hostId } }) => (hash === 0 ? [hostId] : []))
  const rows = await sql.selectMany<{ name: string }>({
    table: 'hosts',
    keys: ['id'],
    rows: ids.map((id) => [id]),
    columns: ['name'],
  })
  return new Map(ids.map((id, i) => [id, rows[i]?.name ?? '']))
}

/** Is it a host's own robots.txt, or what another one redirects to? */
export function isRobots({ url }: Pick<Accepted, 'url'>): boolean {
  return url === null || url.kind === 'robots'
}

/** Does a result name another address or kind than was asked for? A device may lie or err. */
function isAnother(
  result: Result,
  row: QueuedUrl | null,
  hosts: ReadonlyMap<number, string>,
): boolean {
  if (result.type === 'returned') return false
  if (row === null) {
    const isOwn = hostKeyOf(result.url) === hosts.get(result.hostId)
    const isFile = URL.parse(result.url)?.pathname === '/robots.txt'
    return !isOwn || !isFile || (result.type === 'captured' && result.kind !== 'robots')
  }
  if (result.type !== 'captured') return false
  return result.kind !== row.kind || result.url !== addressOf(row.url)
}

/** Guessing another device's fence gains nothing. Without a boot no check is made. */
async function ownItems<T extends ReceivedResult>(
  sql: Sql,
  { items, boot = null }: { items: readonly T[]; boot?: string | null },
): Promise<readonly T[]> {
  if (boot === null || items.length === 0) return items
  const held = await sql.all<{ fence: number }>('SELECT fence FROM leases WHERE boot = ?', [boot])
  const fences = new Set(held.map(({ fence }) => fence))
  return items.filter(({ result }) => fences.has(result.fence))
}

interface Deciding {
  row: QueuedUrl | null
  spec: CollectionSpec
  now: number
  verdict: Verdict | undefined
}

/** A few bad devices must not use up the attempts of a URL; a page that no device can record has to end all the same. */
const BAD_RECORD_RETRIES = 6

function decide(result: Result, { row, spec, now, verdict }: Deciding): Decision {
  if (result.type === 'returned') return { type: 'returned' }
  const attempts = (row?.attempts ?? 0) + 1
  const isBad = result.type === 'failed' && result.code === BAD_RECORD
  const retries = isBad ? Math.max(spec.retries, BAD_RECORD_RETRIES) : spec.retries
  const mayRetry = row !== null && row.kind !== 'robots' && attempts <= retries
  if (verdict !== undefined) return decideAs(verdict, { result, attempts, mayRetry, now })
  if (result.type === 'failed') {
    if (mayRetry && result.retry !== 'never') {
      return { type: 'again', notBefore: now + retryPauseMs(attempts) }
    }
    return { type: 'failed', code: result.code, hasCapture: false }
  }
  if (
    isRedirect(result.status) &&
    row !== null &&
    row.kind !== 'robots' &&
    row.hops >= REDIRECTS_MAX
  ) {
    return { type: 'failed', code: TOO_MANY_REDIRECTS, hasCapture: true }
  }
  if (!isTroubled(result.status)) {
    const isPage = isSuccess(result.status) && (row?.kind ?? 'robots') !== 'robots'
    return { type: 'captured', isPage }
  }
  if (mayRetry) {
    return { type: 'again', notBefore: now + retryPauseMs(attempts, result.retryAfterMs ?? 0) }
  }
  return { type: 'failed', code: `MINGA_HTTP_${result.status}`, hasCapture: true }
}

interface Judging {
  result: Result
  attempts: number
  mayRetry: boolean
  now: number
}

function decideAs(verdict: Verdict, { result, attempts, mayRetry, now }: Judging): Decision {
  if (verdict.type === 'read') {
    const isPage = result.type === 'captured' && isSuccess(result.status)
    return { type: 'captured', isPage, ...(verdict.isKept ? {} : { isKept: false }) }
  }
  if (verdict.type === 'again' && mayRetry) {
    return { type: 'again', notBefore: now + retryPauseMs(attempts, verdict.pauseMs) }
  }
  const hasCapture = verdict.type === 'failed' && verdict.isKept
  return { type: 'failed', code: verdict.code, hasCapture }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Statuses by which a server says "not now" rather than "no". Beyond 599 they are a server's own, such as 999. */
function isTroubled(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status < 600)
}

async function readLeases(sql: Sql, results: readonly Result[]): Promise<Map<number, HostLease>> {
  const hostIds = [...new Set(results.map((result) => result.hostId))]
  // The same upload may arrive twice at once, or its lease end at this moment: one of them counts.
  await lockRows(sql, { table: 'host_leases', key: 'host_id', values: hostIds })
  const rows = await sql.selectMany<Omit<HostLease, 'open'> & { items: string }>({
    table: 'host_leases',
    keys: ['host_id'],
    rows: hostIds.map((id) => [id]),
    columns: ['host_id', 'fence', 'collection_id', 'address', 'delay_ms', 'last_end_at', 'items'],
  })
  const leases = new Map<number, HostLease>()
  for (const row of rows) {
    if (!row) continue
    const { items, ...lease } = row
    leases.set(row.host_id, { ...lease, open: new Set(JSON.parse(items) as number[]) })
  }
  return leases
}

async function readSpecs(
  sql: Sql,
  leases: Map<number, HostLease>,
): Promise<Map<number, Pick<Accepted, 'spec' | 'isFederated'>>> {
  const ids = [...new Set([...leases.values()].map((lease) => lease.collection_id))]
  // Two uploads may find the same new URL: one after the other, the second sees it as seen.
  await lockRows(sql, { table: 'collections', key: 'id', values: ids })
  const rows = await sql.selectMany<{ spec: string; federated: number }>({
    table: 'collections',
    keys: ['id'],
    rows: ids.map((id) => [id]),
    columns: ['spec', 'federated'],
  })
  return new Map(
    ids.map((id, i) => {
      const { spec, federated } = rows[i]!
      return [id, { spec: parseSpec(spec), isFederated: federated === 1 }]
    }),
  )
}
