// Goal: what goes out next and what never does: order, fairness, limits, retries, states. Method: the
// real operations on both databases with hand-made answers and a virtual now.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { assertCountsAddUp } from '../../test/recount-fixture.ts'
import {
  captured,
  leasedRequestsOf,
  failed,
  openStation,
  returned,
  type Answered,
  type LeasedRequest,
  type TestStation,
} from '../../test/station-fixture.ts'
import type { CollectionState } from '@minga/protocol'

const SITE = 'http://10.1.0.1'
const numbered = (count: number, site = SITE): string[] =>
  Array.from({ length: count }, (_, i) => `${site}/${i}`)

/** Leases and answers everything until nothing comes any more; answers the URLs in their order. */
async function crawlOut(
  station: TestStation,
  answer: (leased: LeasedRequest) => Answered,
): Promise<string[]> {
  const order: string[] = []
  for (let idle = 0; idle < 20;) {
    await station.hello('one')
    const leasedRequests = leasedRequestsOf((await station.lease('one')).block)
    idle = leasedRequests.length === 0 ? idle + 1 : 0
    order.push(
      ...leasedRequests
        .filter(({ request }) => request.hash !== 0)
        .map(({ request }) => request.url),
    )
    await station.ingest(
      leasedRequests.map((leased) =>
        captured(leased, leased.request.hash === 0 ? { status: 404 } : answer(leased)),
      ),
    )
    station.now += 5_000
    await assertCountsAddUp(station)
  }
  await station.finish()
  return order
}

