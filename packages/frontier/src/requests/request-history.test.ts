// Goal: whatever clients, agents and sites do in whatever order, every request ends exactly once
// and none waits for a URL that will never be fetched. Method: random histories on the real
// operations of both databases, a recount after every step, and an end that must come.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import {
  captured,
  failed,
  openStation,
  returned,
  type LeasedRequest,
} from '../../test/station-fixture.ts'
import { TestClients } from '../../test/requests/requests-fixture.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const RUNS = { SQLite: LONG ? 300 : 6, PostgreSQL: LONG ? 60 : 2 }

const CLIENTS = ['one', 'two']
const URLS = ['a', 'b', 'c'].flatMap((host) => [1, 2, 3].map((n) => `http://${host}.test/${n}`))

type Step =
  | { type: 'submit'; client: number; urls: number[]; maxAgeMs: number; priority: number }
  | { type: 'cancel'; pick: number }
  | { type: 'ask' }
  | { type: 'answer'; count: number; how: number; location: number }
  | { type: 'vanish' }
  | { type: 'repeat' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('submit' as const),
      client: fc.nat(1),
      urls: fc.array(fc.nat(URLS.length - 1), { minLength: 1, maxLength: 5 }),
      maxAgeMs: fc.constantFrom(0, 0, 20_000),
      priority: fc.constantFrom(1, 2, 3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), pick: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.constant({ type: 'ask' } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      count: fc.integer({ min: 1, max: 4 }),
      how: fc.nat(9),
      location: fc.nat(URLS.length - 1),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'vanish' } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'repeat' } as const) },
)

class History {
  readonly clients: TestClients
  readonly batches: string[] = []
  #boots = 0
  #boot = ''
  #out: LeasedRequest[] = []
  #lastAnswer: ReturnType<typeof captured>[] = []

  constructor(clients: TestClients) {
    this.clients = clients
  }

  async arrive(): Promise<void> {
    this.#boot = `boot-${++this.#boots}`
    await this.clients.station.hello(this.#boot, 'dev_1')
    this.#out = []
  }

  async take(one: Step): Promise<void> {
    const { clients } = this
    if (one.type === 'submit') {
      const { maxAgeMs, priority } = one
      const urls = one.urls.map((i) => URLS[i]!)
      const client = CLIENTS[one.client]!
      this.batches.push(await clients.submit({ urls, client, maxAgeMs, priority }))
    }
    if (one.type === 'cancel' && this.batches.length > 0) {
      await clients.cancel(this.batches[one.pick % this.batches.length]!)
    }
    if (one.type === 'ask') this.#out.push(...(await clients.lease(this.#boot)))
    if (one.type === 'answer') await this.#answer(one)
    if (one.type === 'vanish') await this.arrive()
    if (one.type === 'repeat') await clients.station.ingest(this.#lastAnswer, this.#boot)
  }

  async #answer({ count, how, location }: Extract<Step, { type: 'answer' }>): Promise<void> {
    const leasedRequests = this.#out.splice(0, count)
    const { station } = this.clients
    const results = leasedRequests.map((leased) => {
      if (leased.request.kind === 'robots') return captured(leased, { status: 404 })
      if (how === 0) return failed(leased)
      if (how === 1) return returned(leased)
      if (how === 2) return captured(leased, { status: 503 })
      if (how <= 4) return captured(leased, { status: 302, location: URLS[location]! })
      return { ...captured(leased), capturedAt: station.now }
    })
    this.#lastAnswer = results.filter((result) => result.type === 'captured')
    await station.ingest(results, this.#boot)
  }

  /** From now on every site answers; nothing may stay open for ever. */
  async comeToAnEnd(): Promise<void> {
    await this.arrive()
    for (let idle = 0; idle < 5;) {
      const leasedRequests = await this.clients.lease(this.#boot)
      idle = leasedRequests.length === 0 ? idle + 1 : 0
      await this.clients.station.ingest(
        leasedRequests.map((leased) =>
          captured(leased, { status: leased.request.kind === 'robots' ? 404 : 200 }),
        ),
        this.#boot,
      )
      this.clients.station.now += 60_000
    }
    for (const id of this.batches) {
      const { open, state } = await this.clients.status(id)
      assert.equal(open, 0)
      assert.notEqual(state, 'running')
    }
  }
}

for (const engine of ENGINES) {
  describe(`histories of requests on ${engine.name}`, { skip: engine.skip }, () => {
    test('every request ends exactly once, whatever happens in between', async () => {
      const station = await openStation(engine)
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const history = new History(new TestClients(station))
          await history.arrive()
          for (const one of steps) {
            await history.take(one)
            await history.clients.assertSound()
          }
          await history.comeToAnEnd()
          await history.clients.assertSound()
        }),
        { numRuns: RUNS[engine.name] },
      )
    })
  })
}
