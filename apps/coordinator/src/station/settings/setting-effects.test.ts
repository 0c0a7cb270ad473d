// Goal: every setting acts when it is changed, without a restart and without losing a request. Method:
// whole stations of both databases on virtual time; each setting is changed in the middle of the work
// that it governs, and what happens before and after is compared. PostgreSQL repeats what its own SQL
// decides; all with MINGA_LONG=1. A setting that no test changes is found by registry.test.ts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LeaseResponse, BatchView } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { People } from '../../../test/accounts/people-fixture.ts'
import { TestDevice } from '../../../test/agents/device-fixture.ts'
import { assertRefused, type TestStation, type Web } from '../../../test/station-fixture.ts'
import { openOperator, type Operator } from '../../../test/station/settings/settings-fixture.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const pagesOf = (host: string, count: number): Web =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`http://${host}/${i}`, { body: `page ${i}` }]),
  )

/** What the parts of the station ask of its store from now on. */
function overhear(station: TestStation): [operation: string, args: Record<string, unknown>][] {
  const heard: [string, Record<string, unknown>][] = []
  const call = station.store.call.bind(station.store)
  station.store.call = (operation, args, transfer) => {
    heard.push([operation, args as Record<string, unknown>])
    return call(operation, args, transfer)
  }
  return heard
}

async function device(station: TestStation, boot: string): Promise<TestDevice> {
  const one = new TestDevice(station)
  await one.enrol()
  await one.hello(boot)
  return one
}

const requestsIn = ({ block }: LeaseResponse): number =>
  (block?.hosts ?? []).reduce((sum, host) => sum + host.requests.length, 0)

const LONG = process.env['MINGA_LONG'] === '1'

