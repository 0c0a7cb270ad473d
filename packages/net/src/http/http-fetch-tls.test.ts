// Goal: https is trusted only when it should be, and HTTP/2 gives the same outcomes as HTTP/1.1. Method: certificates made by openssl, node:https and node:http2 servers.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http2 from 'node:http2'
import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TestContext } from 'node:test'
import tls from 'node:tls'
import { fetcher, listen, pause } from '../../test/http/http-fetch-fixture.ts'
import type { Fetcher, FetchLimits } from './http-fetch.ts'

const address = '127.0.0.1'
const folder = mkdtempSync(join(tmpdir(), 'minga-tls-'))
after(() => rmSync(folder, { recursive: true }))

function certificate(name: string, days: number): { key: string; cert: string } {
  const files = { key: join(folder, `${name}.key`), cert: join(folder, `${name}.pem`) }
  const subject = [
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=DNS:${name},DNS:*.${name},IP:127.0.0.1`,
  ]
  const kind = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
  ]
  execFileSync(
    'openssl',
    [...kind, '-days', String(days), '-keyout', files.key, '-out', files.cert, ...subject],
    { stdio: 'ignore' },
  )
  return { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8') }
}

const good = certificate('good.test', 2)

function trusting(t: TestContext, limits: Partial<FetchLimits> = {}): Fetcher {
  return fetcher(t, limits, { tls: { ca: good.cert } })
}

type OnStream = (stream: ServerHttp2Stream, path: string, session: ServerHttp2Session) => void

interface H2Site {
  port: number
  paths: string[]
  sessions: number
  server: Http2SecureServer
}

async function h2Site(t: TestContext, onStream: OnStream): Promise<H2Site> {
  const server = http2.createSecureServer({ ...good, allowHTTP1: true })
  const site: H2Site = { port: 0, paths: [], sessions: 0, server }
  server.on('session', (session) => {
    site.sessions++
    session.on('error', () => {})
  })
  server.on('stream', (stream, headers) => {
    const path = String(headers[':path'])
    site.paths.push(path)
    stream.on('error', () => {})
    onStream(stream, path, stream.session as ServerHttp2Session)
  })
  site.port = await listen(t, server)
  return site
}

test('https is fetched with the host as server name while another address is dialled', async (t) => {
  const names: string[] = []
  const server = https.createServer(
    { ...good, ALPNProtocols: ['http/1.1'] },
    (request, response) => {
      names.push(`${(request.socket as tls.TLSSocket).servername} ${request.headers.host}`)
      response.end('safe')
    },
  )
  const port = await listen(t, server)
  const page = await trusting(t).fetch({ url: `https://www.good.test:${port}/`, address })
  assert.ok(page.ok, JSON.stringify(page))
  assert.equal(page.httpVersion, '1.1')
  assert.equal(page.body.toString(), 'safe')
  assert.deepEqual(names, [`www.good.test www.good.test:${port}`])
  const dotted = await trusting(t).fetch({ url: `https://good.test.:${port}/`, address })
  assert.ok(dotted.ok, JSON.stringify(dotted))
  assert.equal(names[1], `good.test good.test.:${port}`)
  const literal = await trusting(t).fetch({ url: `https://127.0.0.1:${port}/`, address })
  assert.ok(literal.ok, JSON.stringify(literal))
})

test('a certificate that is untrusted or for another name is never accepted, except by an option', async (t) => {
  let requests = 0
  const server = https.createServer({ ...good }, (_request, response) => {
    requests++
    response.end('unsafe')
  })
  const port = await listen(t, server)
  const untrusted = await fetcher(t).fetch({ url: `https://good.test:${port}/`, address })
  const misnamed = await trusting(t).fetch({ url: `https://evil.test:${port}/`, address })
  for (const outcome of [untrusted, misnamed]) {
    assert.ok(!outcome.ok)
    assert.equal(outcome.code, 'MINGA_TLS_FAILED', outcome.message)
    assert.equal(outcome.retry, 'never')
  }
  assert.equal(requests, 0)
  const lenient = fetcher(t, {}, { tls: { rejectUnauthorized: false } })
  assert.ok((await lenient.fetch({ url: `https://evil.test:${port}/`, address })).ok)
})

