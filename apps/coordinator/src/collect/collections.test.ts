// Goal: what the pages of collections read is true and comes in pages; what people do with a
// collection is done. Method: the whole server over both databases, an agent's real records of a
// synthetic web, and virtual time.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  COLLECTION_OUTCOMES,
  type CollectionCaptures,
  type CollectionCurve,
  type CollectionFacets,
  type CollectionHosts,
  type CollectionPage,
  type CollectionRequest,
  type CollectionStatus,
  type EventPage,
  type ExistingCollection,
  type ScopePreview,
  type SeedChecks,
  type StationFigures,
  type ThroughputPoint,
} from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import {
  assertRefused,
  openStation,
  TOKENS,
  type TestStation,
  type Web,
} from '../../test/station-fixture.ts'
import { SAMPLES_MOST } from './collection-samples.ts'

const page = (links: string[]): string => links.map((link) => `<a href="${link}">x</a>`).join('')

const WEB: Web = {
  'http://a.test/robots.txt': {
    type: 'text/plain',
    body: 'User-agent: *\nDisallow: /secret/\nCrawl-delay: 2\nSitemap: http://a.test/map.xml',
  },
  'http://a.test/': { body: page(['/one', '/two', '/style.css', '/secret/x', '/gone']) },
  'http://a.test/one': { body: page(['/deep', 'http://b.test/']) },
  'http://a.test/two': { body: 'two' },
  'http://a.test/deep': { body: 'deep' },
  'http://a.test/style.css': { type: 'text/css', body: 'p{}' },
  'http://a.test/map.xml': { type: 'application/xml', body: '<urlset></urlset>' },
}

const seeds = ['http://a.test/']

function patch(station: TestStation, url: string, payload: object) {
  const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
  return station.inject({ method: 'PATCH', url: `/api${url}`, headers, payload })
}

async function read<T>(station: TestStation, url: string): Promise<T> {
  const { status, body } = await station.get(url)
  assert.equal(status, 200, JSON.stringify(body))
  return body as T
}

