// Goal: a held host, or another one on its address, is leased to no agent until its time is over;
// running leases are counted. Method: the real operations on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import {
  captured,
  leasedRequestsOf,
  openStation,
  type TestStation,
} from '../../test/station-fixture.ts'
import type { HostTarget } from './hold-host.ts'

const BOOT = 'boot-1'
const ADDRESS = '10.1.1.1'
const ADDRESSES = { 'a.test': ADDRESS, 'www.a.test': ADDRESS }

async function leasedUrls(station: TestStation): Promise<string[]> {
  const { block } = await station.lease(BOOT, { addresses: ADDRESSES })
  return leasedRequestsOf(block).map(({ request }) => request.url)
}

for (const engine of ENGINES) {
  describe(`resting hosts on ${engine.name}`, { skip: engine.skip }, () => {
    const rest = (station: TestStation, until: number): Promise<{ isOut: boolean }> =>
      station.store.call('holdHost', { host: 'a.test', address: ADDRESS, until })

    test('neither the host nor its neighbours at the address are leased while it rests', async () => {
      const station = await openStation(engine)
      await station.hello(BOOT)
      await station.open({
        seeds: ['http://a.test/1', 'http://www.a.test/1', 'http://b.test/1'],
        delayMs: 0,
      })
      const { unresolved } = await station.store.call('lease', {
        boot: BOOT,
        requestsMax: 1,
        hostsMax: 3,
        now: station.now,
      })
      await station.resolve(unresolved, ADDRESSES)
      assert.deepEqual(await rest(station, station.now + 5_000), { isOut: false })
      assert.deepEqual(await leasedUrls(station), ['http://b.test/robots.txt'])
      station.now += 4_999
      await station.beat(BOOT)
      assert.deepEqual(await leasedUrls(station), [])
      station.now += 10
      assert.equal((await leasedUrls(station)).length, 1, 'one of the two: they share an address')
    })

    test('a host whose clock is reset is leased at once, and its pause is gone', async () => {
      const station = await openStation(engine)
      await station.hello(BOOT)
      await station.open({ seeds: ['http://a.test/1'], delayMs: 0 })
      const { unresolved } = await station.store.call('lease', {
        boot: BOOT,
        requestsMax: 1,
        hostsMax: 3,
        now: station.now,
      })
      await station.resolve(unresolved, ADDRESSES)
      const until = station.now + 9e14
      await rest(station, until)
      assert.deepEqual(await leasedUrls(station), [])
      const reset = { by: 'acct_1', now: station.now }
      const before = await station.store.call('resetHost', { host: 'a.test', ...reset })
      assert.deepEqual(before, { host: 'a.test', waitedUntil: until, backoffMs: 0 })
      assert.deepEqual(await leasedUrls(station), ['http://a.test/robots.txt'])
      const unknown = station.store.call('resetHost', { host: 'nowhere.test', ...reset })
      await assert.rejects(unknown, { code: 'MINGA_NO_SUCH_HOST' })
    })

    test('what is out is seen until it came back, and a clock never moves back', async () => {
      const station = await openStation(engine)
      await station.hello(BOOT)
      await station.open({ seeds: ['http://a.test/1'], delayMs: 0 })
      const { block } = await station.lease(BOOT, { addresses: ADDRESSES })
      assert.deepEqual(await rest(station, station.now + 60_000), { isOut: true })
      assert.deepEqual(await rest(station, station.now + 5_000), { isOut: true })
      await station.ingest(
        leasedRequestsOf(block).map((leased) => captured(leased, { status: 404 })),
        BOOT,
      )
      assert.deepEqual(await rest(station, station.now), { isOut: false })
      station.now += 9_000
      await station.beat(BOOT)
      assert.deepEqual(await leasedUrls(station), [], 'the longer rest holds')
    })

    test('a host is found where it was resolved, and looked up again when that is too old', async () => {
      const station = await openStation(engine)
      const target = (): Promise<HostTarget> =>
        station.store.call('findHostTarget', { host: 'a.test', now: station.now })
      const { hostId, address } = await target()
      assert.equal(address, null)
      await station.resolve([{ hostId, name: 'a.test' }], ADDRESSES)
      assert.deepEqual(await target(), {
        hostId,
        name: 'a.test',
        address: ADDRESS,
        closedCode: null,
        isHeld: false,
      })
      station.now += 300_001
      assert.equal((await target()).address, null)
    })
  })
}
