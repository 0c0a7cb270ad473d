// Goal: a client's request ends exactly once, with the outcome of its own URL, at no more fetches
// than needed. Method: batches on the real operations of both databases, hand-made results.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { captured, failed, openStation, type LeasedRequest } from '../../test/station-fixture.ts'
import { TestClients } from '../../test/requests/requests-fixture.ts'

const A = 'http://a.test/1'
const B = 'http://b.test/1'

for (const engine of ENGINES) {
  const newClients = async (): Promise<TestClients> => {
    const station = await openStation(engine)
    await station.hello('boot', 'dev_1')
    return new TestClients(station)
  }
  /** Hosts whose robots.txt is known to allow everything. */
  const openHosts = async (clients: TestClients, urls: string[]): Promise<void> => {
    const warming = await clients.submit({ urls })
    await clients.station.openHosts('boot')
    await clients.cancel(warming)
  }
  const answerAll = async (
    clients: TestClients,
    leasedRequests: LeasedRequest[],
  ): Promise<void> => {
    await clients.station.ingest(
      leasedRequests.map((leased) => captured(leased)),
      'boot',
    )
  }

  describe(`client requests on ${engine.name}`, { skip: engine.skip }, () => {
    test('a request is answered with the outcome of its own URL and names the device', async () => {
      const clients = await newClients()
      await openHosts(clients, [A, B])
      const batch = await clients.submit({ urls: [A, B] })
      const leasedRequests = await clients.lease()
      assert.deepEqual(leasedRequests.map(({ request }) => request.kind).toSorted(), [
        'document',
        'document',
      ])
      await clients.station.ingest(
        leasedRequests.map((leased) =>
          leased.request.url === A
            ? captured(leased, { bytes: 7 })
            : captured(leased, { status: 404 }),
        ),
        'boot',
      )
      const results = await clients.results(batch)
      assert.deepEqual(
        results.map(({ url, outcome, status, bytes, device, no }) => ({
          url,
          outcome,
          status,
          bytes,
          device,
          no,
        })),
        [
          { url: A, outcome: 'captured', status: 200, bytes: 7, device: 'dev_1', no: 1 },
          { url: B, outcome: 'captured', status: 404, bytes: 100, device: 'dev_1', no: 2 },
        ],
      )
      assert.equal((await clients.status(batch)).state, 'ended')
      await clients.assertSound()
    })

    test('two clients who want the same URL cost one fetch and are both answered', async () => {
      const clients = await newClients()
      await openHosts(clients, [A])
      const first = await clients.submit({ urls: [A], client: 'one' })
      const second = await clients.submit({ urls: [A, A], client: 'two' })
      const leasedRequests = await clients.lease()
      assert.equal(leasedRequests.length, 1)
      const third = await clients.submit({ urls: [A], client: 'three' })
      await answerAll(clients, leasedRequests)
      for (const batch of [first, second, third]) {
        assert.equal((await clients.status(batch)).state, 'ended')
      }
      assert.deepEqual(await clients.lease(), [])
      await clients.assertSound()
    })

    test('Cache hit/expiry: a young capture answers without dispatch, an old one does not', async () => {
      const clients = await newClients()
      await openHosts(clients, [A])
      const now = clients.station.now
      await clients.submit({ urls: [A] })
      const [leased] = await clients.lease()
      // Fetched by the station itself: a stranger's capture answers no other client.
      await clients.station.ingest([{ ...captured(leased!), capturedAt: now }])
      const hit = await clients.submit({ urls: [A], maxAgeMs: 60_000 })
      const [result] = await clients.results(hit)
      assert.equal(result?.fromCache, true)
      assert.equal(result.outcome, 'captured')
      assert.deepEqual(await clients.lease(), [])
      clients.station.now += 60_000
      const miss = await clients.submit({ urls: [A], maxAgeMs: 60_000 })
      assert.equal((await clients.status(miss)).open, 1)
      await answerAll(clients, await clients.lease())
      assert.deepEqual(
        (await clients.results(miss)).map(({ fromCache }) => fromCache),
        [false],
      )
      await clients.assertSound()
    })

    test('a redirect is followed to its end, and the chain is reported', async () => {
      const clients = await newClients()
      await openHosts(clients, [A, B])
      const batch = await clients.submit({ urls: [A] })
      const [first] = await clients.lease()
      await clients.station.ingest([captured(first!, { status: 301, location: B })], 'boot')
      assert.equal((await clients.status(batch)).open, 1)
      await clients.assertSound()
      await answerAll(clients, await clients.lease())
      const [result] = await clients.results(batch)
      assert.equal(result?.url, A)
      assert.equal(result.finalUrl, B)
      assert.deepEqual(result.chain, [A])
      assert.equal(result.outcome, 'captured')
      await clients.assertSound()
    })

    test('a circle of redirects ends as failed after ten hops', async () => {
      const clients = await newClients()
      await openHosts(clients, [A, B])
      const batch = await clients.submit({ urls: [A] })
      let fetches = 0
      for (;;) {
        const [leased] = await clients.lease()
        if (!leased) break
        fetches++
        const location = leased.request.url === A ? B : A
        await clients.station.ingest([captured(leased, { status: 302, location })], 'boot')
      }
      assert.equal(fetches, 11)
      const [result] = await clients.results(batch)
      assert.equal(result?.code, 'MINGA_TOO_MANY_REDIRECTS')
      assert.equal(result.outcome, 'failed')
      await clients.assertSound()
    })

    test('FIFO per worker: within a priority and host, requests go out in the order they came', async () => {
      const clients = await newClients()
      const urls = Array.from({ length: 9 }, (_, i) => `http://a.test/${(i * 7) % 9}`)
      await openHosts(clients, ['http://a.test/warm'])
      await clients.submit({ urls: urls.slice(0, 5), client: 'one' })
      await clients.submit({ urls: urls.slice(5), client: 'two' })
      await clients.submit({ urls: ['http://a.test/urgent'], priority: 1 })
      const seen: string[] = []
      while (seen.length < 10) {
        const leasedRequests = await clients.lease()
        assert.ok(leasedRequests.length > 0)
        seen.push(...leasedRequests.map(({ request }) => request.url))
        await answerAll(clients, leasedRequests)
      }
      assert.deepEqual(seen, ['http://a.test/urgent', ...urls])
    })

    test('what robots.txt forbids and what fails end their requests too', async () => {
      const clients = await newClients()
      const batch = await clients.submit({
        urls: ['http://a.test/no', B, 'http://10.0.0.1/'],
        refused: { 'http://10.0.0.1/': 'MINGA_ADDRESS_REFUSED' },
      })
      await clients.station.openHosts('boot', {
        status: 200,
        body: 'User-agent: *\nDisallow: /no',
        mime: 'text/plain',
      })
      for (;;) {
        const leasedRequests = await clients.lease()
        if (leasedRequests.length === 0 && (await clients.status(batch)).open === 0) break
        clients.station.now += 3_600_000
        await clients.station.ingest(
          leasedRequests.map((leased) => failed(leased, { code: 'MINGA_TIMEOUT' })),
          'boot',
        )
      }
      const outcomes = (await clients.results(batch)).map(
        ({ url, outcome, code }) => `${url} ${outcome} ${code}`,
      )
      assert.deepEqual(outcomes.toSorted(), [
        'http://10.0.0.1/ denied MINGA_ADDRESS_REFUSED',
        'http://a.test/no denied MINGA_ROBOTS_DENIED',
        'http://b.test/1 failed MINGA_TIMEOUT',
      ])
      await clients.assertSound()
    })

    test('a cancelled batch leaves the queue but not to the harm of others', async () => {
      const clients = await newClients()
      await openHosts(clients, [A, B])
      const mine = await clients.submit({ urls: [A, B, 'http://c.test/'] })
      const other = await clients.submit({ urls: [A], client: 'other' })
      const leasedRequests = await clients.lease()
      const { ended, left } = await clients.cancel(mine)
      assert.equal(ended.length, 3)
      assert.equal(left, 0)
      await clients.assertSound()
      await answerAll(clients, leasedRequests)
      assert.equal((await clients.status(mine)).captured, 0)
      assert.equal((await clients.status(mine)).cancelled, 3)
      assert.equal((await clients.status(other)).captured, 1)
      assert.deepEqual(await clients.lease(), [])
      await clients.assertSound()
    })

    test('the same key and content is the same batch, other content is refused', async () => {
      const clients = await newClients()
      const args = { urls: [A, B], idempotencyKey: 'k' }
      const first = await clients.submit(args)
      assert.equal(await clients.submit(args), first)
      assert.equal((await clients.status(first)).total, 2)
      await assert.rejects(clients.submit({ ...args, urls: [A] }), {
        code: 'MINGA_BATCH_KEY_REUSED',
      })
      await clients.assertSound()
    })

    test('another client does not see a batch', async () => {
      const clients = await newClients()
      const batch = await clients.submit({ urls: [A], client: 'one' })
      assert.equal((await clients.status(batch, 'one')).total, 1)
      await assert.rejects(clients.status(batch, 'two'), { code: 'MINGA_NO_SUCH_BATCH' })
    })

    test('quotas hold when batches come together', async () => {
      const clients = await newClients()
      const { store, now } = clients.station
      await store.call('setQuota', { client: 'client', openMax: 5, dayMax: 100, now })
      const tries = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) => clients.submit({ urls: [`http://q${i}.test/`] })),
      )
      const refused = tries.filter(({ status }) => status === 'rejected')
      assert.equal(refused.length, 5)
      for (const one of refused) {
        assert.equal((one as PromiseRejectedResult).reason.code, 'MINGA_QUOTA_EXCEEDED')
      }
      await clients.assertSound()
    })

    test('the collection that all clients share cannot be ended', async () => {
      const clients = await newClients()
      await clients.submit({ urls: [A] })
      const [shared] = await clients.station.query<{ id: number }>(
        `SELECT id FROM collections WHERE identity = 'requests'`,
      )
      const { now } = clients.station
      const change = { id: shared!.id, state: 'cancelled', reason: null, now } as const
      await assert.rejects(clients.station.store.call('setCollectionState', change), {
        code: 'MINGA_SHARED_COLLECTION',
      })
      assert.deepEqual(await clients.station.finish(), [])
    })
  })
}
