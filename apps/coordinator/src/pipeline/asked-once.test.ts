// Goal: what a crawl asks the world for, it asks once, and never what is forbidden. Method: a web whose
// pages link to each other in circles, crawled over the whole road; every request and look-up is counted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { leasedRequestsOf, openStation, type Web } from '../../test/station-fixture.ts'

const CIRCLE = ['http://a.test/1', 'http://a.test/2', 'http://b.test/3', 'http://b.test/4']
const FORBIDDEN = 'http://b.test/private/5'

/** Everybody links to everybody, to themselves, and to what is forbidden; two pages are the same. */
function circle(): Web {
  const links = [...CIRCLE, FORBIDDEN].map((url) => `<a href="${url}">`).join('')
  const web: Web = Object.fromEntries(CIRCLE.map((url) => [url, { body: `${url}${links}` }]))
  web['http://a.test/2'] = web['http://b.test/4']!
  web['http://b.test/robots.txt'] = {
    body: 'User-agent: *\nDisallow: /private',
    type: 'text/plain',
  }
  return web
}

for (const engine of ENGINES) {
  describe(`On ${engine.name}`, { skip: engine.skip }, () => {
    test('Seen set, fingerprints, DNS cache, robots.txt: each is asked for once, the same payload is kept once, what is disallowed never', async () => {
      const lookups: string[] = []
      const addressesOf = (name: string): string[] => {
        lookups.push(name)
        return [`93.184.250.${lookups.length}`]
      }
      const station = await openStation({ engine, addressesOf })
      const web = circle()
      const asked: string[] = []
      await station.hello()
      const { id } = await station.collect({ seeds: [CIRCLE[0]!], scope: 'any', delayMs: 0 })
      while (((await station.get(`/collections/${id}`)).body as { queued: number }).queued > 0) {
        const block = await station.lease()
        asked.push(...leasedRequestsOf(block).map(({ request }) => request.url))
        await station.send(station.fetch(block, web))
      }
      const robots = ['http://a.test/robots.txt', 'http://b.test/robots.txt']
      assert.deepEqual(asked.toSorted(), [...CIRCLE, ...robots].toSorted())
      assert.deepEqual(lookups.toSorted(), ['a.test', 'b.test'])
      const rows = await station.captures(`?collectionId=${id}`)
      const twins = rows.filter(({ url }) => ['http://a.test/2', 'http://b.test/4'].includes(url))
      assert.deepEqual(twins.map(({ kind }) => kind).toSorted(), ['response', 'revisit'])
      assert.equal(new Set(twins.map(({ digest }) => digest)).size, 1)
    })
  })
}
