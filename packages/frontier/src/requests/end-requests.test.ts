// Goal: no request waits longer than the station's longest wait, and none ends twice by it. Method:
// batches on the real operations of both databases, some leased to an agent when their time is
// over.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { captured, openStation } from '../../test/station-fixture.ts'
import { TestClients } from '../../test/requests/requests-fixture.ts'

const A = 'http://a.test/1'
const B = 'http://b.test/1'

for (const engine of ENGINES) {
  const newClients = async (): Promise<TestClients> => {
    const station = await openStation(engine)
    await station.hello('boot', 'dev_1')
    return new TestClients(station)
  }
  const endOverdue = (clients: TestClients, waitMs: number): Promise<number> => {
    const { store, now } = clients.station
    return store.call('endOverdue', { before: now - waitMs, now })
  }

  describe(`requests that wait too long on ${engine.name}`, { skip: engine.skip }, () => {
    test('a request without an answer in time ends as failed and leaves the queue', async () => {
      const clients = await newClients()
      const old = await clients.submit({ urls: [A, B, A] })
      clients.station.now += 10_000
      const young = await clients.submit({ urls: [B] })
      assert.equal(await endOverdue(clients, 10_001), 0, 'not before its time')
      assert.equal(await endOverdue(clients, 9_999), 3)
      assert.equal(await endOverdue(clients, 9_999), 0)
      const lines = await clients.results(old)
      assert.deepEqual(
        lines.map(({ outcome, code }) => `${outcome} ${code}`),
        Array(3).fill('failed MINGA_REQUEST_OVERDUE'),
      )
      assert.equal((await clients.status(old)).state, 'ended')
      assert.equal((await clients.status(young)).open, 1, 'another batch waits for the same URL')
      await clients.assertSound()
      const asked = (await clients.lease()).map(({ request }) => new URL(request.url).hostname)
      assert.deepEqual(asked, ['b.test'], 'URLs without a waiting request are not fetched')
    })

    test('what was out with an agent when its time was over ends once, and others get the answer', async () => {
      const clients = await newClients()
      const warming = await clients.submit({ urls: [A] })
      await clients.station.openHosts('boot')
      await clients.cancel(warming)
      const old = await clients.submit({ urls: [A] })
      clients.station.now += 60_000
      await clients.station.beat('boot')
      const young = await clients.submit({ urls: [A] })
      const leasedRequests = await clients.lease()
      assert.equal(await endOverdue(clients, 30_000), 1)
      await clients.station.ingest(
        leasedRequests.map((leased) => captured(leased)),
        'boot',
      )
      assert.equal((await clients.results(old))[0]?.outcome, 'failed')
      assert.equal((await clients.results(young))[0]?.outcome, 'captured')
      await clients.assertSound()
    })

    test('a result and the end of the wait that come together end each request once', async () => {
      const clients = await newClients()
      const warming = await clients.submit({ urls: [A] })
      await clients.station.openHosts('boot')
      await clients.cancel(warming)
      for (let round = 0; round < 10; round++) {
        const batches = [
          await clients.submit({ urls: [A, A] }),
          await clients.submit({ urls: [A] }),
        ]
        const leasedRequests = await clients.lease()
        const { store, now } = clients.station
        await Promise.all([
          clients.station.ingest(
            leasedRequests.map((leased) => captured(leased)),
            'boot',
          ),
          store.call('endOverdue', { before: now + 1, now }),
          clients.cancel(batches[1]!),
        ])
        await endOverdue(clients, -1)
        for (const id of batches) assert.equal((await clients.status(id)).open, 0)
        await clients.assertSound()
      }
    })
  })
}
