/**
 * A small world around a station: agents that keep the rules of the protocol, sites that answer in
 * every way, and a record of who was contacted when. Tests let random histories happen in it.
 */
import assert from 'node:assert/strict'
import { SILENCE_MS, type CollectionState, type Result } from '@minga/protocol'
import { assertCountsAddUp } from './recount-fixture.ts'
import {
  captured,
  leasedRequestsOf,
  failed,
  returned,
  type LeasedRequest,
  type TestStation,
} from './station-fixture.ts'

const DELAY_MS = 500

/** One thing that happens. `pick` chooses among whatever there is to choose from. */
export type Happening =
  | { type: 'pass'; ms: number }
  | { type: 'ask' | 'beat' | 'upload' | 'repeat' | 'restart' | 'forget'; pick: number }
  | { type: 'dial'; pick: number; answer: number; lastsMs: number }
  | { type: 'sweep' | 'finish' | 'pause' | 'resume' | 'cancel' }

interface HeldHost {
  leasedRequests: LeasedRequest[]
  restUntil: number
}

interface Agent {
  boot: string
  device: string
  heardAt: number
  hosts: HeldHost[]
  outbox: { result: Result; endedAt: number }[]
  sent: Result[]
}

interface Contact {
  url: string
  hostId: number
  address: string
  start: number
  end: number
}

export class World {
  readonly station: TestStation
  readonly contacts: Contact[] = []
  readonly agents: Agent[]
  readonly #name: string
  readonly #addresses: Record<string, string>
  readonly #collections: number[] = []
  readonly #ended = new Map<string, string>()
  #boots = 0
  #links = 0

  constructor(station: TestStation, name: string) {
    this.station = station
    this.#name = name
    // Hosts 0 and 1 share an address.
    this.#addresses = { [this.host(0)]: this.host(9), [this.host(1)]: this.host(9) }
    this.agents = ['a', 'b'].map((device) => this.#newAgent(`${name}-${device}`))
  }

  host(index: number): string {
    return `h${index}-${this.#name}.test`
  }

  async open(): Promise<void> {
    for (const agent of this.agents) await this.station.hello(agent.boot, agent.device)
    const seeds = [0, 1, 2, 3].map((index) => `http://${this.host(index)}/seed`)
    const spec = { delayMs: DELAY_MS, retries: 1, scope: 'any' } as const
    this.#collections.push(await this.station.open({ ...spec, seeds }))
    this.#collections.push(await this.station.open({ ...spec, seeds: seeds.slice(1), maxPages: 6 }))
  }

  async happen(event: Happening): Promise<void> {
    switch (event.type) {
      case 'pass':
        this.station.now += event.ms
        return
      case 'sweep':
        return this.station.sweep()
      case 'finish':
        return void (await this.station.finish(100))
      case 'pause':
        return this.#setState('paused')
      case 'resume':
        return this.#setState('running')
      case 'cancel':
        return this.#setState('cancelled')
      case 'dial':
        this.#dial(event)
        return
      default:
        return this.#agentDoes(event.type, this.agents[event.pick % this.agents.length]!)
    }
  }

  async #agentDoes(
    what: 'ask' | 'beat' | 'upload' | 'repeat' | 'restart' | 'forget',
    agent: Agent,
  ): Promise<void> {
    if (what === 'ask') await this.#ask(agent)
    if (what === 'beat') await this.#beat(agent)
    if (what === 'upload') await this.#upload(agent)
    if (what === 'repeat') await this.station.ingest(agent.sent)
    // It dies with everything it held and had not sent; its device comes back under a new boot.
    if (what === 'restart') {
      const fresh = this.#newAgent(agent.device)
      this.agents[this.agents.indexOf(agent)] = fresh
      await this.station.hello(fresh.boot, fresh.device)
    }
    if (what === 'forget') {
      agent.outbox.push(...this.#giveBack(agent))
      await this.#upload(agent)
    }
  }

  #newAgent(device: string): Agent {
    const boot = `${device}-${++this.#boots}`
    return { boot, device, heardAt: this.station.now, hosts: [], outbox: [], sent: [] }
  }

