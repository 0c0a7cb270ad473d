// Goal: counters and rows say the same, whatever a device sends, and rows go when their time is over.
// Method: random results on both databases, recounted in SQL; the cost per result is measured.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openDevices, type TestDevices } from '../../test/devices/devices-fixture.ts'
import { COUNTERS, type Counters, type RequestItem, type DetailView } from './request-details.ts'

const item: fc.Arbitrary<RequestItem> = fc
  .record({
    outcome: fc.constantFrom('captured', 'failed', 'denied', 'returned'),
    status: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constantFrom(0, 999)),
    responseBytes: fc.nat({ max: 10_000_000 }),
    elapsedMs: fc.double({ min: 0, max: 60_000, noNaN: true }),
    code: fc.constantFrom('MINGA_RESPONSE_TIMEOUT', 'MINGA_CONNECT_TIMEOUT', 'MINGA_TLS_FAILED'),
  })
  .map(({ outcome, status, code, ...rest }) => ({
    ...rest,
    outcome,
    collectionId: 1,
    url: outcome === 'returned' ? null : 'http://h.test/page',
    status: outcome === 'captured' ? status : null,
    encoding: outcome === 'captured' ? 'gzip' : null,
    code: outcome === 'failed' ? code : null,
  }))

/** Written apart from the code under test: what the counters mean, in SQL. */
const RECOUNT = `SELECT
  SUM(CASE WHEN outcome = 'captured' AND status < 300 THEN 1 ELSE 0 END) AS n_2xx,
  SUM(CASE WHEN outcome = 'captured' AND status BETWEEN 300 AND 399 THEN 1 ELSE 0 END) AS n_3xx,
  SUM(CASE WHEN outcome = 'captured' AND status BETWEEN 400 AND 499 THEN 1 ELSE 0 END) AS n_4xx,
  SUM(CASE WHEN outcome = 'captured' AND status >= 500 THEN 1 ELSE 0 END) AS n_5xx,
  SUM(CASE WHEN outcome = 'failed' AND code NOT LIKE '%TIMEOUT' THEN 1 ELSE 0 END) AS network_errors,
  SUM(CASE WHEN outcome = 'failed' AND code LIKE '%TIMEOUT' THEN 1 ELSE 0 END) AS timeouts,
  SUM(CASE WHEN outcome IN ('denied', 'returned') THEN 1 ELSE 0 END) AS denied,
  SUM(response_bytes) AS bytes, SUM(elapsed_ms) AS elapsed_ms
  FROM request_details WHERE device = ?`

async function countersOf(devices: TestDevices, owner: string): Promise<Counters> {
  return (await devices.list(owner))[0]!.counters
}

for (const engine of ENGINES) {
  describe(`Details on ${engine.name}`, { skip: engine.skip }, async () => {
    const devices = await openDevices(engine)
    const { store } = devices

    test('save_data, summaries: counters equal a recount of the rows, also of uploads in parallel', async () => {
      let owners = 0
      const uploads = fc.array(fc.array(item, { maxLength: 20 }), { minLength: 1, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(uploads, async (batches) => {
          const owner = `owner ${++owners}`
          const device = await devices.deviceOf(owner)
          await Promise.all(
            batches.map((items) => store.call('noteResults', { device, items, now: devices.now })),
          )
          const [row] = await devices.query<Record<string, unknown>>(RECOUNT, [device])
          const recounted = Object.fromEntries(
            COUNTERS.map((name) => [name, Number(row?.[name] ?? 0)]),
          )
          assert.deepEqual(await countersOf(devices, owner), recounted)
        }),
        { numRuns: process.env['MINGA_LONG'] === '1' ? 300 : 25 },
      )
    })

    test('the owner reads what a device fetched, page by page, newest first', async () => {
      const device = await devices.deviceOf('ana')
      const [sample] = fc.sample(item, { numRuns: 1, seed: 7 })
      for (let n = 1; n <= 5; n++) {
        const items = [{ ...sample!, outcome: 'captured' as const, url: `http://h.test/${n}` }]
        await store.call('noteResults', { device, items, now: devices.now + n })
      }
      const own = { device, owner: 'ana', limit: 2 }
      const pageOf = (beforeId?: number): Promise<DetailView[]> =>
        store.call('deviceRequests', { ...own, ...(beforeId === undefined ? {} : { beforeId }) })
      const first = await pageOf()
      const second = await pageOf(first.at(-1)!.id)
      assert.deepEqual(
        [...first, ...second].map(({ url }) => url),
        [5, 4, 3, 2].map((n) => `http://h.test/${n}`),
      )
    })

    test('rows go when their time is over, the counters stay', async () => {
      const own = await openDevices(engine)
      const device = await own.deviceOf('ben')
      const items = fc.sample(item, { numRuns: 10, seed: 3 })
      await own.store.call('noteResults', { device, items, now: own.now })
      await own.store.call('noteResults', { device, items, now: own.now + 1_000 })
      const before = await countersOf(own, 'ben')
      const sweep = (now: number): Promise<number> =>
        own.store.call('sweepDetails', { now, keepMs: 5_000 })
      assert.equal(await sweep(own.now + 5_000), 0)
      assert.equal(await sweep(own.now + 5_500), 10)
      assert.equal(await sweep(own.now + 6_001), 10)
      assert.equal(await sweep(own.now + 6_001), 0)
      assert.deepEqual(await countersOf(own, 'ben'), before)
    })

    test('an upload costs little more than its rows', async (t) => {
      const device = await devices.deviceOf('cleo')
      const [sample] = fc.sample(item, { numRuns: 1, seed: 7 })
      const items = Array.from({ length: 250 }, () => sample!)
      const uploads = process.env['MINGA_LONG'] === '1' ? 200 : 40
      const startMs = performance.now()
      for (let n = 0; n < uploads; n++) {
        await store.call('noteResults', { device, items, now: devices.now })
      }
      const usPerResult = ((performance.now() - startMs) * 1_000) / (uploads * items.length)
      t.diagnostic(`${usPerResult.toFixed(1)} µs per result, commit and crossing included`)
      // A generous bound: other tests share this machine. The figure is what counts.
      assert.ok(usPerResult < 200)
    })
  })
}
