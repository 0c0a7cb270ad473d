// Goal: a well-behaved server is fetched exactly as asked. Method: node:http servers on loopback that record what they saw.
import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { fetcher, listen, pause, rawServer } from '../../test/http/http-fetch-fixture.ts'
import type { FetchAnswer, FetchFailure, FetchOutcome } from './fetch-outcome.ts'

const LOOPBACK = '127.0.0.1'

function answered(outcome: FetchOutcome): FetchAnswer {
  assert.ok(outcome.ok, JSON.stringify(outcome))
  return outcome
}

function failed(outcome: FetchOutcome): FetchFailure {
  assert.ok(!outcome.ok, 'expected a failure')
  return outcome
}

async function website(
  t: TestContext,
  onRequest: http.RequestListener,
  host = LOOPBACK,
): Promise<number> {
  return listen(t, http.createServer(onRequest), host)
}

test('a page arrives with its status, its headers in order and case, and its body', async (t) => {
  const site = await rawServer(t, (socket) =>
    socket.write(
      'HTTP/1.1 200 Fine\r\nX-Zeta: 1\r\nCONTENT-length: 5\r\nSet-Cookie: a=1\r\nx-alpha: caf\xe9\r\nSet-Cookie: b=2\r\n\r\nhello',
      'latin1',
    ),
  )
  const page = answered(
    await fetcher(t).fetch({ url: `http://a.test:${site.port}/x?y=1`, address: LOOPBACK }),
  )
  assert.equal(page.status, 200)
  assert.equal(page.statusText, 'Fine')
  assert.equal(page.httpVersion, '1.1')
  assert.deepEqual(page.rawHeaders, [
    ['X-Zeta', '1'],
    ['CONTENT-length', '5'],
    ['Set-Cookie', 'a=1'],
    ['x-alpha', 'caf\xe9'],
    ['Set-Cookie', 'b=2'],
  ])
  assert.equal(page.body.toString(), 'hello')
  assert.equal(page.truncated, null)
  assert.equal(page.contentLengthMismatch, false)
  assert.equal(page.address, LOOPBACK)
  assert.ok(page.firstByteMs <= page.totalMs)
})

