/**
 * Step 3 of the life of a capture: a block of requests is taken together with the clocks of its
 * hosts and address groups. One transaction does it all: two coordinators must not both see a
 * host as free, and a host that is out must look out to everybody.
 *
 * Queued URLs are not touched by a lease: the host row's fence and `host_leases.items` say what
 * is out. So a lease costs a few writes per host instead of one per URL, and ending it needs no
 * requeueing.
 */
import { faultPoint, UnknownAgent, type Block, type HostBlock } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { limitReached, lockLimited, runningCollections, type Running } from './collections.ts'
import { askedMs, delayOf, threadsFor } from './host-clock.ts'
import { collectionDelayMs, type PaceRow } from './host-pace.ts'
import { passHeld } from './federation/held-host.ts'
import { gateFor, type Gate } from './filters/gate.ts'
import { FILTERED, filterIn } from './filters/read-filter.ts'
import { holdFilters } from './filters/recall.ts'
import { chooseRequests, type HostQueue } from './host-queue.ts'
import { endClosedQueue } from './host-rules.ts'
import { nextTurnAt } from './placement/due-hosts.ts'
import { expectedEnd } from './placement/stragglers.ts'
import { Turns } from './placement/turns.ts'
import { restFactorOf } from './politeness.ts'
import { nextReservedAt, reservedHosts } from './requests/reserved.ts'
import { nextIds } from './sequences.ts'
import { CDN_DOMAINS_MIN } from './shared-address.ts'

/** A host's share of a block should take about this long: shorter wastes round trips, longer
 * keeps work from other agents and loses more when this one dies. */
const HOST_TURN_MS = 4_000
/** More per host gains nothing measurable and makes a lost lease dearer. */
const REQUESTS_PER_HOST_MAX = 64
/** Share of a block that one host may fill, so that a block keeps many lanes busy. */
const HOSTS_PER_BLOCK_MIN = 8
/** A lease's time over the estimated work: slow sites are normal, dead agents are found by beats. */
const LEASE_SLACK_MS = 120_000
const USUAL_REQUEST_MS = 1_000
/** A turn that is due but not the asker's (its host is out for another collection, or it was not
 * given out yet) is looked at again after this: sooner would keep the coordinator spinning. */
const LOOK_AGAIN_MS = 50

export interface LeaseArgs {
  boot: string
  requestsMax: number
  hostsMax: number
  now: number
  /** JSON of the filter that the station was started with; one that was changed wins. */
  filter?: string
}

export interface LeaseAnswer {
  block: Block | null
  /** Hosts that must be resolved before they can be leased. */
  unresolved: UnresolvedHost[]
  /** The earliest moment at which another try can succeed, if any is known. */
  nextTurnAt: number | null
}

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
  /** Requests in flight that it bears. */
  bears: number
  /** Where it is, when that is known. */
  country: string | null
  pages: number
  bytes: number
  queued: number
  /** When the collection first leased this host, 0 before. */
  started_at: number
  /** Whose turn it is (null: nobody's), and how many requests were counted for it. */
  device: string | null
  promised: number
}

