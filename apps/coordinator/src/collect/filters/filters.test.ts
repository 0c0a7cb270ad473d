// Goal: what a filter does not want is never enqueued, never dialled and never stored, whichever
// client requests it. Method: whole stations of both databases on virtual time; the requests that
// agents are given are the log of what would be dialled.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  SILENCE_MS,
  type BatchView,
  type Block,
  type CollectionStatus,
  type ResultLine,
} from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import {
  assertRefused,
  leasedRequestsOf,
  openStation,
  TOKENS,
  type Said,
  type StationChanges,
  type TestStation,
  type Web,
} from '../../../test/station-fixture.ts'

type Data = Record<string, unknown>
const KEY = { authorization: `Bearer ${TOKENS.apiKey}` }

const deny = (lists: Data): Data => ({ effect: 'deny', ...lists })
const allow = (lists: Data): Data => ({ effect: 'allow', ...lists })
const butFor = (...rules: Data[]): Data => ({ otherwise: 'allow', rules })
const only = (...rules: Data[]): Data => ({ otherwise: 'deny', rules })

const linksTo = (...urls: string[]): string =>
  `<html><body>${urls.map((url) => `<a href="${url}">there</a>`).join(' ')}</body></html>`

/** A station and what its agent was asked to dial. */
class Filtered {
  readonly station: TestStation
  readonly dialled: string[] = []

  constructor(station: TestStation) {
    this.station = station
  }

  /** Time passes while the station waits for its agents. */
  async during<T>(work: Promise<T>): Promise<T> {
    const isOver = work.then(() => true)
    const turn = (): Promise<false> => new Promise((wake) => setTimeout(() => wake(false), 1))
    while (!(await Promise.race([isOver, turn()]))) await this.station.clock.advance(250)
    return work
  }

  set(filter: Data | null): Promise<Said> {
    const payload = { filter }
    const call = { method: 'PATCH' as const, url: '/api/settings', headers: KEY, payload }
    return this.during(this.station.inject(call))
  }

  async collect(request: Data): Promise<CollectionStatus> {
    const said = await this.during(this.station.post('/collections', { delayMs: 0, ...request }))
    assert.equal(said.status, 200, JSON.stringify(said.body))
    return said.body as CollectionStatus
  }

  async status(id: number): Promise<CollectionStatus> {
    const url = `/api/collections/${id}`
    return (await this.station.inject({ url, headers: KEY })).body as CollectionStatus
  }

  /** The collection of clients' requests, which only operators see whole. */
  async ofRequests(): Promise<number> {
    const said = await this.station.inject({ url: '/api/collections', headers: KEY })
    const collections = said.body as CollectionStatus[]
    return collections.find(({ spec }) => spec.kind === 'requests')!.id
  }

  async work(block: Block, web: Web): Promise<void> {
    this.dialled.push(...leasedRequestsOf(block).map(({ request }) => request.url))
    await this.station.send(this.station.fetch(block, web))
  }

  /** Until nothing of the collection is queued. */
  async finish(id: number, web: Web): Promise<CollectionStatus> {
    for (let rounds = 0; rounds < 50; rounds++) {
      const status = await this.status(id)
      if (status.queued === 0) return status
      const block = await this.lease()
      if (block !== null) await this.work(block, web)
    }
    throw new Error('the collection does not end')
  }

  /** One request; it returns at once when there is nothing to do. */
  async lease(): Promise<Block | null> {
    await this.station.agent('beat', { progress: this.station.clock.now(), fences: [] })
    const asked = this.station.agent('ask', { requestsMax: 100, hostsMax: 10 })
    const { body } = await this.during(asked)
    return (body as { block: Block | null }).block
  }

  async lines(id: string): Promise<ResultLine[]> {
    const url = `/api/batches/${id}/results`
    const { rawPayload } = await this.station.app.inject({
      url,
      headers: { host: 'localhost', ...KEY },
    })
    const texts = rawPayload.toString().split('\n').filter(Boolean)
    return texts.map((line) => JSON.parse(line) as ResultLine)
  }

  hosts(): string[] {
    return [...new Set(this.dialled.map((url) => new URL(url).hostname))].toSorted()
  }
}

async function open(changes: StationChanges): Promise<Filtered> {
  const filtered = new Filtered(await openStation(changes))
  await filtered.station.hello()
  return filtered
}