for (const engine of ENGINES) {
  /** For tests whose SQL is tested on both databases next to its operations. */
  const once = { skip: engine.name !== 'SQLite' && !LONG }
  const open = (changes = {}): Promise<Operator> => openOperator({ engine, ...changes })

  describe(`settings at work on ${engine.name}`, { skip: engine.skip }, () => {
    test(
      'Run-time strategy switch: whose turn a host is follows the strategy from the next question on',
      once,
      async () => {
        const operator = await open({ flags: { delayMs: 0 } })
        const { station } = operator
        await operator.set({ strategy: 'democratic' })
        const [one, other] = [
          await device(station, 'boot-one'),
          await device(station, 'boot-other'),
        ]
        const urls = Array.from({ length: 8 }, (_, i) => `http://host${i}.test/`)
        const { id } = await operator.submit(urls)
        assert.equal(requestsIn(await one.ask(station.clock)), 4, 'half of them')
        assert.equal(requestsIn(await one.ask(station.clock)), 0, 'the rest is for the other one')
        await operator.set({ strategy: 'least-busy' })
        assert.ok(requestsIn(await one.ask(station.clock)) > 0, 'an idle agent steals')
        assert.ok(requestsIn(await other.ask(station.clock)) > 0)
        assert.equal((await operator.batch(id)).open, 8)
      },
    )

    test(
      'Config variables: what an agent holds and what a block holds follow their settings',
      once,
      async () => {
        const operator = await open()
        const { station } = operator
        const urls = Array.from({ length: 12 }, (_, i) => `http://host${i}.test/`)
        await operator.submit(urls)
        const one = await device(station, 'boot-one')
        await operator.set({ blockMax: 3, inHandMax: 5 })
        assert.equal(requestsIn(await one.ask(station.clock)), 3)
        assert.equal(requestsIn(await one.ask(station.clock)), 2)
        assert.equal(requestsIn(await one.ask(station.clock)), 0)
        await operator.set({ inHandMax: 9 })
        assert.equal(requestsIn(await one.ask(station.clock)), 3)
        await operator.set({ blockMax: 100, inHandMax: 100 })
        assert.equal(requestsIn(await one.ask(station.clock)), 4)
      },
    )

    test(
      'Config variables: which of visits and crawls fill a block first follows their share',
      once,
      async () => {
        const operator = await open()
        const { station } = operator
        const urls = (kind: string): string[] =>
          Array.from({ length: 6 }, (_, i) => `http://${kind}${i}.test/`)
        await station.hello()
        await station.post('/watches', { subject: 'list', urls: urls('watched'), delayMs: 0 })
        await station.collect({ seeds: urls('crawled'), delayMs: 0 })
        await station.tick()
        const first = async (): Promise<string> =>
          /[a-z]+/.exec(new URL((await station.lease()).hosts[0]!.requests[0]!.url).hostname)![0]
        await operator.set({ visitShare: 1, blockMax: 1 })
        assert.equal(await first(), 'watched')
        await operator.set({ visitShare: 0 })
        assert.equal(await first(), 'crawled')
      },
    )

    test(
      'Config variables: caps of a host and of an address are read by the very next lease',
      once,
      async () => {
        // What they do there is tested with `lease`, in packages/frontier.
        const operator = await open()
        const { station } = operator
        const [page] = Object.keys(pagesOf('a.test', 1))
        await station.hello()
        await station.collect({ seeds: [page!], delayMs: 0, inFlightPerHost: 8, retries: 9 })
        await station.send(station.fetch(await station.lease(), {}))
        const busy: Web = { [page!]: { status: 500 } }
        const threads = async (): Promise<number> => {
          const block = await station.lease()
          await station.send(station.fetch(block, busy))
          return block.hosts[0]!.threads
        }
        await operator.set({ threadsPerHostMax: 2, hostsPerAddressMax: 1 })
        assert.ok((await threads()) <= 2)
        await operator.set({ threadsPerHostMax: 1 })
        assert.equal(await threads(), 1)
      },
    )

    test('Config variables: a new delay holds for what is queued already, and no page is lost', async () => {
      const operator = await open()
      const { station } = operator
      const web = pagesOf('a.test', 9)
      const { id } = await operator.submit(Object.keys(web))
      await station.hello()
      await station.send(station.fetch(await station.lease(), web))
      const first = await station.lease()
      assert.equal(first.hosts[0]!.delayMs, 1_000)
      await operator.set({ delayMs: 2_500 })
      await station.send(station.fetch(first, web))
      const second = await station.lease()
      assert.equal(second.hosts[0]!.delayMs, 2_500)
      await station.send(station.fetch(second, web))
      await operator.reset('delayMs')
      assert.equal((await operator.setting('delayMs')).value, 1_000)
      const third = await station.lease()
      assert.equal(third.hosts[0]!.delayMs, 1_000)
      await station.send(station.fetch(third, web))
      await operator.serve(id, web)
      assert.equal((await operator.batch(id)).captured, 9)
    })

    test(
      'Config variables: the patience with slow agents and the share of audits reach their operations',
      once,
      async () => {
        // What they do there is tested with `endStragglers` and `chooseAudits`.
        const operator = await open()
        const { station } = operator
        const web = pagesOf('a.test', 1)
        const heard = overhear(station)
        const told = (operation: string, name: string): unknown =>
          heard.findLast(([called]) => called === operation)?.[1][name]
        await station.tick()
        assert.equal(told('sweep', 'slowFactor'), 4)
        await operator.set({ stragglerFactor: 9.5, auditFloor: 0.25, recheckShare: 0.5 })
        await station.tick()
        assert.equal(told('sweep', 'slowFactor'), 9.5)
        const { id } = await operator.submit(Object.keys(web))
        await operator.serve(id, web)
        assert.equal(told('ingest', 'auditFloor'), 0.25)
        assert.equal(told('ingest', 'recheckShare'), 0.5)
        assert.equal(told('uploadFacts', 'auditFloor'), 0.25)
      },
    )

    test(
      'Long-poll cap: changed while agents wait, it holds for the next question',
      once,
      async () => {
        const operator = await open()
        const { station } = operator
        const idlers = [await device(station, 'boot-one'), await device(station, 'boot-two')]
        await operator.set({ waitingMax: 1 })
        const ask = { requestsMax: 10, hostsMax: 1 }
        const waiting = idlers[0]!.call('ask', ask)
        while (station.clock.sleeping() < 1) await new Promise((wake) => setTimeout(wake, 5))
        const sentAway = (await idlers[1]!.call('ask', ask)).body as LeaseResponse
        assert.equal(sentAway.waitMs, 17_500)
        // The change itself wakes waiting agents, which then ask again.
        await operator.set({ waitingMax: 2 })
        assert.equal((await idlers[1]!.ask(station.clock)).waitMs, 0)
        assert.equal(((await waiting).body as LeaseResponse).waitMs, 0)
      },
    )

    test('Config variables: a request that waits longer than the timeout fails, is paid back, and ends once', async () => {
      const operator = await open()
      const { station } = operator
      const web = pagesOf('a.test', 3)
      const { id } = await operator.submit(Object.keys(web))
      await station.hello()
      await station.send(station.fetch(await station.lease(), web))
      const out = await station.lease()
      await station.clock.advance(MINUTE_MS)
      await station.tick()
      assert.equal((await operator.batch(id)).open, 3, 'days are the usual patience')
      await operator.set({ requestTimeoutMs: 30_000 })
      await station.hello()
      await station.tick()
      await station.send(station.fetch(out, web))
      const lines = await operator.lines(id)
      assert.deepEqual(
        lines.map(({ seq, outcome, code }) => `${seq} ${outcome} ${code}`).toSorted(),
        [0, 1, 2].map((seq) => `${seq} failed MINGA_REQUEST_OVERDUE`),
      )
      await station.tick()
      assert.equal(await operator.balance('operator'), 0, 'all that was reserved is back')
      await operator.ledgerSumsToZero()
      const again = await operator.submit(Object.keys(web))
      await operator.serve(again.id, web)
      assert.equal((await operator.batch(again.id)).captured, 3)
    })

    test(
      'Hanging client call: none hangs longer than the cap, and its request continues',
      once,
      async () => {
        const operator = await open()
        const { station } = operator
        await operator.set({ hangingMaxMs: 2_000 })
        const asking = station.post('/requests', { url: 'http://a.test/0', timeoutS: 60 })
        while (station.clock.sleeping() < 1) await new Promise((wake) => setTimeout(wake, 2))
        await station.clock.advance(2_000)
        const said = await asking
        assertRefused(said, '504 MINGA_REQUEST_OPEN', /within 2 s/)
        const [, id] = /batch (bat_\w+)/.exec(JSON.stringify(said.body))!
        await operator.serve(id!, pagesOf('a.test', 1))
        assert.equal((await operator.batch(id!)).captured, 1)
      },
    )

    test('Cache hit/expiry: a second call is not dispatched while the cache lives, and is after it', async () => {
      const operator = await open()
      const { station } = operator
      const web = pagesOf('a.test', 1)
      const [url] = Object.keys(web)
      await operator.serve((await operator.submit([url!])).id, web)
      assert.equal((await operator.submit([url!])).open, 1, 'without a cache everything is fetched')
      await operator.set({ cacheMs: MINUTE_MS })
      const hit = await operator.submit([url!])
      assert.deepEqual([hit.open, hit.fromCache], [0, 1])
      await station.clock.advance(MINUTE_MS + 1)
      const miss = await operator.submit([url!])
      assert.deepEqual([miss.open, miss.fromCache], [1, 0])
      await operator.set({ cacheMs: HOUR_MS })
      assert.equal((await operator.submit([url!])).fromCache, 1, 'a longer life finds it again')
      await operator.serve(miss.id, web)
      await operator.ledgerSumsToZero()
    })

    test(
      'Config variables: a batch may not be larger than the setting, one that is on its way may be finished',
      once,
      async () => {
        const operator = await open()
        const urls = Object.keys(pagesOf('a.test', 3))
        const first = await operator.submit(urls, { idempotencyKey: 'k' })
        await operator.set({ batchMax: 2 })
        const refused = await operator.station.post('/batches', { urls })
        assertRefused(refused, '400 MINGA_BATCH_TOO_LARGE', /may have 2 requests.*has 3/)
        assert.equal((await operator.submit(urls, { idempotencyKey: 'k' })).id, first.id)
        assert.equal((await operator.submit(urls.slice(1))).total, 2)
      },
    )

    test('Config variables: quotas hold for clients who have none of their own', async () => {
      const operator = await open()
      const people = new People(operator.station)
      const { id, token } = await people.person('carla', 'client')
      await operator.station.post(`/accounts/${id}/top-up`, { micros: 1_000_000 })
      const send = (count: number): Promise<string> =>
        people.outcome(token, 'POST', '/batches', { urls: Object.keys(pagesOf('a.test', count)) })
      assert.equal(await send(3), '200')
      await operator.set({ openRequestsMax: 4 })
      assert.equal(await send(2), '429 MINGA_QUOTA_EXCEEDED')
      assert.equal(await send(1), '200')
      await operator.set({ openRequestsMax: null, dayRequestsMax: 5 })
      assert.equal(await send(2), '429 MINGA_QUOTA_EXCEEDED')
      await operator.submit(Object.keys(pagesOf('b.test', 9)))
      await operator.station.post(`/accounts/${id}/quota`, { openMax: null, dayMax: null })
      assert.equal(await send(9), '200', 'a quota of their own wins')
    })

    test('Config variables: devices and open join tokens of a volunteer follow their settings', async () => {
      const operator = await open()
      const { station } = operator
      const people = new People(station)
      const { token } = await people.person('vera', 'volunteer')
      const invite = (): Promise<string> => people.outcome(token, 'POST', '/join-tokens', {})
      await operator.set({ joinTokensOpenMax: 2 })
      const { token: first } = await people.ok<{ token: string }>(token, 'POST', '/join-tokens', {})
      const { token: next } = await people.ok<{ token: string }>(token, 'POST', '/join-tokens', {})
      assert.equal(await invite(), '409 MINGA_TOO_MANY_JOIN_TOKENS')
      await operator.set({ joinTokensOpenMax: 3 })
      assert.equal(await invite(), '200')
      await operator.set({ devicesPerOwnerMax: 1 })
      assert.equal((await new TestDevice(station).enrol(first)).status, 200)
      const refused = await new TestDevice(station).enrol(next)
      assertRefused(refused, '409 MINGA_TOO_MANY_DEVICES', /has 1 devices/)
      await operator.set({ devicesPerOwnerMax: 2 })
      assert.equal((await new TestDevice(station).enrol(next)).status, 200)
    })

    test('Config variables: the deposit of a complaint and how many a day follow their settings', async () => {
      const operator = await open()
      const { station } = operator
      const people = new People(station)
      const { id: client, token } = await people.person('carla', 'client')
      await station.post(`/accounts/${client}/top-up`, { micros: 100_000 })
      const web = pagesOf('a.test', 3)
      const urls = Object.keys(web)
      const { id } = await people.ok<BatchView>(token, 'POST', '/batches', { urls })
      await station.hello()
      for (let blocks = 0; blocks < 4; blocks++) {
        const { block } = await station.device.ask(station.clock)
        if (block !== null) await station.send(station.fetch(block, web))
        await station.clock.advance(2_000)
      }
      const complain = (seq: number): Promise<string> =>
        people.outcome(token, 'POST', `/batches/${id}/results/${seq}/complaint`)
      const deposits = async (): Promise<number[]> => {
        const accounts = [0, 1].map((seq) => `reserve:complaint ${id} ${seq}`)
        const call = { accounts }
        const found = await station.store.call('balancesOf', call)
        return found.map(({ balanceMicros }) => balanceMicros)
      }
      assert.equal(await complain(0), '200')
      await operator.set({ complaintDepositTimes: 2.5, complaintsPerDay: 2 })
      assert.equal(await complain(1), '200')
      assert.equal(await complain(2), '429 MINGA_TOO_MANY_COMPLAINTS')
      assert.deepEqual(await deposits(), [1_000, 2_500])
    })

    test('Config variables: a new price or split holds for new batches, a running one is paid as agreed', async () => {
      const operator = await open()
      const { station } = operator
      const people = new People(station)
      const { id: client, token } = await people.person('carla', 'client')
      await station.post(`/accounts/${client}/top-up`, { micros: 100_000 })
      const web = { ...pagesOf('a.test', 2), ...pagesOf('b.test', 2) }
      const [a0, a1, b0, b1] = Object.keys(web)
      const send = (urls: string[], maxAgeS = 0): Promise<BatchView> =>
        people.ok(token, 'POST', '/batches', { urls, maxAgeS })
      const work = async (): Promise<void> => {
        await station.hello()
        for (let rounds = 0; rounds < 20; rounds++) {
          const batches = await people.ok<BatchView[]>(token, 'GET', '/batches')
          if (batches.every(({ open: left }) => left === 0)) return station.tick()
          await station.send(station.fetch(await station.lease(), web))
        }
      }
      await send([a0!, b0!])
      await operator.set({ requestMicros: 5_000, cacheMicros: 1_500, platformShareBps: 5_000 })
      assert.equal(await operator.balance(client), 98_000, 'reserved at the old price')
      await work()
      assert.equal(await operator.balance(client), 98_000)
      assert.equal(await operator.balance('operator', 'volunteer'), 1_400, '70 % as agreed')
      await operator.ledgerSumsToZero()
      await send([a1!, b1!])
      await work()
      assert.equal(await operator.balance(client), 88_000)
      assert.equal(await operator.balance('operator', 'volunteer'), 1_400 + 5_000)
      await send([a0!], 3_600)
      await station.tick()
      assert.equal(await operator.balance(client), 86_500, 'an answer from the archive')
      await operator.ledgerSumsToZero()
    })

    test('Config variables: what is kept of devices is forgotten when the setting says so', async () => {
      const operator = await open()
      const { station } = operator
      const web = pagesOf('a.test', 1)
      await operator.serve((await operator.submit(Object.keys(web))).id, web)
      const kept = async (): Promise<[requests: number, places: number]> => {
        const [one] = await operator.read<{ id: string; places: unknown[] }[]>('/devices')
        const requests = await operator.read<unknown[]>(`/devices/${one!.id}/requests`)
        return [requests.length, one!.places.length]
      }
      await station.clock.advance(2 * DAY_MS)
      await station.tick()
      assert.deepEqual(await kept(), [2, 1], 'robots.txt and the page, one network')
      await operator.set({ addressesKeptMs: 0 })
      await station.clock.advance(11_000)
      await station.tick()
      assert.deepEqual(await kept(), [2, 0])
      await operator.set({ detailsKeptMs: DAY_MS })
      await station.clock.advance(11_000)
      await station.tick()
      assert.deepEqual(await kept(), [0, 0])
    })

    test('Config variables: who makes accounts is decided for each', once, async () => {
      const operator = await open()
      const people = new People(operator.station)
      const register = (name: string): Promise<string> =>
        people.outcome(null, 'POST', '/accounts', { name, password: 'minga llama quinoa' })
      assert.equal(await register('ana'), '200')
      await operator.set({ registration: 'operator' })
      assert.equal(await register('ben'), '401 MINGA_NOT_ALLOWED')
      await operator.reset('registration')
      assert.equal(await register('ben'), '200')
    })
  })
}