test('a server that does not speak TLS is a TLS failure', async (t) => {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  const port = await listen(t, server)
  const outcome = await trusting(t).fetch({ url: `https://good.test:${port}/`, address })
  assert.ok(!outcome.ok)
  assert.equal(outcome.code, 'MINGA_TLS_FAILED', outcome.message)
})

test('a handshake that never ends is a connect timeout, one that is reset a lost connection', async (t) => {
  const silent = await listen(
    t,
    net.createServer((socket) => void socket.on('error', () => {})),
  )
  const slow = await trusting(t, { connectMs: 200 }).fetch({
    url: `https://good.test:${silent}/`,
    address,
  })
  assert.ok(!slow.ok)
  assert.equal(slow.code, 'MINGA_CONNECT_TIMEOUT', slow.message)
  const resetting = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.resetAndDestroy())
  })
  const port = await listen(t, resetting)
  const reset = await trusting(t).fetch({ url: `https://good.test:${port}/`, address })
  assert.ok(!reset.ok)
  assert.equal(reset.code, 'MINGA_CONNECTION_LOST', reset.message)
})

/** So long that a busy machine does not take it for connecting. */
const HANDSHAKE_MS = 800

test('the time to connect ends before TLS begins: a slow handshake does not make a host far', async (t) => {
  const inner = https.createServer({ ...good }, (_request, response) => response.end('safe'))
  const port = await listen(t, inner)
  const slow = net.createServer((socket) => {
    const onwards = net.connect(port, address)
    for (const end of [socket, onwards]) end.on('error', () => {})
    setTimeout(() => socket.pipe(onwards).pipe(socket), HANDSHAKE_MS)
  })
  const url = `https://good.test:${await listen(t, slow)}/`
  const fetching = trusting(t)
  const page = await fetching.fetch({ url, address })
  assert.ok(page.ok, JSON.stringify(page))
  assert.ok(page.firstByteMs >= HANDSHAKE_MS - 1)
  assert.ok(
    typeof page.connectMs === 'number' && page.connectMs < HANDSHAKE_MS / 2,
    `${page.connectMs} ms`,
  )
  const again = await fetching.fetch({ url, address })
  assert.ok(again.ok && again.connectMs === null)
})