for (const engine of ENGINES) {
  describe(`filters on ${engine.name}`, { skip: engine.skip }, () => {
    test('Admin filters override: links, embeds, redirects and sitemaps to what is not wanted are never enqueued', async () => {
      const filtered = await open({
        engine,
        flags: { filter: butFor(deny({ domains: ['ads.test'] })) },
      })
      const web: Web = {
        'http://a.test/robots.txt': {
          type: 'text/plain',
          body: 'Sitemap: http://maps.ads.test/s.xml\nSitemap: http://a.test/s.xml',
        },
        'http://a.test/s.xml': {
          type: 'application/xml',
          body: '<urlset><url><loc>http://x.ads.test/listed</loc></url><url><loc>http://a.test/listed</loc></url></urlset>',
        },
        'http://a.test/': {
          body: `${linksTo('http://x.ads.test/1', 'http://x.ads.test/2', 'http://b.test/', 'http://a.test/moved')}<img src="http://pix.ads.test/i.png">`,
        },
        'http://a.test/moved': { status: 301, headers: [['Location', 'http://ads.test/']] },
        'http://b.test/': { body: linksTo('http://x.ads.test/1') },
      }
      const { id } = await filtered.collect({ seeds: ['http://a.test/'], scope: 'any' })
      const status = await filtered.finish(id, web)
      assert.deepEqual(filtered.hosts(), ['a.test', 'b.test'])
      assert.deepEqual(status.errors, {})
      assert.equal(status.denied, 0)
      // A link that was left out before counts once: two links, a picture, a redirect, two of sitemaps.
      assert.equal(status.filtered, 6)
      const hosts = (await filtered.station.get(`/collections/${id}/hosts`)).body as {
        name: string
      }[]
      assert.deepEqual(hosts.map(({ name }) => name).toSorted(), ['a.test', 'b.test'])
    })

    test('Admin filters override: seeds and clients’ requests end as denied, and the station says by which rule', async () => {
      const filtered = await open({ engine })
      const rules = [deny({ domains: ['no.test'] }), deny({ domains: ['ads.test'] })]
      assert.equal((await filtered.set(butFor(...rules))).status, 200)
      const web: Web = {
        'http://a.test/': { body: 'a' },
        'http://a.test/away': { status: 302, headers: [['Location', 'http://x.ads.test/']] },
      }
      const seeds = ['http://a.test/', 'http://x.ads.test/']
      const { id } = await filtered.collect({ seeds, scope: 'page' })
      const status = await filtered.finish(id, web)
      assert.deepEqual([status.pages, status.denied], [1, 1])
      assert.deepEqual(status.errors, { MINGA_FILTERED: 1 })
      const urls = ['http://ads.test/', 'http://a.test/', 'http://a.test/away']
      const batch = (await filtered.station.post('/batches', { urls })).body as BatchView
      await filtered.finish(await filtered.ofRequests(), web)
      const ends = (await filtered.lines(batch.id)).map(({ url, outcome, code }) => [
        url,
        outcome,
        code,
      ])
      assert.deepEqual(
        new Set(ends),
        new Set([
          ['http://ads.test/', 'denied', 'MINGA_FILTERED'],
          ['http://a.test/', 'captured', null],
          ['http://a.test/away', 'denied', 'MINGA_FILTERED'],
        ]),
      )
      assert.deepEqual(filtered.hosts(), ['a.test'])
      const why = await filtered.station.get('/filter/verdict?url=http://x.ads.test/1')
      assert.deepEqual(why, {
        status: 200,
        body: {
          verdict: 'unwanted',
          filter: 'station',
          rule: 2,
          sentence: "Rule 2 of the station's filter does not want it.",
        },
      })
    })

    test('Admin filters override: addresses, countries and areas decide after resolving, before robots.txt is asked for', async () => {
      const places: Record<string, { address: string[]; country: string | null; lat: number }> = {
        'far.test': { address: ['93.185.1.1'], country: 'DE', lat: 52 },
        'near.test': { address: ['93.185.2.1'], country: 'PE', lat: -12 },
        'unknown.test': { address: ['93.185.3.1'], country: null, lat: -12 },
        // Not the first address but one of them.
        'shady.test': { address: ['93.185.4.1', '93.186.0.7'], country: 'PE', lat: -12 },
        'north.test': { address: ['93.185.5.1'], country: 'PE', lat: 10 },
        '93.186.0.9': { address: ['93.186.0.9'], country: 'PE', lat: -12 },
      }
      const at = (address: string) =>
        Object.values(places).find((place) => place.address.includes(address))
      const filtered = await open({
        engine,
        addressesOf: (name) => places[name]!.address,
        countryOf: (address) => at(address)?.country ?? null,
        positionOf: (address) => ({ lat: at(address)?.lat ?? 0, lon: -77 }),
      })
      const filter = {
        otherwise: 'deny',
        rules: [
          deny({ addresses: ['93.186.0.0/16'] }),
          allow({
            countries: ['PE'],
            areas: [{ south: -20, west: -82, north: 0, east: -68 }],
          }),
        ],
      }
      await filtered.set(filter)
      const names = Object.keys(places)
      const seeds = names.map((name) => `http://${name}/`)
      const web = Object.fromEntries(seeds.map((url) => [url, { body: 'a page' }]))
      const { id } = await filtered.collect({ seeds, scope: 'page' })
      const status = await filtered.finish(id, web)
      assert.deepEqual(filtered.hosts(), ['near.test', 'unknown.test'])
      assert.deepEqual(status.errors, { MINGA_FILTERED: 4 })
      assert.equal(status.denied, 4)
    })

    test('Admin filters override: a theme station keeps only pages with its words, and follows only their links', async () => {
      const filtered = await open({
        engine,
        flags: {
          filter: only(
            allow({ words: ['rio Douro'], types: ['text/html'], languages: ['pt'] }),
            allow({ types: ['image/*'] }),
          ),
        },
      })
      const page = (text: string, lang = ' lang="pt-PT"'): string =>
        `<html${lang}><body><p>${text}</p></body></html>`
      const web: Web = {
        'http://a.test/': {
          body: page(
            `O Rio Douro ${linksTo('/ponte', '/outro', '/english', '/unsaid', '/text', '/i.png', '/gone', '/header')}`,
          ),
        },
        'http://a.test/ponte': { body: page('A ponte sobre o rio  douro.') },
        'http://a.test/outro': { body: page(`O rio Tejo ${linksTo('/never')}`) },
        'http://a.test/english': { body: page('The rio Douro', ' lang="en"') },
        // A page of unknown language stays in.
        'http://a.test/unsaid': { body: page('rio douro', '') },
        'http://a.test/header': {
          body: page('rio douro', ''),
          headers: [['Content-Language', 'en-GB']],
        },
        'http://a.test/text': { type: 'text/plain', body: 'rio douro' },
        'http://a.test/i.png': { type: 'image/png', body: Buffer.from([137, 80, 78, 71]) },
        'http://a.test/gone': { status: 404, body: page('Nada') },
        'http://a.test/never': { body: page('rio douro') },
      }
      const { id } = await filtered.collect({ seeds: ['http://a.test/'], scope: 'host' })
      const status = await filtered.finish(id, web)
      const kept = (await filtered.station.captures()).map(({ url }) => url)
      assert.deepEqual(
        kept.filter((url) => !url.endsWith('/robots.txt')).toSorted(),
        ['/', '/i.png', '/ponte', '/unsaid'].map((path) => `http://a.test${path}`),
      )
      assert.ok(!filtered.dialled.includes('http://a.test/never'), 'its links lead nowhere')
      assert.deepEqual(status.errors, { MINGA_FILTERED: 5 })
      assert.deepEqual([status.pages, status.denied, status.failed], [4, 5, 0])
      const batch = (await filtered.station.post('/batches', { urls: ['http://a.test/outro'] }))
        .body as BatchView
      await filtered.finish(await filtered.ofRequests(), web)
      const [line] = await filtered.lines(batch.id)
      assert.deepEqual(
        [line?.outcome, line?.code, line?.digest],
        ['denied', 'MINGA_FILTERED', null],
      )
    })

    test('Admin filters override: a collection’s own filter and the station’s both have to want a URL', async () => {
      const filtered = await open({ engine })
      await filtered.set(butFor(deny({ domains: ['a.test'] })))
      const seeds = ['a', 'b', 'c'].map((name) => `http://${name}.test/`)
      const web = Object.fromEntries(seeds.map((url) => [url, { body: 'a page' }]))
      const own = butFor(deny({ domains: ['b.test'] }))
      const { id } = await filtered.collect({ seeds, scope: 'page', filter: own })
      await filtered.finish(id, web)
      assert.deepEqual(filtered.hosts(), ['c.test'])
      // With another filter, what it denied before is evaluated again.
      const again = await filtered.collect({
        seeds,
        scope: 'page',
        filter: null,
        existing: 'change',
      })
      assert.equal(again.id, id)
      await filtered.finish(id, web)
      assert.deepEqual(filtered.hosts(), ['b.test', 'c.test'])
    })

    test('Admin filters override: a change takes back what is out, and what is queued is never dialled after it', async () => {
      const filtered = await open({ engine })
      const { station } = filtered
      const seeds = ['http://a.test/', 'http://b.test/', 'http://c.test/']
      const web = Object.fromEntries(seeds.map((url) => [url, { body: linksTo(`${url}more`) }]))
      const { id } = await filtered.collect({ seeds, scope: 'any' })
      const block = await station.lease()
      assert.ok(block.hosts.length > 0)
      await station.agent('beat', { progress: 0, fences: [block.fence] })
      const before = station.clock.now()
      const said = await filtered.set(only(allow({ domains: ['c.test'] })))
      assert.equal(said.status, 200)
      // Its agent sent no heartbeat: until it has surely stopped, the station does not report that
      // nothing is dialled.
      assert.ok(station.clock.now() - before >= SILENCE_MS, `${station.clock.now() - before} ms`)
      const answer = (await station.agent('beat', { progress: 1, fences: [block.fence] })).body
      assert.deepEqual(answer, { ended: [block.fence] })
      const status = await filtered.finish(id, web)
      assert.deepEqual(filtered.hosts(), ['c.test'])
      assert.deepEqual(status.errors, { MINGA_FILTERED: 2 })
      await filtered.set(null)
      await filtered.collect({ seeds: ['http://d.test/'], scope: 'page' })
      const free = await station.lease()
      assert.deepEqual(
        leasedRequestsOf(free).map(({ request }) => request.url),
        ['http://d.test/robots.txt'],
      )
    })

    test('a change is acknowledged as soon as every agent that lost something has beaten', async () => {
      const filtered = await open({ engine })
      const { station } = filtered
      await filtered.collect({ seeds: ['http://a.test/'], scope: 'page' })
      const { fence } = await station.lease()
      const before = station.clock.now()
      const payload = { filter: butFor(deny({ domains: ['a.test'] })) }
      const said = station.inject({ method: 'PATCH', url: '/api/settings', headers: KEY, payload })
      const beat = async (): Promise<number[]> => {
        const { body } = await station.agent('beat', { progress: 2, fences: [fence] })
        return (body as { ended: number[] }).ended
      }
      const soon = (): Promise<false> => new Promise((wake) => setTimeout(() => wake(false), 200))
      while ((await beat()).length === 0) await soon()
      // Now the change is there, and the next beat is one after it.
      const isOver = said.then(() => true)
      do {
        await station.clock.advance(100)
        await beat()
      } while (!(await Promise.race([isOver, soon()])))
      assert.equal((await said).status, 200)
      assert.ok(station.clock.now() - before < 3_000, `${station.clock.now() - before} ms`)
    })
  })
}

