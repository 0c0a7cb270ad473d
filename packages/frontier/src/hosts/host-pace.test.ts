// Goal: the policies hold through leases and results, for one agent or many, and a complaint ends them at
// once. Method: the real operations on both databases, driven step by step with a virtual now.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CollectionRequest } from '@minga/protocol'
import { ENGINES, skipRepeats } from '../../../store/test/contract-engines.ts'
import { densityDelayMs } from './politeness.ts'
import { assertCountsAddUp } from '../../test/recount-fixture.ts'
import {
  captured,
  leasedRequestsOf,
  failed,
  openStation,
  type Answered,
  type TestStation,
} from '../../test/station-fixture.ts'

const DELAY_MS = 15_000
const HOST = 'http://10.1.0.1'

/** Every policy and both answers; with MINGA_LONG=1 every policy with both. */
const STRAINED = (['density', 'tenfold', 'adaptive'] as const).flatMap((politeness, i) =>
  [429, 503]
    .filter((_, j) => process.env['MINGA_LONG'] === '1' || i % 2 === j)
    .map((status) => [politeness, status] as const),
)

const pagesOf = (count: number, host = HOST): string[] =>
  Array.from({ length: count }, (_, i) => `${host}/${i}`)

/** A station with two agents and a collection of which robots.txt is known. */
async function startCrawl(
  engine: (typeof ENGINES)[number],
  request: Partial<CollectionRequest>,
): Promise<{ station: TestStation; id: number }> {
  const station = await openStation(engine)
  await station.hello('one')
  await station.hello('two')
  const id = await station.open({ seeds: pagesOf(60), delayMs: DELAY_MS, ...request })
  await station.openHosts('one')
  return { station, id }
}

/** The next block of the host, whenever it may be; answers its delay and how long it was waited for. */
async function nextTurn(
  station: TestStation,
  answer: Answered | 'failed' = {},
): Promise<{ delayMs: number; waitedMs: number }> {
  const from = station.now
  for (let boots = ['one', 'two']; ; boots = boots.toReversed()) {
    await Promise.all(boots.map((boot) => station.beat(boot)))
    const { block, nextTurnAt } = await station.lease(boots[0]!, { requestsMax: 1 })
    if (block === null) {
      station.now = Math.max(station.now + 1, nextTurnAt!)
      continue
    }
    const results = leasedRequestsOf(block).map((leased) =>
      answer === 'failed' ? failed(leased, { retry: 'never' }) : captured(leased, answer),
    )
    const other = await station.lease(boots[1]!)
    assert.equal(other.block, null, 'it is out with one agent at a time')
    const waitedMs = station.now - from
    await station.ingest(results)
    return { delayMs: block.hosts[0]!.delayMs, waitedMs }
  }
}

async function turns(station: TestStation, count: number, answer?: Answered): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn(station, answer)
}

