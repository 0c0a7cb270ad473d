// Goal: a round visits everything that is watched once from its beginning on, whatever is out, planned
// or paused at that moment, and ends. Method: a whole station on virtual time; what is out is held back
// by the test.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused, type Page } from '../../../test/station-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'
import type { Round, RoundState } from './visit-scheduler.ts'

const HOUR = 3_600_000
const MONTH = 30 * 24 * HOUR

const page = (text: string): Page => ({
  body: `<title>News</title><h1>News</h1><p>The council met on Tuesday and agreed on the plan for the
    new library, which opens in spring.</p><p>${text}</p><a href="/more">more</a>`,
})
const ROOF = 'The roof is finished.'
const FIRE = 'The roof burned down, and the opening is put off by a year.'

async function startRound(on: WatchStation, ids: number[] | null = null): Promise<number> {
  const said = await on.station.post('/watches/run', { ids })
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return (said.body as Round).startedAt
}

async function stateSince(on: WatchStation, startedAt: number): Promise<RoundState> {
  return (await on.station.get(`/watches/run?startedAt=${startedAt}`)).body as RoundState
}

const ended = (changed: number, unchanged: number): RoundState => ({
  visited: changed + unchanged,
  changed,
  unchanged,
  noise: 0,
  failed: 0,
  left: 0,
  problem: null,
})