export async function lease(sql: Sql, args: LeaseArgs): Promise<LeaseAnswer> {
  await holdFilters(sql)
  // Only a boot that is listened for may hold leases: nobody would notice its silence.
  const agent = await sql.get<{ device: string }>('SELECT device FROM agents WHERE boot = ?', [
    args.boot,
  ])
  if (!agent) throw new UnknownAgent(args.boot)
  const { device } = agent
  const turns = await Turns.open(sql, { boot: args.boot, device, now: args.now })
  const answer: LeaseAnswer = { block: null, unresolved: [], nextTurnAt: null }
  const hosts: HostBlock[] = []
  // Over all collections: they may share hosts, and hosts of different ones share addresses.
  const out: TakenSoFar = { hosts: new Set(), groups: new Map() }
  const { blockMax } = turns.settings
  const filter = filterIn(turns.settings.filter ?? args.filter ?? null)
  let requestsLeft = Math.min(args.requestsMax, blockMax, await turns.roomInHand())
  const running = requestsLeft > 0 ? await runningCollections(sql) : []
  const collections = await shareBlocks(sql, running, turns.settings.visitShare)
  for (const each of collections) {
    if (requestsLeft <= 0 || hosts.length >= args.hostsMax) break
    const collection = await lockLimited(sql, each)
    const budget = Math.min(requestsLeft, pagesLeft(collection))
    if (budget <= 0 || limitReached(collection) !== null || isOverBandwidth(collection)) continue
    const wanted = { ...args, requestsMax: budget, hostsMax: args.hostsMax - hosts.length }
    const gate = gateFor(filter, collection.spec)
    const taken = await takeHosts(sql, { collection, wanted, answer, out, turns, device, gate })
    hosts.push(...taken)
    for (const host of taken) requestsLeft -= host.requests.length
  }
  if (hosts.length > 0) answer.block = await openLease(sql, args, hosts)
  else answer.nextTurnAt = await earliestTurn(sql, { collections, device, now: args.now })
  await turns.close(answer.block === null && answer.unresolved.length === 0)
  faultPoint('lease:before-commit')
  return answer
}

/**
 * Due visits and new discoveries share the blocks by a set split, so that neither starves: fences
 * number the blocks, and every block is filled from one side first and with the other's afterwards.
 */
async function shareBlocks(
  sql: Sql,
  running: readonly Running[],
  visitShare: number,
): Promise<readonly Running[]> {
  const visits = running.filter(({ spec }) => spec.kind === 'watch')
  if (visits.length === 0 || visits.length === running.length) return running
  const row = await sql.get<{ value: number }>(`SELECT value FROM sequences WHERE name = 'fence'`)
  const fence = row!.value
  const areFirst = Math.floor((fence + 1) * visitShare) > Math.floor(fence * visitShare)
  const others = running.filter(({ spec }) => spec.kind !== 'watch')
  return areFirst ? [...visits, ...others] : [...others, ...visits]
}

/** Requests out may all become pages, so they count against the limit until they are settled. */
function pagesLeft(collection: Running): number {
  const { maxPages } = collection.spec
  return maxPages === null ? Infinity : maxPages - collection.pages - collection.leased
}

function isOverBandwidth(collection: Running): boolean {
  const { bytesPerSecond } = collection.spec
  return (
    bytesPerSecond !== null && collection.bytes > (bytesPerSecond * collection.activeMs) / 1_000
  )
}

interface Taking {
  collection: Running
  wanted: LeaseArgs
  answer: LeaseAnswer
  out: TakenSoFar
  turns: Turns
  device: string
  /** Null: nobody filters. */
  gate: Gate | null
}

/** What this very block holds already; the tables say it only when the lease is opened. */
interface TakenSoFar {
  hosts: Set<number>
  groups: Map<string, number>
}

async function takeHosts(sql: Sql, taking: Taking): Promise<HostBlock[]> {
  const { collection, wanted, out, turns, device } = taking
  if (collection.spec.kind === 'audits') {
    const { now, hostsMax: atMost } = wanted
    const asked = { collectionId: collection.id, device, now, atMost }
    return takeFrom(sql, taking, await reservedHosts(sql, asked))
  }
  const asked = {
    collectionId: collection.id,
    hostsMax: wanted.hostsMax,
    requestsOf: (row: HostRow) =>
      Math.min(row.queued, turnSize(hostDelayMs(collection, row) + row.latency_ms)),
  }
  const taken = await takeFrom(sql, taking, await turns.own(asked))
  let left = wanted.requestsMax
  for (const host of taken) left -= host.requests.length
  if (left <= 0 || taken.length >= wanted.hostsMax) return taken
  const hostsMax = wanted.hostsMax - taken.length
  const others = await turns.more({ ...asked, hostsMax }, out.hosts.size)
  const short = { ...taking, wanted: { ...wanted, requestsMax: left, hostsMax } }
  return [...taken, ...(await takeFrom(sql, short, others))]
}

