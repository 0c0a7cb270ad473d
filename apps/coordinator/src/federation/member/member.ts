/**
 * A member of the federation, as every station is, the registrar too: renews its right to dial,
 * takes what is new, and claims hosts without an owner. A lease counts only when the rows that came
 * with it have taken effect: a station that was lost and comes back knows that it owns nothing
 * before it may dial.
 */
import {
  CLAIMS_MAX,
  type ClaimAnswer,
  type ClaimMessage,
  type Clock,
  type FederatedStation,
  type PeerExchange,
  type RenewAnswer,
  type RenewMessage,
  type StationReport,
} from '@minga/protocol'
import { NotRegistrar } from '../errors.ts'
import { withGuardedUrls } from '../calls/station-calls.ts'
import type { Standing } from '../station-rows.ts'
import type { Station } from '../../station/station.ts'

interface Moment {
  monotonicMs: number
  wallMs: number
}

/**
 * The right to dial, as this station counts it: from when a renewal was sent. Both clocks are
 * checked, as agents do: a suspended machine's monotonic clock may have stood still, and a wall
 * clock may have been set back.
 */
class DialLease {
  readonly #clock: Clock
  #until: Moment | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be asked before a renewal is made ready. */
  now(): Moment {
    return { monotonicMs: this.#clock.monotonicMs(), wallMs: this.#clock.now() }
  }

  renew(sent: Moment, leaseMs: number): void {
    this.#until = { monotonicMs: sent.monotonicMs + leaseMs, wallMs: sent.wallMs + leaseMs }
  }

  drop(): void {
    this.#until = null
  }

  /** 0: nothing may be dialled. */
  leftMs(): number {
    if (this.#until === null) return 0
    const { monotonicMs, wallMs } = this.now()
    const left = Math.min(this.#until.monotonicMs - monotonicMs, this.#until.wallMs - wallMs)
    return Math.max(0, left)
  }
}

/** The registrar, wherever it is. */
export interface RegistrarLink {
  renew(message: RenewMessage): Promise<RenewAnswer>
  claim(message: ClaimMessage): Promise<ClaimAnswer>
}

interface MemberDeps {
  link: () => RegistrarLink
  /** How others reach this station, what it is called, and where in the tree it stands. */
  self: () => Promise<Pick<FederatedStation, 'name' | 'url' | 'ca' | 'branch'>>
  /** What the operator said; null: as many as there are agents. */
  capacity: () => Promise<number | null>
  isLeaving: () => Promise<boolean>
  /** URLs that keep arriving, since this was last asked. */
  hotUrls: () => string[]
  /** URLs between this station and each other one. */
  peers: () => PeerExchange[]
  /** The median of what its hosts took to answer lately; null: not known. */
  waitMs: () => number | null
}

/** So long an agent may be away before its station counts as smaller. */
const AGENTS_AWAY_MS = 300_000

export class Member {
  readonly lease: DialLease
  readonly #station: Station
  readonly #deps: MemberDeps
  #round = 0
  #isSuspended = false
  /** Most agents that were here lately. */
  #agents = { most: 0, atMs: -Infinity }

  constructor(station: Station, deps: MemberDeps) {
    this.#station = station
    this.#deps = deps
    this.lease = new DialLease(station.clock)
  }

  /** Answers what the federation is now; `more`: it is to be asked again at once. */
  async renew(view: Standing): Promise<{ more: boolean }> {
    const sent = this.lease.now()
    const message = await this.#message(view)
    let answer = await this.#deps.link().renew(message)
    if (answer.standing === 'tell') answer = await this.#tell(message, answer.since)
    // A registrar that does not know yet that another was promoted says nothing that counts.
    if (answer.term < view.term) throw new NotRegistrar('one of a later term')
    // Whom we follow is for our operator to confirm, not for a registrar to say.
    if (answer.registrar !== view.registrar) throw new NotRegistrar(answer.registrar)
    if (answer.standing === 'settled') await this.#take(answer, message.report)
    this.#round = answer.round
    if (answer.leaseMs > 0) this.lease.renew(sent, answer.leaseMs)
    else this.lease.drop()
    return { more: answer.more }
  }

  async #message(view: Standing): Promise<RenewMessage> {
    const { store, clock } = this.#station
    const { hotUrls, peers, waitMs } = this.#deps
    const { kept, ...report } = await store.call('federationReport', { now: clock.now() })
    const { isBusy } = await store.call('federationOpenEnds', { self: view.self })
    const self = await this.#deps.self()
    const known = view.stations.find(({ id }) => id === view.self)
    const isKnown =
      known?.name === self.name &&
      known.url === self.url &&
      (known.ca ?? null) === self.ca &&
      known.branch === self.branch
    const isLeaving = await this.#deps.isLeaving()
    return {
      term: view.term,
      epoch: view.epoch,
      under: view.under,
      since: view.since,
      capacity: isLeaving
        ? 0
        : ((await this.#deps.capacity()) ?? this.#agentsLately(report.agents)),
      report: { ...report, hot: hotUrls(), exchange: { kept, peers: peers() }, waitMs: waitMs() },
      round: this.#round,
      isBusy,
      isLeaving,
      self: isKnown ? null : self,
      known: null,
    }
  }

  /** Agents that start again must not make a station give its hosts away. */
  #agentsLately(now: number): number {
    const nowMs = this.#station.clock.monotonicMs()
    const { most, atMs } = this.#agents
    if (now >= most || nowMs - atMs > AGENTS_AWAY_MS) this.#agents = { most: now, atMs: nowMs }
    return this.#agents.most
  }

  /**
   * For a registrar that was promoted: what this station may have received and the registrar may
   * not.
   */
  async #tell(message: RenewMessage, since: number): Promise<RenewAnswer> {
    const { store } = this.#station
    for (let epoch = since; ;) {
      const page = await store.call('mapSince', { epoch })
      const known = { rows: page.rows, isAll: !page.more }
      const answer = await this.#deps.link().renew({ ...message, known })
      if (!page.more) return answer
      epoch = page.epoch
    }
  }

  async #take(answer: RenewAnswer, report: StationReport): Promise<void> {
    const { store, clock, work } = this.#station
    const now = clock.now()
    const { registrar, term, mode, rows, epoch, finished, hot } = answer
    const stations = withGuardedUrls(answer.stations, this.#station.guard)
    const { rewindTo, since } = answer
    if (rewindTo !== null) await store.call('rewindMap', { rewindTo, registrar, since, now })
    await store.call('noteStations', { stations, registrar, term, mode, now })
    const { opened } = await store.call('applyMap', { rows, epoch, now })
    const { settled } = report
    if (settled.length > 0) await store.call('forgetSettled', { hosts: settled })
    if (hot.length > 0) await store.call('noteHot', { hot })
    if (finished.length > 0) await store.call('finishFederated', { identities: finished, now })
    if (opened > 0) work.notifyAll()
  }

  /** Claims hosts without an owner. Returns whether there may be more of them. */
  async claim(view: Standing): Promise<boolean> {
    const { store, clock, work } = this.#station
    const claims = await store.call('claimsToMake', { limit: CLAIMS_MAX, now: clock.now() })
    if (claims.length === 0) return false
    const { rows } = await this.#deps.link().claim({ term: view.term, claims })
    // Rows of this answer alone: what others were given in the meantime comes with a renewal.
    await store.call('applyMap', { rows, epoch: 0, now: clock.now() })
    work.notifyAll()
    return claims.length === CLAIMS_MAX
  }

  /** Without a right to dial nothing may be out. Answers whether there is one. */
  async suspendIfLapsed(): Promise<boolean> {
    if (this.lease.leftMs() > 0) {
      this.#isSuspended = false
      return true
    }
    if (!this.#isSuspended) await this.suspend()
    return false
  }

  async suspend(): Promise<void> {
    const { store, clock } = this.#station
    await store.call('suspendLeases', { now: clock.now() })
    this.#isSuspended = true
  }
}
