// Goal: operations that run at the same moment, as on PostgreSQL they do, change nothing twice.
// Method: the same upload, a sweep, leases and discoveries started together, then a recount.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../store/test/contract-engines.ts'
import { assertCountsAddUp } from '../test/recount-fixture.ts'
import { captured, leasedRequestsOf, openStation } from '../test/station-fixture.ts'

const ROUNDS = process.env['MINGA_LONG'] === '1' ? 100 : 4
const HOSTS = Array.from({ length: 6 }, (_, i) => `http://10.1.0.${i + 1}`)

for (const engine of ENGINES) {
  describe(`Side by side on ${engine.name}`, { skip: engine.skip }, () => {
    test('one upload that arrives several times at once settles once', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: HOSTS.map((host) => `${host}/0`), delayMs: 0 })
      for (let round = 1; round <= ROUNDS; round++) {
        await station.hello('one')
        const leasedRequests = leasedRequestsOf((await station.lease('one')).block)
        const links = HOSTS.flatMap((host) => [`${host}/${round}a`, `${host}/${round}b`])
        const upload = leasedRequests.map((leased) =>
          captured(leased, leased.request.hash === 0 ? { status: 404 } : { links }),
        )
        const answers = await Promise.all([
          station.ingest(upload),
          station.ingest(upload),
          station.discover(id, links),
          station.ingest(upload),
        ])
        const accepted = answers.map((answer) => (typeof answer === 'number' ? 0 : answer.accepted))
        assert.equal(
          accepted.reduce((sum, n) => sum + n, 0),
          leasedRequests.length,
        )
        station.now += 1_000
        await assertCountsAddUp(station)
      }
    })

    test('an upload and the end of its lease at the same moment: one of them counts', async () => {
      const station = await openStation(engine)
      await station.open({ seeds: HOSTS.map((host) => `${host}/0`), delayMs: 0, retries: 20 })
      for (let round = 0; round < ROUNDS; round++) {
        await station.hello('one')
        const leasedRequests = leasedRequestsOf((await station.lease('one')).block)
        station.now += 11_000
        const upload = leasedRequests.map((leased) => captured(leased, { status: 500 }))
        await Promise.all([station.ingest(upload), station.sweep(), station.hello('two')])
        station.now += 600_000
        await assertCountsAddUp(station)
      }
    })

    test('a boot that asks while the next one of its device says hello holds nothing afterwards', async () => {
      const station = await openStation(engine)
      await station.open({ seeds: HOSTS.map((host) => `${host}/0`), delayMs: 0, retries: 20 })
      for (let round = 0; round < ROUNDS * 3; round++) {
        const [former, next] = [`boot-${round}`, `boot-${round + 1}`]
        await station.hello(former, 'device')
        // Either the lease came first and ends with its boot, or the boot is unknown by then.
        await Promise.all([
          station.lease(former).catch(() => null),
          station.hello(next, 'device', former),
        ])
        const orphans = await station.query(
          'SELECT fence FROM leases WHERE boot NOT IN (SELECT boot FROM agents)',
        )
        assert.deepEqual(orphans, [])
        station.now += 600_000
      }
    })

    test('agents that ask at the same moment never get the same host', async () => {
      const station = await openStation(engine)
      const id = await station.open({
        seeds: HOSTS.map((host) => `${host}/0`),
        maxPages: 3,
        delayMs: 0,
      })
      const boots = ['one', 'two', 'three', 'four']
      for (let round = 0; round < ROUNDS; round++) {
        for (const boot of boots) await station.hello(boot)
        const answers = await Promise.all(boots.map((boot) => station.lease(boot)))
        await assertCountsAddUp(station)
        const leasedRequests = answers.flatMap(({ block }) => leasedRequestsOf(block))
        await Promise.all(
          leasedRequests.map((leased) =>
            station.ingest([captured(leased, leased.request.hash === 0 ? { status: 404 } : {})]),
          ),
        )
        station.now += 1_000
        await assertCountsAddUp(station)
      }
      assert.ok((await station.status(id)).pages <= 3, 'no more pages than asked for')
    })
  })
}