  /** Stations forget silent agents, which then say hello and know that they hold nothing. */
  async #greeted<R>(agent: Agent, call: () => Promise<R>): Promise<R | null> {
    try {
      return await call()
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'MINGA_UNKNOWN_AGENT')
      agent.hosts = []
      await this.station.hello(agent.boot, agent.device)
      agent.heardAt = this.station.now
      return null
    }
  }

  async #ask(agent: Agent): Promise<void> {
    const answer = await this.#greeted(agent, () =>
      this.station.lease(agent.boot, { requestsMax: 20, hostsMax: 10, addresses: this.#addresses }),
    )
    const leasedRequests = leasedRequestsOf(answer?.block ?? null)
    for (const list of Map.groupBy(leasedRequests, ({ host }) => host).values()) {
      agent.hosts.push({ leasedRequests: list, restUntil: 0 })
    }
  }

  async #beat(agent: Agent): Promise<void> {
    const fences = [
      ...agent.hosts.flatMap(({ leasedRequests }) => leasedRequests),
      ...agent.outbox.map(({ result }) => result),
    ]
    const held = [...new Set(fences.map(({ fence }) => fence))]
    const answer = await this.#greeted(agent, () => this.station.beat(agent.boot, held))
    if (answer === null) return
    agent.heardAt = this.station.now
    agent.hosts = agent.hosts.filter(
      ({ leasedRequests }) => !answer.ended.includes(leasedRequests[0]!.fence),
    )
  }

  async #upload(agent: Agent): Promise<void> {
    const { now } = this.station
    const results = agent.outbox.map(({ result, endedAt }) =>
      result.type === 'returned' ? result : { ...result, endedAgoMs: now - endedAt },
    )
    agent.outbox = []
    agent.sent = results
    await this.station.ingest(results)
  }

  #giveBack(agent: Agent): Agent['outbox'] {
    const rest = agent.hosts.flatMap(({ leasedRequests }) => leasedRequests)
    agent.hosts = []
    return rest.map((leased) => ({ result: returned(leased), endedAt: this.station.now }))
  }

  #dial({ pick, answer, lastsMs }: Happening & { type: 'dial' }): void {
    const { station } = this
    const able = this.agents.filter(({ heardAt }) => station.now - heardAt < SILENCE_MS)
    const choices = able.flatMap((agent) =>
      agent.hosts
        .filter(({ restUntil }) => restUntil <= station.now)
        .map((held) => ({ agent, held })),
    )
    const chosen = choices[pick % Math.max(1, choices.length)]
    if (!chosen) return
    const { agent, held } = chosen
    const leased = held.leasedRequests.shift()!
    if (held.leasedRequests.length === 0) agent.hosts.splice(agent.hosts.indexOf(held), 1)
    const start = station.now
    // Others may do things in the meantime only in as far as the history lets time pass elsewhere.
    station.now += lastsMs
    const { url, hash } = leased.request
    const { hostId, address, delayMs } = leased.host
    const result = hash === 0 ? this.#robots(leased, answer) : this.#page(leased, answer)
    agent.outbox.push({ result, endedAt: station.now })
    // Given back undialled.
    if (result.type === 'returned') return
    this.contacts.push({ url, hostId, address, start, end: station.now })
    held.restUntil = station.now + delayMs
  }

  #robots(leased: LeasedRequest, answer: number): Result {
    const away = `http://${this.host(answer % 4)}/robots-elsewhere.txt`
    const kinds: (() => Result)[] = [
      () => captured(leased, { status: 404 }),
      () => captured(leased, { body: 'User-agent: *\nDisallow: /secret' }),
      () => captured(leased, { body: 'User-agent: *\nCrawl-delay: 2' }),
      () => captured(leased, { status: 503 }),
      () => captured(leased, { status: 302, location: away }),
      () => failed(leased),
      () => captured(leased, { status: 200, body: '' }),
    ]
    return kinds[answer % kinds.length]!()
  }

  #page(leased: LeasedRequest, answer: number): Result {
    const kinds: (() => Result)[] = [
      () => captured(leased, { links: this.#newLinks(3) }),
      () => captured(leased, { links: this.#newLinks(1) }),
      () => captured(leased, { body: 'User-agent: *' }),
      () => captured(leased, { status: 404 }),
      () => captured(leased, { status: 429, retryAfterMs: 3_000 }),
      () => captured(leased, { status: 500 }),
      () => captured(leased, { status: 301, location: this.#newLinks(1)[0]! }),
      () => failed(leased, { retry: 'later' }),
      () => failed(leased, { retry: 'never' }),
      () => returned(leased),
    ]
    return kinds[answer % kinds.length]!()
  }

  #newLinks(count: number): string[] {
    if (this.#links > 25) return [`http://${this.host(2)}/seed`]
    return Array.from({ length: count }, () => {
      const path = this.#links % 6 === 5 ? 'secret' : 'page'
      return `http://${this.host(++this.#links % 4)}/${path}/${this.#links}`
    })
  }

  async #setState(state: CollectionState): Promise<void> {
    const id = this.#collections[0]!
    const { now } = this.station
    const status = await this.station.status(id)
    if (status.state === 'cancelled' || status.state === 'finished') return
    await this.station.store.call('setCollectionState', { id, state, reason: null, now })
  }

  /** Everything that must be true at every moment. */
  async check(): Promise<void> {
    await assertCountsAddUp(this.station)
    await this.#assertEndedOnce()
    this.#assertPolite()
    const status = await this.station.status(this.#collections[1]!)
    assert.ok(status.pages <= 6, 'no more pages than asked for')
  }

  async #assertEndedOnce(): Promise<void> {
    const rows = await this.station.query<{ id: string; outcome: string | null }>(
      `SELECT collection_id || ' ' || url AS id, outcome FROM urls`,
    )
    const now = new Map(rows.map(({ id, outcome }) => [id, outcome]))
    for (const [id, outcome] of this.#ended) assert.equal(now.get(id), outcome, `${id} ended once`)
    for (const [id, outcome] of now) if (outcome !== null) this.#ended.set(id, outcome)
    const twice = await this.station.query(
      `SELECT c.collection_id, c.url, COUNT(*) AS n FROM captures c JOIN urls u
         ON u.collection_id = c.collection_id AND u.host_id = c.host_id AND u.hash = c.hash
       WHERE u.kind <> 'robots' GROUP BY c.collection_id, c.url HAVING COUNT(*) > 1`,
    )
    assert.deepEqual(twice, [], 'no URL is kept twice')
  }

  #assertPolite(): void {
    for (const unit of ['hostId', 'address'] as const) {
      for (const visits of Map.groupBy(this.contacts, (contact) => contact[unit]).values()) {
        const inOrder = visits.toSorted((a, b) => a.start - b.start)
        for (const [i, next] of inOrder.entries()) {
          const gapMs = i === 0 ? Infinity : next.start - inOrder[i - 1]!.end
          assert.ok(gapMs >= DELAY_MS, `${unit} ${next[unit]} was contacted after ${gapMs} ms`)
        }
      }
    }
  }

  /** Lets everyone work in earnest until nothing is left. */
  async runToTheEnd(): Promise<void> {
    for (let round = 0; round < 3_000; round++) {
      await this.station.finish(0)
      const states = await Promise.all(this.#collections.map((id) => this.station.status(id)))
      if (states.every(({ state }) => state === 'finished' || state === 'cancelled')) return
      await this.#setState('running')
      for (const agent of this.agents) {
        await this.#beat(agent)
        await this.#ask(agent)
        await this.#upload(agent)
      }
      this.#dial({ type: 'dial', pick: round, answer: round % 3, lastsMs: 10 })
      this.station.now += 300
      if (round % 20 === 0) await this.station.sweep()
    }
    assert.fail('the collections never finished')
  }

  async assertNothingLeft(): Promise<void> {
    for (const agent of this.agents) await this.#agentDoes('forget', agent)
    await this.check()
    const left = await this.station.query(
      `SELECT c.id, u.url FROM urls u JOIN collections c ON c.id = u.collection_id
       WHERE u.outcome IS NULL AND c.state <> 'paused' AND NOT (c.reason = 'max-pages')`,
    )
    assert.deepEqual(
      left.filter((row) => !this.#isLimited(row)),
      [],
      'every accepted URL has ended',
    )
  }

  #isLimited(row: unknown): boolean {
    return (row as { id: number }).id === this.#collections[1]
  }
}
