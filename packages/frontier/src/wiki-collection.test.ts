// Goal: a wiki's requests are given to whom they may be, in their order, by the etiquette of wikis, and
// end as what their answers say. Method: the real operations on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { collectionSpec, type CollectionSpec } from '@minga/protocol'
import { ENGINES } from '../../store/test/contract-engines.ts'
import { assertCountsAddUp } from '../test/recount-fixture.ts'
import {
  captured,
  leasedRequestsOf,
  openStation,
  type LeasedRequest,
  type TestStation,
} from '../test/station-fixture.ts'
import type { LeaseArgs } from './lease/lease.ts'

const API = 'http://10.1.0.1/w/api.php'
const ROBOTS = 'User-agent: *\nDisallow: /w/\nCrawl-delay: 7'

function specOf(more: Partial<CollectionSpec> = {}, wiki: object = {}): CollectionSpec {
  const usual = {
    kind: 'wiki',
    seeds: [],
    scope: 'page',
    delayMs: 1_000,
    wiki: { task: 1, ...wiki },
  }
  return collectionSpec.parse({ ...usual, ...more })
}

const step = (n: number): string => `${API}?step=${n}`

async function next(station: TestStation): Promise<LeasedRequest[]> {
  await station.hello('one')
  return leasedRequestsOf((await station.lease('one')).block)
}

async function opened(station: TestStation, spec: CollectionSpec): Promise<number> {
  const id = await station.open(spec)
  await station.discover(id, [step(1)], { kind: 'document' })
  return id
}

for (const engine of ENGINES) {
  describe(`a wiki's collection on ${engine.name}`, { skip: engine.skip }, () => {
    const withRobots = async (
      spec: CollectionSpec,
      body = ROBOTS,
    ): Promise<{ station: TestStation; id: number }> => {
      const station = await openStation(engine)
      // Parsed rules are remembered by host and moment, for all stations of a process.
      station.now += body.length
      const id = await opened(station, spec)
      const [robots] = await next(station)
      assert.equal(robots!.request.kind, 'robots')
      await station.ingest([captured(robots!, { body })])
      return { station, id }
    }

    test('by the etiquette api.php is asked though robots.txt forbids it, at the pace it wishes', async () => {
      const { station } = await withRobots(specOf())
      station.now += 6_900
      assert.deepEqual(await next(station), [])
      station.now += 200
      assert.deepEqual(
        (await next(station)).map(({ request }) => request.url),
        [step(1)],
      )
    })

    test('a pace of more than a day is not slow but a no, by the etiquette too', async () => {
      const { station, id } = await withRobots(specOf(), 'User-agent: *\nCrawl-delay: 86400')
      station.now += 60_000
      assert.deepEqual(await next(station), [])
      assert.deepEqual((await station.status(id)).errors, { MINGA_ROBOTS_DENIED: 1 })
    })

    test('a collector who obeys robots.txt gets nothing of what it forbids', async () => {
      const { station, id } = await withRobots(specOf({}, { robots: 'obey' }))
      station.now += 60_000
      assert.deepEqual(await next(station), [])
      assert.deepEqual((await station.status(id)).errors, { MINGA_ROBOTS_DENIED: 1 })
    })

    test('a host that was closed stays closed for wikis, too', async () => {
      const { station, id } = await withRobots(specOf())
      await station.change(`UPDATE hosts SET closed_code = 'MINGA_OPTED_OUT'`)
      station.now += 60_000
      assert.deepEqual(await next(station), [])
      assert.deepEqual((await station.status(id)).errors, { MINGA_OPTED_OUT: 1 })
    })

    test('strangers are given none of it, proven devices only where the collector wants it', async () => {
      const station = await openStation(engine)
      const offered = async (standing: NonNullable<LeaseArgs['standing']>): Promise<number> => {
        await station.hello(standing)
        const args = { boot: standing, requestsMax: 9, hostsMax: 9, now: station.now, standing }
        const answer = await station.store.call('lease', args)
        return leasedRequestsOf(answer.block).length
      }
      await opened(station, specOf())
      assert.deepEqual([await offered('unproven'), await offered('proven')], [0, 0])
      assert.equal(await offered('own'), 1)
      const id = await station.open(specOf({}, { volunteers: true }))
      await station.discover(id, ['http://10.1.0.2/w/api.php'], { kind: 'document' })
      assert.deepEqual([await offered('unproven'), await offered('proven')], [0, 1])
    })

    test('what was begun goes before what is new, and what is new before lists of more', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await opened(station, specOf({ delayMs: 0 }))
      for (const [n, depth] of [
        [2, 2],
        [3, 0],
        [4, 1],
      ] as const) {
        await station.discover(id, [step(n)], { kind: 'document', depth })
      }
      await station.openHosts('one')
      const asked = (await next(station)).map(({ request }) => request.url)
      assert.deepEqual(new Set(asked.slice(0, 2)), new Set([step(1), step(3)]))
      assert.deepEqual(asked.slice(2), [step(4), step(2)])
    })

    test('a 200 that asks for a pause is asked again after it, and the host rests in the meantime', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await opened(station, specOf({ retries: 1 }))
      await station.openHosts('one')
      const code = 'MINGA_WIKI_LAGGED'
      const [first] = await next(station)
      await station.ingest([captured(first!)], null, [
        [0, { type: 'again', pauseMs: 30_000, code }],
      ])
      const [host] = await station.query<{ backoff_ms: number }>('SELECT backoff_ms FROM hosts')
      assert.equal(host!.backoff_ms, 30_000)
      station.now += 29_000
      assert.deepEqual(await next(station), [])
      station.now += 2_000
      const [again] = await next(station)
      assert.equal(again!.request.url, step(1))
      await station.ingest([captured(again!)], null, [
        [0, { type: 'again', pauseMs: 30_000, code }],
      ])
      assert.deepEqual((await station.status(id)).errors, { [code]: 1 })
      await assertCountsAddUp(station)
    })

    test('an answer that is read and not kept counts its bytes, and no capture', async () => {
      const station = await openStation(engine)
      await station.hello('one')
      const id = await opened(station, specOf())
      await station.discover(id, [step(2)], { kind: 'document' })
      await station.openHosts('one')
      const leasedRequests = await next(station)
      await station.ingest(
        leasedRequests.map((leased) => captured(leased, { bytes: 500 })),
        null,
        [
          [0, { type: 'read', isKept: false }],
          [1, { type: 'failed', code: 'MINGA_WIKI_REFUSED', isKept: false }],
        ],
      )
      const { captures, bytes, pages, failed, queued } = await station.status(id)
      const robots = 1
      assert.deepEqual(
        { captures, pages, failed, queued },
        { captures: robots, pages: 1, failed: 1, queued: 0 },
      )
      assert.equal(bytes, 600)
      const rows = await station.query(`SELECT url FROM captures WHERE url LIKE '%api.php%'`)
      assert.deepEqual(rows, [])
      await assertCountsAddUp(station)
    })
  })
}