for (const engine of ENGINES) {
  describe(`Politeness policies on ${engine.name}`, { skip: skipRepeats(engine) }, () => {
    test('a constant delay stays what it is, however well a host copes', async () => {
      const { station } = await startCrawl(engine, {})
      await turns(station, 15)
      assert.deepEqual(await nextTurn(station), { delayMs: DELAY_MS, waitedMs: DELAY_MS })
    })

    test('Politeness 3 modes: a dense host that copes rests by its pages, whichever agent comes', async () => {
      const { station } = await startCrawl(engine, { politeness: 'density' })
      await turns(station, 5)
      assert.equal((await nextTurn(station)).delayMs, DELAY_MS, 'it is not known to cope yet')
      await turns(station, 8)
      const expected = densityDelayMs({ pages: 60, pagesMax: 1_000, maxMs: DELAY_MS, minMs: 1_000 })
      assert.ok(expected < 7_000)
      assert.deepEqual(await nextTurn(station), { delayMs: expected, waitedMs: expected })
      await assertCountsAddUp(station)
    })

    test('what is found later, there or elsewhere, counts from the next lease on', async () => {
      const { station, id } = await startCrawl(engine, { politeness: 'density' })
      await turns(station, 12)
      const before = (await nextTurn(station)).delayMs
      await station.discover(id, pagesOf(100))
      const more = densityDelayMs({ pages: 100, pagesMax: 1_000, maxMs: DELAY_MS, minMs: 1_000 })
      assert.equal(
        (await nextTurn(station)).waitedMs,
        before,
        'what was promised to the site holds',
      )
      assert.equal((await nextTurn(station)).delayMs, more)
      await station.change('UPDATE collections SET most_found = 5000 WHERE id = ?', [id])
      await nextTurn(station)
      assert.ok((await nextTurn(station)).delayMs > more)
    })

    test('the host of which most is known is kept count of, once it was asked', async () => {
      const { station, id } = await startCrawl(engine, { politeness: 'density' })
      await station.discover(id, pagesOf(70))
      await turns(station, 2)
      const [row] = await station.query<{ n: number }>('SELECT most_found AS n FROM collections')
      assert.equal(row!.n, 70)
    })

    test('a site that answers 429 or 503 gets the whole delay at once, until it has coped for long', async () => {
      for (const [politeness, status] of STRAINED) {
        const { station } = await startCrawl(engine, { politeness, retries: 20 })
        await turns(station, 30)
        assert.ok((await nextTurn(station, { status })).delayMs < DELAY_MS, politeness)
        for (let i = 0; i < 10; i++) {
          const { delayMs, waitedMs } = await nextTurn(station)
          assert.ok(delayMs >= DELAY_MS && waitedMs >= DELAY_MS, `${politeness} after ${i}`)
        }
        await turns(station, 10)
        assert.ok((await nextTurn(station)).delayMs < DELAY_MS, `${politeness}: it copes again`)
      }
    })

    test('a strained site gets the whole delay, and one that fails again and again, too', async () => {
      const { station } = await startCrawl(engine, { politeness: 'density' })
      await turns(station, 14, { totalMs: 100 })
      await nextTurn(station, { totalMs: 4_000 })
      assert.ok((await nextTurn(station)).waitedMs >= DELAY_MS)
      await turns(station, 30)
      assert.ok((await nextTurn(station, 'failed')).delayMs < DELAY_MS)
      assert.ok((await nextTurn(station, 'failed')).delayMs < DELAY_MS, 'one may be a page’s own')
      assert.ok((await nextTurn(station, 'failed')).delayMs >= DELAY_MS)
    })

    test('robots.txt, an owner’s rule and Retry-After win over every policy', async () => {
      for (const politeness of ['density', 'tenfold', 'adaptive'] as const) {
        const { station } = await startCrawl(engine, { politeness, retries: 20 })
        await turns(station, 30)
        assert.ok((await nextTurn(station)).delayMs < 12_000)
        await station.change('UPDATE hosts SET crawl_delay_ms = 12000')
        assert.equal((await nextTurn(station)).delayMs, 12_000)
        await station.change('UPDATE hosts SET slow_ms = 13000')
        assert.equal((await nextTurn(station)).delayMs, 13_000)
        assert.equal((await nextTurn(station)).waitedMs, 13_000)
        await nextTurn(station, { status: 429, retryAfterMs: 90_000 })
        assert.ok((await nextTurn(station)).waitedMs >= 90_000)
      }
    })

    test('Politeness 3 modes: tenfold rests ten times the last download, counted from its end', async () => {
      const { station } = await startCrawl(engine, { politeness: 'tenfold' })
      await turns(station, 12, { totalMs: 300 })
      const usual = await nextTurn(station, { totalMs: 800 })
      assert.deepEqual(usual, { delayMs: 3_000, waitedMs: 3_000 })
      const { block } = await station.lease('one')
      assert.equal(block, null)
      assert.deepEqual(await nextTurn(station, { totalMs: 1 }), { delayMs: 8_000, waitedMs: 8_000 })
      assert.deepEqual(await nextTurn(station), { delayMs: 1_000, waitedMs: 8_000 })
    })

    test('after a lease that ended unseen, a tenfold rest is as long as it can be', async () => {
      const { station } = await startCrawl(engine, { politeness: 'tenfold' })
      await turns(station, 12, { totalMs: 300 })
      station.now += 60_000
      await station.beat('one')
      const { block } = await station.lease('one')
      assert.deepEqual(block?.hosts[0]?.restFactor, { times: 10, atMostMs: 60_000 })
      station.now += 10_001
      await station.sweep()
      await station.hello('two')
      assert.ok((await station.lease('two')).nextTurnAt! >= station.now + 60_000)
    })

    test('an adaptive delay shrinks while answers are fast, and doubles when they are slow', async () => {
      const { station } = await startCrawl(engine, { politeness: 'adaptive' })
      const fast = { firstByteMs: 80, totalMs: 90 }
      await turns(station, 20, fast)
      const { delayMs: before } = await nextTurn(station, fast)
      assert.ok(before < 9_000)
      const { delayMs: shorter } = await nextTurn(station, { firstByteMs: 400, totalMs: 410 })
      assert.ok(shorter < before)
      const { delayMs: longer, waitedMs } = await nextTurn(station, fast)
      assert.equal(longer, 2 * shorter)
      assert.equal(waitedMs, longer, 'a longer rest holds at once')
      assert.ok((await nextTurn(station, fast)).delayMs < longer)
    })

    test('a delay of zero is obeyed, and a short one is not lengthened by the floor', async () => {
      for (const politeness of ['density', 'tenfold', 'adaptive'] as const) {
        const { station } = await startCrawl(engine, { politeness, delayMs: 0 })
        await turns(station, 12)
        assert.deepEqual(await nextTurn(station), { delayMs: 0, waitedMs: 0 })
      }
      const { station } = await startCrawl(engine, { politeness: 'density', delayMs: 400 })
      await turns(station, 12)
      assert.equal((await nextTurn(station)).delayMs, 400)
    })

    test('an address rests as long as the host that was asked there last', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const addresses = { 'dense.test': '10.9.9.9', 'small.test': '10.9.9.9' }
      const dense = pagesOf(60, 'http://dense.test')
      await station.open({ seeds: dense, delayMs: DELAY_MS, politeness: 'density' })
      for (let i = 0; i < 20; i++) {
        const { block } = await station.lease('one', { addresses, requestsMax: 1 })
        await station.ingest(leasedRequestsOf(block).map((leased) => captured(leased)))
        station.now += DELAY_MS
        await station.beat('one')
      }
      await station.open({ seeds: pagesOf(2, 'http://small.test'), delayMs: DELAY_MS })
      const restOf = async (name: string): Promise<number> => {
        const { block } = await station.lease('one', { addresses, requestsMax: 1 })
        assert.match(leasedRequestsOf(block)[0]!.request.url, new RegExp(name))
        await station.ingest(
          leasedRequestsOf(block).map((leased) => captured(leased, { status: 404 })),
        )
        const [group] = await station.query<{ at: number }>(
          `SELECT next_allowed_at AS at FROM address_groups WHERE address = '10.9.9.9'`,
        )
        const restMs = group!.at - station.now
        station.now = group!.at
        await station.beat('one')
        return restMs
      }
      assert.equal(await restOf('small.test'), DELAY_MS)
      assert.ok((await restOf('dense.test')) < 7_000)
      assert.equal(await restOf('small.test'), DELAY_MS)
    })
  })
}