for (const engine of ENGINES) {
  describe(`The queue on ${engine.name}`, { skip: engine.skip }, () => {
    test('seeds go first, then what is nearer to them', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: [`${SITE}/seed`], delayMs: 0 })
      await station.discover(id, [`${SITE}/far`], { depth: 3 })
      await station.discover(id, [`${SITE}/near`], { depth: 1 })
      await station.discover(id, [`${SITE}/middle`], { depth: 2 })
      const order = await crawlOut(station, () => ({}))
      assert.deepEqual(
        order,
        ['seed', 'near', 'middle', 'far'].map((path) => `${SITE}/${path}`),
      )
    })

    test('a large host does not keep a small one waiting', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({ seeds: [...numbered(500), 'http://10.1.0.2/small'], delayMs: 0 })
      await station.openHosts('one')
      await station.hello('one')
      const leasedRequests = leasedRequestsOf(
        (await station.lease('one', { requestsMax: 40 })).block,
      )
      assert.ok(leasedRequests.some(({ request }) => request.url === 'http://10.1.0.2/small'))
    })

    test('collections that run together take turns', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const sites = ['http://10.1.0.1', 'http://10.1.0.2']
      const ids = []
      for (const site of sites)
        ids.push(await station.open({ seeds: numbered(200, site), delayMs: 0 }))
      await station.openHosts('one')
      const served: number[] = []
      for (let turn = 0; turn < 4; turn++) {
        await station.hello('one')
        const { block } = await station.lease('one', { requestsMax: 1 })
        served.push(block!.hosts[0]!.collectionId)
        await station.ingest(leasedRequestsOf(block).map((leased) => captured(leased)))
        station.now += 1_000
      }
      assert.deepEqual(
        served.toSorted((a, b) => a - b),
        [ids[0], ids[0], ids[1], ids[1]],
      )
    })

    test('a limit of pages is met exactly, and no request beyond it is sent', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: numbered(50), delayMs: 0, maxPages: 17 })
      const order = await crawlOut(station, () => ({}))
      assert.equal(order.length, 17)
      const { pages, state, reason } = await station.status(id)
      assert.deepEqual(
        { pages, state, reason },
        { pages: 17, state: 'finished', reason: 'max-pages' },
      )
    })

    test('pages that failed do not count towards the limit', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: numbered(50), delayMs: 0, maxPages: 10 })
      await crawlOut(station, ({ request }) => ({ status: request.url.endsWith('1') ? 404 : 200 }))
      assert.equal((await station.status(id)).pages, 10)
    })

    test('a limit of pages per host is met exactly and the rest is denied', async () => {
      const station = await openStation(engine)
      const seeds = [...numbered(30), ...numbered(3, 'http://10.1.0.2')]
      const id = await station.open({ seeds, delayMs: 0, maxPagesPerHost: 7 })
      const order = await crawlOut(station, () => ({}))
      assert.equal(order.filter((url) => url.startsWith(SITE)).length, 7)
      const { pages, denied, queued, state } = await station.status(id)
      assert.deepEqual(
        { pages, denied, queued, state },
        { pages: 10, denied: 23, queued: 0, state: 'finished' },
      )
    })

    test('a limit of bytes ends the collection', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: numbered(200), delayMs: 100, maxBytes: 5_000 })
      await crawlOut(station, () => ({ bytes: 1_000 }))
      const { bytes, reason } = await station.status(id)
      assert.equal(reason, 'max-bytes')
      assert.ok(bytes >= 5_000)
    })

    test('a limit of time ends the collection, and only running time counts', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: numbered(50), delayMs: 0, maxTimeS: 20 })
      station.now += 3_600_000
      assert.deepEqual(await station.finish(19_000), [])
      assert.deepEqual(await station.finish(1_000), [id])
      assert.equal((await station.status(id)).reason, 'max-time')
      await station.hello('one')
      assert.equal((await station.lease('one')).block, null)
    })

    test('an agent that keeps a request does not prolong the time of a collection, and may still deliver', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await station.open({ seeds: numbered(5), delayMs: 0, maxTimeS: 20 })
      const { block } = await station.lease('one', { requestsMax: 1 })
      assert.deepEqual(await station.finish(21_000), [], 'what is in flight may end')
      assert.deepEqual(await station.finish(1_000), [id])
      await station.ingest(leasedRequestsOf(block).map((leased) => captured(leased)))
      const { state, reason, captures, leased } = await station.status(id)
      assert.deepEqual([state, reason, captures, leased], ['finished', 'max-time', 1, 0])
      await assertCountsAddUp(station)
    })

    test('a limit of bandwidth holds the whole collection back until time has passed', async () => {
      const station = await openStation(engine)
      await station.open({ seeds: numbered(200), delayMs: 0, bytesPerSecond: 1_000 })
      await station.hello('one')
      await station.openHosts('one')
      const first = leasedRequestsOf((await station.lease('one')).block)
      await station.ingest(first.map((leased) => captured(leased, { bytes: 1_000 })))
      assert.equal((await station.lease('one')).block, null)
      await station.finish(first.length * 1_000 + 1_000)
      assert.notEqual((await station.lease('one')).block, null)
    })

    test('a limit of time per host ends that host and no other', async () => {
      const station = await openStation(engine)
      const seeds = [...numbered(300), ...numbered(3, 'http://10.1.0.2')]
      const id = await station.open({ seeds, delayMs: 1_000, maxTimePerHostS: 30 })
      const order = await crawlOut(station, () => ({}))
      assert.equal(order.filter((url) => url.startsWith('http://10.1.0.2')).length, 3)
      const { denied, queued, errors } = await station.status(id)
      assert.equal(queued, 0)
      assert.ok(denied > 200, `${denied} denied`)
      assert.deepEqual(Object.keys(errors), ['MINGA_HOST_LIMIT'])
    })

    test('a page that no agent could read counts as captured, and the collection says why it has no links', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: [`${SITE}/0`] })
      await station.hello('one')
      await station.openHosts('one')
      const leasedRequests = leasedRequestsOf((await station.lease('one')).block)
      await station.ingest(leasedRequests.map((e) => ({ ...captured(e), unread: 'page:too-slow' })))
      const { pages, failed: lost, errors } = await station.status(id)
      assert.deepEqual([pages, lost, Object.keys(errors)], [1, 0, ['page:too-slow']])
    })

    test('a limit of bandwidth per host makes a large response rest longer', async () => {
      const station = await openStation(engine)
      await station.open({ seeds: numbered(2), delayMs: 0, bytesPerSecondPerHost: 1_000 })
      await station.hello('one')
      await station.openHosts('one')
      const { block } = await station.lease('one')
      assert.equal(block?.hosts[0]?.bytesPerSecond, 1_000)
      const leasedRequests = leasedRequestsOf(block)
      await station.ingest(leasedRequests.map((leased) => captured(leased, { bytes: 5_000 })))
      await station.open({ seeds: [`${SITE}/more`], delayMs: 0 })
      station.now += 4_900
      assert.equal((await station.lease('one')).block, null)
      station.now += 200
      assert.notEqual((await station.lease('one')).block, null)
    })

    test('a known picture is asked for conditionally, a known page whole for its links', async () => {
      const station = await openStation(engine)
      const seeds = [`${SITE}/page`, `${SITE}/picture`]
      await station.open({ seeds, delayMs: 0 })
      await crawlOut(station, ({ request }) => ({
        mime: request.url.endsWith('picture') ? 'image/png' : 'text/html',
        etag: '"7"',
      }))
      await station.open({ seeds, delayMs: 0 })
      await station.hello('one')
      const known = leasedRequestsOf((await station.lease('one')).block).map(
        ({ request }) => request,
      )
      const etags = Object.fromEntries(known.map(({ url, previous }) => [url, previous?.etag]))
      assert.deepEqual(etags, { [seeds[0]!]: null, [seeds[1]!]: '"7"' })
      assert.ok(known.every(({ previous }) => previous?.digest.startsWith('sha256:')))
    })

    test('a limit of depth is exact', async () => {
      const station = await openStation(engine)
      await station.open({ seeds: [`${SITE}/0`], delayMs: 0, maxDepth: 3 })
      const order = await crawlOut(station, ({ request }) => ({
        links: [`${SITE}/${Number(request.url.split('/').at(-1)) + 1}`],
      }))
      assert.deepEqual(order, numbered(4))
    })

    test('a failing URL is tried as often as the retry budget says, with pauses', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: [`${SITE}/x`], delayMs: 0, retries: 2 })
      const tries: number[] = []
      await crawlOut(station, () => {
        tries.push(station.now)
        return { status: 500 }
      })
      assert.equal(tries.length, 3)
      const { failed: count, errors, captures } = await station.status(id)
      assert.deepEqual({ count, errors }, { count: 1, errors: { MINGA_HTTP_500: 1 } })
      assert.equal(captures, 2, 'the last answer is kept, and robots.txt')
    })

    test('a status that only its server knows, such as 999, is captured and not tried again', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: [`${SITE}/x`], delayMs: 0, retries: 2 })
      const order = await crawlOut(station, () => ({ status: 999 }))
      const { failed: count, captures } = await station.status(id)
      assert.deepEqual([order.length, count, captures], [1, 0, 2])
    })

    test('a failure that cannot pass is not tried again', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await station.open({ seeds: [`${SITE}/x`], delayMs: 0 })
      await station.openHosts('one')
      const [leased] = leasedRequestsOf((await station.lease('one')).block)
      await station.ingest([failed(leased!, { code: 'MINGA_TLS_FAILED', retry: 'never' })])
      assert.equal((await station.status(id)).failed, 1)
      await assertCountsAddUp(station)
    })

    test('a chain of more than ten redirects fails', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: [`${SITE}/0`], delayMs: 0 })
      const order = await crawlOut(station, ({ request }) => ({
        status: 301,
        location: `${SITE}/${Number(request.url.split('/').at(-1)) + 1}`,
      }))
      assert.equal(order.length, 11)
      assert.deepEqual((await station.status(id)).errors, { MINGA_TOO_MANY_REDIRECTS: 1 })
    })

    test('429 rests the host as long as it asks, and the page is tried again', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({ seeds: [`${SITE}/x`, `${SITE}/y`], delayMs: 0 })
      await station.openHosts('one')
      const [first, second] = leasedRequestsOf((await station.lease('one')).block)
      await station.ingest([
        captured(first!, { status: 429, retryAfterMs: 30_000 }),
        returned(second!),
      ])
      station.now += 29_999
      await station.hello('one')
      assert.equal((await station.lease('one')).block, null)
      station.now += 1
      const again = await crawlOut(station, () => ({}))
      assert.deepEqual(again.toSorted(), [`${SITE}/x`, `${SITE}/y`])
    })

    test('a paused collection sends nothing and goes on when resumed', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await station.open({ seeds: numbered(3), delayMs: 0 })
      const set = (state: CollectionState) =>
        station.store.call('setCollectionState', { id, state, reason: null, now: station.now })
      await set('paused')
      assert.equal((await station.lease('one')).block, null)
      await set('running')
      assert.notEqual((await station.lease('one')).block, null)
    })

    test('cancelling ends everything queued, and what is out comes back to nothing', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await station.open({ seeds: [...numbered(5), 'http://10.1.0.2/'], delayMs: 0 })
      await station.openHosts('one')
      const leasedRequests = leasedRequestsOf(
        (await station.lease('one', { requestsMax: 4 })).block,
      )
      await station.store.call('setCollectionState', {
        id,
        state: 'cancelled',
        reason: 'asked',
        now: station.now,
      })
      await assertCountsAddUp(station)
      await station.ingest(
        leasedRequests.map((leased) => captured(leased, { links: [`${SITE}/new`] })),
      )
      const { queued, leased, cancelled, captures, found } = await station.status(id)
      assert.deepEqual(
        { queued, leased, cancelled, found },
        { queued: 0, leased: 0, cancelled: 6, found: 6 },
      )
      assert.equal(captures, 2, 'only robots.txt was kept')
      assert.equal((await station.lease('one')).block, null)
      await assertCountsAddUp(station)
    })

    test('a robots.txt that returns to a cancelled collection queues no sitemaps', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await station.open({ seeds: [`${SITE}/`], delayMs: 0 })
      const leasedRequests = leasedRequestsOf((await station.lease('one')).block)
      const args = { id, state: 'cancelled', reason: null, now: station.now } as const
      await station.store.call('setCollectionState', args)
      const body = `Sitemap: ${SITE}/sitemap.xml`
      await station.ingest(leasedRequests.map((leased) => captured(leased, { body })))
      assert.equal((await station.status(id)).queued, 0)
      await assertCountsAddUp(station)
    })
  })
}
