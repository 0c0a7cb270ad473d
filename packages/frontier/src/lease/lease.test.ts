// Goal: a host and its address are out with one agent at a time and never before their clocks.
// Method: the real operations on both databases, driven step by step with a virtual now.
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
} from '../../test/station-fixture.ts'

for (const engine of ENGINES) {
  describe(`Leases on ${engine.name}`, { skip: engine.skip }, () => {
    test('a host is leased to one agent at a time', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.hello('two')
      await station.open({ seeds: ['http://10.1.0.1/a', 'http://10.1.0.1/b'] })
      const first = await station.lease('one')
      assert.equal(leasedRequestsOf(first.block).length, 1)
      const second = await station.lease('two')
      assert.equal(second.block, null)
      await assertCountsAddUp(station)
    })

    test('two collections that share a host never get it in one block twice', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({ seeds: ['http://10.1.0.1/a'] })
      await station.open({ seeds: ['http://10.1.0.1/b'] })
      const { block } = await station.lease('one')
      assert.equal(block?.hosts.length, 1)
      await assertCountsAddUp(station)
    })

    test('a stranger gets one request of some hosts though more are queued: one alone tells nothing', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const hosts = Array.from({ length: 40 }, (_, i) => `http://10.1.0.${i + 1}`)
      const seeds = hosts.flatMap((host) => [`${host}/a`, `${host}/b`])
      await station.open({ seeds, delayMs: 100 })
      await station.openHosts('one')
      const singles = async (more: object): Promise<number> => {
        const { block } = await station.lease('one', { requestsMax: 500, ...more })
        assert.equal(block?.hosts.length, 40)
        await station.ingest(leasedRequestsOf(block).map((leased) => returned(leased)))
        station.now += 100_000
        return block.hosts.filter(({ requests }) => requests.length === 1).length
      }
      assert.equal(await singles({ standing: 'own', draw: 0.5 }), 0)
      const few = await singles({ standing: 'proven', draw: 0.5 })
      assert.ok(few > 2 && few < 20, `${few} of 40`)
      assert.notEqual(await singles({ standing: 'proven', draw: 0.4 }), 0)
    })

    test('two hosts of one address are never out together, not even for two collections', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const addresses = { 'a.test': '10.9.9.9', 'b.test': '10.9.9.9', 'c.test': '10.9.9.9' }
      await station.open({ seeds: ['http://a.test/', 'http://b.test/'] })
      await station.open({ seeds: ['http://c.test/'] })
      const { block } = await station.lease('one', { addresses })
      assert.equal(block?.hosts.length, 1)
      await assertCountsAddUp(station)
      assert.equal((await station.lease('one', { addresses })).block, null)
      await station.ingest(
        leasedRequestsOf(block).map((leased) => captured(leased, { status: 404 })),
      )
      assert.equal((await station.lease('one', { addresses })).block, null, 'the address rests')
      station.now += 1_000
      assert.equal((await station.lease('one', { addresses })).block?.hosts.length, 1)
    })

    test('while an address is out, its other hosts are not asked about at once again', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const addresses = { 'a.test': '10.9.9.9', 'b.test': '10.9.9.9' }
      await station.open({ seeds: ['http://a.test/', 'http://b.test/'] })
      await station.lease('one', { addresses })
      const { nextTurnAt } = await station.lease('one', { addresses })
      assert.ok(nextTurnAt! > station.now, 'a turn in the past would make the coordinator spin')
    })

    test('a host that is out for another collection is looked at again less and less often', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      for (let i = 0; i < 2; i++) await station.open({ seeds: ['http://a.test/'] })
      assert.equal((await station.lease('one')).block?.hosts.length, 1)
      const waits: number[] = []
      for (const looks of [0, 1, 2, 3, 100]) {
        const { block, nextTurnAt } = await station.lease('one', { looks })
        assert.equal(block, null)
        waits.push(nextTurnAt! - station.now)
      }
      assert.deepEqual(waits, [50, 100, 200, 400, 400])
    })

    test('an address with more than 50 domains is capped in flight instead of spaced', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const names = Array.from({ length: 60 }, (_, i) => `site${i}.com`)
      const addresses = Object.fromEntries(names.map((name) => [name, '10.7.7.7']))
      await station.open({ seeds: names.map((name) => `http://${name}/`), delayMs: 60_000 })
      const { block } = await station.lease('one', { addresses })
      assert.equal(block?.hosts.length, 16)
      await station.ingest(
        leasedRequestsOf(block).map((leased) => captured(leased, { status: 404 })),
      )
      station.now += 1_000
      const next = await station.lease('one', { addresses })
      assert.equal(next.block?.hosts.length, 16, 'its other hosts need not wait')
      await station.set('hostsPerAddressMax', 20)
      station.now += 1_000
      const more = await station.lease('one', { addresses })
      assert.equal(more.block?.hosts.length, 4, 'a change holds for the next block')
      await assertCountsAddUp(station)
    })

    test('requests in flight to one host are capped for the whole station, whatever is asked', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const seeds = ['http://10.1.0.1/a', 'http://10.1.0.1/b']
      await station.open({ seeds, delayMs: 0, inFlightPerHost: 8 })
      const threads = async (): Promise<number | undefined> => {
        station.now += 1_000
        const { block } = await station.lease('one')
        await station.ingest(leasedRequestsOf(block).map((leased) => returned(leased)))
        return block?.hosts[0]?.threads
      }
      assert.equal(await threads(), 8)
      await station.set('threadsPerHostMax', 3)
      assert.equal(await threads(), 3)
    })

    test('the clock moves to the end of the last response plus the delay', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({ seeds: ['http://10.1.0.1/a'], delayMs: 700 })
      const [robots] = leasedRequestsOf((await station.lease('one')).block)
      station.now += 5_000
      await station.ingest([captured(robots!, { status: 404, endedAgoMs: 400 })])
      station.now += 299
      assert.equal((await station.lease('one')).block, null)
      station.now += 1
      assert.notEqual((await station.lease('one')).block, null)
    })

    test('after a lease that ended unseen the host rests a full delay from its end', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({ seeds: ['http://10.1.0.1/a'], delayMs: 700 })
      await station.lease('one')
      station.now += 10_001
      await station.sweep()
      await station.hello('two')
      assert.equal((await station.lease('two')).block, null)
      station.now += 699
      assert.equal((await station.lease('two')).block, null)
      station.now += 1
      assert.notEqual((await station.lease('two')).block, null)
      await assertCountsAddUp(station)
    })

    test('ten seconds of silence end a lease, and so does its deadline', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({ seeds: ['http://10.1.0.1/a'] })
      const { block } = await station.lease('one')
      station.now += 9_999
      await station.sweep()
      assert.deepEqual(await station.beat('one', [block!.fence]), { ended: [] })
      for (let beats = 0; beats < 40; beats++) {
        station.now += 5_000
        await station.beat('one')
        await station.sweep()
      }
      assert.deepEqual(await station.beat('one', [block!.fence]), { ended: [block!.fence] })
      await assertCountsAddUp(station)
    })

    test('a new boot of a device ends what the former one held', async () => {
      const station = await openStation(engine)
      await station.hello('former', 'device')
      await station.open({ seeds: ['http://10.1.0.1/a'] })
      const { block } = await station.lease('former')
      await station.hello('latter', 'device')
      const { stale } = await station.ingest(
        leasedRequestsOf(block).map((leased) => captured(leased)),
      )
      assert.equal(stale, 1)
      await assertCountsAddUp(station)
    })

    test('hosts of a former boot rest until it must have stopped, unless it is known to be over', async () => {
      const station = await openStation(engine)
      await station.hello('former', 'device')
      await station.open({ seeds: ['http://10.1.0.1/a'], delayMs: 100 })
      const urlFor = async (boot: string): Promise<string | undefined> => {
        await station.beat(boot)
        return leasedRequestsOf((await station.lease(boot)).block)[0]?.request.url
      }
      const url = await urlFor('former')
      assert.ok(url)
      // Two programs with one key: the former may dial for ten seconds after its last beat.
      await station.hello('latter', 'device')
      station.now += 5_000
      assert.equal(await urlFor('latter'), undefined)
      station.now += 5_000
      assert.equal(await urlFor('latter'), undefined)
      station.now += 100
      assert.equal(await urlFor('latter'), url)
      await station.hello('last', 'device', 'latter')
      assert.equal(await urlFor('last'), undefined)
      station.now += 100
      assert.equal(await urlFor('last'), url)
      await assertCountsAddUp(station)
    })

    test('a boot that the station does not know gets no lease', async () => {
      const station = await openStation(engine)
      await station.open({ seeds: ['http://10.1.0.1/a'] })
      await assert.rejects(station.lease('stranger'), { code: 'MINGA_UNKNOWN_AGENT' })
      await station.hello('former', 'device')
      await station.hello('latter', 'device')
      await assert.rejects(station.lease('former'), { code: 'MINGA_UNKNOWN_AGENT' })
      await assertCountsAddUp(station)
    })

    test('a stale fence changes nothing', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({ seeds: ['http://10.1.0.1/a'], delayMs: 100 })
      const { block } = await station.lease('one')
      station.now += 11_000
      await station.sweep()
      const before = await everything(station)
      for (const answer of [
        captured(leasedRequestsOf(block)[0]!, { links: ['http://10.1.0.2/new'] }),
        failed(leasedRequestsOf(block)[0]!),
        returned(leasedRequestsOf(block)[0]!),
      ]) {
        assert.deepEqual(await station.ingest([answer]), { accepted: 0, stale: 1, ...NOTHING_MORE })
      }
      assert.deepEqual(await everything(station), before)
      const files = await station.query('SELECT name, committed_bytes FROM blob_files')
      assert.deepEqual(files, [])
    })

    test('the same upload twice settles once, whatever it holds', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      await station.open({
        seeds: ['a', 'b', 'c', 'd'].map((path) => `http://10.1.0.1/${path}`),
        delayMs: 0,
      })
      await station.openHosts('one')
      const leasedRequests = leasedRequestsOf((await station.lease('one')).block)
      assert.equal(leasedRequests.length, 4)
      const [first, second, third, fourth] = leasedRequests
      const part = [captured(first!), failed(second!)]
      assert.equal((await station.ingest(part)).accepted, 2)
      assert.equal((await station.ingest(part)).stale, 2)
      await assertCountsAddUp(station)
      const rest = [...part, returned(third!), captured(fourth!, { status: 503 })]
      assert.equal((await station.ingest(rest)).accepted, 2)
      const before = await everything(station)
      assert.equal((await station.ingest(rest)).stale, 4)
      assert.equal((await station.ingest([...rest, ...rest])).stale, 8)
      assert.deepEqual(await everything(station), before)
      await assertCountsAddUp(station)
    })

    test('what was in the air when a site complained does not ease its back-off, in whichever message it comes', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const seeds = ['a', 'b', 'c', 'd'].map((path) => `http://10.1.0.1/${path}`)
      await station.open({ seeds, delayMs: 0, inFlightPerHost: 4, retries: 5 })
      await station.openHosts('one')
      const [first, second, third, fourth] = leasedRequestsOf((await station.lease('one')).block)
      station.now += 1_000
      const complaint = { status: 503, totalMs: 2, endedAgoMs: 40 }
      await station.ingest([captured(first!, complaint), captured(second!, complaint)])
      // Asked a moment after the complaints had left the site, before anyone knew of them.
      const late = { totalMs: 41, endedAgoMs: 0 }
      await station.ingest([captured(third!, late), captured(fourth!, late)])
      const [host] = await station.query<{ ms: number }>('SELECT backoff_ms AS ms FROM hosts')
      assert.equal(host!.ms, 4_000)
    })
  })
}

const NOTHING_MORE = { learnt: [], grown: [], fetched: [], pages: [] }

async function everything(station: Awaited<ReturnType<typeof openStation>>): Promise<unknown> {
  return Promise.all(
    [
      'SELECT * FROM collections ORDER BY id',
      'SELECT * FROM urls ORDER BY collection_id, host_id, hash',
      'SELECT * FROM hosts ORDER BY id',
      'SELECT * FROM address_groups ORDER BY address',
      'SELECT * FROM collection_hosts ORDER BY collection_id, host_id',
      'SELECT * FROM host_leases ORDER BY host_id',
      'SELECT * FROM robots ORDER BY host_id, scheme',
      'SELECT * FROM captures ORDER BY id',
      'SELECT * FROM trap_places ORDER BY host_id, place',
    ].map((text) => station.query(text)),
  )
}
