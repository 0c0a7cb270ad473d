// Goal: each behaviour does on the wire what its name says, and the log says the same.
// Method: one fake web per family of behaviours, asked by a client that keeps every byte.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib'

import { startFakeWeb, type FakeWeb } from '../fake-web.ts'
import { rawGet, type RawResponse } from './raw-request.ts'
import type { Behaviour, Encoding, RobotsKind } from './spec.ts'

/** Behaviour i falls to host i. */
async function webWith(t: TestContext, behaviours: Behaviour[]): Promise<FakeWeb> {
  const web = await startFakeWeb({
    hosts: Math.max(2, behaviours.length),
    pagesPerHost: 4,
    behaviours: behaviours.map((behaviour, index) => ({ on: [index], ...behaviour })),
  })
  t.after(() => web.close())
  return web
}

function lastPathsExpected(web: FakeWeb, host: number): string[] {
  const origin = `${web.origin(host)}/`
  return web
    .expectedUrls()
    .filter((url) => url.startsWith(origin))
    .map((url) => url.slice(origin.length - 1))
}

test('robots.txt comes in every kind, and the expected URLs follow RFC 9309', async (t) => {
  const kinds: RobotsKind[] = [
    { is: 'rules', disallow: ['/p/3', '/*.gif$'], crawlDelaySeconds: 2 },
    { is: 'status', status: 403 },
    { is: 'status', status: 503 },
    { is: 'status', status: 429 },
    { is: 'timeout' },
    { is: 'disconnect' },
    { is: 'redirects', hops: 5, toHost: 0 },
    { is: 'redirects', hops: 6 },
    { is: 'garbage' },
    { is: 'oversized' },
    { is: 'html' },
    { is: 'rules', disallow: ['/'] },
  ]
  const web = await webWith(
    t,
    kinds.map((robots) => ({ kind: 'robots', robots })),
  )
  const robots = (host: number): Promise<RawResponse> =>
    rawGet(`${web.origin(host)}/robots.txt`, {}, 200)

  assert.match((await robots(0)).body.toString(), /Disallow: \/p\/3\n.*\nCrawl-delay: 2\n/)
  assert.deepEqual(
    [(await robots(1)).status, (await robots(2)).status, (await robots(3)).status],
    [403, 503, 429],
  )
  assert.equal((await robots(4)).ending, 'silence')
  assert.equal((await robots(5)).ending, 'reset')
  assert.equal(await hopsFrom(`${web.origin(6)}/robots.txt`), 5)
  assert.equal((await robots(6)).headers['location'], `${web.origin(0)}/robots-hop/4`)
  assert.equal(await hopsFrom(`${web.origin(7)}/robots.txt`), 6)
  assert.equal((await robots(8)).body.length, 4096)
  const oversized = (await robots(9)).body
  assert.ok(oversized.length > 600 * 1024 && oversized.lastIndexOf('Disallow: /') > 512_000)
  assert.match((await robots(10)).headers['content-type'] ?? '', /text\/html/)

  const four = ['/p/0', '/p/1', '/p/2', '/p/3']
  const allowed = (host: number): string[] => lastPathsExpected(web, host).toSorted()
  assert.deepEqual(allowed(0), ['/p/0', '/p/1', '/p/2'])
  for (const host of [1, 7, 8]) assert.deepEqual(allowed(host), four, `host ${host}`)
  for (const host of [2, 3, 4, 5]) assert.deepEqual(allowed(host), [], `host ${host}`)
  assert.deepEqual(allowed(6), ['/p/0', '/p/2', '/p/3'])
})

async function hopsFrom(url: string): Promise<number> {
  const { headers } = await rawGet(url)
  const next = headers['location']
  return next === undefined ? 0 : 1 + (await hopsFrom(new URL(next, url).href))
}

test('redirects have their status, and loops, chains and odd targets are as named', async (t) => {
  const web = await webWith(t, [{ kind: 'redirects', outside: 'http://10.1.2.3/' }])
  const from = (name: string): Promise<RawResponse> => rawGet(`${web.origin(0)}/r/${name}`)
  for (const status of [301, 302, 303, 307, 308]) {
    const answer = await from(String(status))
    assert.deepEqual([answer.status, answer.headers['location']], [status, `/landed/${status}`])
  }
  assert.equal((await from('relative')).headers['location'], '../landed/./relative')
  assert.equal((await from('loop-b')).headers['location'], '/r/loop-a')
  assert.equal((await from('self')).headers['location'], '/r/self')
  assert.equal((await from('other-host')).headers['location'], `${web.origin(1)}/p/0`)
  assert.equal((await from('outside')).headers['location'], 'http://10.1.2.3/')
  assert.equal((await from('no-location')).headers['location'], undefined)
  assert.equal(URL.canParse((await from('bad-location')).headers['location'] ?? ''), false)
  assert.equal(await hopsFrom(`${web.origin(0)}/r/chain-12`), 12)
})

