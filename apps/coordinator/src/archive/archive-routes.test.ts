// Goal: people find what was archived, see how it changed and keep what is theirs. Method: captures and crawls in
// real stores of both kinds, every answer compared with what was put in.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type {
  ArchivedMoment,
  ArchiveSearchPage,
  ArchiveVersion,
  CalendarDay,
  CaptureRow,
  Favourite,
  PastSearch,
  VersionComparison,
} from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { openPeople } from '../../test/accounts/people-fixture.ts'
import { DAY_MS, openArchive } from '../../test/archive/archive-fixture.ts'

const T = Date.UTC(2026, 0, 1)
const of = (url: string): string => encodeURIComponent(url)

for (const engine of ENGINES) {
  describe(`The archive on ${engine.name}`, { skip: engine.skip }, async () => {
    const archive = await openArchive({ engine })
    const { station } = archive
    const web = {
      'http://press.test/': { body: '<title>El Año Nuevo llegó</title><a href="/b">b</a>' },
      'http://press.test/b': { body: '<title>Second page</title>' },
    }
    const crawl = await station.crawl({ seeds: ['http://press.test/'] }, web)
    await archive.keepRows(
      { url: 'http://old.test/100%25/a_b', capturedAt: T },
      { url: 'http://old.test/100x/aXb', capturedAt: T },
      { url: 'https://www.old.test/', capturedAt: T },
    )
    const search = async (query: string): Promise<string[]> => {
      const { urls } = await archive.json<ArchiveSearchPage>(`/api/archive/search?${query}`)
      return urls.map(({ url }) => url).toSorted()
    }

    test('is searched by a part of an address, its beginning, its host and its collection', async () => {
      assert.deepEqual(await search('q=PRESS.test/b'), ['http://press.test/b'])
      assert.deepEqual(await search('q=100%2525/a_b'), ['http://old.test/100%25/a_b'])
      assert.deepEqual(await search('q=a_b'), ['http://old.test/100%25/a_b'])
      assert.deepEqual(await search('q=old.test/100&by=prefix'), [
        'http://old.test/100%25/a_b',
        'http://old.test/100x/aXb',
      ])
      assert.equal((await search('q=old.test&by=host')).length, 3)
      assert.equal((await search('q=test&by=host')).length, 0)
      const ours = await search(`collectionId=${crawl.id}`)
      assert.deepEqual(ours, [
        'http://press.test/',
        'http://press.test/b',
        'http://press.test/robots.txt',
      ])
      assert.deepEqual(await search('q=nowhere'), [])
    })

    test('is searched by the words of titles, whatever their accents and case', async () => {
      assert.deepEqual(await search('q=NUEVO+ano&by=title'), ['http://press.test/'])
      assert.deepEqual(await search('q=nuevo+page&by=title'), [])
    })

    test('says how often and when it has an address', async () => {
      const { urls } = await archive.json<ArchiveSearchPage>('/api/archive/search?q=press.test/b')
      assert.equal(urls[0]!.captures, 1)
      assert.equal(urls[0]!.title, 'Second page')
      assert.equal(urls[0]!.firstAt, urls[0]!.lastAt)
    })

    test('comes in pages without a gap or a repetition', async () => {
      const many = Array.from({ length: 4_321 }, (_, i) => ({
        url: `http://many.test/${i}`,
        capturedAt: T,
      }))
      await archive.keepRows(...many)
      const seen: string[] = []
      let after: string | null = null
      do {
        const next: string = after === null ? '' : `&after=${of(after)}`
        const page: ArchiveSearchPage = await archive.json(
          `/api/archive/search?q=many&limit=500${next}`,
        )
        seen.push(...page.urls.map(({ url }) => url))
        after = page.next
      } while (after !== null)
      assert.equal(seen.length, 4_321)
      assert.equal(new Set(seen).size, 4_321)
      const wrong = await archive.get('/api/archive/search?after=nonsense')
      assert.equal(wrong.status, 400)
      assert.match(await wrong.text(), /MINGA_BAD_MESSAGE.*after/)
    })

    test('answers with the capture nearest to a moment and its neighbours', async () => {
      const url = 'http://near.test/'
      await archive.keepRows(...[0, 1, 2].map((day) => ({ url, capturedAt: T + day * DAY_MS })))
      const path = `/api/archive/moment?url=${of(url)}&at=${T + DAY_MS + 5_000}`
      const moment = await archive.json<ArchivedMoment>(path)
      assert.equal(moment.capture.capturedAt, T + DAY_MS)
      assert.deepEqual(
        [moment.first, moment.previous, moment.next, moment.last],
        [T, T, T + 2 * DAY_MS, T + 2 * DAY_MS],
      )
      const missing = await archive.get('/api/archive/moment?url=http://near.test/x')
      assert.equal(missing.status, 404)
      const body = (await missing.json()) as {
        error: { code: string }
        sameHost: { url: string }[]
      }
      assert.equal(body.error.code, 'MINGA_NO_SUCH_CAPTURE')
      assert.deepEqual(
        body.sameHost.map((one) => one.url),
        [url],
      )
    })

    test('has a calendar of captures and of changes, of an address and of a collection', async () => {
      const url = 'http://days.test/'
      const digests = ['a', 'a', 'b', 'a', 'a']
      await archive.keepRows(
        ...digests.map((digest, i) => ({ url, capturedAt: T + i * (DAY_MS / 2), digest })),
      )
      const days = await archive.json<CalendarDay[]>(`/api/archive/calendar?url=${of(url)}`)
      assert.deepEqual(days, [
        { day: '2026-01-01', captures: 2, changes: 0 },
        { day: '2026-01-02', captures: 2, changes: 2 },
        { day: '2026-01-03', captures: 1, changes: 0 },
      ])
      const second = await archive.json<CalendarDay[]>(
        `/api/archive/calendar?url=${of(url)}&from=${T + DAY_MS}&to=${T + 2 * DAY_MS - 1}`,
      )
      assert.deepEqual(second, [days[1]])
      const ours = await archive.json<CalendarDay[]>(
        `/api/archive/calendar?collectionId=${crawl.id}`,
      )
      assert.deepEqual(
        ours.map(({ captures, changes }) => [captures, changes]),
        [[3, 0]],
      )
      assert.equal((await archive.get('/api/archive/calendar')).status, 400)
    })

    test('has versions whose documents are listed and compared', async () => {
      const seed = 'http://site.test/'
      const page = (paths: Record<string, string>) =>
        Object.fromEntries(Object.entries(paths).map(([path, body]) => [seed + path, { body }]))
      const links = (...paths: string[]): string =>
        paths.map((path) => `<a href="/${path}">${path}</a>`).join('')
      const before = await station.crawl(
        { seeds: [seed], scope: 'host' },
        page({ '': links('same', 'edited', 'gone'), same: 's', edited: 'one', gone: 'g' }),
      )
      await station.clock.advance(DAY_MS)
      const after = await station.crawl(
        { seeds: [seed], scope: 'prefix' },
        page({ '': links('same', 'edited', 'new'), same: 's', edited: 'two', new: 'n' }),
      )
      await station.tick()
      const versions = await archive.json<ArchiveVersion[]>('/api/archive/versions?limit=2')
      assert.deepEqual(
        versions.map(({ collectionId }) => collectionId),
        [after.id, before.id],
      )
      const documents = await archive.json<CaptureRow[]>(
        `/api/archive/versions/${before.id}/1/documents?limit=3`,
      )
      assert.equal(documents.length, 3)
      const rest = await archive.json<CaptureRow[]>(
        `/api/archive/versions/${before.id}/1/documents?afterId=${documents.at(-1)!.id}`,
      )
      const paths = [...documents, ...rest].map(({ url }) => url.slice(seed.length)).toSorted()
      assert.deepEqual(paths, ['', 'edited', 'gone', 'robots.txt', 'same'])

      const query = `/api/archive/compare?before=${before.id}/1&after=${after.id}/1`
      const compared = await archive.json<VersionComparison>(query)
      assert.deepEqual(compared.counts, { added: 1, removed: 1, changed: 2, unchanged: 1 })
      const states = Object.fromEntries(
        compared.documents.map(({ url, state }) => [url.slice(seed.length), state]),
      )
      assert.deepEqual(states, { '': 'changed', edited: 'changed', gone: 'removed', new: 'added' })
      const seen: string[] = []
      let cursor = ''
      for (;;) {
        const states4 = '&states=added,removed,changed,unchanged&limit=4'
        const part = await archive.json<VersionComparison>(query + states4 + cursor)
        seen.push(...part.documents.map(({ url }) => url))
        if (part.next === null) break
        cursor = `&cursor=${part.next}`
      }
      assert.equal(new Set(seen).size, 5)
      assert.equal(seen.length, 5)
      const nowhere = await archive.get(`/api/archive/compare?before=${before.id}/7&after=1/1`)
      assert.equal(nowhere.status, 404)
    })
  })

  describe(`What people keep on ${engine.name}`, { skip: engine.skip }, async () => {
    const people = await openPeople({ engine })
    const ana = await people.person('ana', 'reader')
    const luz = await people.person('luz', 'reader')
    const call = async <T>(
      token: string,
      method: 'GET' | 'PUT' | 'POST' | 'DELETE',
      path: string,
      payload?: object,
    ): Promise<T> => {
      const said = await people.station.inject({
        method,
        url: `/api/archive${path}`,
        headers: { authorization: `Bearer ${token}` },
        ...(payload === undefined ? {} : { payload }),
      })
      assert.equal(said.status, 200, JSON.stringify(said.body))
      return said.body as T
    }

    test('favourites are of one account, are changed in place and can be removed', async () => {
      await call(ana.token, 'PUT', '/favourites', { url: 'HTTP://A.test', note: 'first' })
      await call(ana.token, 'PUT', '/favourites', { url: 'http://a.test/', note: 'again' })
      const hers = await call<Favourite[]>(ana.token, 'GET', '/favourites')
      assert.deepEqual(
        hers.map(({ url, note }) => [url, note]),
        [['http://a.test/', 'again']],
      )
      assert.deepEqual(await call(luz.token, 'GET', '/favourites'), [])
      await call(luz.token, 'DELETE', `/favourites?url=${of('http://a.test/')}`)
      assert.equal((await call<Favourite[]>(ana.token, 'GET', '/favourites')).length, 1)
      assert.deepEqual(await call(ana.token, 'DELETE', '/favourites?url=a.test'), [])
    })

    test('searches are remembered newest first, each once, for their account alone', async () => {
      const { clock } = people.station
      for (const text of ['one', 'two', 'one']) {
        await clock.advance(1_000)
        await call(ana.token, 'POST', '/searches', { text, by: 'url' })
      }
      const past = await call<PastSearch[]>(ana.token, 'GET', '/searches')
      assert.deepEqual(
        past.map(({ text, by }) => [text, by]),
        [
          ['one', 'url'],
          ['two', 'url'],
        ],
      )
      assert.deepEqual(await call(luz.token, 'GET', '/searches'), [])
      await call(luz.token, 'DELETE', `/searches?id=${past[0]!.id}`)
      const left = await call<PastSearch[]>(ana.token, 'DELETE', `/searches?id=${past[0]!.id}`)
      assert.deepEqual(
        left.map(({ text }) => text),
        ['two'],
      )
      assert.deepEqual(await call(ana.token, 'DELETE', '/searches'), [])
    })

    test('only so many searches are remembered and favourites kept', async () => {
      const { store } = people.station
      for (let i = 0; i < 205; i++) {
        await store.call('noteSearch', { account: ana.id, text: `${i}`, by: 'url', now: i })
      }
      const past = await call<PastSearch[]>(ana.token, 'GET', '/searches')
      assert.equal(past.length, 200)
      assert.deepEqual([past[0]!.text, past.at(-1)!.text], ['204', '5'])
      for (let i = 0; i < 1_000; i++) {
        const url = `http://a.test/${i}`
        await store.call('putFavourite', { account: ana.id, url, note: '', now: i })
      }
      const more = { account: ana.id, url: 'http://b.test/', note: '', now: 0 }
      await assert.rejects(store.call('putFavourite', more), { code: 'MINGA_TOO_MANY_FAVOURITES' })
    })

    test("an unknown caller has none, not even on the station's own machine", async () => {
      for (const path of ['/favourites', '/searches']) {
        const { status } = await people.station.get(`/archive${path}`)
        assert.equal(status, 401)
      }
    })
  })
}
