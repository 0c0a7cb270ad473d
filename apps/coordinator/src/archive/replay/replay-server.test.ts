// Goal: archived pages are shown on an origin of their own, harmless when raw, whole when replayed, and a
// version with nothing of other moments. Method: the replay server called as a browser and a player call it.
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { cdxjTimestamp, parseCdxjLine, readRecordAt } from '@minga/archive'
import { openPeople } from '../../../test/accounts/people-fixture.ts'
import { openArchive, DAY_MS } from '../../../test/archive/archive-fixture.ts'
import { spanOf } from './replay-files.ts'

const player = mkdtempSync(join(tmpdir(), 'minga-player-'))
const folder = mkdtempSync(join(tmpdir(), 'minga-records-'))
for (const name of ['ui.js', 'sw.js']) writeFileSync(join(player, name), `// ${name}`)
const archive = await openArchive({ playerFolder: player })
const { station } = archive

async function get(url: string, headers: Record<string, string> = {}) {
  return station.replay.inject({ url, headers: { host: 'localhost', ...headers } })
}

/** As the frame of a collection asks, on its own origin. */
function framed(collection: number, url: string, headers: Record<string, string> = {}) {
  const host = `c-${collection}.minga.localhost`
  return get(url, { host, 'sec-fetch-dest': 'iframe', ...headers })
}

const PAGE = 'http://raw.test/a?b=c'
const T = Date.UTC(2026, 0, 1)

test('a raw view has the bytes as they were sent, decoded, and may do nothing', async () => {
  await archive.keep({
    url: PAGE,
    capturedAt: T,
    rawHeaders: [
      ['Content-Type', 'text/html; charset=latin1'],
      ['Content-Encoding', 'gzip'],
      ['Set-Cookie', 'a=b'],
      ['Content-Security-Policy', 'script-src *'],
    ],
    body: gzipSync('<script>alert(1)</script>'),
  })
  const view = await get(`/raw/20260101000000/${PAGE}`)
  assert.equal(view.statusCode, 200)
  assert.equal(view.body, '<script>alert(1)</script>')
  const { headers } = view
  assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none'/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['content-type'], 'text/html; charset=latin1')
  assert.equal(headers['content-encoding'], undefined)
  assert.equal(headers['set-cookie'], undefined)
  assert.equal(headers['x-archive-orig-set-cookie'], 'a=b')
})

test('a raw view of another moment leads to the nearest capture, and a redirect is shown', async () => {
  const near = await get(`/raw/20270101000000/${PAGE}`)
  assert.equal(near.headers['location'], `/raw/20260101000000/${PAGE}`)
  const url = 'http://moved.test/'
  const rawHeaders: [string, string][] = [['Location', 'http://elsewhere.test/']]
  await archive.keep({ url, capturedAt: T, status: 302, rawHeaders, body: Buffer.from('go on') })
  const moved = await get(`/raw/20260101000000/${url}`)
  assert.equal(moved.statusCode, 200)
  assert.equal(moved.headers['x-minga-status'], '302')
  assert.equal(moved.headers['location'], undefined)
  assert.equal((await get('/raw/20260101000000/http://never.test/')).statusCode, 404)
  assert.equal((await get(`/raw/now/${PAGE}`)).statusCode, 400)
})

test('the page of the player names the source, the address and the moment, safely written', async () => {
  const url = 'http://quoted.test/?a="><script>'
  await archive.keep({ url, capturedAt: T })
  const page = await framed(0, `/view/20260101000000/${encodeURIComponent(url)}`)
  assert.equal(page.statusCode, 200, page.body)
  assert.match(
    page.body,
    /<replay-web-page\s+source="\/replay\/sources\/collection-0\/\d+-\d+-\d+\/index\.cdxj"/,
  )
  assert.match(page.body, / ts="20260101000000"/)
  assert.ok(!page.body.includes('"><script>'))
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /connect-src 'self'/)
  assert.match(policy, /webrtc 'block'; sandbox allow-scripts allow-same-origin$/)
  assert.match(String(page.headers['connection-allowlist']), /^\(response-origin\);.*webrtc=block$/)
  assert.equal(page.headers['x-dns-prefetch-control'], 'off')
  assert.equal((await framed(0, '/replay/ui.js')).body, '// ui.js')
  const worker = await framed(0, '/replay/sw.js')
  assert.equal(worker.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.match(worker.body, /x-dns-prefetch-control[^]*webrtc 'block'[^]*\/\/ sw\.js$/)
  for (const shared of ['localhost', 'view.minga.localhost']) {
    assert.equal((await get('/replay/sw.js', { host: shared })).statusCode, 404, shared)
  }
})

