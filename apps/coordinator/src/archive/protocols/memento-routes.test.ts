// Goal: any Memento client finds its way from an address and a moment to what was there, and around it.
// Method: a client of our own that follows headers only, over real HTTP, on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { httpDate } from '@minga/archive'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { openArchive } from '../../../test/archive/archive-fixture.ts'

const PAGE = 'http://page.test/a?b=1&c=2'
const T = Date.UTC(2026, 0, 1, 12)
const HOUR_MS = 3_600_000

/** Link headers and link-format bodies alike: rel → targets. */
function linksIn(text: string): Map<string, string[]> {
  const links = new Map<string, string[]>()
  for (const [, target, rest] of text.matchAll(/<([^>]*)>((?:;\s*\w+="[^"]*")*)/g)) {
    const rel = /rel="([^"]*)"/.exec(rest!)![1]!
    for (const one of rel.split(' ')) links.set(one, [...(links.get(one) ?? []), target!])
  }
  return links
}

for (const engine of ENGINES) {
  describe(`Memento on ${engine.name}`, { skip: engine.skip }, async () => {
    const archive = await openArchive({ engine })
    const pathOf = (url: string): string => url.slice(archive.url.length)
    const versions = ['one', 'two', 'three'].map((body, i) => ({
      url: PAGE,
      capturedAt: T + i * HOUR_MS + 250,
      body: Buffer.from(`<p>${body}`),
    }))
    await archive.keep(...versions)

    test('no page of this origin runs what was archived, and lists are no pages', async () => {
      const gate = await archive.get(`/memento/timegate/${PAGE}`)
      const path = pathOf(gate.headers.get('location')!)
      for (const dest of ['script', 'serviceworker', 'style']) {
        assert.equal((await archive.get(path, { 'sec-fetch-dest': dest })).status, 401, dest)
      }
      assert.equal((await archive.get(path, { 'sec-fetch-dest': 'document' })).status, 200)
      for (const list of [`/memento/timemap/link/${PAGE}`, '/cdx?url=page.test']) {
        const { headers } = await archive.get(list)
        assert.equal(headers.get('x-content-type-options'), 'nosniff')
        assert.match(headers.get('content-security-policy')!, /default-src 'none'.*sandbox/)
      }
    })

    test('a client goes from the TimeGate to a memento, to its neighbours and to the TimeMap', async () => {
      const wanted = { 'accept-datetime': httpDate(T + HOUR_MS + 60_000) }
      const gate = await archive.get(`/memento/timegate/${PAGE}`, wanted)
      assert.equal(gate.status, 302)
      assert.equal(gate.headers.get('vary'), 'accept-datetime')
      assert.equal(linksIn(gate.headers.get('link')!).get('original')?.[0], PAGE)

      const memento = await archive.get(pathOf(gate.headers.get('location')!))
      assert.equal(memento.status, 200)
      assert.equal(await memento.text(), '<p>two')
      assert.equal(memento.headers.get('memento-datetime'), httpDate(T + HOUR_MS))
      assert.equal(memento.headers.get('vary'), null)
      assert.match(memento.headers.get('content-security-policy')!, /^sandbox;/)
      assert.equal(memento.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(memento.headers.get('x-archive-orig-content-type'), 'text/html; charset=utf-8')

      const links = linksIn(memento.headers.get('link')!)
      const first = await archive.get(pathOf(links.get('first')![0]!))
      assert.equal(await first.text(), '<p>one')
      const last = await archive.get(pathOf(links.get('next')![0]!))
      assert.equal(await last.text(), '<p>three')
      assert.equal(linksIn(last.headers.get('link')!).has('next'), false)

      const map = await archive.get(pathOf(links.get('timemap')![0]!))
      assert.match(map.headers.get('content-type')!, /^application\/link-format/)
      const mementos = linksIn(await map.text()).get('memento')!
      assert.equal(mementos.length, 3)
      const bodies = mementos.map(async (each) => (await archive.get(pathOf(each))).text())
      assert.deepEqual(await Promise.all(bodies), ['<p>one', '<p>two', '<p>three'])
    })

    test('without a date the newest is meant, before the first the first, after the last the last', async () => {
      const timeOf = async (headers: Record<string, string>): Promise<string> => {
        const gate = await archive.get(`/memento/timegate/${PAGE}`, headers)
        return /memento\/(\d+)\//.exec(gate.headers.get('location')!)![1]!
      }
      assert.equal(await timeOf({}), '20260101140000')
      assert.equal(await timeOf({ 'accept-datetime': httpDate(0) }), '20260101120000')
      assert.equal(await timeOf({ 'accept-datetime': httpDate(T * 2) }), '20260101140000')
      assert.equal(await timeOf({ 'accept-datetime': httpDate(T + 29 * 60_000) }), '20260101120000')
      assert.equal(await timeOf({ 'accept-datetime': httpDate(T + 31 * 60_000) }), '20260101130000')
    })

    test('a date that is none is refused, and so is a time that is none', async () => {
      const wrong = { 'accept-datetime': 'yesterday' }
      const gate = await archive.get(`/memento/timegate/${PAGE}`, wrong)
      assert.equal(gate.status, 400)
      assert.match(await gate.text(), /MINGA_BAD_ARCHIVE_TIME.*Thu, 01 Jan 2026/)
      for (const time of ['2026', '20261301000000', 'latest']) {
        const { status } = await archive.get(`/memento/${time}/${PAGE}`)
        assert.equal(status, 400, time)
      }
      assert.equal((await archive.get('/memento/timegate/ftp://a.test/')).status, 400)
      assert.equal((await archive.get('/memento/timegate/')).status, 400)
    })

    test('a moment without a capture leads to the nearest one', async () => {
      const near = await archive.get(`/memento/20260101123100/${PAGE}`)
      assert.equal(near.status, 302)
      assert.equal(pathOf(near.headers.get('location')!), `/memento/20260101130000/${PAGE}`)
    })

    test('the address may come encoded, with one slash or without its scheme', async () => {
      const spellings = [
        encodeURIComponent(PAGE),
        'http:/page.test/a?b=1&c=2',
        'page.test/a?b=1&c=2',
      ]
      for (const spelling of spellings) {
        const { status } = await archive.get(`/memento/20260101120000/${spelling}`)
        assert.equal(status, 200, spelling)
      }
    })

    test('redirects and errors are mementos, and a redirect stays at its moment', async () => {
      const moved = 'http://moved.test/'
      const gone = 'http://gone.test/'
      await archive.keep(
        {
          url: moved,
          capturedAt: T,
          status: 301,
          rawHeaders: [['Location', '/there']],
          body: Buffer.of(),
        },
        { url: gone, capturedAt: T, status: 404, body: Buffer.from('not here') },
      )
      const redirect = await archive.get(`/memento/20260101120000/${moved}`)
      assert.equal(redirect.status, 301)
      assert.equal(redirect.headers.get('memento-datetime'), httpDate(T))
      const target = `${archive.url}/memento/20260101120000/http://moved.test/there`
      assert.equal(redirect.headers.get('location'), target)
      const missing = await archive.get(`/memento/20260101120000/${gone}`)
      assert.equal(missing.status, 404)
      assert.equal(missing.headers.get('memento-datetime'), httpDate(T))
      assert.equal(await missing.text(), 'not here')
    })

    test('what was found unchanged is shown with the bytes of its original, decoded', async () => {
      const url = 'http://same.test/'
      const web = {
        [url]: {
          body: gzipSync('<p>still'),
          headers: [['Content-Encoding', 'gzip']] as [string, string][],
        },
      }
      await archive.station.crawl({ seeds: [url] }, web)
      await archive.station.clock.advance(60_000)
      await archive.station.crawl({ seeds: [url], scope: 'page' }, web)
      const captures = await archive.station.captures(`?url=${url}`)
      assert.deepEqual(
        captures.map(({ kind }) => kind),
        ['response', 'revisit'],
      )
      const gate = await archive.get(`/memento/timegate/${url}`)
      const memento = await archive.get(pathOf(gate.headers.get('location')!))
      assert.equal(memento.headers.get('memento-datetime'), httpDate(captures[1]!.capturedAt))
      assert.equal(memento.headers.get('content-encoding'), null)
      assert.equal(await memento.text(), '<p>still')
    })

    test('what is not archived is a 404 that names what there is, and how to collect it', async () => {
      for (const path of ['timegate/', 'timemap/link/', 'timemap/json/', '20260101120000/']) {
        const response = await archive.get(`/memento/${path}https://page.test/a?b=1&c=2`)
        assert.equal(response.status, 404, path)
        const body = (await response.json()) as Record<string, unknown>
        assert.deepEqual(
          (body['variants'] as { url: string }[]).map(({ url }) => url),
          [PAGE],
        )
        assert.deepEqual(body['collect'], {
          method: 'POST',
          path: '/api/collections',
          body: { seeds: ['https://page.test/a?b=1&c=2'], scope: 'page' },
        })
      }
      const other = (await (await archive.get('/memento/timegate/http://page.test/z')).json()) as {
        sameHost: { url: string; captures: number }[]
      }
      assert.deepEqual(
        other.sameHost.map(({ url, captures }) => [url, captures]),
        [[PAGE, 3]],
      )
    })

    test('a long TimeMap comes in pages that lead from one to the next without a gap', async () => {
      const url = 'http://often.test/'
      const count = 25_000
      await archive.keepRows(
        ...Array.from({ length: count }, (_, i) => ({ url, capturedAt: T + i * 1_000 })),
        // Two captures of one second are one moment.
        { url, capturedAt: T + 500 },
      )
      const seen: string[] = []
      let path: string | null = `/memento/timemap/json/${url}`
      let pages = 0
      while (path !== null) {
        const page: TimeMap = await archive.json<TimeMap>(path)
        seen.push(...page.mementos.list.map(({ datetime }) => datetime))
        path = page.next === null ? null : pathOf(page.next)
        pages++
      }
      assert.equal(pages, 3)
      assert.equal(new Set(seen).size, count)
      assert.deepEqual(seen, seen.toSorted())
      const text = await archive.text(`/memento/timemap/link/${url}`)
      assert.match(text, /rel="timemap"; type="application\/link-format"; from=/)
      assert.equal(linksIn(text).get('memento')!.length, 10_000)
    })
  })
}

interface TimeMap {
  mementos: { list: { datetime: string }[] }
  next: string | null
}
