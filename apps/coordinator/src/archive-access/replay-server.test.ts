// Goal: archived pages are shown on an origin of their own, harmless when raw, whole when replayed, and a
// version with nothing of other moments. Method: the replay server called as a browser and a player call it.
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { cdxjTimestamp, parseCdxjLine, readRecordAt } from '@minga/archive'
import { openPeople } from '../accounts/people-fixture.ts'
import { openArchive, DAY_MS } from './archive-fixture.ts'
import { spanOf } from './replay-files.ts'

const player = mkdtempSync(join(tmpdir(), 'minga-player-'))
for (const name of ['ui.js', 'sw.js']) writeFileSync(join(player, name), `// ${name}`)
const archive = await openArchive({ playerFolder: player })
const { station } = archive

async function get(url: string, headers: Record<string, string> = {}) {
  return station.replay.inject({ url, headers: { host: 'localhost', ...headers } })
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
  const page = await get(`/view/20260101000000/${encodeURIComponent(url)}`)
  assert.equal(page.statusCode, 200, page.body)
  assert.match(
    page.body,
    /<replay-web-page\s+source="\/replay\/sources\/collection-0\/\d+-\d+-\d+\/index\.cdxj"/,
  )
  assert.match(page.body, / ts="20260101000000"/)
  assert.ok(!page.body.includes('"><script>'))
  assert.match(String(page.headers['content-security-policy']), /connect-src 'self'/)
  assert.equal((await get('/replay/ui.js')).body, '// ui.js')
  assert.equal(
    (await get('/replay/sw.js')).headers['content-type'],
    'text/javascript; charset=utf-8',
  )
})

/** Every line of a source's index, with the record that it points to. */
async function linesOf(body: string): Promise<{ url: string; mime: string; timestamp: string }[]> {
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line) => parseCdxjLine(line)!)
  for (const { filename, offset, length } of lines) {
    await readRecordAt(join(station.data, 'archive', filename), offset, length)
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
    const view = await get(`/view/version/${id}/1/${url}`)
    assert.equal(view.statusCode, 200, view.body)
    const source = /source="([^"]*)"/.exec(view.body)![1]!
    assert.match(source, new RegExp(`^/replay/sources/version-${id}-1/`))
    const index = await get(source)
    assert.equal(Number(index.headers['content-length']), index.rawPayload.length)
    const lines = (await linesOf(index.body)).filter((line) => !line.url.endsWith('robots.txt'))
    assert.deepEqual(lines.map(({ mime }) => mime).toSorted(), kinds)
    const moment = / ts="(\d+)"/.exec(view.body)![1]!
    assert.deepEqual(
      // The player needs milliseconds to find what a revisit refers to.
      lines.filter((line) => line.url === url).map(({ timestamp }) => timestamp.slice(0, -3)),
      [moment],
    )
  }
  const start = await get(`/view/version/${first.id}/1`)
  assert.equal(start.statusCode, 200)
  assert.equal((await get(`/view/version/${first.id}/1/http://other.test/`)).statusCode, 404)
  assert.equal((await get(`/view/version/${first.id}/9`)).statusCode, 404)
})

test('a source grows with its collection under a new address, and the old one shows it too', async () => {
  const sourceOf = async (): Promise<string> => {
    const { body } = await get(`/view/20260101000000/${PAGE}`)
    return /source="([^"]*)"/.exec(body)![1]!
  }
  const before = await sourceOf()
  assert.doesNotMatch((await get(before)).body, /grown\.test/)
  await archive.keep({ url: 'http://grown.test/', capturedAt: T })
  const after = await sourceOf()
  assert.notEqual(after, before)
  assert.match((await get(after)).body, /grown\.test/)
  assert.match((await get(before)).body, /grown\.test/)
})

test('WARC files come by ranges of bytes, and nothing else of the folder does', async () => {
  const [capture] = await station.captures(`?url=${encodeURIComponent(PAGE)}`)
  const { file, offset, length } = capture!
  const path = `/replay/sources/collection-0/1-1-0/${file}`
  const part = await get(path, { range: `bytes=${offset}-${offset + length - 1}` })
  assert.equal(part.statusCode, 206)
  assert.equal(part.rawPayload.length, length)
  assert.match(String(part.headers['content-range']), new RegExp(`^bytes ${offset}-`))
  assert.equal((await get(path)).statusCode, 200)
  assert.equal((await get(path, { range: 'bytes=999999999-' })).statusCode, 416)
  for (const name of ['minga.db', '..%2Fminga.db', '..%2Fstation.json', '.warc', 'x.warc.gz']) {
    const { statusCode } = await get(`/replay/sources/collection-0/1-1-0/${name}`)
    assert.equal(statusCode, 404, name)
  }
  assert.equal((await get('/replay/sources/all/1-1-0/index.cdxj')).statusCode, 404)
  assert.equal((await get('/api/collections')).statusCode, 404)
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

test('a pass of the station opens the origin of replay for an hour, and nothing else', async () => {
  const people = await openPeople({ readOpenly: false, registration: 'operator' })
  const { token } = await people.person('looking', 'reader')
  const { token: volunteer } = await people.person('giving', 'volunteer')
  const call = (url: string, headers: Record<string, string> = {}) =>
    people.station.replay.inject({ url, headers: { host: 'localhost', ...headers } })
  assert.equal(await people.outcome(volunteer, 'GET', '/archive/replay'), '403 MINGA_FORBIDDEN')
  const { pass } = await people.ok<{ pass: string }>(token, 'GET', '/archive/replay')
  const path = `/raw/20260101000000/${PAGE}`
  const entry = await call(`/pass/${pass}${path}`)
  assert.equal(entry.statusCode, 302)
  assert.equal(entry.headers['location'], path)
  const set = String(entry.headers['set-cookie'])
  assert.match(set, /^minga_pass=\S+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/)
  const cookie = set.split(';', 1)[0]!
  assert.equal((await call(path, { cookie })).statusCode, 404)
  assert.equal(await people.outcome({ cookie }, 'GET', '/captures'), '401 MINGA_NOT_ALLOWED')
  for (const wrong of [`${pass}x`, pass.replace(/^\d/, '9'), 'minga', '1-a']) {
    assert.equal((await call(path, { cookie: `minga_pass=${wrong}` })).statusCode, 401, wrong)
    assert.equal((await call(`/pass/${wrong}${path}`)).headers['set-cookie'], undefined)
  }
  assert.equal((await call(`/pass/${pass}//evil.test/`)).headers['location'], '/evil.test/')
  for (const sly of ['/pass/%41%41%41https://evil.test/', `/pass/${pass}/\\evil.test/`]) {
    const { pathname, origin } = new URL(
      String((await call(sly)).headers['location']),
      'http://replay.test',
    )
    assert.equal(origin, 'http://replay.test', sly)
    assert.match(pathname, /evil\.test/)
  }
  await people.station.clock.advance(3_600_001)
  assert.equal((await call(path, { cookie })).statusCode, 401)
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
    '/replay/sources/collection-1/0-0-0/a.warc.gz',
  ]) {
    assert.equal(await call(path), 401, path)
    assert.notEqual(await call(path, { authorization: `Bearer ${token}` }), 401, path)
  }
  assert.equal(await call(`/raw/${cdxjTimestamp(T)}/${PAGE}`, { host: 'evil.test' }), 401)
})