test('a slow host waits before the first byte and then drips', async (t) => {
  const web = await webWith(t, [
    { kind: 'slow', firstByteMs: 80 },
    { kind: 'slow', firstByteMs: 0, dripBytes: 200, dripMs: 20 },
  ])
  for (const host of [0, 1]) {
    const { body, headers } = await rawGet(`${web.origin(host)}/p/1`)
    assert.equal(String(body.length), headers['content-length'])
  }
  const [first, dripping] = web.hits().map(({ t: start, end = 0 }) => (end - start) / 1000)
  assert.ok((first ?? 0) >= 79, `first byte after ${first} ms`)
  assert.ok((dripping ?? 0) >= 38, `dripped for ${dripping} ms`)
})

test('broken answers break where they say', async (t) => {
  const web = await webWith(t, [{ kind: 'broken' }])
  const get = (name: string): Promise<RawResponse> => rawGet(`${web.origin(0)}/broken/${name}`)
  const [reset, close, header, body] = [
    await get('reset'),
    await get('close'),
    await get('mid-header'),
    await get('mid-body'),
  ]
  assert.deepEqual([reset.ending, reset.body.length], ['reset', 0])
  assert.deepEqual([close.ending, close.status], ['closed', 0])
  assert.deepEqual([header.ending, header.status], ['reset', 0])
  assert.equal(body.ending, 'reset')
  assert.ok(body.body.length < Number(body.headers['content-length'] ?? 5000))
  assert.equal((await get('mid-chunk')).ending, 'reset')
  assert.deepEqual(
    lastPathsExpected(web, 0).filter((path) => path.startsWith('/broken')),
    [],
  )
  assert.equal(
    web.hits().every(({ end }) => end !== undefined),
    true,
  )
})

test('a host that is down resets or hangs on every path, even before it is asked', async (t) => {
  const web = await webWith(t, [
    { kind: 'down', how: 'reset' },
    { kind: 'down', how: 'hang' },
    { kind: 'down', how: 'reset-on-accept' },
  ])
  const endings = await Promise.all(
    [0, 1, 2].map(async (host) => (await rawGet(`${web.origin(host)}/p/0`, {}, 150)).ending),
  )
  assert.deepEqual(endings, ['reset', 'silence', 'reset'])
  const unread = web.hits().filter(({ path }) => path === '')
  assert.deepEqual(
    unread.map(({ address }) => address),
    ['127.0.8.3'],
  )
})

test('lengths lie in both directions', async (t) => {
  const web = await webWith(t, [{ kind: 'lying' }])
  const get = (name: string): Promise<RawResponse> => rawGet(`${web.origin(0)}/lying/${name}`)
  const [short, long, negative] = [await get('short'), await get('long'), await get('negative')]
  assert.ok(short.body.length > Number(short.headers['content-length']))
  assert.ok(long.body.length < Number(long.headers['content-length']))
  assert.equal(negative.headers['content-length'], '-5')
  assert.equal((await get('twice')).status, 200)
})

test('malformed answers carry their malformation unchanged', async (t) => {
  const web = await webWith(t, [{ kind: 'malformed' }])
  const get = (name: string): Promise<RawResponse> => rawGet(`${web.origin(0)}/malformed/${name}`)
  assert.equal((await get('huge-header')).headers['x-huge']?.length, 65_536)
  assert.equal(Object.keys((await get('many-headers')).headers).length, 3001)
  assert.equal((await get('status-line')).status, 0)
  assert.equal((await get('status-999')).status, 999)
  assert.equal((await get('no-reason')).status, 200)
  assert.ok('' in (await get('header-line')).headers)
  assert.equal((await get('http-0.9')).status, 0)
  assert.equal((await get('bare-newlines')).body.length, 0)
  assert.throws(() => gunzipSync(Buffer.from('this is not gzip')))
  assert.equal((await get('bad-gzip')).body.toString(), 'this is not gzip')
})