for (const engine of ENGINES) {
  describe(`Rounds on ${engine.name}`, { skip: engine.skip }, () => {
    test('what was fetched before a round began is visited again, and counted once', async () => {
      const on = await openWatchStation({ engine })
      const url = 'http://out.test/'
      on.web = { [url]: page(ROOF) }
      await on.watch({ urls: [url], periodMs: HOUR })
      await on.pass(HOUR / 2)
      await on.station.clock.advance(HOUR)
      await on.station.tick()
      await on.station.hello()
      const block = await on.station.lease()
      const fetched = on.station.fetch(block, on.web)
      on.web = { [url]: page(FIRE) }
      await on.station.clock.advance(1_000)
      const startedAt = await startRound(on)
      await on.station.send(fetched.map((parcel) => ({ ...parcel, endedAtMs: -1_000 })))
      assert.equal((await stateSince(on, startedAt)).left, 1)
      await on.work()
      assert.deepEqual(await stateSince(on, startedAt), ended(1, 0))
    })

    test('another price does not put off what is due', async () => {
      const on = await openWatchStation({ engine, flags: { visitsPerDay: 1_000 } })
      const urls = ['http://a.test/', 'http://b.test/']
      on.web = Object.fromEntries(urls.map((url) => [url, page(ROOF)]))
      await on.watch({ subject: 'list', urls })
      await on.pass(2 * HOUR)
      const { store, clock } = on.station
      // What was visited in the same millisecond would count as part of the round.
      await clock.advance(1)
      const startedAt = await startRound(on)
      await store.call('replanVisits', { now: clock.now(), visitsPerDay: 1 })
      await store.call('retimeVisits', { now: clock.now(), limit: 100 })
      assert.equal((await stateSince(on, startedAt)).left, 2)
      await on.work()
      assert.deepEqual(await stateSince(on, startedAt), ended(0, 2))
    })

    test('watches that are not there are named, and a round of some leaves the others alone', async () => {
      const on = await openWatchStation({ engine })
      on.web = { 'http://a.test/': page(ROOF), 'http://b.test/': page(ROOF) }
      const one = await on.watch({ urls: ['http://a.test/'], periodMs: MONTH })
      await on.watch({ urls: ['http://b.test/'], periodMs: MONTH })
      await on.pass(60_000)
      assertRefused(
        await on.station.post('/watches/run', { ids: [77] }),
        '404 MINGA_NO_SUCH_WATCH',
        /no watch 77/,
      )
      on.hits.length = 0
      const startedAt = await startRound(on, [one.id])
      await on.work()
      assert.deepEqual(await stateSince(on, startedAt), ended(0, 1))
      assert.deepEqual(
        on.hits.map(({ url }) => url),
        ['http://a.test/'],
      )
    })

    test('a round in which every visit failed names the most frequent cause and its remedy', async () => {
      const on = await openWatchStation({ engine })
      const rules = { body: 'User-agent: *\nDisallow: /', type: 'text/plain' }
      on.web = { 'http://shut.test/robots.txt': rules, 'http://open.test/': page(ROOF) }
      const shut = await on.watch({ urls: ['http://shut.test/'], periodMs: MONTH })
      const open = await on.watch({ urls: ['http://open.test/'], periodMs: MONTH })
      await on.pass(60_000)
      const startedAt = await startRound(on)
      await on.work()
      await on.station.tick()
      const path = `/watches/run?startedAt=${startedAt}&ids=`
      const stateOf = async (ids: string): Promise<RoundState> =>
        (await on.station.get(`${path}${ids}`)).body as RoundState
      const { visited, failed, problem } = await stateOf(`${shut.id}`)
      assert.deepEqual([visited, failed, problem?.code], [1, 1, 'MINGA_ROBOTS_DENIED'])
      assert.equal(problem?.url, 'http://shut.test/')
      assert.match(problem.remedy, /ask the owner of the site/)
      const both = await stateOf(`${shut.id},${open.id}`)
      assert.deepEqual([both.visited, both.failed, both.problem], [2, 1, null])
    })

    test('coordinators that tick at the same time queue each visit once, and end each lost one once', async () => {
      const on = await openWatchStation({ engine })
      const urls = Array.from({ length: 30 }, (_, i) => `http://many.test/${i}`)
      const rules = { body: 'User-agent: *\nDisallow: /', type: 'text/plain' }
      on.web = { 'http://many.test/robots.txt': rules }
      const { id } = await on.watch({ subject: 'list', urls, periodMs: MONTH })
      const { store, clock } = on.station
      const together = async (operation: 'queueDueVisits' | 'endStrayVisits'): Promise<number> => {
        const args = { now: clock.now(), visitsPerDay: null }
        const calls = Array.from({ length: 4 }, () => store.call(operation, args))
        return (await Promise.all(calls)).reduce((sum, count) => sum + count, 0)
      }
      assert.equal(await together('queueDueVisits'), urls.length)
      // The first block is robots.txt; looking for a second one ends what it forbids.
      await on.fetchBlock()
      await on.fetchBlock()
      assert.equal(await together('endStrayVisits'), urls.length)
      assert.equal((await on.visits(id)).length, urls.length)
    })

    test('a harvest that was paused holds up no round', async () => {
      const on = await openWatchStation({ engine })
      on.web = { 'http://site.test/': page(ROOF), 'http://site.test/more': page(FIRE) }
      const { id } = await on.watch({
        subject: 'site',
        urls: ['http://site.test/'],
        periodMs: MONTH,
      })
      await on.pass(2 * 60_000)
      await on.station.post(`/watches/${id}/harvest`)
      await on.station.tick()
      await on.station.post(`/watches/${id}/harvest/pause`)
      const startedAt = await startRound(on)
      assert.equal((await stateSince(on, startedAt)).left, 0)
    })

    test('a harvest that never began has gathered nothing, and a paused watch begins none', async () => {
      const on = await openWatchStation({ engine })
      on.web = { 'http://site.test/': page(ROOF), 'http://site.test/more': page(FIRE) }
      const request = { subject: 'site' as const, urls: ['http://site.test/'], periodMs: HOUR }
      const { id } = await on.watch(request)
      await on.pass(2 * 60_000)
      const version = async (): Promise<unknown[]> => {
        const [newest] = await on.versions(id)
        const { number, state, documents, files } = newest!
        return [number, state, documents, files.length]
      }
      assert.deepEqual(await version(), [1, 'complete', 2, 1])
      await on.station.post(`/watches/${id}/harvest`)
      await on.station.post(`/watches/${id}/harvest/cancel`)
      assert.deepEqual(await version(), [2, 'cancelled', 0, 0])
      on.web = { ...on.web, 'http://site.test/': page(FIRE) }
      await on.station.clock.advance(HOUR)
      await on.station.tick()
      await on.fetchBlock()
      assert.deepEqual(await version(), [3, 'waiting', 0, 0])
      await on.station.post(`/watches/${id}/pause`)
      on.hits.length = 0
      await on.pass(10 * 60_000)
      assert.deepEqual([await version(), on.hits.length], [[3, 'cancelled', 0, 0], 0])
    })
  })
}