async function takeFrom(sql: Sql, taking: Taking, rows: readonly HostRow[]): Promise<HostBlock[]> {
  const { wanted, out, turns } = taking
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
    turns.taken(row, host.requests.length)
    taken.push(host)
    left -= host.requests.length
    out.hosts.add(host.hostId)
    out.groups.set(host.address, (out.groups.get(host.address) ?? 0) + 1)
  }
  return taken
}

function hostDelayMs(collection: Running, row: HostRow): number {
  return delayOf({
    collectionMs: collectionDelayMs(collection, row),
    robotsMs: askedMs(row),
    backoffMs: row.backoff_ms,
  })
}

interface HostChoice {
  row: HostRow
  requestsMax: number
}

async function takeHost(sql: Sql, taking: Taking, choice: HostChoice): Promise<HostBlock | null> {
  const { row } = choice
  const { turns } = taking
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
    await turns.drop(row, collectionId)
    return at === null ? null : lookAgainAt(at)
  }
  if (row.closed_code !== null && !(await isOpenDespite(sql, taking, row))) return null
  const standing = taking.gate && (await taking.gate.standingOf(sql, hostOf(row, now)))
  if (standing === 'unwanted') return endUnwanted(sql, taking, row)
  if (row.next_allowed_at > now) return lookAgainAt(row.next_allowed_at)
  if (row.address === null || row.address_until <= now || standing === 'unknown') {
    const asksWhere = taking.gate?.asksWhere ? { asksWhere: true } : {}
    taking.answer.unresolved.push({ hostId: row.host_id, name: row.name, ...asksWhere })
    return null
  }
  const groupFreeAt = await addressGroupFreeAt(sql, taking, row.address)
  if (groupFreeAt > now) return lookAgainAt(groupFreeAt)

  const delayMs = hostDelayMs(taking.collection, row)
  const queue: HostQueue = await chooseRequests(sql, {
    collection: taking.collection,
    host: row,
    requestsMax: Math.min(choice.requestsMax, turnSize(delayMs + row.latency_ms)),
    device: taking.device,
    now,
  })
  if (queue.requests.length === 0) {
    if (queue.lookAgainAt !== null) return lookAgainAt(queue.lookAgainAt)
    await turns.drop(row, taking.collection.id)
    return null
  }
  const restFactor = restFactorOf(taking.collection.spec)
  return {
    hostId: row.host_id,
    collectionId: taking.collection.id,
    address: row.address,
    delayMs,
    ...(restFactor === null ? {} : { restFactor }),
    threads: threadsFor({
      delayMs,
      wanted: Math.min(taking.collection.spec.inFlightPerHost, turns.settings.threadsPerHostMax),
      bears: row.bears,
    }),
    bytesPerSecond: taking.collection.spec.bytesPerSecondPerHost,
    requests: queue.requests,
  }
}

/** Ends what a closed host has queued. What goes out all the same is in the station's own queue. */
async function isOpenDespite(sql: Sql, taking: Taking, row: HostRow): Promise<boolean> {
  const { collection, wanted, turns } = taking
  const queue = { collectionId: collection.id, hostId: row.host_id, code: row.closed_code! }
  await endClosedQueue(sql, { ...queue, now: wanted.now })
  if (collection.spec.kind === 'audits') return true
  await turns.drop(row, collection.id)
  return false
}

const hostOf = ({ host_id: hostId, name }: HostRow, now: number) => ({ hostId, name, now })

/** Ends what a host that no filter lets through has queued, its robots.txt included. */
async function endUnwanted(sql: Sql, taking: Taking, row: HostRow): Promise<null> {
  const { collection, wanted, turns } = taking
  const queue = { collectionId: collection.id, hostId: row.host_id, code: FILTERED }
  await endClosedQueue(sql, { ...queue, now: wanted.now })
  // Second opinions are given to one device each: there are no turns.
  if (collection.spec.kind !== 'audits') await turns.drop(row, collection.id)
  return null
}