const DECODERS: Record<Encoding, (body: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  deflate: inflateSync,
  'deflate-raw': inflateRawSync,
}

test('encodings decode to the plain page and are sent only to those who accept them', async (t) => {
  const encodings: Encoding[] = ['gzip', 'br', 'zstd', 'deflate', 'deflate-raw']
  const web = await webWith(
    t,
    encodings.map((encoding) => ({ kind: 'encoding', encoding })),
  )
  for (const [host, encoding] of encodings.entries()) {
    const url = `${web.origin(host)}/p/1`
    const plain = await rawGet(url)
    const coded = await rawGet(url, { 'accept-encoding': 'gzip, deflate;q=0.9, br, zstd' })
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(coded.headers['content-encoding'], encoding.replace('-raw', ''))
    assert.deepEqual(DECODERS[encoding](coded.body), plain.body)
  }
})

test('bombs are small on the wire and large when unpacked', async (t) => {
  const expandedBytes = 33_554_432
  const web = await webWith(t, [{ kind: 'bombs', expandedBytes }])
  const get = async (name: string): Promise<Buffer> => {
    const { body } = await rawGet(`${web.origin(0)}/bomb/${name}`, {}, 5000)
    assert.ok(body.length < 100_000, `${name} has ${body.length} bytes`)
    return body
  }
  assert.equal(gunzipSync(await get('gzip')).length, expandedBytes)
  assert.equal(gunzipSync(gunzipSync(await get('gzip-gzip'))).length, expandedBytes)
  assert.equal(zstdDecompressSync(await get('zstd')).length, expandedBytes)
  assert.equal(brotliDecompressSync(await get('br')).length, expandedBytes)
})

test('every page of a trap leads to new ones, and none is demanded', async (t) => {
  const web = await webWith(t, [{ kind: 'traps' }])
  const first = (await rawGet(`${web.origin(0)}/p/0`)).body.toString()
  const entries = [
    '/calendar/2026-01',
    '/session?sid=0',
    '/deeper/1/',
    '/repeating/a/b/',
    '/facets?color=0',
  ]
  for (const entry of entries) {
    assert.ok(first.includes(`href="${entry}"`), entry)
    const seen = new Set<string>([entry])
    let path = entry
    for (let step = 0; step < 20; step += 1) {
      const { status, body } = await rawGet(web.origin(0) + path)
      assert.equal(status, 200, path)
      path = /href="([^"]+)"/.exec(body.toString())?.[1] ?? ''
      assert.ok(!seen.has(path), `${path} again`)
      seen.add(path)
    }
  }
  assert.equal(web.expectedUrls().length, 8)
})

test('`only` limits which entries a host links to', async (t) => {
  const web = await webWith(t, [
    { kind: 'traps', only: ['calendar'] },
    { kind: 'redirects', only: ['301'] },
  ])
  const links = async (host: number): Promise<string[]> => {
    const { body } = await rawGet(`${web.origin(host)}/p/0`)
    const all = [...body.toString().matchAll(/href="(\/[^"]+)"/g)].map((match) => match[1] ?? '')
    return all.filter((path) => !path.startsWith('/p/'))
  }
  assert.deepEqual(await links(0), ['/calendar/2026-01'])
  assert.deepEqual(await links(1), ['/r/301'])
})

test('throttling counts per host and flakiness per page, and both end', async (t) => {
  const web = await webWith(t, [
    { kind: 'throttled', status: 429, times: 2, retryAfterSeconds: 3 },
    { kind: 'throttled', status: 503, times: 1, retryAfterSeconds: 60, retryAfterAsDate: true },
    { kind: 'flaky', times: 1 },
    { kind: 'throttled', status: 429, times: 1, after: 2 },
  ])
  const statuses = async (host: number, pages: number[]): Promise<number[]> => {
    const found: number[] = []
    for (const page of pages) found.push((await rawGet(`${web.origin(host)}/p/${page}`)).status)
    return found
  }
  assert.equal((await rawGet(`${web.origin(0)}/p/0`)).headers['retry-after'], '3')
  const date = Date.parse((await rawGet(`${web.origin(1)}/p/0`)).headers['retry-after'] ?? '')
  assert.ok(Math.abs(date - Date.now() - 60_000) < 5000)
  assert.deepEqual(await statuses(0, [1, 1, 0]), [429, 200, 200])
  assert.deepEqual(await statuses(1, [0, 1]), [200, 200])
  assert.deepEqual(await statuses(2, [0, 1, 0, 1]), [500, 500, 200, 200])
  assert.deepEqual(await statuses(3, [0, 1, 2, 2]), [200, 200, 429, 200])
})

