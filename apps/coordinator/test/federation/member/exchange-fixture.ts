/**
 * Several stations in one process, each with a real store, over a network and a registrar of the
 * test's own: batches get lost, come twice, late and in another order, hosts move and stations die
 * while a synthetic web is gathered. The log of what was fetched is the judge.
 */
import assert from 'node:assert/strict'
import { unpackKept } from '../../../../../packages/frontier/src/federation/kept-batches.ts'
import { assertCountsAddUp } from '../../../../../packages/frontier/test/recount-fixture.ts'
import {
  captured,
  leasedRequestsOf,
  openStation,
  type TestStation,
} from '../../../../../packages/frontier/test/station-fixture.ts'
import type { TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import {
  collectionSpec,
  type Clock,
  type CollectionStatus,
  type FederatedStation,
  type MapRow,
  type RoutingMode,
} from '@minga/protocol'
import type { ForeignLimits } from '@minga/frontier'
import { seededRandom } from '@minga/testkit'
import { StationAway } from '../../../src/federation/errors.ts'
import { Exchange } from '../../../src/federation/member/exchange.ts'
import type { ContractOperations } from '../../../../../packages/frontier/test/contract-operations.ts'
import type { OperationArgs, OperationResult } from '@minga/store'

/** Links by page. Hosts are addresses, so that every station resolves them alike. */
export type LinkedWeb = ReadonlyMap<string, readonly string[]>

/** `hosts` sites of `pages` pages each; every page links to others of its own and of other sites. */
export function linkedWeb(args: { hosts: number; pages: number; seed: number }): LinkedWeb {
  const { hosts, pages } = args
  const random = seededRandom(args.seed)
  const upTo = (most: number): number => random.integer(most)
  // Two sites on every machine.
  const site = (i: number): string => `http://10.0.0.${Math.floor(i / 2)}:${8_000 + (i % 2)}`
  const page = (host: number, i: number): string => `${site(host)}/${i}`
  const web = new Map<string, string[]>()
  for (let host = 0; host < hosts; host++) {
    for (let i = 0; i < pages; i++) {
      // A chain through everything, so that all of it can be reached, and some more.
      const next = i + 1 < pages ? page(host, i + 1) : page((host + 1) % hosts, 0)
      const more = Array.from({ length: 3 }, () => page(upTo(hosts), upTo(pages)))
      web.set(page(host, i), [...new Set([next, ...more])])
    }
  }
  return web
}

type Delivery = 'well' | 'lost' | 'unanswered' | 'twice' | 'late'

export interface Fetch {
  url: string
  station: string
}

interface LateCopy {
  from: string
  to: string
  body: Buffer
}

/** What a test need not say: time passes only when it says so. */
type Given<F> = Omit<OperationArgs<F>, 'now'> & { now?: number }

export class TestFederation {
  readonly stations = new Map<string, { store: TestStation; exchange: Exchange }>()
  readonly fetches: Fetch[] = []
  readonly web: LinkedWeb
  /** How a message fares; to be set by tests. */
  deliver: () => Delivery = () => 'well'
  /** What each allows the others' collections. */
  limits: ForeignLimits = { delayMs: 0, pagesMax: null, bytesMax: null }
  posts = 0
  now = 1_700_000_000_000
  #epoch = 0
  readonly #map = new Map<string, MapRow>()
  readonly #members = new Map<string, FederatedStation>()
  readonly #mode: RoutingMode
  readonly #late: LateCopy[] = []

  private constructor(web: LinkedWeb, mode: RoutingMode) {
    this.web = web
    this.#mode = mode
  }

  static async open(
    engine: TestEngine,
    args: { ids: readonly string[]; web: LinkedWeb; mode?: RoutingMode },
  ): Promise<TestFederation> {
    const federation = new TestFederation(args.web, args.mode ?? 'hash')
    for (const id of args.ids) federation.#members.set(id, memberNamed(id))
    federation.#chooseKeepers()
    for (const id of args.ids) await federation.#open(id, engine)
    return federation
  }

  async #open(id: string, engine: TestEngine): Promise<void> {
    const store = await openStation(engine)
    this.stations.set(id, { store, exchange: this.#exchangeOf(id, store) })
    await store.store.call('enterFederation', {
      self: id,
      registrar: 'a',
      term: 1,
      stations: [...this.#members.values()],
      mode: this.#mode,
      now: this.now,
    })
  }

  /** Everything it holds outside of its tables is gone. */
  restart(id: string): void {
    const { store } = this.at(id)
    this.stations.set(id, { store, exchange: this.#exchangeOf(id, store) })
  }

  #exchangeOf(id: string, store: TestStation): Exchange {
    return new Exchange({
      store: store.store,
      clock: this.#clock(),
      calls: { post: (to, _path, body) => this.#post(id, to, body) },
      resolver: { resolve: async () => ({ ok: true, addresses: ['10.9.9.9'] }) },
      guard: { allowPrivateAddresses: true },
      foreignLimits: () => this.limits,
      countryOf: () => null,
      ring: () => {},
    })
  }

  #clock(): Clock {
    return { now: () => this.now, monotonicMs: () => this.now, sleep: async () => {} }
  }

  at(id: string): { store: TestStation; exchange: Exchange } {
    const station = this.stations.get(id)
    assert.ok(station, `${id} is there`)
    station.store.now = this.now
    return station
  }

  call<K extends keyof ContractOperations>(
    id: string,
    operation: K,
    given: Given<ContractOperations[K]>,
  ): Promise<OperationResult<ContractOperations[K]>> {
    const args: unknown = { now: this.now, ...given }
    const { store } = this.at(id).store
    return store.call(operation, args as OperationArgs<ContractOperations[K]>)
  }

  /** A crawl of the whole web from one page on. */
  async start(id: string, more: object = {}): Promise<number> {
    const [seed] = this.web.keys()
    const { id: collectionId } = await this.call(id, 'startCollection', {
      identity: 'crawl',
      spec: collectionSpec.parse({ seeds: [seed!], scope: 'any', delayMs: 1_000, ...more }),
      seeds: [{ url: seed!, kind: 'page', depth: 0, hops: 0, via: null, refusal: null }],
      allowPrivateAddresses: true,
    })
    return collectionId
  }

  async status(id: string): Promise<CollectionStatus> {
    const [status] = await this.call(id, 'collectionStatus', { id: null })
    return status!
  }

  /** The map gives a host to a station, as if it had been claimed. */
  give(host: string, station: string, address: string | null = null): void {
    this.#assign(host, { station, awaits: null, address })
  }

  // ── network ─────────────────────────────────────────────────────────────────────────────

  async #post(from: string, to: string, body: Buffer): Promise<Buffer> {
    this.posts++
    const receiver = this.stations.get(to)
    const how = this.deliver()
    if (!receiver || how === 'lost') throw new StationAway(to)
    receiver.store.now = this.now
    const answer = await receiver.exchange.receive(from, body)
    if (how === 'unanswered') throw new StationAway(to)
    if (how === 'twice') await receiver.exchange.receive(from, body)
    if (how === 'late') this.#late.push({ from, to, body })
    return answer
  }

  /** Copies that were on the way all the time arrive, in any order. */
  async deliverLate(): Promise<void> {
    for (const { from, to, body } of this.#late.splice(0).toReversed()) {
      await this.stations.get(to)?.exchange.receive(from, body)
    }
  }

  /** Time enough for every pause; the messages fare as they do. */
  async ship(id: string): Promise<void> {
    this.now += 100_000
    const { exchange } = this.at(id)
    await exchange.upkeep()
    await exchange.ship()
  }

  // ── registrar ───────────────────────────────────────────────────────────────────────────

  #chooseKeepers(): void {
    const active = [...this.#members.values()].filter(({ state }) => state === 'active')
    for (const [i, member] of active.entries()) {
      const isKept = active.some(({ id }) => id === member.keeper && id !== member.id)
      const next = active[(i + 1) % active.length]!.id
      if (!isKept) member.keeper = next === member.id ? null : next
    }
  }

  #assign(host: string, change: Omit<MapRow, 'host' | 'epoch'>): MapRow {
    const row = { host, ...change, epoch: ++this.#epoch }
    this.#map.set(host, row)
    return row
  }

  active(): string[] {
    return [...this.stations.keys()]
  }

  async claim(id: string): Promise<void> {
    const claims = await this.call(id, 'claimsToMake', { limit: 100 })
    const rows = claims.map((claim) => {
      const known = this.#map.get(claim.host)
      if (known) return known
      const { address, pages } = claim
      const neighbour = [...this.#map.values()].find((row) => row.address === address)
      const choices = this.active()
      const station = neighbour?.station ?? choices[this.#epoch % choices.length]!
      const awaits = station !== id && pages > 0 ? id : null
      return this.#assign(claim.host, { station, awaits, address })
    })
    await this.call(id, 'applyMap', { rows, epoch: 0 })
  }

  async renew(id: string): Promise<void> {
    const stations = [...this.#members.values()]
    await this.call(id, 'noteStations', { stations, registrar: 'a', term: 1 })
    const rows = [...this.#map.values()]
    await this.call(id, 'applyMap', { rows, epoch: this.#epoch })
    const { settled } = await this.call(id, 'federationReport', {})
    for (const host of settled) this.#map.get(host)!.awaits = null
    await this.call(id, 'forgetSettled', { hosts: settled })
  }

  /** All hosts of one machine go to another station, unless they are still on their way. */
  move(address: string, to: string): void {
    const rows = [...this.#map.values()].filter((row) => row.address === address)
    if (rows.some(({ awaits, station }) => awaits !== null || station === to)) return
    for (const { host, station } of rows)
      this.#assign(host, { station: to, awaits: station, address })
  }

  /** The station dies with its disk. Answers what it had announced to its keeper by then. */
  async lose(lost: string): Promise<Set<string>> {
    const { keeper } = this.#members.get(lost)!
    const announced = keeper === null ? new Set<string>() : await this.#announced(keeper, lost)
    this.stations.delete(lost)
    Object.assign(this.#members.get(lost)!, { state: 'lost' })
    this.#chooseKeepers()
    const handedBy = keeper !== null && this.stations.has(keeper) ? keeper : null
    const others = this.active()
    for (const row of this.#map.values()) {
      const { host, address, station, awaits } = row
      if (station === lost) {
        // Hosts of one machine stay together.
        const to = others[Number(address?.split('.').at(-1)) % others.length]!
        const isHeard = awaits !== null && this.stations.has(awaits)
        this.#assign(host, { station: to, awaits: isHeard ? awaits : handedBy, address })
      } else if (awaits === lost) this.#assign(host, { station, awaits: handedBy, address })
    }
    return announced
  }

  async #announced(keeper: string, lost: string): Promise<Set<string>> {
    const rows = await this.at(keeper).store.query<{ payload: Uint8Array }>(
      'SELECT payload FROM kept_batches WHERE station = ?',
      [lost],
    )
    return new Set(rows.flatMap(({ payload }) => unpackKept(payload).done))
  }

  // ── agents ──────────────────────────────────────────────────────────────────────────────

  /** One agent of the station asks for a block and brings it back. Answers how many pages it had. */
  async work(id: string, requestsMax = 100): Promise<number> {
    const { store } = this.at(id)
    await store.hello(`agent of ${id}`)
    const { block } = await store.lease(`agent of ${id}`, { requestsMax })
    const leasedRequests = leasedRequestsOf(block)
    const results = leasedRequests.map((leased) => {
      const { url, hash } = leased.request
      if (hash === 0) return captured(leased, { status: 404 })
      this.fetches.push({ url, station: id })
      return captured(leased, { links: [...(this.web.get(url) ?? [])] })
    })
    await store.ingest(results)
    this.now += 10_000
    return leasedRequests.length
  }

  /** Everything goes well from now on, until nothing happens any more. */
  async drain(): Promise<void> {
    this.deliver = () => 'well'
    for (let calm = 0; calm < 3;) {
      await this.deliverLate()
      let moved = 0
      for (const id of this.active()) {
        await this.renew(id)
        await this.claim(id)
        const before = this.posts
        await this.ship(id)
        moved += this.posts - before + (await this.work(id))
      }
      calm = moved === 0 ? calm + 1 : 0
    }
  }

  async assertSound(): Promise<void> {
    for (const id of this.active()) {
      const { store } = this.at(id)
      await assertCountsAddUp(store)
      const left = await store.query(
        `SELECT 'outbox' AS what FROM federation_outbox UNION ALL SELECT 'queued' AS what FROM urls
         WHERE outcome IS NULL UNION ALL SELECT 'handover' AS what FROM federation_handovers
         UNION ALL SELECT 'release' AS what FROM federation_releases`,
      )
      assert.deepEqual(left, [], `nothing is left at ${id}`)
    }
  }

  /** URLs by how often they were fetched. */
  fetchedTimes(): Map<string, number> {
    const times = new Map<string, number>()
    for (const { url } of this.fetches) times.set(url, (times.get(url) ?? 0) + 1)
    return times
  }
}

function memberNamed(id: string): FederatedStation {
  return {
    id,
    name: id,
    url: `https://${id}.example`,
    publicKey: `key of ${id}`,
    ca: null,
    branch: '',
    capacity: 1,
    state: 'active',
    keeper: null,
  }
}