test('Admin filters override: what is invalid is refused by name, and the former filter stays in force', async () => {
  const filtered = await open({})
  const good = butFor(deny({ domains: ['a.test'] }))
  await filtered.set(good)
  const cases: [Data, RegExp][] = [
    [{ rules: [] }, /filter must be a filter .*"otherwise": it says neither "allow" nor "deny"/],
    [butFor({ effect: 'deny', domain: ['a'] }), /Rule 1: "domain" is none of domains, addresses/],
    [
      butFor(deny({ addresses: ['300.0.0.0/8'] })),
      /Rule 1, "addresses": "300.0.0.0\/8" is no block/,
    ],
    [butFor(allow({})), /Rule 1: it has no condition/],
  ]
  for (const [filter, sentence] of cases) {
    assertRefused(await filtered.set(filter), '400 MINGA_BAD_SETTING', sentence)
    const request = { seeds: ['http://b.test/'], filter }
    assertRefused(
      await filtered.station.post('/collections', request),
      '400 MINGA_BAD_FILTER',
      new RegExp(sentence.source.replace('filter must be a filter .*', '')),
    )
  }
  const settings = (await filtered.station.inject({ url: '/api/settings', headers: KEY })).body
  const shown = (settings as { name: string; value: unknown }[]).find(
    ({ name }) => name === 'filter',
  )
  assert.deepEqual(shown?.value, good)
})
