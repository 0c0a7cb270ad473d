// Goal: robots.txt is obeyed as RFC 9309 says, its error cases included, and nothing waits for ever.
// Method: the real operations on both databases with hand-made answers and a virtual now.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { assertCountsAddUp } from '../../test/recount-fixture.ts'
import {
  captured,
  leasedRequestsOf,
  failed,
  openStation,
  type Answered,
  type LeasedRequest,
  type TestStation,
} from '../../test/station-fixture.ts'

const HOUR_MS = 3_600_000
const RULES = 'User-agent: *\nDisallow: /secret'

async function nextLeased(station: TestStation): Promise<LeasedRequest[]> {
  await station.hello('one')
  return leasedRequestsOf((await station.lease('one')).block)
}

/** Lets time pass until something is leased; answers none when nothing is within the time. */
async function leasedWithin(station: TestStation, ms: number): Promise<LeasedRequest[]> {
  for (const until = station.now + ms; station.now <= until;) {
    await station.hello('one')
    const { block, nextTurnAt } = await station.lease('one')
    if (block) return leasedRequestsOf(block)
    // Without a next turn nothing comes by itself.
    station.now = nextTurnAt === null ? until + 1 : Math.max(station.now + 1_000, nextTurnAt)
  }
  return []
}

async function answerRobots(station: TestStation, answer: Answered): Promise<void> {
  const [robots] = await leasedWithin(station, HOUR_MS)
  assert.equal(robots?.request.url, 'http://10.1.0.1/robots.txt')
  await station.ingest([captured(robots, answer)])
}

const paths = (leasedRequests: LeasedRequest[]): string[] =>
  leasedRequests.map(({ request }) => new URL(request.url).pathname).toSorted()

