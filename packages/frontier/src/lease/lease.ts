/**
 * Step 3 of the life of a capture: a block of requests is taken together with the clocks of its
 * hosts and address groups. One transaction does it all: two coordinators must not both see a host
 * as free, and a host that is out must look out to everyone.
 *
 * Queued URLs are not touched by a lease: the host row's fence and `host_leases.items` say what is
 * out. So a lease costs a few writes per host instead of one per URL, and ending it needs no
 * requeueing.
 */
import { faultPoint, UnknownAgent, type Block, type HostBlock } from '@minga/protocol'
import type { Sql } from '@minga/store'
import {
  limitReached,
  lockLimited,
  runningCollections,
  type Running,
} from '../collections/collections.ts'
import { gateFor } from '../filters/gate.ts'
import { filterIn } from '../filters/read-filter.ts'
import { holdFilters } from '../filters/recall.ts'
import { nextTurnAt } from '../placement/due-hosts.ts'
import { expectedEnd } from '../placement/stragglers.ts'
import { HostAllocator } from '../placement/host-allocator.ts'
import { nextReservedAt } from '../requests/reserved.ts'
import { keepRow } from '../row-locks.ts'
import { nextIds } from '../sequences.ts'
import { takeHosts, type TakenSoFar, type UnresolvedHost } from './take-hosts.ts'

/** A lease's time over the estimated work: slow sites are normal, dead agents are found by beats. */
const LEASE_SLACK_MS = 120_000
const USUAL_REQUEST_MS = 1_000
/**
 * A turn that is due but not the asker's (its host is out for another collection, or it was not
 * given out yet) is checked again after this: sooner would keep the coordinator spinning.
 */
const LOOK_AGAIN_MS = 50
/** Who has looked without success before waits longer: mostly the end of that lease wakes it. */
const LOOK_AGAIN_MAX_MS = 400

export interface LeaseArgs {
  boot: string
  requestsMax: number
  hostsMax: number
  now: number
  /** JSON of the filter that the station was started with; one that was changed wins. */
  filter?: string
  /**
   * How far the requesting device is trusted, if it matters: requests to wikis are not for every
   * device.
   */
  standing?: 'own' | 'proven' | 'unproven'
  /** A random number that no agent knows: by it strangers get fewer requests of some hosts. */
  draw?: number
  /** How often the agent has looked without success since it asked. */
  looks?: number
}

export interface LeaseAnswer {
  block: Block | null
  /** Hosts that must be resolved before they can be leased. */
  unresolved: UnresolvedHost[]
  /** The earliest moment at which another try can succeed, if any is known. */
  nextTurnAt: number | null
}

export async function lease(sql: Sql, args: LeaseArgs): Promise<LeaseAnswer> {
  await holdFilters(sql)
  // Only a boot with a heartbeat may hold leases, because the silence of another would go
  // unnoticed. One that ends at this moment waits for us, and ends this lease with the others.
  const agent = await sql.get<{ device: string }>(
    `SELECT device FROM agents WHERE boot = ?${keepRow(sql)}`,
    [args.boot],
  )
  if (!agent) throw new UnknownAgent(args.boot)
  const { device } = agent
  const allocator = await HostAllocator.open(sql, { boot: args.boot, device, now: args.now })
  const answer: LeaseAnswer = { block: null, unresolved: [], nextTurnAt: null }
  const hosts: HostBlock[] = []
  // Over all collections: they may share hosts, and hosts of different ones share addresses.
  const out: TakenSoFar = { hosts: new Set(), groups: new Map() }
  const { blockMax } = allocator.settings
  const filter = filterIn(allocator.settings.filter ?? args.filter ?? null)
  let requestsLeft = Math.min(args.requestsMax, blockMax, await allocator.roomInHand())
  const running = (requestsLeft > 0 ? await runningCollections(sql) : []).filter(isFor(args))
  const collections = await shareBlocks(sql, running, allocator.settings.visitShare)
  for (const each of collections) {
    if (requestsLeft <= 0 || hosts.length >= args.hostsMax) break
    const collection = await lockLimited(sql, each)
    const budget = Math.min(requestsLeft, pagesLeft(collection))
    if (budget <= 0 || limitReached(collection) !== null || isOverBandwidth(collection)) continue
    const wanted = { ...args, requestsMax: budget, hostsMax: args.hostsMax - hosts.length }
    const gate = gateFor(filter, collection.spec)
    const { unresolved } = answer
    const taken = await takeHosts(sql, {
      collection,
      wanted,
      unresolved,
      out,
      allocator,
      device,
      gate,
    })
    hosts.push(...taken)
    for (const host of taken) requestsLeft -= host.requests.length
  }
  if (hosts.length > 0) answer.block = await openLease(sql, args, hosts)
  else answer.nextTurnAt = await earliestTurn(sql, { ...args, collections, device })
  await allocator.close(answer.block === null && answer.unresolved.length === 0)
  faultPoint('lease:before-commit')
  return answer
}

/** What is read from a wiki's answers cannot be checked by looking at the page again: it may have been
 * edited since. So strangers are not asked, and who is proven only where the collector wants it. */
function isFor({ standing = 'own' }: LeaseArgs): (collection: Running) => boolean {
  return ({ spec: { wiki } }) =>
    wiki === null || standing === 'own' || (standing === 'proven' && wiki.volunteers)
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

/** Hosts of a block are worked on in parallel: the longest decides. */
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
  args: { collections: readonly Running[]; device: string; now: number; looks?: number },
): Promise<number | null> {
  let earliest: number | null = null
  for (const { id: collectionId, spec } of args.collections) {
    const asked = { collectionId, device: args.device }
    const next = await (spec.kind === 'audits' ? nextReservedAt : nextTurnAt)(sql, asked)
    if (next !== null && (earliest === null || next < earliest)) earliest = next
  }
  if (earliest === null || earliest > args.now) return earliest
  return args.now + Math.min(LOOK_AGAIN_MAX_MS, LOOK_AGAIN_MS * 2 ** (args.looks ?? 0))
}
