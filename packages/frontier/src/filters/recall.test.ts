// Goal: from the commit of a change on, nothing is out that the new filter does not want. Method: the
// real operations of both databases; on PostgreSQL leases are being opened while the filter changes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openStation, type TestStation } from '../../test/station-fixture.ts'
import { assertCountsAddUp } from '../../test/recount-fixture.ts'

const AGENTS = 6
const ROUNDS = 15

const outOf = (station: TestStation, domain: string): Promise<{ name: string }[]> =>
  station.query(
    `SELECT h.name FROM host_leases l JOIN hosts h ON h.id = l.host_id WHERE h.name LIKE ?`,
    [`%.${domain}`],
  )

for (const engine of ENGINES) {
  describe(`changes of filters on ${engine.name}`, { skip: engine.skip }, () => {
    test('Admin filters override: a lease that is being opened while a filter changes is taken back or never given', async () => {
      const station = await openStation(engine)
      const boots = Array.from({ length: AGENTS }, (_, i) => `boot-${i}`)
      for (const boot of boots) await station.hello(boot)
      for (let round = 0; round < ROUNDS; round++) {
        const domain = `r${round}.test`
        const hosts = Array.from({ length: 40 }, (_, i) => `h${i}.${domain}`)
        const seeds = hosts.map((host) => `http://${host}/`)
        await station.open({ seeds, delayMs: 0 })
        const { unresolved } = await station.store.call('lease', {
          boot: boots[0]!,
          requestsMax: 100,
          hostsMax: 100,
          now: station.now,
        })
        await station.resolve(unresolved, {})
        const filter = { otherwise: 'allow', rules: [{ effect: 'deny', domains: [domain] }] }
        const leases = boots.map((boot) =>
          station.store.call('lease', { boot, requestsMax: 5, hostsMax: 5, now: station.now }),
        )
        await Promise.all([...leases, station.set('filter', filter)])
        assert.deepEqual(await outOf(station, domain), [])
      }
      await assertCountsAddUp(station)
    })

    test('Admin filters override: a collection’s new filter takes back what it does not want, and the rest goes out again', async () => {
      const station = await openStation(engine)
      await station.hello('boot')
      const seeds = ['http://a.left.test/', 'http://b.gone.test/']
      const id = await station.open({ seeds, delayMs: 0 }, 'one')
      await station.lease('boot')
      const both = [...(await outOf(station, 'left.test')), ...(await outOf(station, 'gone.test'))]
      assert.equal(both.length, 2)
      const filter = { otherwise: 'deny', rules: [{ effect: 'allow', domains: ['left.test'] }] }
      assert.equal(await station.open({ seeds, delayMs: 0, filter }, 'one'), id)
      // Both were in one lease, which ends as a whole; what is wanted goes out again.
      station.now += 20_000
      await station.beat('boot')
      await station.lease('boot')
      assert.deepEqual(await outOf(station, 'gone.test'), [])
      assert.equal((await outOf(station, 'left.test')).length, 1)
      assert.deepEqual((await station.status(id)).errors, { MINGA_FILTERED: 1 })
      await assertCountsAddUp(station)
    })
  })
}
