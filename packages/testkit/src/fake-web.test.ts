// Goal: the fake web is the same for everyone, whole, honest about what it saw, and stoppable.
// Method: raw clients and a small crawler against webs of several shapes.
import assert from 'node:assert/strict'
import { get as secureGet } from 'node:https'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'

import { startFakeWeb, type FakeWeb } from './fake-web.ts'
import { exchange, rawGet } from './web/raw-request.ts'
import type { FakeWebSpec } from './web/spec.ts'

async function webFor(t: TestContext, spec: FakeWebSpec): Promise<FakeWeb> {
  const web = await startFakeWeb(spec)
  t.after(() => web.close())
  return web
}

/** Follows every href, src, url() and Location; knows nothing of robots. */
async function crawl(seeds: string[]): Promise<Map<string, number>> {
  const visited = new Map<string, number>()
  const queue = [...seeds]
  for (const url of queue) {
    if (visited.has(url)) continue
    const { status, headers, body } = await rawGet(url)
    visited.set(url, status)
    const text = body.toString('latin1')
    const links = [...text.matchAll(/(?:href="|src="|url\(")([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    )
    if (headers['location'] !== undefined) links.push(headers['location'])
    for (const link of links) if (URL.canParse(link, url)) queue.push(new URL(link, url).href)
  }
  return visited
}

test('the same seed gives the same bytes on any port, another seed others', async (t) => {
  const spec = { hosts: 3, pagesPerHost: 5, crossHostShare: 0 }
  const [one, two, other] = [
    await webFor(t, { ...spec, seed: 5 }),
    await webFor(t, { ...spec, seed: 5 }),
    await webFor(t, { ...spec, seed: 6 }),
  ]
  const body = async (web: FakeWeb): Promise<string> =>
    (await rawGet(`${web.origin(2)}/p/3`)).body.toString('latin1')
  assert.equal(await body(one), await body(two))
  assert.notEqual(await body(one), await body(other))
})

test('page sizes vary around the mean that was asked for', async (t) => {
  const web = await webFor(t, { hosts: 1, pagesPerHost: 200, bytesPerPage: 10_000 })
  const sizes = await Promise.all(
    Array.from(
      { length: 200 },
      async (_, n) => (await rawGet(`${web.origin(0)}/p/${n}`)).body.length,
    ),
  )
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  assert.ok(mean > 8500 && mean < 11_500, `mean ${mean}`)
  assert.ok(Math.min(...sizes) < 4000 && Math.max(...sizes) > 20_000)
})

test('a crawl from the seed finds exactly the expected URLs', async (t) => {
  const web = await webFor(t, { hosts: 30, pagesPerHost: 12, bytesPerPage: 500, embeds: true })
  const visited = await crawl(web.seeds)
  assert.deepEqual([...visited.keys()].toSorted(), web.expectedUrls().toSorted())
  // Pages, and per host 12 images, one background, one stylesheet and one script.
  assert.equal(visited.size, 30 * (12 + 12 + 3))
  assert.deepEqual(web.refetched(), [])
  assert.equal(web.hits().length, visited.size)
})

test('a crawl of redirects, copies, charsets and soft 404 finds all that can be demanded', async (t) => {
  const kinds = ['redirects', 'charsets', 'directives', 'soft404'] as const
  const web = await webFor(t, {
    hosts: 4,
    pagesPerHost: 3,
    behaviours: [{ kind: 'duplicates', copies: 3 }, ...kinds.map((kind) => ({ kind, on: [1, 3] }))],
  })
  const visited = await crawl(web.seeds)
  // UTF-16 hides its links from the small crawler.
  const missed = web.expectedUrls().filter((url) => !visited.has(url))
  assert.deepEqual(
    missed.map((url) => new URL(url).pathname),
    ['/decoded/utf-16le', '/decoded/utf-16be', '/decoded/utf-16le', '/decoded/utf-16be'],
  )
  for (const url of web.expectedUrls({ onlyPages: true })) {
    if (!url.includes('/decoded/utf-16')) assert.equal(visited.get(url), 200, url)
  }
})

test('hosts answer by address and by name, and unknown hosts and pages are missing', async (t) => {
  const web = await webFor(t, { hosts: 300, named: true, firstAddress: '127.0.20.200' })
  assert.equal(web.origin(17), `http://h17.fake.test:${web.port}`)
  const ask = async (host: string, path = '/p/1'): Promise<string> => {
    const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    return (await exchange({ address: '127.0.9.1', port: web.port }, request)).bytes.toString()
  }
  assert.match(await ask(`H17.fake.test:${web.port}`), /<title>Host 17, page 1</)
  assert.match(await ask('127.0.21.1'), /<title>Host 55, page 1</)
  assert.match(await ask('h300.fake.test'), /^HTTP\/1.1 404 /)
  assert.match(await ask('elsewhere.test'), /^HTTP\/1.1 404 /)
  for (const path of ['/p/10', '/p/007', '/p/1e0', '/p/', '/p/-1', '/p/1.5', '/other']) {
    assert.match(await ask('h17.fake.test', path), /^HTTP\/1.1 404 /, path)
  }
  const [hit] = web.hits()
  assert.equal(hit?.address, '127.0.9.1')
  assert.equal(hit?.host, 'h17.fake.test')
})

test('every request of a pipeline is logged and answered in order, the odd ones too', async (t) => {
  const web = await webFor(t, {
    hosts: 1,
    pagesPerHost: 4,
    behaviours: [{ kind: 'lying' }],
  })
  const host = `127.0.8.1:${web.port}`
  const paths = ['/robots.txt', '/p/0', '/lying/short', '/p/1', '/p/2']
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join('')
  const { bytes } = await exchange(
    { address: '127.0.8.1', port: web.port, timeoutMs: 300 },
    requests,
  )
  const text = bytes.toString('latin1')
  const order = [
    'HTTP/1.1 404',
    'page 0</title>',
    'Not as promised',
    'page 1</title>',
    'page 2</title>',
  ]
  const places = order.map((mark) => text.indexOf(mark))
  assert.ok(!places.includes(-1), text.slice(-200))
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assert.deepEqual(
    web.hits().map(({ path, status }) => [path, status]),
    paths.map((path) => [path, path === '/robots.txt' ? 404 : 200]),
  )
  assert.ok(web.hits().every(({ t: start, end }) => end !== undefined && end >= start))
})

test('a polite client over keep-alive is innocent and a hasty one is caught', async (t) => {
  const web = await webFor(t, { hosts: 2, bytesPerPage: 200_000 })
  const visit = async (pauseMs: number): Promise<void> => {
    for (let n = 0; n < 5; n += 1) {
      await rawGet(`${web.origin(0)}/p/${n}`, { 'user-agent': 'tester' })
      await sleep(pauseMs)
    }
  }
  await visit(60)
  assert.deepEqual(web.violations({ delayMs: 60, per: 'host' }), [])
  assert.equal(web.concurrencyMax('host'), 1)
  assert.equal(web.hits()[0]?.userAgent, 'tester')
  web.forgetHits()
  await visit(10)
  assert.equal(web.violations({ delayMs: 60, per: 'address' }).length, 4)
  assert.equal(web.refetched().length, 0)
})

test('a visitor that leaves in the middle is logged as such, with the time it left', async (t) => {
  const web = await webFor(t, { hosts: 1, behaviours: [{ kind: 'slow', firstByteMs: 60_000 }] })
  const socket = connect(web.port, '127.0.8.1')
  socket.write(`GET /p/0 HTTP/1.1\r\nHost: 127.0.8.1:${web.port}\r\n\r\n`)
  while (web.hits().length === 0) await sleep(5)
  await sleep(100)
  socket.destroy()
  while (web.hits()[0]?.aborted !== true) await sleep(5)
  const [hit] = web.hits()
  const lastedMs = ((hit?.end ?? 0) - (hit?.t ?? 0)) / 1000
  assert.ok(lastedMs > 50 && lastedMs < 30_000, `lasted ${lastedMs} ms`)
})

test('the same pages come over TLS from a second port', async (t) => {
  const web = await webFor(t, { hosts: 2, https: true })
  const body = await new Promise<string>((resolve, reject) => {
    const url = `https://127.0.8.2:${web.securePort}/p/1`
    secureGet(url, { rejectUnauthorized: false }, (response) => {
      let text = ''
      response.on('data', (part: Buffer) => (text += part.toString('latin1')))
      response.on('end', () => resolve(text))
    }).on('error', reject)
  })
  assert.equal(body, (await rawGet(`${web.origin(1)}/p/1`)).body.toString('latin1'))
  assert.match(web.hits()[0]?.url ?? '', /^https:\/\/127\.0\.8\.2:\d+\/p\/1$/)
})

test('a spec that makes no sense is refused with a reason', async () => {
  const refused = { code: 'MINGA_BAD_FAKE_WEB_SPEC' }
  await assert.rejects(startFakeWeb({ hosts: 0 }), refused)
  await assert.rejects(startFakeWeb({ hosts: 1, pagesPerHost: 1.5 }), refused)
  await assert.rejects(startFakeWeb({ hosts: 1, firstAddress: '10.0.0.1' }), refused)
  await assert.rejects(startFakeWeb({ hosts: 300, firstAddress: '127.255.255.1' }), refused)
})
