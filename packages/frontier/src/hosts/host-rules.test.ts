// Goal: what an owner or operator decides about a host holds from the next lease on, for what is
// out, queued, found later and asked for by clients, and can be taken back. Method: the real
// operations on both databases with hand-made answers and a virtual now; the matching as a property.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { SILENCE_MS } from '@minga/protocol'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { effectOn, parseHostRule, patternsFor, type HostRule } from './host-rules-match.ts'
import { assertCountsAddUp } from '../../test/recount-fixture.ts'
import {
  captured,
  leasedRequestsOf,
  openStation,
  type TestStation,
} from '../../test/station-fixture.ts'
import { TestClients } from '../../test/requests/requests-fixture.ts'

const CODE = 'MINGA_SITE_OPTED_OUT'
const rule = (pattern: string, more: Partial<HostRule> = {}): HostRule => ({
  pattern,
  source: 'owner',
  effect: 'close',
  code: CODE,
  delayMs: 0,
  reason: 'asked',
  madeBy: 'proof_1',
  since: 0,
  ...more,
})

test('a rule is written in one way, and what names no host is none', () => {
  const cases: [string, string | null][] = [
    ['Example.ORG', 'example.org'],
    [' example.org. ', 'example.org'],
    ['example.org:80', 'example.org'],
    ['example.org:443', 'example.org'],
    ['example.org:8080', 'example.org:8080'],
    ['*.Example.org', '*.example.org'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['[::1]:8080', '[::1]:8080'],
    ['127.0.0.1', '127.0.0.1'],
    ['*.127.0.0.1', null],
    ['*.example.org:81', null],
    ['a.*.org', null],
    ['*', null],
    ['', null],
    ['http://example.org', null],
    ['example.org/path', null],
    ['user@example.org', null],
    ['exa mple.org', null],
  ]
  for (const [text, expected] of cases) assert.equal(parseHostRule(text), expected, text)
})

test('a domain is closed with everything below it and nothing next to it', () => {
  const closes = (host: string, pattern: string): boolean =>
    effectOn(host, [rule(pattern)]).closed !== null
  assert.ok(closes('example.org', '*.example.org'))
  assert.ok(closes('a.b.example.org:81', '*.example.org'))
  assert.ok(!closes('badexample.org', '*.example.org'))
  assert.ok(closes('www.example.org.:81', '*.example.org'))
  assert.ok(closes('example.org.', 'example.org'))
  assert.ok(closes('example.org:8080', 'example.org'))
  assert.ok(!closes('example.org', 'example.org:8080'))
  assert.ok(!closes('www.example.org', 'example.org'))
})

test('an exemption lifts a wider closing of its own code only; the longest delay counts', () => {
  const denied = rule('*.example.org', { source: 'operator', code: 'MINGA_HOST_DENIED' })
  const exempt = rule('ok.example.org', { ...denied, pattern: 'ok.example.org', effect: 'exempt' })
  assert.equal(effectOn('ok.example.org', [denied, exempt]).closed, null)
  assert.equal(effectOn('no.example.org', [denied, exempt]).closed, denied)
  const owners = rule('ok.example.org')
  assert.equal(effectOn('ok.example.org', [denied, exempt, owners]).closed, owners)
  assert.equal(effectOn('ok.example.org', [denied, owners]).closed, denied)
  const narrow = { ...denied, pattern: 'ok.example.org' }
  assert.equal(effectOn('ok.example.org', [narrow, { ...exempt, source: 'x' }]).closed, narrow)
  const slow = [5, 9, 7].map((delayMs, i) =>
    rule('ok.example.org', { effect: 'slow', delayMs, source: `s${i}` }),
  )
  assert.deepEqual(effectOn('ok.example.org', slow), { closed: null, delayMs: 9 })
})

test('a host matches exactly the patterns that are listed for it', () => {
  const label = fc.constantFrom('a', 'b', 'xn--c', 'd1')
  const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
  fc.assert(
    fc.property(name, name, (host, domain) => {
      const isBelow = host === domain || host.endsWith(`.${domain}`)
      assert.equal(patternsFor(host).includes(`*.${domain}`), isBelow)
      assert.equal(patternsFor(host).includes(domain), host === domain)
    }),
    { numRuns: 2_000 },
  )
})

const SITE = 'http://10.1.0.1'
const urls = (count: number, site = SITE): string[] =>
  Array.from({ length: count }, (_, i) => `${site}/${i}`)

async function close(station: TestStation, rules: string[], more: object = {}): Promise<void> {
  const args = { rules, source: 'owner', code: CODE, reason: 'asked', by: 'proof_1' }
  await station.store.call('closeHosts', { ...args, now: station.now, ...more })
}

async function endAll(station: TestStation): Promise<number> {
  for (let steps = 0; ; steps++) {
    const { isMore } = await station.store.call('endClosed', {
      now: station.now,
    })
    if (!isMore) return steps
  }
}

for (const engine of ENGINES) {
  describe(`Rules about hosts on ${engine.name}`, { skip: engine.skip }, () => {
    test('a closed host loses its lease at once and what it had queued ends as denied', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await station.open({ seeds: [...urls(30), 'http://10.1.0.2/'], delayMs: 0 })
      await station.openHosts('one')
      await station.hello('one')
      const { block } = await station.lease('one')
      const leasedRequests = leasedRequestsOf(block)
      assert.ok(leasedRequests.some(({ request }) => request.url.startsWith(SITE)))
      await close(station, ['10.1.0.1'])
      assert.deepEqual((await station.beat('one', [block!.fence])).ended, [block!.fence])
      assert.equal((await station.ingest(leasedRequests.map((e) => captured(e)))).accepted, 0)
      assert.equal(await endAll(station), 1)
      await assertCountsAddUp(station)
      const { denied, errors } = await station.status(id)
      assert.deepEqual({ denied, errors }, { denied: 30, errors: { [CODE]: 30 } })
      station.now += SILENCE_MS + 60_000
      await station.hello('one')
      const later = leasedRequestsOf((await station.lease('one')).block)
      assert.deepEqual(
        later.map(({ request }) => request.url),
        ['http://10.1.0.2/'],
      )
    })

    test('a lease gives out nothing of a closed host even before its queue is ended', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await station.open({ seeds: urls(30), delayMs: 0 })
      await station.openHosts('one')
      await close(station, ['10.1.0.1'])
      station.now += 100_000
      await station.hello('one')
      assert.equal((await station.lease('one')).block, null)
      assert.equal((await station.status(id)).denied, 30)
      await assertCountsAddUp(station)
    })

    test('links and seeds found later, on hosts never met before too, are denied', async () => {
      const station = await openStation(engine)
      await close(station, ['*.example.org', '10.1.0.1'])
      const id = await station.open({
        seeds: [`${SITE}/`, 'http://new.example.org./', 'http://example.com/'],
        delayMs: 0,
      })
      await station.discover(id, [`${SITE}/found`, 'https://example.org:8443/'])
      const { denied, queued } = await station.status(id)
      assert.deepEqual({ denied, queued }, { denied: 4, queued: 1 })
      await assertCountsAddUp(station)
    })

    test("clients' requests end as denied: queued ones, new ones, and redirects to the host", async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const clients = new TestClients(station)
      const first = await clients.submit({ urls: [`${SITE}/a`, 'http://10.1.0.2/to'] })
      await station.openHosts('one')
      await close(station, ['10.1.0.1'])
      await endAll(station)
      const second = await clients.submit({ urls: [`${SITE}/new`], maxAgeMs: 100_000 })
      station.now += 100_000
      await station.hello('one')
      const leasedRequests = leasedRequestsOf((await station.lease('one')).block)
      assert.deepEqual(
        leasedRequests.map(({ request }) => request.url),
        ['http://10.1.0.2/to'],
      )
      await station.ingest(
        leasedRequests.map((e) => captured(e, { status: 302, location: `${SITE}/b` })),
      )
      const results = [...(await clients.results(first)), ...(await clients.results(second))]
      assert.deepEqual(
        results.map(({ outcome, code }) => [outcome, code]),
        Array.from({ length: 3 }, () => ['denied', CODE]),
      )
      await clients.assertSound()
      await assertCountsAddUp(station)
    })

    test('taken back by its source alone, the host is open for new URLs again', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await close(station, ['10.1.0.1'])
      await close(station, ['10.1.0.1'], { source: 'operator', code: 'MINGA_HOST_DENIED' })
      const open = (source: string): Promise<unknown> =>
        station.store.call('openHosts', { rules: ['10.1.0.1'], source, now: station.now })
      const closedBy = async (): Promise<string | null> => {
        const effect = await station.store.call('hostRuleFor', { host: '10.1.0.1' })
        return effect.closed?.source ?? null
      }
      const id = await station.open({ seeds: urls(1), delayMs: 0 })
      assert.equal(await closedBy(), 'operator')
      await open('operator')
      assert.equal(await closedBy(), 'owner')
      await station.discover(id, [`${SITE}/second`])
      await open('owner')
      assert.equal(await closedBy(), null)
      await station.discover(id, [`${SITE}/third`])
      const { denied, queued } = await station.status(id)
      assert.deepEqual({ denied, queued }, { denied: 2, queued: 1 })
      await station.openHosts('one')
      await station.hello('one')
      station.now += 100_000
      await station.hello('one')
      assert.equal(leasedRequestsOf((await station.lease('one')).block).length, 1)
    })

    test('a slowed host rests at least that long, from the lease that is out on', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({ seeds: urls(30), delayMs: 0 })
      await station.openHosts('one')
      await station.hello('one')
      const { block } = await station.lease('one')
      const slowed = { rules: ['10.1.0.1'], source: 'owner', delayMs: 30_000, reason: '', by: 'p' }
      await station.store.call('slowHosts', { ...slowed, now: station.now })
      assert.deepEqual((await station.beat('one', [block!.fence])).ended, [block!.fence])
      station.now += 29_999
      await station.hello('one')
      assert.equal((await station.lease('one')).block, null)
      station.now += SILENCE_MS + 1
      await station.hello('one')
      const next = await station.lease('one')
      assert.deepEqual(
        next.block!.hosts.map(({ delayMs, threads }) => ({ delayMs, threads })),
        [{ delayMs: 30_000, threads: 1 }],
      )
      await station.ingest(leasedRequestsOf(next.block).map((leased) => captured(leased)))
      station.now += 29_999
      await station.hello('one')
      assert.equal((await station.lease('one')).block, null)
      await assertCountsAddUp(station)
    })

    test('a queue of thousands ends in steps', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: urls(4_500), delayMs: 0, trapBudget: false })
      await close(station, ['10.1.0.1'])
      assert.equal(await endAll(station), 3)
      const { denied, queued } = await station.status(id)
      assert.deepEqual({ denied, queued }, { denied: 4_500, queued: 0 })
    })
  })
}