function turnSize(msPerRequest: number): number {
  if (msPerRequest <= 0) return REQUESTS_PER_HOST_MAX
  return Math.max(1, Math.min(REQUESTS_PER_HOST_MAX, Math.floor(HOST_TURN_MS / msPerRequest)))
}

/** When to look at a host whose address group is out with another host: without it, thousands of
 * hosts on one address would stand at the head of the line and hide everybody behind them. */
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
  const { hostsPerAddressMax } = taking.turns.settings
  if (group.domains > CDN_DOMAINS_MIN) return inFlight < hostsPerAddressMax ? now : busyUntil
  return inFlight > 0 ? busyUntil : group.next_allowed_at
}

async function openLease(sql: Sql, args: LeaseArgs, hosts: HostBlock[]): Promise<Block> {
  const fence = await nextIds(sql, 'fence')
  const longest = hosts.reduce((most, host) => (workMs(host) > workMs(most) ? host : most))
  const deadlineMs = workMs(longest) + LEASE_SLACK_MS
  const deadline = args.now + deadlineMs
  const requests = longest.requests.length
  const work = { openedAt: args.now, requests, pausesMs: requests * longest.delayMs }
  await sql.insertMany({
    table: 'leases',
    columns: ['fence', 'boot', 'opened_at', 'deadline', 'requests', 'pauses_ms', 'expected_end'],
    rows: [[fence, args.boot, args.now, deadline, requests, work.pausesMs, expectedEnd(work)]],
  })
  await sql.insertMany({
    table: 'host_leases',
    columns: ['host_id', 'fence', 'collection_id', 'address', 'delay_ms', 'items'],
    rows: hosts.map((host) => [
      host.hostId,
      fence,
      host.collectionId,
      host.address,
      host.delayMs,
      JSON.stringify(host.requests.map((request) => request.hash)),
    ]),
  })
  await sql.updateMany({
    table: 'hosts',
    keys: ['id'],
    set: ['fence'],
    rows: hosts.map((host) => [host.hostId, fence]),
  })
  await sql.updateMany({
    table: 'collection_hosts',
    keys: ['collection_id', 'host_id'],
    set: ['turn_at', 'device', 'promised'],
    rows: hosts.map((host) => [host.collectionId, host.hostId, deadline, null, 0]),
  })
  await sql.updateMany({
    table: 'collection_hosts',
    keys: ['collection_id', 'host_id'],
    set: ['started_at'],
    rows: hosts.map((host) => [host.collectionId, host.hostId, args.now]),
    where: 'started_at = 0',
  })
  for (const host of hosts) {
    await sql.run('UPDATE address_groups SET in_flight = in_flight + 1 WHERE address = ?', [
      host.address,
    ])
  }
  await countLeased(sql, args.now, hosts)
  return { fence, deadlineMs, hosts }
}

/** Hosts of a block are worked on side by side: the longest decides. */
function workMs(host: HostBlock): number {
  return host.requests.length * (host.delayMs + USUAL_REQUEST_MS)
}

async function countLeased(sql: Sql, now: number, hosts: HostBlock[]): Promise<void> {
  const byCollection = new Map<number, number>()
  for (const host of hosts) {
    const count = byCollection.get(host.collectionId) ?? 0
    byCollection.set(host.collectionId, count + host.requests.length)
  }
  for (const [id, count] of byCollection) {
    await sql.run('UPDATE collections SET leased = leased + ?, leased_at = ? WHERE id = ?', [
      count,
      now,
      id,
    ])
  }
}

async function earliestTurn(
  sql: Sql,
  args: { collections: readonly Running[]; device: string; now: number },
): Promise<number | null> {
  let earliest: number | null = null
  for (const { id: collectionId, spec } of args.collections) {
    const asked = { collectionId, device: args.device }
    const next = await (spec.kind === 'audits' ? nextReservedAt : nextTurnAt)(sql, asked)
    if (next !== null && (earliest === null || next < earliest)) earliest = next
  }
  return earliest !== null && earliest <= args.now ? args.now + LOOK_AGAIN_MS : earliest
}