test('validators are confirmed with 304 and no body', async (t) => {
  const web = await webWith(t, [{ kind: 'validators' }])
  const url = `${web.origin(0)}/p/1`
  const { headers } = await rawGet(url)
  const etag = headers['etag'] ?? ''
  const modified = headers['last-modified'] ?? ''
  const same = await rawGet(url, { 'if-none-match': etag })
  assert.deepEqual([same.status, same.body.length, same.headers['etag']], [304, 0, etag])
  assert.equal((await rawGet(url, { 'if-modified-since': modified })).status, 304)
  assert.equal(
    (await rawGet(url, { 'if-none-match': '"other"', 'if-modified-since': modified })).status,
    200,
  )
})

test('copies are equal, charsets differ, and missing pages may pretend to exist', async (t) => {
  const web = await webWith(t, [
    { kind: 'duplicates', copies: 2 },
    { kind: 'charsets' },
    { kind: 'soft404' },
  ])
  const get = (host: number, path: string): Promise<RawResponse> => rawGet(web.origin(host) + path)
  assert.deepEqual((await get(0, '/copy/0')).body, (await get(0, '/copy/1')).body)
  const charsets = {
    shift_jis: 'shift_jis',
    'latin-1': 'latin1',
    'utf-16be': 'utf-16be',
    'utf-16le': 'utf-16le',
  }
  for (const [name, label] of Object.entries(charsets)) {
    const text = new TextDecoder(label).decode((await get(1, `/charset/${name}`)).body)
    assert.match(
      text,
      name === 'shift_jis' ? /<title>日本語 shift_jis/ : /<title>Grüße utf|<title>Grüße latin/,
    )
  }
  const wrong = (await get(1, '/charset/wrong-label')).body
  assert.throws(() => new TextDecoder('utf-8', { fatal: true }).decode(wrong))
  assert.equal((await get(1, '/no/such')).status, 404)
  assert.equal((await get(2, '/no/such')).status, 200)
})

test('sitemaps and feeds of each format list a page that nothing else leads to', async (t) => {
  const web = await webWith(t, [{ kind: 'sitemaps' }, { kind: 'directives' }])
  const get = (path: string): Promise<RawResponse> => rawGet(web.origin(0) + path)
  assert.match(
    (await get('/robots.txt')).body.toString(),
    /Sitemap: http:\/\/127\.0\.8\.1:\d+\/sitemap-index\.xml/,
  )
  assert.match((await get('/sitemap-index.xml')).body.toString(), /sitemap\.xml\.gz<\/loc>/)
  assert.match(
    gunzipSync((await get('/sitemap.xml.gz')).body).toString(),
    /only-in-sitemap\/gz<\/loc>/,
  )
  const listed = lastPathsExpected(web, 0).filter((path) => path.startsWith('/only-in-sitemap/'))
  assert.deepEqual(
    listed.toSorted(),
    ['atom', 'gz', 'rss', 'text', 'xml'].map((name) => `/only-in-sitemap/${name}`),
  )
  for (const path of listed) assert.equal((await get(path)).status, 200)
  assert.ok(!web.expectedUrls({ sitemaps: false }).some((url) => url.includes('only-in-sitemap')))
  assert.ok(!web.expectedUrls().some((url) => url.includes('behind-nofollow')))
  assert.equal(
    (await rawGet(`${web.origin(1)}/directive/noindex-header`)).headers['x-robots-tag'],
    'noindex, nofollow',
  )
})

test('a share of hosts is chosen by the seed and spares the first', async (t) => {
  const web = await startFakeWeb({
    hosts: 400,
    pagesPerHost: 1,
    behaviours: [{ kind: 'robots', robots: { is: 'rules', disallow: ['/'] }, on: { share: 0.25 } }],
  })
  t.after(() => web.close())
  const kinds = await Promise.all(
    Array.from(
      { length: 400 },
      async (_, host) => (await rawGet(`${web.origin(host)}/robots.txt`)).status,
    ),
  )
  const closed = kinds.filter((status) => status === 200).length
  assert.ok(closed > 70 && closed < 130, `${closed} of 400`)
  assert.equal(kinds[0], 404)
})