type Line = NonNullable<ReturnType<typeof parseCdxjLine>>

/** Every line of a source's index, when the records that they point to can be read, each by itself. */
async function linesOf(collection: number, source: string): Promise<Line[]> {
  const { body } = await framed(collection, source)
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line) => parseCdxjLine(line)!)
  for (const { filename, offset, length } of lines) {
    const range = `bytes=${offset}-${offset + length - 1}`
    const path = source.replace('index.cdxj', filename)
    const record = await framed(collection, path, { range })
    assert.equal(record.statusCode, 206, record.body)
    const file = join(folder, 'record.warc.gz')
    writeFileSync(file, record.rawPayload)
    await readRecordAt(file, 0, length)
  }
  return lines
}

test('Completion check, version record: a crawl that has ended is a version with its dates, files, agents and state', async () => {
  const url = 'http://version.test/'
  const web = {
    [url]: { body: '<title>First</title><a href="/b">b</a>' },
    [`${url}b`]: { body: 'b' },
  }
  const before = station.clock.now()
  const crawl = await station.crawl({ seeds: [url], maxPages: 10 }, web)
  await station.tick()
  const [version] = await archive.json<Record<string, unknown>[]>(
    `/api/archive/versions?collectionId=${crawl.id}`,
  )
  assert.equal(version!['state'], 'complete')
  assert.equal(version!['cause'], 'crawl')
  assert.equal(version!['documents'], 2)
  assert.equal(version!['name'], 'version.test')
  assert.ok(Number(version!['startedAt']) >= before)
  assert.ok(Number(version!['endedAt']) >= Number(version!['startedAt']))
  assert.equal(version!['durationMs'], Number(version!['endedAt']) - Number(version!['startedAt']))
  const whole = await archive.json<{ files: string[]; agents: string[] }>(
    `/api/archive/versions/${crawl.id}/1`,
  )
  assert.match(whole.files[0]!, /\.warc\.gz$/)
  assert.equal(whole.agents.length, 1)
  const none = await archive.get(`/api/archive/versions/${crawl.id}/2`)
  assert.equal(none.status, 404)
  assert.match(await none.text(), /MINGA_NO_SUCH_VERSION/)
})

test('a version that a limit ended is truncated, and says by which', async () => {
  const url = 'http://limited.test/'
  const links = [1, 2, 3].map((i) => `<a href="/${i}">x</a>`).join('')
  await station.hello()
  const { id } = await station.collect({ seeds: [url], maxPages: 1, delayMs: 0 })
  for (let rounds = 0; rounds < 3; rounds++) {
    await station
      .send(station.fetch(await station.lease(), { [url]: { body: links } }))
      .catch(() => {})
    await station.tick()
    const [version] = await archive.json<{ state: string; reason: string }[]>(
      `/api/archive/versions?collectionId=${id}`,
    )
    if (version === undefined) continue
    assert.deepEqual([version.state, version.reason], ['truncated', 'max-pages'])
    return
  }
  assert.fail('the crawl did not end')
})

