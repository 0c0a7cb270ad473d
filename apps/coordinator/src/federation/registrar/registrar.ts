/**
 * The registrar: who is of the federation, who may dial, who owns which host. What must outlive it
 * is in the store; here are the times of the last calls, on this machine's own clock.
 *
 *   join    an invited station becomes a member
 *   renew   a member may dial for ten more seconds, and receives what is new
 *   claim   hosts get owners
 *   tick    silent members are lost, hosts of the lost and the leaving go to others, collections end
 */
import type {
  ClaimAnswer,
  ClaimMessage,
  CollectionReport,
  FederatedStation,
  FederationFacts,
  GraphMessage,
  JoinAnswer,
  JoinMessage,
  OwnerFacts,
  RenewAnswer,
  RenewMessage,
  StationReport,
} from '@minga/protocol'
import { secretHash } from '@minga/fleet'
import { MapUnsettled, NotRegistrar } from '../errors.ts'
import { guardedStationUrl } from '../calls/station-calls.ts'
import { GRACE_MS, LEASE_MS } from '../timing.ts'
import type { Station } from '../../station/station.ts'
import type { MapPlan } from './map-plan.ts'
import { TerminationDetector } from './termination-detector.ts'

/** A few hundred URLs are linked from everywhere; more would only cost memory. */
const HOT_MAX = 1_000

const isStirring = ({ queued, leased, outbox }: CollectionReport): boolean =>
  queued + leased + outbox > 0

/** What the registrar passes on: collections that have ended everywhere, and URLs that all know by now. */
class RegistrarNews {
  /** Identities of ended collections, which are sent to stations that still have them open. */
  readonly #ended = new Set<string>()
  /** The oldest first; a URL's number says when it came. */
  readonly #hot = new Map<string, number>()
  readonly #sentHot = new Map<string, number>()
  #lastHot = 0