test('an empty query is requested with its question mark, and a fragment never', async (t) => {
  const site = await rawServer(t, (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  const fetching = fetcher(t)
  for (const path of ['/q?', '/q?#a?b', '/q#?', '/q?a=1#b']) {
    await fetching.fetch({ url: `http://a.test:${site.port}${path}`, address: LOOPBACK })
  }
  const lines = site.requests.map((head) => head.split(' ')[1])
  assert.deepEqual(lines, ['/q?', '/q?', '/q', '/q?a=1'])
})

test('the recorded request headers are byte for byte what the server received', async (t) => {
  const site = await rawServer(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  )
  const fetching = fetcher(t)
  const url = `http://a.test:${site.port}/p?q`
  const requests = [
    { url, address: LOOPBACK },
    { url, address: LOOPBACK, etag: '"v1"', lastModified: 'Sun, 06 Nov 1994 08:49:37 GMT' },
    {
      url,
      address: LOOPBACK,
      headers: [
        ['Accept', 'application/json'],
        ['X-Extra', '1'],
      ] as [string, string][],
    },
    { url, address: LOOPBACK, method: 'HEAD' as const },
  ]
  for (const request of requests) {
    const page = answered(await fetching.fetch(request))
    const lines = page.requestHeaders.map(([name, value]) => `${name}: ${value}`)
    const method = request.method ?? 'GET'
    assert.equal([`${method} /p?q HTTP/1.1`, ...lines].join('\r\n'), site.requests.at(-1))
  }
  assert.match(site.requests[0] ?? '', /^host: a\.test:\d+\r$/m)
  assert.match(site.requests[0] ?? '', /^accept-encoding: gzip, br, zstd, deflate$/m)
  assert.match(
    site.requests[1] ?? '',
    /^if-none-match: "v1"\r\nif-modified-since: Sun, 06 Nov 1994/m,
  )
  assert.doesNotMatch(site.requests[2] ?? '', /text\/html/)
})

test('a form is posted as it is written, once, and its answer is read like any other', async (t) => {
  const site = await rawServer(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nin'),
  )
  const page = answered(
    await fetcher(t).fetch({
      url: `http://a.test:${site.port}/log-in`,
      address: LOOPBACK,
      method: 'POST',
      headers: [['content-type', 'application/x-www-form-urlencoded']],
      body: 'name=Ana%40minga&password=%C3%A9',
    }),
  )
  assert.equal(page.body.toString(), 'in')
  assert.equal(site.requests.length, 1)
  assert.match(site.requests[0] ?? '', /^POST \/log-in HTTP\/1\.1\r\n/)
  assert.match(site.requests[0] ?? '', /^content-length: 32\r?$/m)
})

test('an ETag that cannot be sent back is left out instead of failing the request', async (t) => {
  const site = await rawServer(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  )
  const url = `http://a.test:${site.port}/`
  answered(
    await fetcher(t).fetch({
      url,
      address: LOOPBACK,
      etag: 'x\r\nEvil: 1',
      lastModified: '\u0000',
    }),
  )
  assert.doesNotMatch(site.requests[0] ?? '', /Evil|if-none|if-mod/i)
})

test('a header that HTTP cannot carry is a failure, not an exception', async (t) => {
  const site = await rawServer(t, () => {})
  const headers: [string, string][] = [['bad name', 'x']]
  const outcome = failed(
    await fetcher(t).fetch({ url: `http://a.test:${site.port}/`, address: LOOPBACK, headers }),
  )
  assert.equal(outcome.code, 'MINGA_REQUEST_INVALID')
  assert.equal(site.requests.length, 0)
})

test('redirects are answers and cookies are not kept', async (t) => {
  const cookies: (string | undefined)[] = []
  const port = await website(t, (request, response) => {
    cookies.push(request.headers.cookie)
    response.writeHead(302, { location: '/next', 'set-cookie': 'a=1' }).end()
  })
  const fetching = fetcher(t)
  for (let i = 0; i < 2; i++) {
    assert.equal(
      answered(await fetching.fetch({ url: `http://a.test:${port}/`, address: LOOPBACK })).status,
      302,
    )
  }
  assert.deepEqual(cookies, [undefined, undefined])
})

test('content encodings are kept as received while chunked transfer is undone', async (t) => {
  const port = await website(t, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.write(Buffer.from([0x1f, 0x8b]))
    response.end(Buffer.from([1, 2, 3]))
  })
  const page = answered(
    await fetcher(t).fetch({ url: `http://a.test:${port}/`, address: LOOPBACK }),
  )
  assert.deepEqual([...page.body], [0x1f, 0x8b, 1, 2, 3])
})

test('HEAD has no body and no length complaint', async (t) => {
  const port = await website(t, (_request, response) =>
    response.writeHead(200, { 'content-length': 99 }).end(),
  )
  const page = answered(
    await fetcher(t).fetch({ url: `http://a.test:${port}/`, address: LOOPBACK, method: 'HEAD' }),
  )
  assert.equal(page.body.length, 0)
  assert.equal(page.contentLengthMismatch, false)
})

test('IPv6 is dialled, by literal and by name', async (t) => {
  const hosts: (string | undefined)[] = []
  const port = await website(
    t,
    (request, response) => {
      hosts.push(request.headers.host)
      response.end('six')
    },
    '::1',
  )
  const fetching = fetcher(t)
  for (const host of ['[::1]', 'six.test']) {
    const page = answered(await fetching.fetch({ url: `http://${host}:${port}/`, address: '::1' }))
    assert.equal(page.body.toString(), 'six')
  }
  assert.deepEqual(hosts, [`[::1]:${port}`, `six.test:${port}`])
})

test('only the given address is dialled, and names or private addresses never', async (t) => {
  const site = await rawServer(t, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  )
  const url = `http://a.test:${site.port}/`
  const open = fetcher(t)
  assert.equal(
    failed(await open.fetch({ url, address: 'localhost' })).code,
    'MINGA_ADDRESS_REFUSED',
  )
  const guarded = fetcher(
    t,
    {},
    { guard: { allowPrivateAddresses: false, allowedPorts: [site.port] } },
  )
  const refused = failed(await guarded.fetch({ url, address: LOOPBACK }))
  assert.equal(refused.code, 'MINGA_ADDRESS_REFUSED')
  assert.equal(refused.retry, 'never')
  assert.equal(
    failed(await open.fetch({ url: 'ftp://a.test/', address: LOOPBACK })).code,
    'MINGA_ADDRESS_REFUSED',
  )
  assert.equal(
    failed(await open.fetch({ url: 'not a url', address: LOOPBACK })).code,
    'MINGA_REQUEST_INVALID',
  )
  assert.equal(site.connections, 0)
})

test('proxy settings of the environment are ignored', async (t) => {
  const proxy = await rawServer(t, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  )
  const site = await rawServer(t, (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  const before = process.env['http_proxy']
  process.env['http_proxy'] = `http://${LOOPBACK}:${proxy.port}`
  t.after(() => {
    if (before === undefined) delete process.env['http_proxy']
    else process.env['http_proxy'] = before
  })
  const page = answered(
    await fetcher(t).fetch({ url: `http://a.test:${site.port}/`, address: LOOPBACK }),
  )
  assert.equal(page.status, 204)
  assert.equal(proxy.connections, 0)
})

test('one origin at one address uses one connection, also for requests at the same time', async (t) => {
  const site = await rawServer(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  const fetching = fetcher(t)
  const url = `http://a.test:${site.port}/`
  await Promise.all(Array.from({ length: 20 }, () => fetching.fetch({ url, address: LOOPBACK })))
  answered(await fetching.fetch({ url, address: LOOPBACK }))
  assert.equal(site.requests.length, 21)
  assert.equal(site.connections, 1)
})

test('the first request on a connection tells how long it took to open, those that use it again do not', async (t) => {
  const port = await website(t, (request, response) => {
    if (request.url === '/last') response.setHeader('connection', 'close')
    setTimeout(() => response.end('x'), 100)
  })
  const fetching = fetcher(t)
  const told: (number | null)[] = []
  for (const path of ['/', '/again', '/last', '/anew']) {
    const url = `http://a.test:${port}${path}`
    const page = answered(await fetching.fetch({ url, address: LOOPBACK }))
    assert.ok(page.firstByteMs >= 99)
    told.push(page.connectMs ?? null)
  }
  const [first, again, last, anew] = told
  assert.deepEqual([again, last], [null, null])
  for (const ms of [first, anew]) {
    assert.ok(
      typeof ms === 'number' && ms > 0 && ms < 90,
      `${ms} ms, without the server's thinking`,
    )
  }
})

test('idle connections beyond the cap are closed, the one used longest ago first', async (t) => {
  const closed: string[] = []
  const port = await website(t, (request, response) => {
    const host = String(request.headers.host).split(':', 1)[0] ?? ''
    if (request.socket.listenerCount('minga-seen') === 0) {
      request.socket.on('minga-seen', () => {})
      request.socket.on('close', () => closed.push(host))
    }
    response.end('ok')
  })
  const fetching = fetcher(t, {}, { connectionsMax: 2 })
  for (const name of ['a', 'b', 'a', 'c']) {
    answered(await fetching.fetch({ url: `http://${name}.test:${port}/`, address: LOOPBACK }))
  }
  for (let i = 0; i < 4_000 && closed.length === 0; i++) await pause(5)
  assert.deepEqual(closed, ['b.test'])
})

test('hundreds of hosts and addresses never hold more connections than busy and idle ones together', async (t) => {
  const server = http.createServer((_request, response) => response.end('ok'))
  let open = 0
  let peak = 0
  server.on('connection', (socket) => {
    peak = Math.max(peak, ++open)
    socket.on('close', () => open--)
  })
  const port = await listen(t, server, '0.0.0.0')
  const fetching = fetcher(t, {}, { connectionsMax: 20 })
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < 600) {
      const address = `127.7.${next % 200}.${1 + (next % 3)}`
      answered(await fetching.fetch({ url: `http://h${next++}.test:${port}/`, address }))
    }
  }
  await Promise.all(Array.from({ length: 10 }, lane))
  // Both sides run in this process and closing takes a turn of the loop, hence some slack.
  assert.ok(peak <= 20 + 10 + 20, `${peak} connections`)
})

test('a cancelled fetch ends at once and its request is never sent when it was still waiting', async (t) => {
  const site = await rawServer(t, () => {})
  const fetching = fetcher(t)
  const url = `http://a.test:${site.port}/`
  const stop = new AbortController()
  const both = [1, 2].map(() => fetching.fetch({ url, address: LOOPBACK, signal: stop.signal }))
  for (let i = 0; i < 4_000 && site.requests.length === 0; i++) await pause(5)
  stop.abort()
  for (const outcome of await Promise.all(both))
    assert.equal(failed(outcome).code, 'MINGA_CANCELLED')
  const late = await fetching.fetch({ url, address: LOOPBACK, signal: stop.signal })
  assert.equal(failed(late).code, 'MINGA_CANCELLED')
  await pause(50)
  assert.equal(site.requests.length, 1)
})

test('closing the fetcher cancels what is under way and refuses what comes later', async (t) => {
  const site = await rawServer(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhal'),
  )
  const fetching = fetcher(t)
  const url = `http://a.test:${site.port}/`
  const underWay = fetching.fetch({ url, address: LOOPBACK })
  for (let i = 0; i < 4_000 && site.requests.length === 0; i++) await pause(5)
  await fetching.close()
  assert.equal(failed(await underWay).code, 'MINGA_CANCELLED')
  assert.equal(failed(await fetching.fetch({ url, address: LOOPBACK })).code, 'MINGA_CANCELLED')
})

test('a closed port is a refused connection, to be tried later', async (t) => {
  const server = http.createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, LOOPBACK, () => resolve((server.address() as { port: number }).port))
  })
  await new Promise((resolve) => server.close(resolve))
  const outcome = failed(
    await fetcher(t).fetch({ url: `http://a.test:${port}/`, address: LOOPBACK }),
  )
  assert.equal(outcome.code, 'MINGA_CONNECT_REFUSED')
  assert.equal(outcome.retry, 'later')
})