test('a version is replayed with its own captures and what they refer to, and with nothing else', async () => {
  const url = 'http://moments.test/'
  const page = (text: string) => ({
    [url]: { body: `<p>${text}` },
    [`${url}same`]: { body: 'same' },
  })
  const seeds = [url, `${url}same`]
  const first = await station.crawl({ seeds, scope: 'page' }, page('one'))
  await station.clock.advance(DAY_MS)
  const second = await station.crawl({ seeds, scope: 'host' }, page('two'))
  await station.tick()
  for (const [{ id }, kinds] of [
    [first, ['text/html', 'text/html']],
    [second, ['text/html', 'text/html', 'warc/revisit']],
  ] as const) {
    const view = await framed(id, `/view/version/${id}/1/${url}`)
    assert.equal(view.statusCode, 200, view.body)
    const source = /source="([^"]*)"/.exec(view.body)![1]!
    assert.match(source, new RegExp(`^/replay/sources/version-${id}-1/`))
    const index = await framed(id, source)
    assert.equal(Number(index.headers['content-length']), index.rawPayload.length)
    const lines = (await linesOf(id, source)).filter((line) => !line.url.endsWith('robots.txt'))
    assert.deepEqual(lines.map(({ mime }) => mime).toSorted(), kinds)
    const moment = / ts="(\d+)"/.exec(view.body)![1]!
    assert.deepEqual(
      // The player needs milliseconds to find what a revisit refers to.
      lines.filter((line) => line.url === url).map(({ timestamp }) => timestamp.slice(0, -3)),
      [moment],
    )
  }
  const view = async (path: string): Promise<number> =>
    (await framed(first.id, `/view/version/${path}`)).statusCode
  assert.equal(await view(`${first.id}/1`), 200)
  assert.equal(await view(`${first.id}/1/http://other.test/`), 404)
  assert.equal(await view(`${first.id}/9`), 404)
  assert.equal(await view(`${second.id}/1`), 404, 'of another collection')
})

test('a source grows with its collection under a new address, and the old one shows it too', async () => {
  const sourceOf = async (): Promise<string> => {
    const { body } = await framed(0, `/view/20260101000000/${PAGE}`)
    return /source="([^"]*)"/.exec(body)![1]!
  }
  const before = await sourceOf()
  assert.doesNotMatch((await framed(0, before)).body, /grown\.test/)
  await archive.keep({ url: 'http://grown.test/', capturedAt: T })
  const after = await sourceOf()
  assert.notEqual(after, before)
  assert.match((await framed(0, after)).body, /grown\.test/)
  assert.match((await framed(0, before)).body, /grown\.test/)
})

test('records come by ranges of bytes, and nothing else of their files or the folder does', async () => {
  const [url, before, behind] = ['http://middle.test/', 'http://one.test/', 'http://two.test/']
  await archive.keep(...[before, url, behind].map((each) => ({ url: each, capturedAt: T })))
  const [capture] = await station.captures(`?url=${encodeURIComponent(url)}`)
  const { id, file, offset, length } = capture!
  const sources = '/replay/sources/collection-0/1-1-0'
  const path = `${sources}/r${id}.warc.gz`
  const end = offset + length
  const part = await framed(0, path, { range: `bytes=${offset}-${end - 1}` })
  assert.equal(part.statusCode, 206)
  assert.equal(part.rawPayload.length, length)
  assert.match(String(part.headers['content-range']), new RegExp(`^bytes ${offset}-`))
  assert.equal((await framed(0, path, { range: `bytes=${offset}-` })).rawPayload.length, length)
  // Other records stand before and behind it.
  for (const range of [`bytes=0-${end - 1}`, `bytes=${end}-`, 'bytes=999999999-', '']) {
    assert.equal((await framed(0, path, { range })).statusCode, 416, range)
  }
  for (const name of [
    file,
    'minga.db',
    '..%2Fminga.db',
    'r999999.warc.gz',
    `r${id}-of-9.warc.gz`,
  ]) {
    assert.equal((await framed(0, `${sources}/${name}`)).statusCode, 404, name)
  }
  assert.equal((await framed(0, '/replay/sources/all/1-1-0/index.cdxj')).statusCode, 404)
  assert.equal((await framed(0, '/api/collections')).statusCode, 404)
})

test('a range of bytes is understood in its three forms, and a foolish one is refused', () => {
  assert.deepEqual(spanOf(undefined, 10), { start: 0, end: 10 })
  assert.deepEqual(spanOf('bytes=2-4', 10), { start: 2, end: 5 })
  assert.deepEqual(spanOf('bytes=2-', 10), { start: 2, end: 10 })
  assert.deepEqual(spanOf('bytes=-3', 10), { start: 7, end: 10 })
  assert.deepEqual(spanOf('bytes=-30', 10), { start: 0, end: 10 })
  assert.deepEqual(spanOf('bytes=5-99', 10), { start: 5, end: 10 })
  assert.equal(spanOf('bytes=10-', 10), null)
  assert.equal(spanOf('bytes=4-2', 10), null)
  assert.deepEqual(spanOf('bytes=0-1,4-5', 10), { start: 0, end: 10 })
  assert.deepEqual(spanOf('pages=1-2', 10), { start: 0, end: 10 })
})