  /** A collection that a user started again has not ended. */
  note({ collections, hot }: StationReport): void {
    for (const report of collections) {
      if (isStirring(report)) this.#ended.delete(report.identity)
    }
    for (const url of hot) {
      if (!this.#hot.has(url)) this.#hot.set(url, ++this.#lastHot)
    }
    for (const url of this.#hot.keys()) {
      if (this.#hot.size <= HOT_MAX) break
      this.#hot.delete(url)
    }
  }

  addEnded(identities: readonly string[]): void {
    for (const identity of identities) this.#ended.add(identity)
  }

  endedIn({ collections }: StationReport): string[] {
    return collections.map(({ identity }) => identity).filter((name) => this.#ended.has(name))
  }

  /** The ones that this station has not received yet. */
  hotFor(station: string): string[] {
    const sent = this.#sentHot.get(station) ?? 0
    this.#sentHot.set(station, this.#lastHot)
    return [...this.#hot].filter(([, number]) => number > sent).map(([url]) => url)
  }
}

interface RegistrarParts extends Pick<Station, 'store' | 'clock' | 'guard'> {
  self: string
  mapPlan: MapPlan
}

export class Registrar {
  readonly term: number
  readonly #since: number
  readonly #parts: RegistrarParts
  readonly #heard = new Map<string, { atMs: number; isLeaving: boolean }>()
  readonly #detector = new TerminationDetector()
  readonly #news = new RegistrarNews()
  /** Lost stations that nothing is left of. */
  readonly #bereft = new Set<string>()
  /** Stations that have reported what they know after a promotion; null once that is settled. */
  #reported: Set<string> | null
  /** Start of this registrar: no report can be older. */
  #openedMs: number
  #tickedMs: number

  private constructor(
    parts: RegistrarParts,
    facts: { term: number; since: number; isSettled: boolean },
  ) {
    this.#parts = parts
    this.term = facts.term
    this.#since = facts.since
    this.#reported = facts.isSettled ? null : new Set()
    this.#openedMs = parts.clock.monotonicMs()
    this.#tickedMs = this.#openedMs
  }

  static async open(parts: RegistrarParts): Promise<Registrar> {
    const { store } = parts
    const { term, since } = await store.call('federationFacts', {})
    const settled = await store.call('readFact', { name: SETTLED })
    return new Registrar(parts, { term, since, isSettled: settled === String(term) })
  }

  // ── members ─────────────────────────────────────────────────────────────────────────────

  async join(id: string, message: JoinMessage): Promise<JoinAnswer> {
    const { store, clock, guard } = this.#parts
    const { token, name, publicKey, ca, branch, capacity } = message
    const station: FederatedStation = {
      id,
      name,
      url: guardedStationUrl(message.url, guard),
      publicKey,
      ca,
      branch,
      capacity,
      state: 'active',
      keeper: null,
    }
    const now = clock.now()
    const facts = await store.call('admitStation', { hash: secretHash(token), station, now })
    this.#heard.set(id, { atMs: clock.monotonicMs(), isLeaving: false })
    this.#detector.reset()
    return { id, ...facts }
  }

  async renew(from: string, message: RenewMessage): Promise<RenewAnswer> {
    const { store, clock } = this.#parts
    if (message.term > this.term) throw new NotRegistrar('one that was promoted since')
    // Its own address is not checked: no station calls itself, and it may be known here by an
    // internal one.
    const { self } = message
    if (self !== null && from !== this.#parts.self) guardedStationUrl(self.url, this.#parts.guard)
    const { isLeaving, report, isBusy } = message
    this.#heard.set(from, { atMs: clock.monotonicMs(), isLeaving })
    const isBehind = message.term < this.term || message.under !== this.#parts.self
    if (isBehind && this.#reported !== null) return this.#gather(this.#reported, from, message)
    const renewed = await store.call('renewStation', {
      id: from,
      epoch: isBehind ? this.#common(message) : message.epoch,
      capacity: message.capacity,
      self: message.self,
      settled: report.settled,
      now: clock.now(),
    })
    this.#detector.note(from, { collections: report.collections, isBusy }, message.round)
    this.#news.note(report)
    this.#parts.mapPlan.hear(from, report)
    const apart = renewed.isAhead ? 0 : null
    const rewindTo = isBehind ? this.#common(message) : apart
    return {
      ...factsOf(renewed),
      standing: 'settled',
      rewindTo,
      since: this.#since,
      leaseMs: renewed.isActive ? LEASE_MS : 0,
      rows: renewed.rows,
      epoch: renewed.epoch,
      more: renewed.more,
      round: this.#detector.round,
      finished: this.#news.endedIn(report),
      hot: this.#news.hotFor(from),
    }
  }

  /** Up to here a member of another term has the same map. */
  #common({ epoch, term, since }: RenewMessage): number {
    return Math.min(this.#since, epoch, term === this.term ? since : Infinity)
  }

  /**
   * What a member knows of the map is taken over before it receives anything. It is the authority
   * on its own hosts.
   */
  async #gather(reported: Set<string>, from: string, message: RenewMessage): Promise<RenewAnswer> {
    const { store, clock } = this.#parts
    if (message.known !== null) {
      const { rows, isAll } = message.known
      await store.call('mergeKnown', { rows, now: clock.now() })
      if (isAll) reported.add(from)
    }
    const facts = await store.call('federationFacts', {})
    const isActive = facts.stations.some(({ id, state }) => id === from && state === 'active')
    const hasReported = reported.has(from)
    return {
      ...factsOf(facts),
      standing: hasReported ? 'wait' : 'tell',
      rewindTo: null,
      since: this.#since,
      leaseMs: hasReported && isActive ? LEASE_MS : 0,
      rows: [],
      epoch: message.epoch,
      more: false,
      round: this.#detector.round,
      finished: [],
      hot: [],
    }
  }

  async claim(from: string, { claims, term }: ClaimMessage): Promise<ClaimAnswer> {
    const { store, clock } = this.#parts
    if (term !== this.term) throw new NotRegistrar('one of another term')
    if (this.#reported !== null) throw new MapUnsettled()
    const now = clock.now()
    const leaving = this.#leaving()
    const rows = await store.call('claimHosts', { station: from, claims, leaving, now })
    return { rows }
  }

  /** Whose a host is, and since when. */
  ownerOf(host: string): Promise<OwnerFacts | null> {
    return this.#parts.store.call('hostOwner', { host })
  }

  /** What members found out about the graph; the registrar's plans are made of it. */
  async learn(graph: GraphMessage): Promise<void> {
    const { store, clock } = this.#parts
    await store.call('flushGraph', { batch: { ...graph, times: [] }, now: clock.now() })
  }

  /** A member has handed over everything and is gone. */
  async dismiss(from: string): Promise<void> {
    const { store, clock } = this.#parts
    await store.call('dismissStation', { id: from, now: clock.now() })
    this.#heard.delete(from)
    this.#detector.reset()
  }

  /** It has not renewed here lately. */
  isUnheard(id: string): boolean {
    const heardMs = this.#heard.get(id)?.atMs ?? -Infinity
    return this.#parts.clock.monotonicMs() - heardMs > LEASE_MS
  }

  // ── upkeep ──────────────────────────────────────────────────────────────────────────────

  async tick(): Promise<void> {
    this.#forgivePause()
    const { stations } = await this.#parts.store.call('federationFacts', {})
    for (const { id, state } of stations) {
      if (state === 'active' && this.#isSilent(id)) await this.#lose(id)
    }
    await this.#settle(stations)
    if (this.#reported !== null) return
    await this.#reassign(stations)
    const active = stations.filter(({ state }) => state === 'active').map(({ id }) => id)
    const isMoving =
      stations.some(({ state }) => state === 'lost') && (await this.#hasLostHosts(stations))
    if (!isMoving) this.#news.addEnded(this.#detector.finish(active))
  }

  /**
   * A suspended process receives no calls: as after a restart, all stations are given their time.
   */
  #forgivePause(): void {
    const nowMs = this.#parts.clock.monotonicMs()
    if (nowMs - this.#tickedMs > LEASE_MS) this.#openedMs = nowMs
    this.#tickedMs = nowMs
  }

  #isSilent(id: string): boolean {
    const { clock, self } = this.#parts
    if (id === self) return false
    const heardMs = Math.max(this.#heard.get(id)?.atMs ?? 0, this.#openedMs)
    return clock.monotonicMs() - heardMs > LEASE_MS + GRACE_MS
  }

  async #lose(id: string): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    const isLost = await store.call('loseStation', {
      id,
      silentSince: now - LEASE_MS - GRACE_MS,
      now,
    })
    if (isLost) this.#detector.reset()
  }

  /** Every station that is not lost has reported what it knows. */
  async #settle(stations: readonly FederatedStation[]): Promise<void> {
    const { store, self } = this.#parts
    const reported = this.#reported
    if (reported === null) return
    const isOpen = ({ id, state }: FederatedStation): boolean =>
      state === 'active' && id !== self && !reported.has(id)
    if (stations.some(isOpen)) return
    await store.call('writeFact', { name: SETTLED, value: String(this.term) })
    this.#reported = null
  }

  #leaving(): string[] {
    return [...this.#heard].filter(([, { isLeaving }]) => isLeaving).map(([id]) => id)
  }

  async #reassign(stations: readonly FederatedStation[]): Promise<void> {
    const { store, clock, mapPlan } = this.#parts
    const leaving = this.#leaving()
    for (const { id: from, state } of stations) {
      if (state === 'active') this.#bereft.delete(from)
      if (state !== 'lost' ? !leaving.includes(from) : this.#bereft.has(from)) continue
      const args = { from, leaving, now: clock.now() }
      while ((await store.call('reassignHosts', args)) > 0);
      if (state !== 'lost') continue
      while ((await store.call('reawaitHosts', args)) > 0);
      this.#bereft.add(from)
    }
    await mapPlan.look({ stations, leaving })
  }

  async #hasLostHosts(stations: readonly FederatedStation[]): Promise<boolean> {
    for (const { id, state } of stations) {
      if (state !== 'lost') continue
      if (await this.#parts.store.call('hasHosts', { station: id })) return true
    }
    return false
  }
}

/** Holds the term whose map has been put together. */
export const SETTLED = 'federation.settled'

function factsOf({ registrar, term, mode, stations }: FederationFacts): FederationFacts {
  return { registrar, term, mode, stations }
}
