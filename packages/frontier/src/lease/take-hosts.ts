/**
 * Which hosts go into a block, and what of their queues: each is looked at in the order of its turn, and taken when
 * it is this station's, open, wanted, resolved, and its clock and its address group's allow it. What cannot be taken now
 * says when to look again. Runs inside the transaction of the lease that they are taken for, see lease.ts.
 */
import { createHash } from 'node:crypto'
import type { CollectionSpec, HostBlock } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { Running } from '../collections/collections.ts'
import { passHeld } from '../federation/held-host.ts'
import type { Gate } from '../filters/gate.ts'
import { FILTERED } from '../filters/read-filter.ts'
import { requestedDelayMs, delayOf, threadsFor } from '../hosts/host-clock.ts'
import { collectionDelayMs, type PaceRow } from '../hosts/host-pace.ts'
import { chooseRequests, type HostQueue } from '../hosts/host-queue.ts'
import { endClosedQueue } from '../hosts/host-rules.ts'
import type { LeaseArgs } from './lease.ts'
import { dueHosts } from '../placement/due-hosts.ts'
import type { HostAllocator } from '../placement/host-allocator.ts'
import { restFactorOf } from '../hosts/politeness.ts'
import { likenessesOf, reservedHosts } from '../requests/reserved.ts'
import { CDN_DOMAINS_MIN } from '../hosts/shared-address.ts'

/** A host's share of a block should take about this long: shorter wastes round trips, longer
 * keeps work from other agents and loses more when this one dies. */
const HOST_TURN_MS = 4_000
/** More per host gains nothing measurable and makes a lost lease dearer. */
const REQUESTS_PER_HOST_MAX = 64
/** Share of a block that one host may fill, so that a block keeps many lanes busy. */
const HOSTS_PER_BLOCK_MIN = 8

export interface UnresolvedHost {
  hostId: number
  name: string
  /** A filter asks where it is. */
  asksWhere?: boolean
}

export interface HostRow extends PaceRow {
  host_id: number
  name: string
  next_allowed_at: number
  address: string | null
  address_until: number
  crawl_delay_ms: number
  /** Decided by its owner or the operator, see host-rules.ts. */
  slow_ms: number
  closed_code: string | null
  /** Its owner in a federation, and whether it is out of reach of leases (1), see federation/. */
  station: string | null
  held: number
  latency_ms: number
  /** Requests in flight that it can handle. */
  bears: number
  /** Where it is, when that is known. */
  country: string | null
  pages: number
  bytes: number
  queued: number
  /** When the collection first leased this host, 0 before. */
  started_at: number
  /** The device whose turn it is (null: none), and how many requests were counted for it. */
  device: string | null
  promised: number
}

/** From one collection for one block. */
interface Taking {
  collection: Running
  wanted: Pick<LeaseArgs, 'standing' | 'draw'> & {
    requestsMax: number
    hostsMax: number
    now: number
  }
  /** Hosts that must be resolved before they can be taken are added to these. */
  unresolved: UnresolvedHost[]
  out: TakenSoFar
  allocator: HostAllocator
  device: string
  /** Null: there are no filters. */
  gate: Gate | null
}

/** What this very block holds already; the tables say it only when the lease is opened. */
export interface TakenSoFar {
  hosts: Set<number>
  groups: Map<string, number>
}

export async function takeHosts(sql: Sql, taking: Taking): Promise<HostBlock[]> {
  const { collection, wanted, out, allocator, device } = taking
  if (collection.spec.kind === 'audits') {
    const { now, hostsMax: atMost } = wanted
    const asked = { collectionId: collection.id, device, now, atMost }
    return takeFrom(sql, taking, await reservedHosts(sql, asked))
  }
  // No turn of it is meant for anyone: it would be given to who may not take it.
  if (collection.spec.kind === 'wiki') {
    const { now, hostsMax: atMost } = wanted
    const asked = { collectionId: collection.id, device: null, now, atMost }
    return takeFrom(sql, taking, await dueHosts(sql, asked))
  }
  const asked = {
    collectionId: collection.id,
    hostsMax: wanted.hostsMax,
    requestsOf: (row: HostRow) =>
      Math.min(row.queued, turnSize(hostDelayMs(collection, row) + row.latency_ms)),
  }
  const taken = await takeFrom(sql, taking, await allocator.own(asked))
  let left = wanted.requestsMax
  for (const host of taken) left -= host.requests.length
  if (left <= 0 || taken.length >= wanted.hostsMax) return taken
  const hostsMax = wanted.hostsMax - taken.length
  const others = await allocator.more({ ...asked, hostsMax }, out.hosts.size)
  const short = { ...taking, wanted: { ...wanted, requestsMax: left, hostsMax } }
  return [...taken, ...(await takeFrom(sql, short, others))]
}