test('HTTP/2 is spoken when the server offers it, on one connection', async (t) => {
  const seen: http2.IncomingHttpHeaders[] = []
  const site = await h2Site(t, (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/html', 'set-cookie': ['a=1', 'b=2'] })
    stream.end('two')
  })
  site.server.on('stream', (_stream, headers) => seen.push(headers))
  const fetching = trusting(t)
  const url = `https://good.test:${site.port}/x?y`
  const pages = await Promise.all(
    [1, 2, 3].map(() => fetching.fetch({ url, address, etag: '"v"' })),
  )
  for (const page of pages) {
    assert.ok(page.ok, JSON.stringify(page))
    assert.equal(page.httpVersion, '2')
    assert.equal(page.body.toString(), 'two')
    assert.deepEqual(page.rawHeaders.slice(0, 3), [
      ['content-type', 'text/html'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ])
    assert.deepEqual(page.requestHeaders[0], ['host', `good.test:${site.port}`])
    assert.ok(!page.requestHeaders.some(([name]) => name === 'connection'))
  }
  assert.equal(site.sessions, 1)
  assert.equal(seen[0]?.[':authority'], `good.test:${site.port}`)
  assert.equal(seen[0]?.['if-none-match'], '"v"')
})

test('over HTTP/2 bodies are cut by length and by time, and the connection lives on', async (t) => {
  const site = await h2Site(t, (stream, path) => {
    stream.respond({ ':status': 200 })
    if (path === '/big') stream.end(Buffer.alloc(200_000, 'b'))
    else if (path === '/ok') stream.end('ok')
    else stream.write('slow')
  })
  const fetching = trusting(t, { bodyBytesMax: 50_000, totalMs: 300 })
  const get = (path: string): ReturnType<Fetcher['fetch']> =>
    fetching.fetch({ url: `https://good.test:${site.port}${path}`, address })
  const big = await get('/big')
  assert.ok(big.ok)
  assert.deepEqual([big.truncated, big.body.length], ['length', 50_000])
  const small = await get('/ok')
  assert.ok(small.ok && small.truncated === null)
  assert.equal(site.sessions, 1)
  const slow = await get('/slow')
  assert.ok(slow.ok)
  assert.deepEqual([slow.truncated, slow.body.toString()], ['time', 'slow'])
  // After a time-out the connection is suspected dead and replaced.
  assert.ok((await get('/ok')).ok)
  assert.equal(site.sessions, 2)
})

test('over HTTP/2 a stream or connection that breaks is an outcome, and no request is repeated', async (t) => {
  const site = await h2Site(t, (stream, path, session) => {
    if (path === '/refused') stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
    else if (path === '/reset') stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)
    else if (path === '/goaway')
      session.goaway(http2.constants.NGHTTP2_NO_ERROR, Number(stream.id) - 2)
    else if (path === '/destroy') session.socket.destroy()
    else if (path === '/short') {
      stream.respond({ ':status': 200, 'content-length': 100 })
      stream.end('part')
    } else if (path === '/cut') {
      stream.respond({ ':status': 200 })
      stream.write('part')
      setTimeout(() => stream.destroy(new Error('cut')), 30)
    } else if (path === '/lost') {
      stream.respond({ ':status': 200 })
      stream.write('part')
      setTimeout(() => session.socket.destroy(), 30)
    } else {
      stream.respond({ ':status': 200 })
      stream.end('ok')
    }
  })
  const fetching = trusting(t, { totalMs: 3000 })
  const get = (path: string): ReturnType<Fetcher['fetch']> =>
    fetching.fetch({ url: `https://good.test:${site.port}${path}`, address })
  for (const path of ['/refused', '/reset', '/goaway', '/destroy']) {
    const outcome = await get(path)
    assert.ok(!outcome.ok, path)
    assert.match(outcome.code, /MINGA_(CONNECTION_LOST|BAD_RESPONSE)/, path)
    assert.ok((await get('/fine')).ok, `after ${path}`)
  }
  for (const path of ['/short', '/cut', '/lost']) {
    const outcome = await get(path)
    assert.ok(outcome.ok, path)
    assert.deepEqual([outcome.truncated, outcome.body.toString()], ['disconnect', 'part'], path)
    assert.equal(outcome.contentLengthMismatch, path === '/short')
  }
  await pause(100)
  const counts = new Map(
    site.paths.map((path) => [path, site.paths.filter((other) => other === path).length]),
  )
  assert.equal(counts.get('/fine'), 4)
  for (const path of ['/refused', '/reset', '/goaway', '/destroy', '/short', '/cut', '/lost']) {
    assert.equal(counts.get(path), 1, path)
  }
})

test('a graceful GOAWAY lets the answer under way finish and moves later requests to a new connection', async (t) => {
  const site = await h2Site(t, (stream, path, session) => {
    stream.respond({ ':status': 200 })
    if (path !== '/last') return void stream.end('ok')
    session.goaway(http2.constants.NGHTTP2_NO_ERROR)
    setTimeout(() => stream.end('whole'), 50)
  })
  const fetching = trusting(t)
  const last = await fetching.fetch({ url: `https://good.test:${site.port}/last`, address })
  assert.ok(last.ok, JSON.stringify(last))
  assert.deepEqual([last.body.toString(), last.truncated], ['whole', null])
  assert.ok((await fetching.fetch({ url: `https://good.test:${site.port}/`, address })).ok)
  assert.equal(site.sessions, 2)
})

test('HTTP/2 headers beyond the limit are refused', async (t) => {
  const site = await h2Site(t, (stream) => {
    stream.respond({ ':status': 200, 'x-big': 'y'.repeat(5000) })
    stream.end('ok')
  })
  const outcome = await trusting(t, { headerBytesMax: 2000 }).fetch({
    url: `https://good.test:${site.port}/`,
    address,
  })
  assert.ok(!outcome.ok)
  assert.equal(outcome.code, 'MINGA_HEADERS_TOO_LARGE')
})

