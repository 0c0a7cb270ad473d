// Goal: users who may read captures find them by their words, and no one finds what was taken down,
// discarded or removed with its watch. Method: small crawls of a synthetic web on a whole station,
// on both engines, over the API.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ArchiveTextPage } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { openStation, TOKENS, type TestStation, type Web } from '../../../test/station-fixture.ts'
import { filesWith } from '../../../test/archive/takedown/traces-fixture.ts'
import { openWatchStation } from '../../../test/watch/visits/watch-fixture.ts'

const HOUR_MS = 3_600_000

const page = (title: string, text: string): { body: string } => ({
  body: `<title>${title}</title><p>${text}</p>`,
})

async function find(station: TestStation, q: string, rest = ''): Promise<ArchiveTextPage> {
  const said = await station.get(`/archive/text?q=${encodeURIComponent(q)}${rest}`)
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return said.body as ArchiveTextPage
}

const urls = ({ hits }: ArchiveTextPage): string[] => hits.map(({ url }) => url).toSorted()

async function crawled(station: TestStation, web: Web) {
  const collection = await station.crawl({ seeds: Object.keys(web) }, web)
  await station.texts.flush()
  return collection
}

const KEY = { authorization: `Bearer ${TOKENS.apiKey}` }

for (const engine of ENGINES) {
  describe(`Searching texts on ${engine.name}`, { skip: engine.skip }, async () => {
    const [station, closed, on] = await Promise.all([
      openStation({ engine }),
      openStation({ engine, readOpenly: false }),
      openWatchStation({ engine }),
    ])

    test('captures of a crawl are found by their words, within a collection, a host and a time', async () => {
      const { id } = await crawled(station, {
        'http://one.test/': page('La casa del árbol', 'Un jardín verde'),
        'http://two.test/': page('Otra casa', 'vacía'),
      })
      assert.deepEqual(urls(await find(station, 'casa')), ['http://one.test/', 'http://two.test/'])
      const [hit] = (await find(station, 'JARDIN arbol')).hits
      const [capture] = await station.captures(`?url=${encodeURIComponent('http://one.test/')}`)
      assert.deepEqual(
        [hit!.captureId, hit!.capturedAt, hit!.collectionId, hit!.title],
        [capture!.id, capture!.capturedAt, id, { text: 'La casa del árbol', marks: [[12, 17]] }],
      )
      assert.deepEqual(urls(await find(station, 'casa', '&host=http://TWO.test/x')), [
        'http://two.test/',
      ])
      assert.deepEqual(urls(await find(station, 'casa', `&collectionId=${id + 1}`)), [])
      assert.deepEqual(
        urls(await find(station, 'casa', `&to=${capture!.capturedAt - HOUR_MS}`)),
        [],
      )
    })

    test('what is taken down is no longer found, and its words leave the files', async () => {
      const url = 'http://gone.test/'
      await crawled(station, { [url]: page('Secreto', 'unapalabrasecreta que nadie debe leer') })
      assert.equal((await find(station, 'unapalabrasecreta')).hits.length, 1)
      const asked = { urls: [url], versions: 'all', reason: 'asked' }
      const said = await station.post('/takedowns', asked)
      assert.equal(said.status, 200, JSON.stringify(said.body))
      assert.equal((await find(station, 'unapalabrasecreta')).estimate!.texts, 0)
      if (engine.name === 'SQLite') {
        assert.deepEqual(await filesWith(station.data, 'unapalabrasecreta'), [])
      }
    })

    test('captures of a discarded collection are not found from then on', async () => {
      const { id } = await crawled(station, {
        'http://waste.test/': page('Descarte', 'descartado'),
      })
      await station.post(`/collections/${id}/discard`)
      assert.deepEqual((await find(station, 'descartado')).hits, [])
    })

    test('an unchanged page shares its text, and nothing is found when its watch is removed with its captures', async () => {
      const url = 'http://watched.test/'
      on.web = { [url]: page('Vigilada', 'vigilancia diaria de una página que no cambia') }
      const { id } = await on.watch({ urls: [url], periodMs: 6 * HOUR_MS })
      await on.pass(60_000)
      await on.pass(6 * HOUR_MS)
      await on.station.texts.flush()
      const [hit] = (await find(on.station, 'vigilancia')).hits
      assert.equal(hit!.url, url)
      const visited = await on.station.captures(`?url=${encodeURIComponent(url)}`)
      assert.ok(visited.length > 1)
      assert.equal(hit!.captures, visited.length)
      const removing = {
        method: 'DELETE' as const,
        url: `/api/watches/${id}?withCaptures=true`,
        headers: KEY,
      }
      const said = await on.station.inject(removing)
      assert.equal(said.status, 200, JSON.stringify(said.body))
      assert.deepEqual((await find(on.station, 'vigilancia')).hits, [])
    })

    test('with the setting at 0 nothing is searched, and the answer says so', async () => {
      const set = async (textCharacters: number): Promise<void> => {
        const payload = { textCharacters }
        const change = { method: 'PATCH' as const, url: '/api/settings', headers: KEY, payload }
        assert.equal((await station.inject(change)).status, 200)
      }
      await set(0)
      const off = await find(station, 'casa')
      assert.deepEqual([off.hits, off.index.isOn], [[], false])
      await set(100_000)
      assert.equal((await find(station, 'casa')).hits.length, 2)
    })

    test('the station indexes of its own accord', async () => {
      const ticking = await openStation({ engine, hasLake: true })
      const web = { 'http://soon.test/': page('Pronto', 'indexado solo') }
      await ticking.crawl({ seeds: Object.keys(web) }, web)
      await ticking.tick()
      await ticking.texts.close()
      assert.deepEqual(urls(await find(ticking, 'indexado')), ['http://soon.test/'])
    })

    test('who may not read captures may not search their texts', async () => {
      const stranger = await closed.get('/archive/text?q=casa')
      assert.equal(stranger.status, 401)
    })
  })
}
