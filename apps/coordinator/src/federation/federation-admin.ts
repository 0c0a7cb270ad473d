/** What an operator does about the federation, and sees of it. */
import { newSecret, secretHash } from '@minga/fleet'
import {
  joinReply,
  SILENCE_MS,
  type FederatedStation,
  type FederationStatus,
  type JoinAnswer,
  type JoinMessage,
  type RoutingMode,
} from '@minga/protocol'
import {
  BadStationUrl,
  FederatedAlready,
  NoPromotion,
  NotRegistrar,
  RegistrarAnswers,
} from './errors.ts'
import type { Federation } from './federation.ts'
import {
  SOME_STATION,
  packJson,
  safeStationUrl,
  unpackJson,
  withGuardedUrls,
} from './calls/station-calls.ts'
import { SETTLED } from './registrar/registrar.ts'
import { CALL_PATIENCE_MS, FIRST_TERM } from './timing.ts'

/** Everyone knows the registrar; only while it changes may one send us on more than once. */
const JOIN_ROUNDS_MAX = 3

interface OwnPart {
  name: string | null
  /** Compared with the others; null: as many as it has agents. */
  capacity: number | null
  /** Where in the tree it stands, as in pt/lisbon; null: as before, or directly below the root. */
  branch: string | null
}

interface JoinWish extends OwnPart {
  url: string
  token: string
  /** Certificates in PEM that the other's own is to be trusted by. */
  ca: string | null
}

export class FederationAdmin {
  readonly #federation: Federation

  constructor(federation: Federation) {
    this.#federation = federation
  }