async function takeFrom(sql: Sql, taking: Taking, rows: readonly HostRow[]): Promise<HostBlock[]> {
  const { wanted, out, allocator } = taking
  const perHost = Math.ceil(
    wanted.requestsMax / Math.max(HOSTS_PER_BLOCK_MIN, Math.min(rows.length, wanted.hostsMax)),
  )
  const taken: HostBlock[] = []
  let left = wanted.requestsMax
  for (const row of rows) {
    if (left <= 0 || taken.length >= wanted.hostsMax) break
    if (out.hosts.has(row.host_id)) continue
    const host = await takeHost(sql, taking, { row, requestsMax: Math.min(perHost, left) })
    if (host === null) continue
    allocator.taken(row, host.requests.length)
    taken.push(host)
    left -= host.requests.length
    out.hosts.add(host.hostId)
    out.groups.set(host.address, (out.groups.get(host.address) ?? 0) + 1)
  }
  return taken
}

/** How a host is treated: as its collection says. A second opinion must not differ from ordinary requests in its pauses,
 * so it follows the collection of the result that it checks, of several the slowest. */
async function manners(
  sql: Sql,
  { collection, device }: Taking,
  row: HostRow,
): Promise<{ spec: CollectionSpec; delayMs: number }> {
  const own = { spec: collection.spec, delayMs: hostDelayMs(collection, row) }
  if (collection.spec.kind !== 'audits') return own
  const asked = { collectionId: collection.id, hostId: row.host_id, device }
  const likenesses = (await likenessesOf(sql, asked)).map(({ pace, ...like }) => ({
    spec: like.spec,
    delayMs: hostDelayMs(like, { ...row, ...pace }),
  }))
  return likenesses.toSorted((a, b) => b.delayMs - a.delayMs)[0] ?? own
}

/** The share of turns in which a stranger gets one request of a host, however many are queued: second opinions mostly
 * come alone, and who is honest wherever one comes alone must be honest often. Costs a round trip each. */
const SINGLE_SHARE = 0.25

function isSingle({ collection, wanted }: Taking, { host_id: hostId }: HostRow): boolean {
  const { standing = 'own', draw = 1 } = wanted
  if (standing === 'own' || collection.spec.kind === 'audits') return false
  const digest = createHash('sha256').update(`${draw} ${hostId}`).digest()
  return digest.readUInt32BE(0) / 2 ** 32 < SINGLE_SHARE
}

function hostDelayMs(collection: Pick<Running, 'spec' | 'mostFound'>, row: HostRow): number {
  return delayOf({
    collectionMs: collectionDelayMs(collection, row),
    robotsMs: requestedDelayMs(row),
    backoffMs: row.backoff_ms,
  })
}

interface HostChoice {
  row: HostRow
  requestsMax: number
}