for (const engine of ENGINES) {
  describe(`collections on ${engine.name}`, { skip: engine.skip }, () => {
    test('a crawl is shown by type, status and depth, with the last example of each error', async () => {
      const station = await openStation({ engine })
      const { id } = await station.crawl({ seeds }, WEB)
      const facets = await read<CollectionFacets>(station, `/collections/${id}/facets`)
      const types = Object.fromEntries(facets.types.map(({ value, count }) => [value, count]))
      assert.equal(types['style'], 1)
      assert.ok(types['html']! >= 4)
      assert.deepEqual(
        facets.statuses.map(({ value }) => value),
        ['200', '404'],
      )
      assert.deepEqual(
        facets.depths.map(({ value }) => value),
        ['0', '1', '2'],
      )
      const denied = facets.errors.find(({ code }) => code === 'MINGA_ROBOTS_DENIED')
      assert.equal(denied?.lastUrl, 'http://a.test/secret/x')
      const hosts = await read<CollectionHosts>(station, `/collections/${id}/hosts/list?q=a.t`)
      assert.equal(hosts.rows[0]?.name, 'a.test')
      assert.equal(hosts.total, 1)
      const none = await read<CollectionHosts>(
        station,
        `/collections/${id}/hosts/list?state=out,limited`,
      )
      assert.deepEqual(none.rows, [])
      const css = await read<CollectionCaptures>(
        station,
        `/collections/${id}/captures?type=text/css&status=2`,
      )
      assert.deepEqual(
        css.rows.map(({ url }) => url),
        ['http://a.test/style.css'],
      )
    })

    test('captures of a collection come in pages, newest first', async () => {
      const station = await openStation({ engine })
      const { id, captures } = await station.crawl({ seeds }, WEB)
      const seen: number[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const query: string = `limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`
        const answer: CollectionCaptures = await read(
          station,
          `/collections/${id}/captures?${query}`,
        )
        seen.push(...answer.rows.map((row) => row.id))
        cursor = answer.cursor
      }
      assert.equal(seen.length, captures)
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => b - a),
      )
    })

    test('starting the same seeds and scope changes an existing collection only when that is chosen', async () => {
      const station = await openStation({ engine })
      const first = await station.collect({ seeds, maxPages: 12, delayMs: 250 })
      const wanted = { seeds, delayMs: 1_000 }
      const found = await station.post('/collections/existing', wanted)
      const known = found.body as ExistingCollection
      assert.equal(known.collection?.id, first.id)
      assert.equal(known.collection.spec.maxPages, 12)
      assert.deepEqual(known.changes, {
        before: { maxPages: 12, delayMs: 250 },
        after: { maxPages: null, delayMs: 1_000 },
      })

      const refused = await station.post('/collections', wanted)
      const sentence = /Collection 1 already.*maxPages 12 → null.*"continue".*"change".*"separate"/
      assertRefused(refused, '409 MINGA_COLLECTION_EXISTS', sentence)
      const { spec } = await read<CollectionStatus>(station, '/collections/1')
      assert.deepEqual([spec.maxPages, spec.delayMs], [12, 250])

      const start = async (existing: string): Promise<(number | null)[]> => {
        const { body } = await station.post('/collections', { ...wanted, existing })
        const { id, spec: started } = body as CollectionStatus
        return [id, started.maxPages, started.delayMs]
      }
      assert.deepEqual(await start('separate'), [2, null, 1_000])
      assert.deepEqual(await start('continue'), [1, 12, 250])
      assert.deepEqual(await start('change'), [1, null, 1_000])
      assert.equal((await station.collect(wanted)).id, 1, 'the settings it has are no change')
      const none = await station.post('/collections/existing', { seeds: ['http://b.test/'] })
      assert.equal((none.body as ExistingCollection).collection, null)
    })

    test('the list of collections is filtered, sorted and paged at the station', async () => {
      const station = await openStation({ engine })
      for (let i = 0; i < 7; i++) await station.collect({ seeds: [`http://site-${i}.test/`] })
      await station.post('/collections/3/pause')
      const walk = async (query: string): Promise<number[]> => {
        const ids: number[] = []
        let cursor: string | null = null
        do {
          const after: string = cursor === null ? '' : `&cursor=${cursor}`
          const answer: CollectionPage = await read(station, `/collections/list?${query}${after}`)
          ids.push(...answer.rows.map(({ id }) => id))
          cursor = answer.cursor
        } while (cursor !== null)
        return ids
      }
      assert.deepEqual(await walk('limit=2'), [7, 6, 5, 4, 3, 2, 1])
      assert.deepEqual(await walk('limit=2&sort=id'), [1, 2, 3, 4, 5, 6, 7])
      assert.deepEqual(await walk('limit=3&sort=done'), [1, 2, 3, 4, 5, 6, 7])
      assert.deepEqual(await walk('state=paused'), [3])
      assert.deepEqual(await walk('q=site-4'), [5])
      assert.deepEqual(await walk('q=%25&kind=crawl'), [])
      assert.deepEqual(await walk('kind=watch,wiki'), [])
      assertRefused(
        await station.get('/collections/list?sort=spec'),
        '400 MINGA_BAD_MESSAGE',
        /sort/,
      )
    })

    test('collections are filtered by how they ended, as each of them says it', async () => {
      const station = await openStation({ engine })
      await station.crawl({ seeds }, WEB)
      await station.crawl({ seeds: ['http://nothing.test/'] }, {})
      await station.collect({ seeds: ['http://stopped.test/'] })
      await station.post('/collections/3/stop')
      await station.tick()
      await station.collect({ seeds: ['http://running.test/'] })
      const { total } = await read<CollectionPage>(station, '/collections/list')
      const all = await read<CollectionStatus[]>(station, '/collections')
      assert.deepEqual([total, all.length], [4, 4])
      const met = new Set<string>()
      for (const wanted of [...COLLECTION_OUTCOMES, 'failed,stopped']) {
        const expected = all
          .filter(({ outcome }) => outcome !== null && wanted.split(',').includes(outcome))
          .map(({ id }) => id)
        if (expected.length > 0) met.add(wanted)
        const path = `outcome=${wanted}&sort=id`
        const { rows, total: counted } = await read<CollectionPage>(
          station,
          `/collections/list?${path}`,
        )
        const whole = await read<CollectionStatus[]>(station, `/collections?outcome=${wanted}`)
        assert.deepEqual([rows.map(({ id }) => id), counted], [expected, expected.length], wanted)
        assert.deepEqual(
          whole.map(({ id }) => id),
          expected,
        )
      }
      assert.deepEqual([...met], ['complete', 'failed', 'stopped', 'failed,stopped'])
      for (const path of ['/collections?outcome=lost', '/collections/list?outcome=failed,lost']) {
        assertRefused(await station.get(path), '400 MINGA_BAD_MESSAGE', /outcome/)
      }
    })

    test('the life of a collection is kept as a curve that stays small and begins at its beginning', async () => {
      const station = await openStation({ engine })
      const { id, createdAt } = await station.collect({ seeds })
      for (let i = 0; i < SAMPLES_MOST + 200; i++) {
        await station.store.call('sampleCollections', { now: createdAt + (i + 1) * 10_000 })
      }
      const { points } = await read<CollectionCurve>(station, `/collections/${id}/curve`)
      assert.ok(points.length <= SAMPLES_MOST + 2 && points.length > 200)
      assert.equal(points[0]!.at, createdAt)
      const gaps = points.slice(1, -1).map(({ at }, i) => at - points[i]!.at)
      assert.equal(gaps.at(-1), 10_000)
      assert.ok(gaps[5]! > 10_000)
    })

    test('the throughput of a day is given in spans, and the figures of the station add up', async () => {
      const station = await openStation({ engine })
      await station.tick()
      await station.crawl({ seeds }, WEB)
      await station.clock.advance(60_000)
      await station.tick()
      const spans = await read<ThroughputPoint[]>(station, '/station/throughput')
      const { station: figures } = await read<{ station: StationFigures }>(station, '/snapshot')
      assert.equal(
        spans.reduce((sum, { done }) => sum + done, 0),
        figures.urls.found - figures.urls.queued,
      )
      assert.ok(figures.urls.pages > 3)
      assert.equal(figures.queries + figures.wikiTasks + figures.visitsDue, 0)
    })

    test('a scope is changed, undone, stopped, resumed, run again and discarded over HTTP', async () => {
      const station = await openStation({ engine })
      await station.hello()
      const { id } = await station.collect({ seeds, delayMs: 0 })
      const found = async (): Promise<number> =>
        (await read<CollectionStatus>(station, `/collections/${id}`)).found
      while ((await found()) < 5) {
        await station.send(station.fetch(await station.lease(), WEB))
        await station.clock.advance(5_000)
      }
      const narrowed = await patch(station, `/collections/${id}`, { addExclude: ['/two$'] })
      assert.equal(narrowed.status, 200)
      const status = narrowed.body as CollectionStatus
      assert.deepEqual(status.spec.exclude, ['/two$'])
      assert.equal(status.errors['MINGA_OUT_OF_SCOPE'], 1)
      assert.equal((await read<unknown[]>(station, `/collections/${id}/trail`)).length, 1)
      const undone = (await station.post(`/collections/${id}/undo`)).body as CollectionStatus
      assert.equal(undone.errors['MINGA_OUT_OF_SCOPE'], undefined)
      const stopped = (await station.post(`/collections/${id}/stop`)).body as CollectionStatus
      assert.deepEqual([stopped.state, stopped.queued > 0], ['finished', true])
      const resumed = (await station.post(`/collections/${id}/resume`)).body as CollectionStatus
      assert.equal(resumed.state, 'running')
      const again = (await station.post(`/collections/${id}/rerun`)).body as CollectionStatus
      assert.notEqual(again.id, id)
      assert.deepEqual(again.spec.seeds, seeds)
      const gone = (await station.post(`/collections/${id}/discard`)).body as { removed: number }
      assert.ok(gone.removed > 0)
      assert.deepEqual(
        (await read<CollectionCaptures>(station, `/collections/${id}/captures`)).rows,
        [],
      )
      assertRefused(
        await patch(station, `/collections/${id}`, { seeds: [] }),
        '400 MINGA_BAD_MESSAGE',
        /seeds/,
      )
    })

    test('a crawl that captured nothing has failed in every view, and tries again when it is asked for again', async () => {
      const station = await openStation({ engine })
      const dead = ['http://dead.test/']
      const crawl = async (request: CollectionRequest, web: Web): Promise<CollectionStatus> => {
        const { id } = await station.crawl(request, web)
        await station.tick()
        return read(station, `/collections/${id}`)
      }
      const down: Web = { 'http://dead.test/': { status: 500 } }
      const failed = await crawl({ seeds: dead, retries: 0 }, down)
      assert.deepEqual([failed.state, failed.outcome, failed.failed], ['finished', 'failed', 1])
      assert.deepEqual(
        [failed.problem?.code, failed.problem?.url],
        ['MINGA_HTTP_500', 'http://dead.test/'],
      )
      const list = await read<CollectionPage>(station, '/collections/list')
      assert.equal(list.rows[0]?.outcome, 'failed')
      const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
      const log = await station.inject({ method: 'GET', url: '/api/event-log', headers })
      const { events } = log.body as EventPage
      assert.ok(events.some(({ code }) => code === 'collection:failed'))
      const again = await crawl({ seeds: dead, retries: 0 }, { 'http://dead.test/': {} })
      assert.deepEqual([again.id, again.outcome, again.failed], [failed.id, 'complete', 0])
      assert.deepEqual([again.errors, again.problem], [{}, null])
      const resumed = await crawl({ seeds: dead, retries: 0 }, {})
      assert.deepEqual([resumed.outcome, resumed.pages], ['complete', 1])
      const { id } = await station.collect({ seeds, delayMs: 0, maxPages: 1 })
      for (let rounds = 0; rounds < 2; rounds++) {
        await station.send(station.fetch(await station.lease(), WEB))
        await station.clock.advance(5_000)
      }
      await station.tick()
      const limited = await read<CollectionStatus>(station, `/collections/${id}`)
      assert.deepEqual([limited.outcome, limited.reason], ['at-limit', 'max-pages'])
    })

    test('robots.txt of a seed is fetched by an agent, returned with its meaning, and then known', async () => {
      const station = await openStation({ engine })
      const check = async (list: string[]): Promise<SeedChecks['seeds']> =>
        ((await station.post('/collections/check', { seeds: list })).body as SeedChecks).seeds
      const [alone, refused, wrong] = await check([seeds[0]!, 'http://127.0.0.1/', 'nonsense'])
      assert.deepEqual(alone?.robots, { state: 'no-agent' })
      assert.equal(refused?.refusal, 'MINGA_ADDRESS_REFUSED')
      assert.equal(wrong?.refusal, 'MINGA_BAD_SEED')
      await station.hello()
      assert.deepEqual((await check(seeds))[0]?.robots, { state: 'asking' })
      assert.deepEqual((await check(seeds))[0]?.robots, { state: 'asking' })
      await station.send(station.fetch(await station.lease(), WEB))
      const [open, closed] = await check([seeds[0]!, 'http://a.test/secret/y'])
      assert.ok(open?.robots.state === 'known' && closed?.robots.state === 'known')
      assert.deepEqual(
        [open.robots.isAllowed, closed.robots.isAllowed, open.robots.crawlDelayMs],
        [true, false, 2_000],
      )
      assert.deepEqual(open.robots.sitemaps, ['http://a.test/map.xml'])
    })

    test('the check shows an operator only the refusals that a collection of theirs would meet', async () => {
      const station = await openStation({ engine })
      const seed = 'http://a.test/?id=1%20union%20select%20password%20from%20users'
      const said = await station.post('/collections/check', { seeds: [seed] })
      assert.equal((said.body as SeedChecks).seeds[0]!.refusal, null)
      const { denied } = await station.crawl({ seeds: [seed] }, {})
      assert.equal(denied, 0)
    })

    test('a preview refuses what would be refused as a link, unless it is a seed of an operator', async () => {
      const station = await openStation({ engine })
      const attack = '?id=1%20union%20select%20password%20from%20users'
      const [seed, link] = [`http://a.test/${attack}`, `http://a.test/other${attack}`]
      const request = { seeds: [seed], scope: 'host' }
      const said = await station.post('/collections/preview', { request, urls: [seed, link] })
      const { urls } = said.body as ScopePreview
      assert.deepEqual(
        urls.map(({ why }) => why),
        ['in', 'refused'],
      )
    })

    test('a preview says of each address whether it is in and why not, also of the links of a captured page', async () => {
      const station = await openStation({ engine })
      await station.crawl({ seeds }, WEB)
      const request = { seeds, scope: 'host', exclude: ['/two$'], include: ['test/'] }
      const said = await station.post('/collections/preview', {
        request,
        urls: ['http://a.test/one', 'http://b.test/', 'http://a.test/two', 'no address'],
        page: 'http://a.test/one',
      })
      const preview = said.body as ScopePreview
      assert.equal(preview.page?.url, 'http://a.test/one')
      assert.deepEqual(
        preview.urls.map(({ url, why, pattern }) => [url, why, pattern]),
        [
          ['http://a.test/one', 'in', 'test/'],
          ['http://b.test/', 'reach', null],
          ['http://a.test/two', 'exclude', '/two$'],
          [null, 'no-address', null],
          ['http://a.test/deep', 'in', 'test/'],
          ['http://b.test/', 'reach', null],
        ],
      )
    })
  })
}