test('a pass of the station opens one collection for an hour, and nothing else', async () => {
  const people = await openPeople({ readOpenly: false, registration: 'operator' })
  const { token } = await people.person('looking', 'reader')
  const { token: volunteer } = await people.person('giving', 'volunteer')
  const call = (host: string, url: string, headers: Record<string, string> = {}) =>
    people.station.replay.inject({ url, headers: { host, ...headers } })
  assert.equal(await people.outcome(volunteer, 'GET', '/archive/replay'), '403 MINGA_FORBIDDEN')
  const asked = '/archive/replay?collectionId=3'
  const { pass } = await people.ok<{ pass: string }>(token, 'GET', asked)
  assert.equal((await people.ok<{ pass: null }>(token, 'GET', '/archive/replay')).pass, null)
  const own = 'c-3.minga.localhost'
  const path = `/raw/20260101000000/${PAGE}`
  const led = await call('localhost', `/pass/${pass}${path}`)
  assert.equal(led.headers['location'], `http://${own}/pass/${pass}${path}`)
  assert.equal(led.headers['set-cookie'], undefined)
  const entry = await call(own, `/pass/${pass}${path}`)
  assert.equal(entry.statusCode, 302)
  assert.equal(entry.headers['location'], path)
  const set = String(entry.headers['set-cookie'])
  assert.match(set, /^minga_pass=\S+; Path=\/; Max-Age=3600; HttpOnly; SameSite=None; Secure; Part/)
  const cookie = set.split(';', 1)[0]!
  assert.equal((await call(own, path, { cookie })).statusCode, 404)
  assert.equal((await call(own, path, { cookie: `minga_pass=planted; ${cookie}` })).statusCode, 404)
  const other = await call('c-4.minga.localhost', path, { cookie })
  assert.equal(other.statusCode, 401, 'at the origin of another collection')
  for (const of4 of ['/view/version/4/1', '/replay/sources/collection-4/1-1-0/index.cdxj']) {
    assert.equal((await call(own, of4, { cookie })).statusCode, 404, of4)
    assert.equal((await call('localhost', of4, { cookie })).statusCode, 404, of4)
  }
  assert.equal(await people.outcome({ cookie }, 'GET', '/captures'), '401 MINGA_NOT_ALLOWED')
  const forged = [`${pass}x`, pass.replace(/^3/, '4'), pass.replace(/-\d/, '-9'), 'minga', '3-1-a']
  for (const wrong of forged) {
    assert.equal((await call(own, path, { cookie: `minga_pass=${wrong}` })).statusCode, 401, wrong)
    assert.equal((await call(own, `/pass/${wrong}${path}`)).headers['set-cookie'], undefined)
  }
  assert.equal((await call(own, `/pass/${pass}//evil.test/`)).headers['location'], '/evil.test/')
  for (const sly of ['/pass/%41%41%41https://evil.test/', `/pass/${pass}/\\evil.test/`]) {
    const location = String((await call(own, sly)).headers['location'])
    const { pathname, origin } = new URL(location, 'http://replay.test')
    assert.equal(origin, 'http://replay.test', sly)
    assert.match(pathname, /evil\.test/)
  }
  await people.station.clock.advance(3_600_001)
  assert.equal((await call(own, path, { cookie })).statusCode, 401)
})