  async found(part: OwnPart, by: string): Promise<FederationStatus> {
    const { store, clock } = this.#federation.context
    const url = await this.#requireAlone()
    await this.#federation.entering(async () => {
      const { id, publicKey } = await this.#federation.identify()
      await this.#note(part)
      const place = await this.#federation.ownPlace()
      const capacity = part.capacity ?? 1
      const self: FederatedStation = {
        ...place,
        id,
        url,
        publicKey,
        capacity,
        state: 'active',
        keeper: null,
      }
      await this.#write(SETTLED, String(FIRST_TERM))
      await this.#write('federation.under', id)
      await store.call('enterFederation', {
        self: id,
        registrar: id,
        term: FIRST_TERM,
        stations: [self],
        mode: 'hash',
        by,
        now: clock.now(),
      })
    })
    await this.#federation.renewNow()
    return this.status()
  }

  async join(wish: JoinWish, by: string): Promise<FederationStatus> {
    const { context } = this.#federation
    const url = await this.#requireAlone()
    await this.#federation.entering(async () => {
      await this.#stopDialling()
      const { id: self, publicKey } = await this.#federation.identify()
      await this.#note(wish)
      const { name, ca, branch } = await this.#federation.ownPlace()
      const message: JoinMessage = {
        token: wish.token,
        name,
        url,
        publicKey,
        ca,
        branch,
        capacity: wish.capacity ?? 1,
      }
      const { registrar, term, mode, ...answer } = await this.#askToJoin(wish, message)
      const stations = withGuardedUrls(answer.stations, context.guard)
      await this.#write('federation.under', registrar)
      const entered = { self, registrar, term, stations, mode, by, now: context.clock.now() }
      await context.store.call('enterFederation', entered)
    })
    await this.#federation.renewNow()
    return this.status()
  }

  /** Any station of the federation may be asked: who cannot let us in says whom to ask. */
  async #askToJoin({ url, ca }: JoinWish, message: JoinMessage): Promise<JoinAnswer> {
    let callee = { id: SOME_STATION, name: url, url, ca }
    for (let round = 0; round < JOIN_ROUNDS_MAX; round++) {
      const body = await this.#federation.calls.callAt(callee, {
        method: 'POST',
        path: '/federation/join',
        body: packJson(message),
        patienceMs: CALL_PATIENCE_MS,
      })
      const reply = unpackJson(body, joinReply)
      if (!('ask' in reply)) return reply
      callee = { id: SOME_STATION, ...reply.ask, url: safeStationUrl(reply.ask.url) }
    }
    throw new NotRegistrar(callee.name)
  }

  /** Others may own what our agents are dialling at this moment. */
  async #stopDialling(): Promise<void> {
    const { store, clock } = this.#federation.context
    const ended = await store.call('suspendLeases', { now: clock.now() })
    if (ended > 0) await clock.sleep(SILENCE_MS)
  }

  async #requireAlone(): Promise<string> {
    const { url } = this.#federation
    if (url === null) throw BadStationUrl.unserved()
    if ((await this.#federation.refresh()) !== null) throw new FederatedAlready()
    return safeStationUrl(url)
  }

  async #note({ name, capacity, branch }: OwnPart): Promise<void> {
    if (branch !== null) await this.#write('federation.branch', branch)
    if (name !== null) await this.#write('federation.name', name)
    if (capacity !== null) await this.#write('federation.capacity', String(capacity))
  }

  #write(name: string, value: string): Promise<void> {
    return this.#federation.context.store.call('writeFact', { name, value })
  }

  /** What an operator changes stands in the audit log. */
  #change(name: string, value: string, by: string): Promise<void> {
    const { store, clock } = this.#federation.context
    return store.call('writeFact', { name, value, act: { by, now: clock.now() } })
  }

  /** A token for one station, for a day. */
  async invite(by: string): Promise<{ token: string; expiresAt: number; url: string }> {
    const { store, clock } = this.#federation.context
    this.#federation.requireView()
    // Only the registrar can admit a station.
    void this.#federation.registrar
    const token = newSecret('invite')
    const { expiresAt } = await store.call('inviteStation', {
      hash: secretHash(token),
      by,
      now: clock.now(),
    })
    return { token, expiresAt, url: this.#federation.url! }
  }

  async promote(by: string): Promise<FederationStatus> {
    const view = this.#federation.requireView()
    const { store, clock } = this.#federation.context
    if (view.registrar === view.self) throw RegistrarAnswers.itself()
    const registrar = this.#federation.stationOf(view.registrar)
    if ((await this.#federation.stateOf(view.registrar)) !== null) {
      throw RegistrarAnswers.another(registrar?.name ?? view.registrar)
    }
    // Another may have been promoted already.
    const promotion = await this.#federation.lookAround()
    if (promotion !== null) throw RegistrarAnswers.promoted(promotion.name)
    for (let after: string | null = ''; after !== null;) {
      const { last }: { last: string | null } = await store.call('learnDomains', { after })
      after = last
    }
    await store.call('promoteStation', { self: view.self, by, now: clock.now() })
    await this.#federation.refresh()
    await this.#federation.openRegistrar()
    await this.#federation.announce()
    await this.#federation.renewNow()
    return this.status()
  }

  /** From now on this station follows the one that was promoted. */
  async confirm(station: string, by: string): Promise<FederationStatus> {
    const { promotions } = this.#federation
    const { stations } = this.#federation.requireView()
    const known = stations.find(({ id, name }) => id === station || name === station)
    if (known !== undefined) await promotions.allow(known.id)
    // One that was rejected before is heard again.
    const promotion = await this.#federation.lookAround()
    if (promotion === null || promotion.registrar !== known?.id) throw new NoPromotion(station)
    await this.#change('federation.confirmed', promotion.registrar, by)
    await this.#federation.follow(promotion.registrar)
    await this.#federation.renewNow()
    return this.status()
  }

  /**
   * It is not followed, and its calls are ignored; a registrar that was suspended in the meantime
   * continues.
   */
  async reject(station: string, by: string): Promise<FederationStatus> {
    const { promotions } = this.#federation
    const promotion = promotions.undecided(this.#federation.requireView())
    if (promotion === null || ![promotion.registrar, promotion.name].includes(station)) {
      throw new NoPromotion(station)
    }
    await this.#change('federation.refused', promotion.registrar, by)
    await promotions.reject(promotion.registrar)
    await this.#federation.renewNow()
    return this.status()
  }

  /** Its hosts go to others; when they have them, and everything on its way has arrived, it is gone. */
  async leave(by: string): Promise<FederationStatus> {
    const { self, registrar, stations } = this.#federation.requireView()
    const others = stations.filter(({ id, state }) => id !== self && state === 'active')
    if (others.length === 0) await this.#federation.depart(by)
    else if (registrar === self) throw RegistrarAnswers.stays()
    else await this.#change('federation.leaving', 'asked', by)
    return this.status()
  }

  async setMode(mode: RoutingMode, by: string): Promise<FederationStatus> {
    this.#federation.requireView()
    void this.#federation.registrar
    await this.#change('federation.mode', mode, by)
    return this.status()
  }

  /** Where in the tree it stands from now on. */
  async setBranch(branch: string, by: string): Promise<FederationStatus> {
    this.#federation.requireView()
    await this.#change('federation.branch', branch, by)
    await this.#federation.renewNow()
    return this.status()
  }

  replan(): FederationStatus | Promise<FederationStatus> {
    this.#federation.requireView()
    void this.#federation.registrar
    this.#federation.context.mapPlan.wish()
    return this.status()
  }

  async status(): Promise<FederationStatus> {
    await this.#federation.refresh()
    const view = await this.#federation.context.store.call('federationView', {})
    if (view === null) return { isFederated: false, url: this.#federation.url }
    const { self, registrar, term, epoch, mode, stations, outbox } = view
    return {
      isFederated: true,
      url: this.#federation.url,
      id: self,
      role: registrar === self ? 'registrar' : 'member',
      registrar,
      term,
      promotion: this.#federation.promotions.undecided(this.#federation.requireView()),
      epoch,
      mode,
      mayDial: this.#federation.mayDial(),
      leaseLeftMs: Math.round(this.#federation.member.lease.leftMs()),
      owned: view.owned,
      held: view.held,
      handovers: view.handovers,
      kept: view.kept,
      exchange: { ...this.#federation.exchange.counts },
      peers: this.#federation.exchange.peers(),
      measured: registrar === self ? this.#federation.context.mapPlan.measured(stations) : null,
      outbox,
      stations: stations.map(({ id, name, url, branch, capacity, state, keeper }) => ({
        id,
        name,
        url,
        branch,
        capacity,
        state,
        keeper,
      })),
    }
  }
}
