/**
 * This station's part in a federation: none until an operator founds one or joins one. Renewals,
 * claims and the exchange run in parallel to the station's other work and never delay it; what they
 * receive is stored.
 */
import {
  claimAnswer,
  federationState,
  isMingaError,
  promotionProof,
  renewAnswer,
  type AskInstead,
  type FederationState,
  type GraphMessage,
  type PeerExchange,
  type PromotedMessage,
} from '@minga/protocol'
import type { PlaceBatch } from '../placement/graph/flush-graph.ts'
import { NotFederated, NotRegistrar, PromotionUndecided } from './errors.ts'
import { Member, type RegistrarLink } from './member/member.ts'
import { SignedCalls, packJson, unpackJson, type StationCalls } from './calls/station-calls.ts'
import type { MapPlan } from './registrar/map-plan.ts'
import { Promotions, type Promotion } from './member/promotions.ts'
import { RecentWaits } from './member/recent-waits.ts'
import { Registrar } from './registrar/registrar.ts'
import { StationAuthenticator } from './calls/station-authenticator.ts'
import { stationIdentity, type StationIdentity } from './calls/station-keys.ts'
import type { Standing } from './station-rows.ts'
import { CALL_PATIENCE_MS, FIRST_TERM, RENEW_EVERY_MS, RENEW_PATIENCE_MS } from './timing.ts'
import type { Station } from '../station/station.ts'

/** What goes from station to station; see exchange.ts. */
interface StationExchange {
  /** What is done a part at a time: handovers, what the lost left behind. */
  upkeep(): Promise<void>
  ship(): Promise<void>
  receive(station: string, body: Buffer): Promise<Buffer>
  /** URLs that keep arriving, since this was last asked. */
  hotUrls(): string[]
  readonly counts: { batches: number; rows: number; bytes: number; received: number }
  /** URLs that went to each other station, and that came from it. */
  peers(): PeerExchange[]
}

/** Its `log` reports what an operator should know. */
export interface FederationContext extends Station {
  newNonce: () => string
  mapPlan: MapPlan
  /** Brings URLs and journals to other stations. */
  exchange: (calls: StationCalls) => StationExchange
  /** The station's own certificate, in PEM; null without one. */
  certificate: string | null
}

/** Batches of a minute or so, while the registrar is away. */
const UNTOLD_MAX = 20
/**
 * Interval at which other stations are asked, or notified, who the registrar is while some of them
 * may not know.
 */
const LOOK_AROUND_MS = 5_000

export class Federation {
  readonly authenticator: StationAuthenticator
  readonly context: FederationContext
  readonly calls: SignedCalls
  readonly exchange: StationExchange
  readonly member: Member
  readonly promotions: Promotions
  #identity: StationIdentity | null = null
  #view: Standing | null = null
  #registrar: Registrar | null = null
  /** Where this station listens; null while it does not. */
  #listensAt: string | null = null
  /** Being entered: nothing may be dialled from the moment on at which others count on it. */
  #isEntering = false
  readonly #jobs = new Map<string, Promise<void>>()
  #renewedMs = -Infinity
  /** When things were last done that are done from time to time. */
  readonly #doneMs = new Map<string, number>()
  /** Problems reported since all was well: the same problem is reported once. */
  readonly #troubles = new Set<string>()
  readonly #untold: GraphMessage[] = []
  readonly #waits: RecentWaits

