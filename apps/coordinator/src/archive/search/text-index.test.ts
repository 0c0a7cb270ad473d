// Goal: what the archive holds is found by its words, the same on both engines, once however often
// it was captured, and not at all once it is gone. Method: small archives with an index and nothing
// else; what is left in the folder's files is checked as well.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ArchiveTextHit, MarkedText } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { filesWith } from '../../../test/archive/takedown/traces-fixture.ts'
import type { IndexedRows } from '../../../test/archive/search/texts-fixture-operations.ts'
import { openTexts, type TestTexts } from '../../../test/archive/search/texts-fixture.ts'

const NOON = Date.UTC(2026, 4, 6, 12)
const HOUR_MS = 3_600_000

const page = (title: string, text: string): string =>
  `<title>${title}</title><script>var hidden = 'scripted'</script><p>${text}</p>`

const marked = ({ text, marks }: MarkedText): string[] =>
  marks.map(([from, to]) => text.slice(from, to))

const rowsOf = (texts: TestTexts): Promise<IndexedRows> => texts.store.call('indexedRows', {})

for (const engine of ENGINES) {
  describe(`The index of texts on ${engine.name}`, { skip: engine.skip }, async () => {
    const [texts, order] = await Promise.all([openTexts(engine), openTexts(engine)])

    test('pages are found by what people read on them, in every way to ask', async () => {
      const casa = 'http://one.test/'
      const other = 'http://one.test/a'
      const plain = 'http://one.test/plain'
      await texts.kept(
        { url: casa, body: page('La casa del árbol', 'Un jardín verde') },
        { url: other, body: page('Otra', 'La CASA vacía, y un arbol seco; 採集網站') },
        { url: plain, body: 'texto llano con casa', type: 'text/plain' },
        { url: 'http://one.test/none', body: page('Falta', 'casa perdida'), status: 404 },
        { url: 'http://one.test/data', body: '{"casa": 1}', type: 'application/json' },
        { url: 'http://one.test/robots.txt', body: '' },
      )
      assert.deepEqual(await texts.urls('casa'), [casa, other, plain])
      assert.deepEqual(await texts.urls('casa arbol'), [casa, other])
      assert.deepEqual(await texts.urls('CASA Árbol -jardin'), [other])
      assert.deepEqual(await texts.urls('"casa vacia"'), [other])
      assert.deepEqual(await texts.urls('"vacia casa"'), [])
      assert.deepEqual(await texts.urls('"un jard*"'), [casa])
      assert.deepEqual(await texts.urls('採集'), [other])
      assert.deepEqual(await texts.urls('集採'), [])
      assert.deepEqual(await texts.urls('scripted'), [])
    })

    test('a hit tells where, when and in which words', async () => {
      const { hits, estimate, index } = await texts.find('arbol vacía')
      const [hit] = hits as [ArchiveTextHit]
      assert.equal(hits.length, 1)
      assert.deepEqual([hit.url, hit.captures, hit.mime], ['http://one.test/a', 1, 'text/html'])
      assert.deepEqual(marked(hit.snippet), ['vacía', 'arbol'])
      assert.deepEqual(estimate, { texts: 1, isMore: false })
      assert.deepEqual(index, { isOn: true, indexed: 6, captures: 6 })
    })

    test('nothing that is asked is an error', async () => {
      const asked = [
        '"',
        '(casa',
        'casa AND',
        "'; DROP TABLE captures --",
        '\\',
        '*',
        '',
        'a:b',
        '%',
        '\0',
      ]
      for (const q of asked) await texts.find(q)
      assert.deepEqual(await texts.urls("casa'"), await texts.urls('casa'))
      assert.deepEqual((await texts.find('-')).hits, [])
    })

    test('the same payload is indexed once, and known by the capture that was kept last', async () => {
      const { payloads } = await rowsOf(texts)
      const body = page('Gemela', 'palabra unicum')
      await texts.kept({ url: 'http://twin.test/', body }, { url: 'http://twin.test/b', body })
      await texts.kept({ url: 'http://twin.test/c', body })
      const rows = await rowsOf(texts)
      assert.equal(rows.payloads, payloads + 1)
      const { hits } = await texts.find('unicum')
      assert.deepEqual(
        hits.map(({ url, captures }) => [url, captures]),
        [['http://twin.test/c', 3]],
      )
    })

    test('hits are narrowed down by host and time', async () => {
      const early = 'http://early.test/'
      const late = 'http://www.late.test/'
      await texts.kept(
        { url: early, body: page('Temprano', 'filtrado'), at: NOON - HOUR_MS },
        { url: late, body: page('Tarde', 'filtrado'), at: NOON },
      )
      assert.deepEqual(await texts.urls('filtrado', { host: 'late.test' }), [late])
      assert.deepEqual(await texts.urls('filtrado', { host: 'early.test' }), [early])
      assert.deepEqual(await texts.urls('filtrado', { host: 'nobody.test' }), [])
      assert.deepEqual(await texts.urls('filtrado', { fromAt: NOON }), [late])
      assert.deepEqual(await texts.urls('filtrado', { toAt: NOON - 1 }), [early])
      assert.deepEqual(await texts.urls('filtrado', { collectionId: 99 }), [])
    })

    test('pages of hits come in one order, those that came last first, whatever is added in the meantime', async () => {
      const names = ['a', 'b', 'c', 'd', 'e']
      const pageOf = (name: string) => ({
        url: `http://${name}.test/`,
        body: page(name, `serie ${name}`),
      })
      await order.kept(...names.map(pageOf))
      const first = await order.find('serie', { limit: 2 })
      await order.kept(pageOf('new'))
      const second = await order.find('serie', { limit: 2, after: first.next })
      const third = await order.find('serie', { limit: 2, after: second.next })
      const seen = [first, second, third].flatMap(({ hits }) => hits.map(({ url }) => url))
      assert.deepEqual(
        seen,
        names.toReversed().map((name) => `http://${name}.test/`),
      )
      assert.equal(third.next, null)
      assert.deepEqual([first.estimate!.texts, second.estimate], [5, null])
    })

    test('with a filter, pages of hits are whole as well', async () => {
      const narrowed = { host: 'b.test', limit: 1 }
      const first = await order.find('serie', narrowed)
      assert.deepEqual(
        first.hits.map(({ url }) => url),
        ['http://b.test/'],
      )
      const rest =
        first.next === null
          ? []
          : (await order.find('serie', { ...narrowed, after: first.next })).hits
      assert.deepEqual(rest, [])
    })

    test('what is taken away is no longer found, and its words leave the files', async () => {
      const url = 'http://gone.test/'
      const word = 'unapalabrasecreta'
      await texts.kept({ url, body: page('Secreto', `${word} que nadie debe leer`) })
      assert.deepEqual(await texts.urls(word), [url])
      await texts.store.call('takeAway', { url })
      assert.equal((await texts.find(word)).estimate!.texts, 0)
      if (engine.name === 'SQLite') {
        const left = (await filesWith(texts.data, word)).filter((name) => !name.includes('.warc'))
        assert.deepEqual(left, [])
      }
      assert.deepEqual(await texts.urls('casa vacia'), ['http://one.test/a'])
    })

    test('a text that another capture has as well stays, and is found by that one', async () => {
      const body = page('Compartida', 'textocompartido')
      await texts.kept({ url: 'http://first.test/', body }, { url: 'http://second.test/', body })
      await texts.store.call('takeAway', { url: 'http://second.test/' })
      assert.deepEqual(await texts.urls('textocompartido'), ['http://first.test/'])
      await texts.store.call('takeAway', { url: 'http://first.test/' })
      assert.equal((await texts.find('textocompartido')).estimate!.texts, 0)
    })

    test('what is taken away while it is being indexed is not put back', async () => {
      const url = 'http://race.test/'
      await texts.keep({ url, body: page('Carrera', 'encarrera') })
      const read = await texts.store.call('readTexts', { most: 100, now: 0 })
      await texts.store.call('takeAway', { url })
      const commit = {
        turn: read.turn,
        cursor: read.cursor,
        texts: [{ digest: 'sha256:race', bytes: new Uint8Array(1), words: 'encarrera' }],
        captures: read.captures.map(({ id }) => [id, 'sha256:race'] as const),
      }
      await assert.rejects(texts.store.call('commitTexts', commit), { code: 'MINGA_FEED_MOVED' })
      await texts.index.flush()
      assert.equal((await texts.find('encarrera')).estimate!.texts, 0)
    })

    test('what is discarded is not found from then on, and its text goes at the next turn', async () => {
      const url = 'http://waste.test/'
      await texts.kept({ url, body: page('Descarte', 'descartado') })
      await texts.store.call('discard', { url })
      assert.deepEqual(await texts.urls('descartado'), [])
      await texts.index.flush()
      assert.equal((await texts.find('descartado')).estimate!.texts, 0)
    })

    test('captures whose numbers were reused are indexed as well', async () => {
      await texts.kept({ url: 'http://after.test/', body: page('Después', 'renumerado') })
      assert.deepEqual(await texts.urls('renumerado'), ['http://after.test/'])
    })

    test('a page is indexed as far as it is set, and with 0 nothing is searched', async () => {
      order.charactersMost = 20
      await order.kept({
        url: 'http://long.test/',
        body: page('', `${'uno dos '.repeat(10)}final`),
      })
      assert.equal((await order.find('dos')).hits.length, 1)
      assert.equal((await order.find('final')).hits.length, 0)
      order.charactersMost = 0
      await order.kept({ url: 'http://off.test/', body: page('', 'dos apagado') })
      const off = await order.find('dos')
      assert.deepEqual([off.hits, off.index.isOn], [[], false])
      order.charactersMost = 1_000
      await order.index.flush()
      assert.equal((await order.find('dos')).hits.length, 2)
    })

    test('when the same text would give other words, everything is indexed again', async () => {
      const before = (await order.find('serie')).estimate!.texts
      await order.store.call('writeFact', { name: 'textWords', value: 'of another edition' })
      await order.store.call('takeAway', { url: 'http://a.test/' })
      assert.equal((await order.find('serie')).estimate!.texts, 0)
      await order.index.flush()
      assert.equal((await order.find('serie')).estimate!.texts, before - 1)
    })

    test('every capture of a page has one text, and no other has any', async () => {
      const { texts: counts } = await rowsOf(order)
      assert.deepEqual(new Set(counts), new Set([1]))
    })
  })
}
