// Goal: batches and their results are searched, narrowed down, sorted and read page by page.
// Method: the real operations on both databases, hand-made answers.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { allPages, assertEveryOrder } from '../../../store/test/sorted-page-fixture.ts'
import { captured, openStation } from '../../test/station-fixture.ts'
import { BATCH_ORDERS, type FindBatchesArgs } from './batches.ts'
import { RESULT_ORDERS, type FindResultsArgs } from './results.ts'
import { TestClients } from '../../test/requests/requests-fixture.ts'

const URLS = Array.from({ length: 8 }, (_, n) => `http://a.test/${(n * 3) % 8}`)
const REFUSED = Object.fromEntries(URLS.slice(0, 3).map((url) => [url, 'MINGA_HOST_DENIED']))

for (const engine of ENGINES) {
  describe(`Finding requests on ${engine.name}`, { skip: engine.skip }, () => {
    test('results in any order come each once, and are found by outcome and address', async () => {
      const station = await openStation(engine)
      await station.hello('boot', 'dev_1')
      const clients = new TestClients(station)
      const batchId = await clients.submit({ urls: URLS, refused: REFUSED })
      const other = await clients.submit({ urls: ['http://b.test/'] })
      await station.openHosts('boot')
      const leasedRequests = (await clients.lease()).slice(0, 1)
      const answers = leasedRequests.map((leased) => captured(leased, { bytes: 7 }))
      await station.ingest(answers, 'boot')
      await clients.cancel(batchId)
      const { store } = station
      await assertEveryOrder({
        orders: RESULT_ORDERS,
        read: (part) => store.call('findResults', { batchId, ...part }),
        idOf: ({ seq }) => seq,
      })
      const found = async (args: Partial<FindResultsArgs>): Promise<string[]> => {
        const results = await allPages((part) =>
          store.call('findResults', { ...part, batchId, order: 'url', ...args }),
        )
        return results.map(({ url }) => url)
      }
      assert.deepEqual(await found({}), URLS.toSorted())
      assert.deepEqual(await found({ outcome: 'denied' }), Object.keys(REFUSED).toSorted())
      assert.deepEqual(await found({ text: 'TEST/5' }), ['http://a.test/5'])
      assert.equal((await found({ text: 'host_denied' })).length, 3)
      assert.equal((await found({ outcome: 'captured' })).length, 1)
      assert.equal((await found({ isVerified: true })).length, 0)
      assert.equal((await found({ batchId: other })).length, 0, 'what is open is no result')
    })

    test('batches in any order come each once, and no client finds those of others', async () => {
      const station = await openStation(engine)
      const clients = new TestClients(station)
      const ids: string[] = []
      for (let n = 0; n < 7; n++) {
        station.now += n % 2
        ids.push(await clients.submit({ urls: URLS.slice(0, 1 + (n % 3)), client: 'ana' }))
      }
      const others = await clients.submit({ urls: URLS, client: 'ben' })
      await clients.cancel(ids[2]!)
      const { store } = station
      await assertEveryOrder({
        orders: BATCH_ORDERS,
        read: (part) => store.call('findBatches', { client: 'ana', ...part }),
        idOf: ({ id }) => id,
      })
      const found = async (args: Partial<FindBatchesArgs>): Promise<string[]> => {
        const batches = await allPages((part) =>
          store.call('findBatches', { ...part, client: 'ana', order: 'createdAt', ...args }),
        )
        return batches.map(({ id }) => id)
      }
      assert.deepEqual(new Set(await found({})), new Set(ids))
      assert.deepEqual(await found({ text: others }), [])
      assert.deepEqual(await found({ text: others, client: null }), [others])
      assert.deepEqual(await found({ state: 'cancelled' }), [ids[2]])
      assert.ok(!(await found({ from: station.now })).includes(ids[0]!))
      assert.ok(!(await found({ to: station.now })).includes(ids[6]!))
    })
  })
}