for (const engine of ENGINES) {
  describe(`Robots on ${engine.name}`, { skip: engine.skip }, () => {
    const open = async (): Promise<{ station: TestStation; id: number }> => {
      const station = await openStation(engine)
      const seeds = ['http://10.1.0.1/a', 'http://10.1.0.1/secret/b']
      return { station, id: await station.open({ seeds, delayMs: 100 }) }
    }

    test('robots.txt comes first and alone, and its rules decide', async () => {
      const { station, id } = await open()
      await answerRobots(station, { body: RULES })
      assert.deepEqual(paths(await leasedWithin(station, 1_000)), ['/a'])
      const { denied, errors } = await station.status(id)
      assert.deepEqual({ denied, errors }, { denied: 1, errors: { MINGA_ROBOTS_DENIED: 1 } })
      await assertCountsAddUp(station)
    })

    for (const status of [400, 401, 403, 404, 410]) {
      test(`a robots.txt answered with ${status} forbids nothing`, async () => {
        const { station } = await open()
        await answerRobots(station, { status })
        assert.deepEqual(paths(await leasedWithin(station, 1_000)), ['/a', '/secret/b'])
      })
    }

    for (const status of [429, 500, 503]) {
      test(`a robots.txt answered with ${status} three times closes the host`, async () => {
        const { station, id } = await open()
        for (let attempt = 0; attempt < 3; attempt++) await answerRobots(station, { status })
        assert.deepEqual(await leasedWithin(station, 60_000), [])
        assert.equal((await station.status(id)).denied, 2)
        await assertCountsAddUp(station)
      })
    }

    test('a robots.txt that cannot be fetched at all fails the host, not denies it', async () => {
      const { station, id } = await open()
      for (let attempt = 0; attempt < 3; attempt++) {
        const [robots] = await leasedWithin(station, HOUR_MS)
        await station.ingest([failed(robots!, { code: 'MINGA_CONNECT_REFUSED' })])
      }
      assert.deepEqual(await leasedWithin(station, 60_000), [])
      const { failed: count, denied } = await station.status(id)
      assert.deepEqual({ count, denied }, { count: 2, denied: 0 })
      await assertCountsAddUp(station)
    })

    test('rules are used for 24 hours at most, and kept when they cannot be renewed', async () => {
      const { station, id } = await open()
      await answerRobots(station, { body: RULES })
      station.now += 24 * HOUR_MS - 1_000
      assert.deepEqual(paths(await nextLeased(station)), ['/a'])
      station.now += 20_000
      await station.sweep()
      await answerRobots(station, { status: 503 })
      await station.discover(id, ['http://10.1.0.1/secret/c'])
      assert.deepEqual(paths(await leasedWithin(station, 60_000)), ['/a'])
      assert.equal((await station.status(id)).denied, 2)
    })

    test('the first page waits for the crawl delay that robots.txt asks for', async () => {
      const { station } = await open()
      await answerRobots(station, { body: 'User-agent: *\nCrawl-delay: 7' })
      station.now += 6_999
      assert.deepEqual(await nextLeased(station), [])
      station.now += 1
      const [page] = await nextLeased(station)
      assert.equal(page?.host.delayMs, 7_000)
    })

    test('a crawl delay that outlasts the memory of robots.txt ends what is queued, now and after a refresh', async () => {
      const { station, id } = await open()
      // Parsed rules are remembered by host and moment, for all stations of a process.
      station.now += 1
      const never = { body: 'User-agent: *\nCrawl-delay: 999999' }
      await answerRobots(station, never)
      assert.deepEqual(await leasedWithin(station, 1_000), [])
      const { denied, queued, errors } = await station.status(id)
      assert.deepEqual([denied, queued, errors], [2, 0, { MINGA_ROBOTS_DENIED: 2 }])
      station.now += 25 * HOUR_MS
      await station.discover(id, ['http://10.1.0.1/c'])
      await answerRobots(station, never)
      assert.deepEqual(await leasedWithin(station, 1_000), [])
      assert.equal((await station.status(id)).queued, 0)
      await assertCountsAddUp(station)
    })

    test('a redirect within the host is followed and its rules are those of the host', async () => {
      const { station, id } = await open()
      await answerRobots(station, { status: 301, location: 'http://10.1.0.1/real-robots.txt' })
      const [hop] = await leasedWithin(station, 2_000)
      assert.equal(hop?.request.url, 'http://10.1.0.1/real-robots.txt')
      await station.ingest([captured(hop, { body: RULES })])
      assert.deepEqual(paths(await leasedWithin(station, 2_000)), ['/a'])
      assert.equal((await station.status(id)).pages, 0, 'robots.txt is no page')
      await assertCountsAddUp(station)
    })

    test('a redirect to another host keeps its clock and decides for the first', async () => {
      const { station } = await open()
      await answerRobots(station, { status: 302, location: 'http://10.1.0.2/robots.txt' })
      const [hop] = await leasedWithin(station, 2_000)
      assert.equal(hop?.host.address, '10.1.0.2')
      await station.ingest([captured(hop, { body: RULES })])
      assert.deepEqual(paths(await leasedWithin(station, 2_000)), ['/a'])
      await assertCountsAddUp(station)
    })

    test('five hops are followed; a sixth means that there are no rules', async () => {
      const { station } = await open()
      await answerRobots(station, { status: 302, location: 'http://10.1.0.1/hop/1' })
      for (let hop = 1; hop <= 5; hop++) {
        const [leased] = await leasedWithin(station, 2_000)
        assert.equal(leased?.request.url, `http://10.1.0.1/hop/${hop}`)
        const location = `http://10.1.0.1/hop/${hop + 1}`
        await station.ingest([captured(leased, { status: 302, location })])
      }
      assert.deepEqual(paths(await leasedWithin(station, 2_000)), ['/a', '/secret/b'])
    })

    test('a redirected robots.txt is fetched again after a day, though its address is known', async () => {
      const { station, id } = await open()
      const location = 'http://10.1.0.2/robots.txt'
      await answerRobots(station, { status: 302, location })
      await station.ingest(
        (await leasedWithin(station, 2_000)).map((hop) => captured(hop, { body: RULES })),
      )
      const pages = await leasedWithin(station, 2_000)
      await station.ingest(pages.map((page) => captured(page)))
      station.now += 25 * HOUR_MS
      await station.discover(id, ['http://10.1.0.1/later'])
      await answerRobots(station, { status: 302, location })
      const fetched = paths([
        ...(await leasedWithin(station, 2_000)),
        ...(await leasedWithin(station, 2_000)),
      ])
      assert.deepEqual(fetched, ['/later', '/robots.txt'])
    })

    test('a redirect whose target always fails ends in a closed host', async () => {
      const { station, id } = await open()
      for (let attempt = 0; attempt < 10; attempt++) {
        const leasedRequests = await leasedWithin(station, HOUR_MS)
        await station.ingest(
          leasedRequests.map((leased) =>
            leased.request.hash === 0
              ? captured(leased, { status: 302, location: 'http://10.1.0.2/robots.txt' })
              : failed(leased),
          ),
        )
      }
      assert.deepEqual(await leasedWithin(station, HOUR_MS), [])
      assert.equal((await station.status(id)).queued, 0)
      await assertCountsAddUp(station)
    })

    test('a redirect to a host that does not exist ends in a closed host', async () => {
      const { station, id } = await open()
      const location = 'http://nowhere.test/robots.txt'
      for (let attempt = 0; attempt < 6; attempt++) {
        for (const until = station.now + 70_000; station.now < until; station.now += 5_000) {
          await station.hello('one')
          const args = { boot: 'one', requestsMax: 10, hostsMax: 10, now: station.now }
          const { block, unresolved } = await station.store.call('lease', args)
          const refused = {
            outcome: 'failed',
            code: 'MINGA_DNS_NO_SUCH_NAME',
            mayPass: false,
          } as const
          const resolutions = unresolved.map((host) => ({ ...host, refused }))
          await station.store.call('noteResolutions', { resolutions, now: station.now })
          await station.ingest(
            leasedRequestsOf(block).map((leased) => captured(leased, { status: 302, location })),
          )
        }
      }
      assert.equal((await station.status(id)).queued, 0)
      await assertCountsAddUp(station)
    })

    test('while a redirect is followed at renewal, the last good rules hold', async () => {
      const { station, id } = await open()
      await answerRobots(station, { body: RULES })
      station.now += 25 * HOUR_MS
      await answerRobots(station, { status: 302, location: 'http://10.1.0.2/robots.txt' })
      const leasedRequests = await leasedWithin(station, 2_000)
      await station.ingest(leasedRequests.map((leased) => failed(leased)))
      await station.discover(id, ['http://10.1.0.1/secret/c'])
      await leasedWithin(station, 5_000)
      assert.equal((await station.status(id)).denied, 2)
    })
  })
}