test('a capture of its own tab is shown in a frame of another origin, which it cannot leave', async () => {
  const path = `/view/20260101000000/${PAGE}`
  const led = await get(path)
  assert.equal(led.headers['location'], `http://c-0.minga.localhost${path}`)
  for (const headers of [{}, { 'sec-fetch-dest': 'document' }]) {
    const own = await get(path, { host: 'c-0.minga.localhost', ...headers })
    assert.equal(own.headers['location'], `http://view.minga.localhost/shown/0${path}`)
  }
  const around = await get(`/shown/0${path}`, { host: 'view.minga.localhost' })
  assert.equal(around.statusCode, 200)
  const policy = String(around.headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'.*; frame-src http:\/\/c-0\.minga\.localhost;/)
  assert.match(
    around.body,
    new RegExp(`src="http://c-0.minga.localhost${path.replace('?', '\\?')}"`),
  )
  assert.match(around.body, /sandbox="allow-scripts allow-same-origin"/)
  for (const [host, wrong] of [
    ['localhost', `/shown/0${path}`],
    ['c-0.minga.localhost', `/shown/0${path}`],
    ['view.minga.localhost', '/shown/0/raw/20260101000000/http://a.test/'],
    ['view.minga.localhost', '/shown/0//evil.test/view/'],
  ] as const) {
    assert.equal((await get(wrong, { host })).statusCode, 404, host + wrong)
  }
})

test('at the origin of a collection there is nothing of others, not even their names', async () => {
  const url = 'http://shared-host.test/secret'
  const crawl = await station.crawl({ seeds: [url], maxPages: 1 }, { [url]: { body: 'secret' } })
  for (const path of [`/raw/20260101000000/${url}`, `/view/20260101000000/${url}`]) {
    assert.notEqual((await framed(crawl.id, path)).statusCode, 404, path)
    const other = await framed(0, path)
    assert.equal(other.statusCode, 404, path)
    assert.deepEqual(Object.keys(other.json()), ['error'])
    assert.doesNotMatch(other.body, /2026|variants|sameHost/)
  }
  const near = await framed(0, '/raw/20260101000000/http://shared-host.test/')
  assert.doesNotMatch(near.body, /secret/)
})

test('an archived script is no program, worker or style of the origin of its collection', async () => {
  for (const dest of ['script', 'worker', 'serviceworker', 'style']) {
    const raw = await framed(0, `/raw/20260101000000/${PAGE}`, { 'sec-fetch-dest': dest })
    assert.equal(raw.statusCode, 401, dest)
    assert.match(raw.body, /not served for a page to run/)
  }
})

test('a station without names for its collections says what its operator does', async () => {
  const named = await openArchive({ playerFolder: player, hostNames: new Set(['*']) })
  await named.keep({ url: PAGE, capturedAt: T })
  const call = (url: string) =>
    named.station.replay.inject({ url, headers: { host: 'station.example:7701' } })
  assert.equal((await call(`/raw/20260101000000/${PAGE}`)).statusCode, 200)
  const view = await call(`/view/20260101000000/${PAGE}`)
  assert.equal(view.statusCode, 404)
  assert.match(view.body, /MINGA_NO_REPLAY_NAME.*--replay-url, as in https:\/\/\*\.replay\.example/)
})

test('without the player raw views still work, and the page says what to do', async () => {
  const bare = await openArchive()
  await bare.keep({ url: PAGE, capturedAt: T })
  const call = (url: string) => bare.station.replay.inject({ url, headers: { host: 'localhost' } })
  assert.equal((await call(`/raw/20260101000000/${PAGE}`)).statusCode, 200)
  const view = await call(`/view/20260101000000/${PAGE}`)
  assert.equal(view.statusCode, 503)
  assert.match(view.body, /npm install/)
})

test('beyond its own machine archived pages are shown to those who may read captures', async () => {
  const people = await openPeople({ readOpenly: false, registration: 'operator' })
  const { token } = await people.person('reading', 'reader')
  const call = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
    (await people.station.replay.inject({ url, headers: { host: 'localhost', ...headers } }))
      .statusCode
  for (const path of [
    `/raw/${cdxjTimestamp(T)}/${PAGE}`,
    `/view/${cdxjTimestamp(T)}/${PAGE}`,
    '/view/version/1/1',
    '/replay/sources/collection-1/0-0-0/index.cdxj',
    '/replay/sources/collection-1/0-0-0/r1.warc.gz',
  ]) {
    assert.equal(await call(path), 401, path)
    assert.notEqual(await call(path, { authorization: `Bearer ${token}` }), 401, path)
  }
  assert.equal(await call(`/raw/${cdxjTimestamp(T)}/${PAGE}`, { host: 'evil.test' }), 401)
})
