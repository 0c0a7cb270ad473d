// Goal: a watched site is checked cheaply and gathered whole when it has changed; every harvest is
// a version with its beginning, its end and its reason. Method: a station on virtual time over a
// synthetic site, judged by the requests that agents made.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused, type Page, type Web } from '../../../test/station-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'

const HOUR = 3_600_000
const SITE = 'http://site.test/'

function page(text: string, links: string[] = []): Page {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')
  return { body: `<title>Site</title><h1>Site</h1><p>${text}</p><ul>${list}</ul>` }
}

/** A front page that links to so many others. */
function site(front: string, pages: number): Web {
  const links = Array.from({ length: pages }, (_, i) => `/page/${i}`)
  const others = links.map((link): [string, Page] => [
    `http://site.test${link}`,
    page(`It is ${link}`),
  ])
  return { [SITE]: page(front, links), ...Object.fromEntries(others) }
}

async function watchSite(on: WatchStation, more: object = {}): Promise<number> {
  const request = { subject: 'site' as const, urls: [SITE], periodMs: 6 * HOUR, ...more }
  const { id } = await on.watch(request)
  await on.pass(2 * 60_000)
  return id
}

for (const engine of ENGINES) {
  describe(`Harvests on ${engine.name}`, { skip: engine.skip }, () => {
    test('Crawl launch create→build→launch→unpause: a site is checked first, and harvested when it is new or changed', async () => {
      const on = await openWatchStation({ engine })
      on.web = site('Welcome to the site of our town.', 5)
      const id = await watchSite(on)
      const [first] = await on.versions(id)
      assert.deepEqual(
        [first!.number, first!.state, first!.cause, first!.documents],
        [1, 'complete', 'first', 6],
      )
      assert.ok(first!.files.length === 1 && first!.agents.length === 1)
      assert.ok(first!.endedAt! >= first!.startedAt)

      on.hits.length = 0
      await on.pass(6 * HOUR)
      assert.deepEqual(
        on.hits.map(({ url }) => url),
        [SITE],
        'a visit to an unchanged site is one request',
      )
      on.web = site('The town has a new mayor, who begins in June and wants a tram.', 7)
      await on.pass(7 * HOUR)
      const versions = await on.versions(id)
      assert.deepEqual(
        versions.map(({ number, state, documents }) => [number, state, documents]),
        [
          [2, 'complete', 8],
          [1, 'complete', 6],
        ],
      )
      assert.match(versions[0]!.cause, /^changed: /)
    })

    test('a harvest that meets its limit is truncated and says why; the next one starts from the beginning', async () => {
      const on = await openWatchStation({ engine })
      on.web = site('Welcome to the site of our town.', 20)
      const id = await watchSite(on, { maxPages: 5 })
      const [first] = await on.versions(id)
      assert.deepEqual(
        [first!.state, first!.reason, first!.documents],
        ['truncated', 'max-pages', 5],
      )
      const said = await on.station.post(`/watches/${id}/harvest`)
      assert.deepEqual(said.body, { number: 2 })
      await on.pass(60_000)
      const [second] = await on.versions(id)
      assert.deepEqual([second!.state, second!.documents, second!.cause], ['truncated', 5, 'asked'])
    })

    test('a harvest that captures no page has failed', async () => {
      const on = await openWatchStation({ engine })
      on.web = site('Welcome to the site of our town.', 5)
      const id = await watchSite(on)
      on.web = Object.fromEntries(Object.keys(on.web).map((url) => [url, { status: 500 }]))
      await on.station.post(`/watches/${id}/harvest`)
      await on.pass(6 * HOUR)
      const [second] = await on.versions(id)
      assert.deepEqual([second!.state, second!.documents], ['failed', 0])
    })

    test('a harvest is paused, resumed and cancelled; pages are not harvested', async () => {
      const on = await openWatchStation({ engine })
      on.web = site('Welcome to the site of our town.', 5)
      const id = await watchSite(on)
      const steer = (verb: string): Promise<{ status: number; body: unknown }> =>
        on.station.post(`/watches/${id}/harvest/${verb}`)
      assertRefused(await steer('pause'), '409 MINGA_NO_HARVEST', /no pending or running harvest/)
      await on.station.post(`/watches/${id}/harvest`)
      await on.station.tick()
      await steer('pause')
      on.hits.length = 0
      await on.pass(10 * 60_000)
      assert.deepEqual([on.hits.length, (await on.versions(id))[0]!.state], [0, 'paused'])
      await steer('resume')
      await on.pass(60_000)
      assert.deepEqual((await on.versions(id))[0]!.state, 'complete')
      await on.station.post(`/watches/${id}/harvest`)
      await on.station.tick()
      await steer('cancel')
      assert.deepEqual((await on.versions(id))[0]!.state, 'cancelled')
      on.web['http://page.test/'] = page('one page')
      const other = await on.watch({ urls: ['http://page.test/'] })
      const said = await on.station.post(`/watches/${other.id}/harvest`)
      assertRefused(said, '409 MINGA_NO_HARVEST', /only sites/)
    })
  })
}