  private constructor(context: FederationContext) {
    this.context = context
    const { clock, newNonce, resolver, guard } = context
    this.#waits = new RecentWaits(clock)
    this.calls = new SignedCalls({
      clock,
      identity: () => this.identify(),
      stationOf: (id) => this.stationOf(id),
      newNonce,
      resolver,
      guard,
    })
    this.exchange = context.exchange(this.calls)
    this.promotions = new Promotions(context)
    this.authenticator = new StationAuthenticator({
      clock,
      self: () => this.#view?.self ?? null,
      publicKeyOf: (id) => this.stationOf(id)?.publicKey ?? null,
    })
    this.member = new Member(context, {
      link: () => this.#link(),
      self: () => this.ownPlace(),
      capacity: async () => numberIn(await this.#fact('capacity')),
      isLeaving: async () => (await this.#fact('leaving')) !== null,
      hotUrls: () => this.exchange.hotUrls(),
      peers: () => this.exchange.peers(),
      waitMs: () => this.#waits.medianMs(),
    })
  }

  static async open(context: FederationContext): Promise<Federation> {
    const federation = new Federation(context)
    await federation.refresh()
    return federation
  }

  /** Made when it is first needed: most stations collect alone. */
  async identify(): Promise<StationIdentity> {
    this.#identity ??= await stationIdentity(this.context.store, this.context.secrets)
    return this.#identity
  }

  // ── what it is ──────────────────────────────────────────────────────────────────────────

  requireView(): Standing {
    if (this.#view === null) throw new NotFederated()
    return this.#view
  }

  async refresh(): Promise<Standing | null> {
    this.#view = await this.context.store.call('federationStanding', {})
    // A station that left has dropped its identity.
    if (this.#view === null) this.#identity = null
    return this.#view
  }

  stationOf(id: string) {
    const known = this.#view?.stations.find((station) => station.id === id)
    return known === undefined || known.state === 'left' ? null : known
  }

  /** May this station's agents dial? Asked before and after everything that lets them. */
  mayDial(): boolean {
    if (this.#isEntering) return false
    return this.#view === null || this.member.lease.leftMs() > 0
  }

  suspend(): Promise<void> {
    return this.member.suspend()
  }

  listens(url: string): void {
    this.#listensAt = url
  }

  get url(): string | null {
    return this.context.publicUrl ?? this.#listensAt
  }

  async ownPlace() {
    const name = (await this.#fact('name')) ?? (await this.identify()).id
    const branch = (await this.#fact('branch')) ?? ''
    return { name, url: this.url ?? '', ca: this.context.certificate, branch }
  }

  #fact(name: string): Promise<string | null> {
    return this.context.store.call('readFact', { name: `federation.${name}` })
  }

  // ── the registrar, here or elsewhere ────────────────────────────────────────────────────

  get registrar(): Registrar {
    if (this.#registrar === null) throw new NotRegistrar(this.#view?.registrar ?? 'not known yet')
    return this.#registrar
  }

  /** Whom a newcomer has to ask; null: here. */
  askInstead(): AskInstead | null {
    if (this.isRegistrar) return null
    const registrar = this.stationOf(this.requireView().registrar)
    if (registrar === null) return null
    const { name, url, ca } = registrar
    return { ask: { name, url, ca } }
  }

  get isRegistrar(): boolean {
    return this.#view !== null && this.#view.registrar === this.#view.self
  }

  #link(): RegistrarLink {
    const { self, registrar } = this.requireView()
    if (registrar === self) {
      return {
        renew: (message) => this.registrar.renew(self, message),
        claim: (message) => this.registrar.claim(self, message),
      }
    }
    const call = (path: string, body: unknown, patienceMs: number): Promise<Buffer> =>
      this.calls.post(registrar, path, packJson(body), patienceMs)
    return {
      renew: async (message) =>
        unpackJson(await call('/federation/renew', message, RENEW_PATIENCE_MS), renewAnswer),
      claim: async (message) =>
        unpackJson(await call('/federation/claim', message, CALL_PATIENCE_MS), claimAnswer),
    }
  }

  /** When it could have missed a promotion, a registrar asks the others before it continues. */
  async openRegistrar(): Promise<void> {
    const view = this.requireView()
    const promotion = await this.lookAround()
    if (promotion !== null) throw new PromotionUndecided(promotion.name)
    const { store, clock, mapPlan, guard } = this.context
    this.#registrar ??= await Registrar.open({ store, clock, mapPlan, guard, self: view.self })
  }

  closeRegistrar(): void {
    this.#registrar = null
  }

  /** Asks others whether they were promoted; answers what an operator has to decide. */
  async lookAround(others = this.#others()): Promise<Promotion | null> {
    const states = await Promise.all(others.map((id) => this.stateOf(id)))
    for (const state of states) if (state !== null) await this.hearOf(state)
    return this.promotions.undecided(this.requireView())
  }

  /** Null when it does not answer. */
  async stateOf(id: string): Promise<FederationState | null> {
    try {
      const body = await this.calls.get(id, '/federation/state', RENEW_PATIENCE_MS)
      return unpackJson(body, federationState)
    } catch {
      return null
    }
  }

  /** A promotion that counts waits for an operator. A registrar whom most have left gives out no more rights till then. */
  async hearOf(message: PromotedMessage): Promise<void> {
    const view = await this.refresh()
    if (view === null) return
    await this.promotions.hear(view, message)
    const isUndecided = this.promotions.undecided(view) !== null
    const isLeftByMost = this.#unheard().length * 2 > this.#others().length
    if (isUndecided && isLeftByMost) this.closeRegistrar()
  }

  #others(): string[] {
    const { self, stations } = this.requireView()
    return stations.flatMap(({ id, state }) => (id === self || state === 'left' ? [] : [id]))
  }

  /** Those who have not renewed with this registrar lately. */
  #unheard(): string[] {
    return this.#others().filter((id) => this.#registrar?.isUnheard(id))
  }

  /** As an operator has confirmed. */
  async follow(registrar: string): Promise<void> {
    const { store, clock } = this.context
    // Its term is taken with its map; until then ours says what we have.
    const { stations, term } = this.requireView()
    await store.call('noteStations', { stations, registrar, term, now: clock.now() })
    this.closeRegistrar()
    this.#renewedMs = -Infinity
    await this.refresh()
  }

  async state(): Promise<FederationState> {
    const { self: station, registrar, term, epoch } = this.requireView()
    return { station, registrar, term, epoch, signature: await this.#signature() }
  }

  /** Of its own promotion, by which others know it. */
  async #signature(): Promise<string | null> {
    const { self, registrar, term } = this.requireView()
    if (registrar !== self || term === FIRST_TERM) return null
    return (await this.identify()).sign(promotionProof({ registrar, term }))
  }

  /** What this station found out about the graph, for the registrar's plans: estimates, not worth a disk. */
  tellGraph({ source, sequence, pages, links, times }: PlaceBatch): void {
    if (this.#view === null) return
    this.#waits.note(times)
    if (this.isRegistrar) return
    this.#untold.push({ source, sequence, pages, links })
    if (this.#untold.length > UNTOLD_MAX) this.#untold.shift()
  }

  async #shipGraph(): Promise<void> {
    for (let graph = this.#untold[0]; graph !== undefined; graph = this.#untold[0]) {
      const { registrar } = this.requireView()
      await this.calls.post(registrar, '/federation/graph', packJson(graph))
      this.#untold.shift()
    }
  }

  // ── upkeep ──────────────────────────────────────────────────────────────────────────────

  /** The right to dial is renewed by the tick. */
  get isSteady(): boolean {
    return this.#view !== null
  }

  /** Begins what is due; nothing of it is waited for. */
  async tick(): Promise<void> {
    if (this.#listensAt === null) return
    const view = await this.refresh()
    if (view === null || this.#isEntering) return
    await this.member.suspendIfLapsed()
    const nowMs = this.context.clock.monotonicMs()
    if (nowMs - this.#renewedMs >= RENEW_EVERY_MS) this.#begin('renew', () => this.#renew())
    if (this.mayDial()) {
      this.#begin('claim', () => this.#claim())
      this.#begin('graph', () => this.#shipGraph())
    }
    if (this.#registrar !== null) {
      const registrar = this.#registrar
      this.#begin('registrar', () => registrar.tick())
      if (this.#isDue('unheard', nowMs)) this.#begin('unheard', () => this.#callUnheard())
    }
    this.#begin('upkeep', () => this.exchange.upkeep())
    this.#begin('exchange', () => this.exchange.ship())
    this.#begin('leave', () => this.#leaveIfAsked(view))
  }

  /** Runs at once and again until it succeeds: the user who changed something wants to see it. */
  async renewNow(): Promise<void> {
    this.#renewedMs = -Infinity
    await this.tick()
    await this.#jobs.get('renew')
  }

  #isDue(what: string, nowMs: number): boolean {
    if (nowMs - (this.#doneMs.get(what) ?? -Infinity) < LOOK_AROUND_MS) return false
    this.#doneMs.set(what, nowMs)
    return true
  }

  /**
   * Calls members that have not renewed with this registrar: they may not know that it is one, or
   * may follow another. It does not know of that one if no station answered when it started, and
   * cannot be called at an address that has changed.
   */
  async #callUnheard(): Promise<void> {
    await this.announce()
    await this.lookAround(this.#unheard())
  }

  /** Those who have not renewed with a promoted registrar hear that it is one, the former one too. */
  async announce(): Promise<void> {
    const { registrar, term } = this.requireView()
    if (term === FIRST_TERM) return
    const signature = await this.#signature()
    const body = packJson({ registrar, term, signature } satisfies PromotedMessage)
    await Promise.allSettled(
      this.#unheard().map((id) =>
        this.calls.post(id, '/federation/promoted', body, RENEW_PATIENCE_MS),
      ),
    )
  }

  /** Once nothing of this station is anyone else's business any more. */
  async #leaveIfAsked({ self, registrar }: Standing): Promise<void> {
    if ((await this.#fact('leaving')) === null) return
    const ends = await this.context.store.call('federationOpenEnds', { self })
    if (ends.ownsHosts || ends.isBusy) return
    await this.calls.post(registrar, '/federation/leave', packJson({}))
    await this.depart()
  }

  /** From now on this station collects alone; `by`: the operator who said so at this moment. */
  async depart(by: string | null = null): Promise<void> {
    const { store, clock, work } = this.context
    this.closeRegistrar()
    await store.call('leaveFederation', { by, now: clock.now() })
    this.member.lease.drop()
    await this.refresh()
    work.notifyAll()
  }

  async #renew(): Promise<void> {
    const { clock } = this.context
    this.#renewedMs = clock.monotonicMs()
    const isLapsed = this.member.lease.leftMs() === 0
    if (this.isRegistrar && (this.#registrar === null || isLapsed)) await this.openRegistrar()
    try {
      for (let more = true; more;) {
        ;({ more } = await this.member.renew((await this.refresh())!))
      }
      this.#troubles.clear()
    } catch (error) {
      const hasLapsed = this.member.lease.leftMs() === 0
      if (hasLapsed && this.#isDue('look', clock.monotonicMs())) await this.lookAround()
      throw error
    }
  }

  async #claim(): Promise<void> {
    while (await this.member.claim(this.requireView()));
  }

  #begin(name: string, work: () => Promise<void>): void {
    if (this.#jobs.has(name)) return
    const job = work()
      .catch((error: unknown) => this.#tell(name, error))
      .finally(() => this.#jobs.delete(name))
    this.#jobs.set(name, job)
  }

  /** It is tried again. */
  #tell(what: string, error: unknown): void {
    const { code, message } = isMingaError(error)
      ? error
      : { code: 'MINGA_INTERNAL', message: String(error) }
    const line = `minga: federation, ${what}: ${message} (${code})`
    if (this.#troubles.has(line) || this.#view === null) return
    this.#troubles.add(line)
    this.context.log(line)
  }

  /** When everything that has begun has ended. */
  async idle(): Promise<void> {
    while (this.#jobs.size > 0) await Promise.all(this.#jobs.values())
  }

  async close(): Promise<void> {
    this.#listensAt = null
    this.calls.close()
    await this.idle()
  }

  /** Nothing is dialled in the meantime. */
  async entering<R>(work: () => Promise<R>): Promise<R> {
    this.#isEntering = true
    try {
      await this.idle()
      return await work()
    } finally {
      // First it is known where we are, then what may be done.
      await this.refresh()
      this.#isEntering = false
    }
  }
}

const numberIn = (text: string | null): number | null => (text === null ? null : Number(text))