/** One HTTP/2 frame by hand (RFC 9113, 4.1), for what node:http2 refuses to send. */
function frame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}

const [DATA, HEADERS, RST_STREAM, SETTINGS] = [0, 1, 3, 4]
const END_HEADERS = 4
/** `:status: 200` in HPACK's static table. */
const STATUS_200 = Buffer.from([0x88])

// NO_ERROR (0) and CANCEL (8) cannot be tested: Node ends the stream as if it were whole, and without
// a Content-Length nothing tells the difference.
for (const code of [1, 2, 5, 11]) {
  test(`an HTTP/2 body cut by RST_STREAM with code ${code} is not taken for whole`, async (t) => {
    const server = tls.createServer({ ...good, ALPNProtocols: ['h2'] }, (socket) => {
      socket.on('error', () => {})
      socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)))
      socket.on('data', (data: Buffer) => {
        // The client's HEADERS frame follows its preface and settings; its stream is the first, 1.
        if (!data.includes(Buffer.from([HEADERS, 5, 0, 0, 0, 1]))) return
        socket.write(frame(HEADERS, END_HEADERS, 1, STATUS_200))
        socket.write(frame(DATA, 0, 1, Buffer.from('part')))
        setTimeout(() => socket.write(frame(RST_STREAM, 0, 1, Buffer.from([0, 0, 0, code]))), 30)
      })
    })
    const port = await listen(t, server)
    const outcome = await trusting(t, { totalMs: 2000 }).fetch({
      url: `https://good.test:${port}/`,
      address,
    })
    assert.ok(outcome.ok, JSON.stringify(outcome))
    assert.deepEqual([outcome.truncated, outcome.body.toString()], ['disconnect', 'part'])
  })
}

test('garbage after the HTTP/2 handshake ends as an outcome', async (t) => {
  const server = tls.createServer({ ...good, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => {})
    socket.end('HTTP/1.1 200 OK\r\n\r\nthis is not HTTP/2')
  })
  const port = await listen(t, server)
  const outcome = await trusting(t, { totalMs: 2000 }).fetch({
    url: `https://good.test:${port}/`,
    address,
  })
  assert.ok(!outcome.ok)
  assert.match(outcome.code, /MINGA_(CONNECTION_LOST|BAD_RESPONSE)/, outcome.message)
})

test('the certificate is reported, also of a connection that resumes a session', async (t) => {
  const server = https.createServer({ ...good, ALPNProtocols: ['http/1.1'] }, (_, response) => {
    response.setHeader('connection', 'close')
    response.end('safe')
  })
  const resumed: boolean[] = []
  server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()))
  const port = await listen(t, server)
  const client = trusting(t)
  const { fingerprint256, validToDate } = new X509Certificate(good.cert)
  for (let visits = 0; visits < 3; visits++) {
    const page = await client.fetch({ url: `https://www.good.test:${port}/`, address })
    assert.ok(page.ok, JSON.stringify(page))
    assert.deepEqual(page.certificate, {
      digest: `sha256:${fingerprint256.replaceAll(':', '').toLowerCase()}`,
      issuer: 'CN=good.test',
      subject: 'CN=good.test',
      validUntil: validToDate.getTime(),
    })
    await pause(50)
  }
  assert.ok(resumed.includes(true), 'a session was resumed')
  const plain = await fetcher(t).fetch({ url: 'http://127.0.0.1:1/', address })
  assert.ok(!plain.ok)
})

test('a machine with several addresses dials from the given one', async (t) => {
  const from: (string | undefined)[] = []
  const server = https.createServer(good, (request, response) => {
    from.push(request.socket.remoteAddress)
    response.end()
  })
  const port = await listen(t, server)
  const client = fetcher(t, {}, { tls: { ca: good.cert }, localAddress: '127.0.86.7' })
  const page = await client.fetch({ url: `https://www.good.test:${port}/`, address })
  assert.ok(page.ok, JSON.stringify(page))
  assert.deepEqual(from, ['127.0.86.7'])
})