async function takeHost(sql: Sql, taking: Taking, choice: HostChoice): Promise<HostBlock | null> {
  const { row } = choice
  const { allocator } = taking
  const { now } = taking.wanted
  const lookAgainAt = async (at: number): Promise<null> => {
    await sql.run(
      'UPDATE collection_hosts SET turn_at = ? WHERE collection_id = ? AND host_id = ?',
      [at, taking.collection.id, row.host_id],
    )
    return null
  }
  if (row.held === 1) {
    const { id: collectionId } = taking.collection
    const at = await passHeld(sql, { collectionId, hostId: row.host_id, station: row.station, now })
    await allocator.drop(row, collectionId)
    return at === null ? null : lookAgainAt(at)
  }
  if (row.closed_code !== null && !(await isOpenDespite(sql, taking, row))) return null
  const standing = taking.gate && (await taking.gate.standingOf(sql, hostOf(row, now)))
  if (standing === 'unwanted') return endUnwanted(sql, taking, row)
  if (row.next_allowed_at > now) return lookAgainAt(row.next_allowed_at)
  if (row.address === null || row.address_until <= now || standing === 'unknown') {
    const asksWhere = taking.gate?.asksWhere ? { asksWhere: true } : {}
    taking.unresolved.push({ hostId: row.host_id, name: row.name, ...asksWhere })
    return null
  }
  const groupFreeAt = await addressGroupFreeAt(sql, taking, row.address)
  if (groupFreeAt > now) return lookAgainAt(groupFreeAt)

  const { spec, delayMs } = await manners(sql, taking, row)
  const queue: HostQueue = await chooseRequests(sql, {
    collection: taking.collection,
    host: row,
    requestsMax: isSingle(taking, row)
      ? 1
      : Math.min(choice.requestsMax, turnSize(delayMs + row.latency_ms)),
    device: taking.device,
    now,
  })
  if (queue.requests.length === 0) {
    if (queue.lookAgainAt !== null) return lookAgainAt(queue.lookAgainAt)
    await allocator.drop(row, taking.collection.id)
    return null
  }
  const restFactor = restFactorOf(spec)
  return {
    hostId: row.host_id,
    collectionId: taking.collection.id,
    address: row.address,
    delayMs,
    ...(restFactor === null ? {} : { restFactor }),
    threads: threadsFor({
      delayMs,
      wanted: Math.min(spec.inFlightPerHost, allocator.settings.threadsPerHostMax),
      bears: row.bears,
    }),
    bytesPerSecond: spec.bytesPerSecondPerHost,
    requests: queue.requests,
  }
}

/** Ends what a closed host has queued. What goes out all the same is in the station's own queue. */
async function isOpenDespite(sql: Sql, taking: Taking, row: HostRow): Promise<boolean> {
  const { collection, wanted, allocator } = taking
  const queue = { collectionId: collection.id, hostId: row.host_id, code: row.closed_code! }
  await endClosedQueue(sql, { ...queue, now: wanted.now })
  if (collection.spec.kind === 'audits') return true
  await allocator.drop(row, collection.id)
  return false
}

const hostOf = ({ host_id: hostId, name }: HostRow, now: number) => ({ hostId, name, now })

/** Ends what a host that no filter lets through has queued, its robots.txt included. */
async function endUnwanted(sql: Sql, taking: Taking, row: HostRow): Promise<null> {
  const { collection, wanted, allocator } = taking
  const queue = { collectionId: collection.id, hostId: row.host_id, code: FILTERED }
  await endClosedQueue(sql, { ...queue, now: wanted.now })
  // Second opinions are given to one device each: there are no turns.
  if (collection.spec.kind !== 'audits') await allocator.drop(row, collection.id)
  return null
}

function turnSize(msPerRequest: number): number {
  if (msPerRequest <= 0) return REQUESTS_PER_HOST_MAX
  return Math.max(1, Math.min(REQUESTS_PER_HOST_MAX, Math.floor(HOST_TURN_MS / msPerRequest)))
}

/**
 * When to look at a host whose address group is out with another host: without it, thousands of
 * hosts on one address would stand at the head of the line and hide everyone behind them.
 */
const GROUP_BUSY_MS = 250

/** When the address group may be contacted. */
async function addressGroupFreeAt(sql: Sql, taking: Taking, address: string): Promise<number> {
  const { now } = taking.wanted
  const group = await sql.get<{ next_allowed_at: number; in_flight: number; domains: number }>(
    `SELECT next_allowed_at, in_flight, domains FROM address_groups WHERE address = ?${sql.forUpdateSkipLocked}`,
    [address],
  )
  const busyUntil = now + GROUP_BUSY_MS
  if (!group) return busyUntil
  const inFlight = group.in_flight + (taking.out.groups.get(address) ?? 0)
  const { hostsPerAddressMax } = taking.allocator.settings
  if (group.domains > CDN_DOMAINS_MIN) return inFlight < hostsPerAddressMax ? now : busyUntil
  return inFlight > 0 ? busyUntil : group.next_allowed_at
}
