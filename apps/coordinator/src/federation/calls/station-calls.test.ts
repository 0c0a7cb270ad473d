// Goal: a station accepts only calls of stations of its federation, each call once and unaltered;
// no one on the way can read or change it. Method: the real client against the real server side
// over HTTP and HTTPS on loopback.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { GuardPolicy, Resolution } from '@minga/net'
import { STATION_HEADERS, isMingaError, newDeviceKeys } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import { z } from 'zod'
import { SKEW_MS } from '../timing.ts'
import { StationCallRefused } from '../errors.ts'
import {
  SOME_STATION,
  SignedCalls,
  packJson,
  unpackJson,
  withGuardedUrls,
  type Callee,
} from './station-calls.ts'
import { StationAuthenticator, type SignedStationCall } from './station-authenticator.ts'
import { identityOf, type StationIdentity } from './station-keys.ts'

const START = Date.UTC(2026, 4, 6)
const newIdentity = (): StationIdentity => identityOf(newDeviceKeys())
const lima = newIdentity()
const quito = newIdentity()
const stranger = newIdentity()
const folder = mkdtempSync(join(tmpdir(), 'minga-calls-'))
const open: { close(): void }[] = []
after(() => {
  for (const one of open) one.close()
  rmSync(folder, { recursive: true })
})

interface Side {
  url: string
  /** What it was asked, as it came. */
  heard: SignedStationCall[]
  authenticator: StationAuthenticator
  clock: ReturnType<typeof createVirtualClock>
}

/** Quito listens and answers with who called. */
async function listening(tls?: { cert: string; key: string }): Promise<Side> {
  const clock = createVirtualClock(START)
  const authenticator = new StationAuthenticator({
    clock,
    self: () => quito.id,
    publicKeyOf: (id) => (id === lima.id ? lima.publicKey : null),
  })
  const heard: SignedStationCall[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const call = { method, path, headers, body: Buffer.concat(chunks) }
    heard.push(call)
    try {
      response.end(`hello ${authenticator.meet(call)}`)
    } catch (error) {
      const { code, message } = error as { code: string; message: string }
      response.writeHead(403).end(JSON.stringify({ error: { code, message } }))
    }
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response)
  const server: Server = tls ? createHttps(tls, listener) : createHttp(listener)
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, heard, authenticator, clock }
}

let nonces = 0

const resolved = (name: string): Resolution => ({
  ok: true,
  addresses: [/^[\d.]+$/.test(name) ? name : (resolutions.get(name) ?? '127.0.0.1')],
})
const resolutions = new Map<string, string>()
const INSIDE: GuardPolicy = { allowPrivateAddresses: true }
const OUTSIDE: GuardPolicy = { allowPrivateAddresses: false }

function caller(
  side: Side,
  identity = lima,
  { guard = INSIDE, ...more }: Partial<Callee> & { guard?: GuardPolicy } = {},
): SignedCalls {
  const callee: Callee = { id: quito.id, name: 'Quito', url: side.url, ca: null, ...more }
  const calls = new SignedCalls({
    clock: side.clock,
    identity: async () => identity,
    stationOf: (id) => (id === quito.id ? callee : null),
    newNonce: () => `nonce ${++nonces}`,
    resolver: { resolve: async (name) => resolved(name) },
    guard,
  })
  open.push(calls)
  return calls
}

const say = (calls: SignedCalls, text = 'a body'): Promise<Buffer> =>
  calls.post(quito.id, '/federation/batch', Buffer.from(text))

const refused = { code: 'MINGA_STATION_CALL_REFUSED' }

test('a station of the federation is let in and known by its key', async () => {
  const side = await listening()
  assert.equal((await say(caller(side))).toString(), `hello ${lima.id}`)
  assert.equal(side.heard[0]!.body.toString(), 'a body')
})

test('a caller with another key, or from outside the federation, is rejected', async () => {
  const side = await listening()
  const posing = { ...stranger, id: lima.id }
  await assert.rejects(say(caller(side, posing)), refused)
  await assert.rejects(say(caller(side, stranger)), {
    ...refused,
    message: /is not a member of this federation/,
  })
})

test('what was changed on the way is refused: body, path, method, time, sender and receiver', async () => {
  const side = await listening()
  await say(caller(side))
  const call = side.heard[0]!
  const header = (name: keyof typeof STATION_HEADERS, value: string): SignedStationCall => ({
    ...call,
    headers: { ...call.headers, [STATION_HEADERS[name]]: value },
  })
  const changed: SignedStationCall[] = [
    { ...call, body: Buffer.from('another body') },
    { ...call, path: '/federation/leave' },
    { ...call, method: 'GET' },
    header('time', String(START + 1)),
    header('nonce', 'another nonce'),
    header('from', quito.id),
    header('to', stranger.id),
    header('signature', 'AAAA'),
    header('signature', ''),
    { ...call, headers: {} },
  ]
  for (const one of changed) assert.throws(() => side.authenticator.meet(one), refused)
})

test('whose a large call is, is checked before its body is there', async () => {
  const side = await listening()
  await say(caller(side))
  const { body: _body, ...head } = side.heard[0]!
  const require = (headers: SignedStationCall['headers'], isLarge = true): string =>
    side.authenticator.requireKnown(
      { ...head, headers: { ...head.headers, ...headers } },
      { isLarge },
    )
  assert.equal(require({}), lima.id)
  const digest = { [STATION_HEADERS.digest]: 'f'.repeat(64) }
  assert.throws(() => require(digest), { ...refused, message: /does not match its content/ })
  const without = { [STATION_HEADERS.digest]: undefined }
  assert.throws(() => require(without), { ...refused, message: /no digest of its body/ })
  assert.equal(require(without, false), lima.id, 'small calls of older stations are still received')
})

test('a call that is repeated is refused, for as long as its time would be accepted', async () => {
  const side = await listening()
  await say(caller(side))
  const call = side.heard[0]!
  assert.throws(() => side.authenticator.meet(call), {
    ...refused,
    message: /has already been received/,
  })
  await side.clock.advance(SKEW_MS)
  assert.throws(() => side.authenticator.meet(call), {
    ...refused,
    message: /has already been received/,
  })
  await side.clock.advance(1)
  assert.throws(() => side.authenticator.meet(call), { code: 'MINGA_CLOCKS_APART' })
})

test('stations whose clocks are more than a minute apart get an error that says so', async () => {
  const side = await listening()
  const clock = createVirtualClock(START + SKEW_MS + 1_000)
  const calls = caller({ ...side, clock })
  await assert.rejects(say(calls), {
    code: 'MINGA_CLOCKS_APART',
    message: /differ by 61 s, which is more than a minute/,
  })
})

test('a stranger who joins shows that the key is its own, and only for that', async () => {
  const side = await listening()
  const someone = { id: SOME_STATION, name: 'Quito', url: side.url, ca: null }
  const message = { method: 'POST', path: '/federation/join', patienceMs: 5_000 } as const
  const body = Buffer.from('let me in')
  await assert.rejects(caller(side, stranger).callAt(someone, { ...message, body }), refused)
  const call = side.heard[0]!
  assert.equal(side.authenticator.meetStranger(call, stranger.publicKey), stranger.id)
  assert.throws(() => side.authenticator.meetStranger(call, stranger.publicKey), refused)
  assert.throws(() => side.authenticator.meetStranger(call, lima.publicKey), refused)
})

test('a station that does not answer is away, and its error sentence is passed on', async () => {
  const side = await listening()
  const closed = await listening()
  open.splice(open.length - 1, 1)[0]!.close()
  const nowhere = caller(side, lima, { url: closed.url })
  await assert.rejects(say(nowhere), { code: 'MINGA_STATION_AWAY', retry: 'later' })
  await assert.rejects(caller(side).post('st_nobody', '/', Buffer.alloc(0)), refused)
})

test('plain http is for this machine only', async () => {
  const side = await listening()
  for (const url of ['http://10.0.0.1:7700', 'http://lima.example', 'ftp://lima.example', 'lima']) {
    await assert.rejects(say(caller(side, lima, { url })), { code: 'MINGA_BAD_STATION_URL' })
  }
})

test('an address inside our network is not called, whatever name leads there, checked at each call', async () => {
  const side = await listening()
  const port = new URL(side.url).port
  const inner = [
    'http://127.0.0.1:7700',
    'https://10.0.0.1',
    'https://[::1]',
    'https://db.internal',
  ]
  for (const url of [...inner, 'https://lima.example:6379']) {
    const calls = caller(side, lima, { url, guard: OUTSIDE })
    await assert.rejects(
      say(calls),
      { code: 'MINGA_BAD_STATION_URL', message: /may not be called/ },
      url,
    )
  }
  // Where private addresses are allowed, the credentials of a cloud machine are still not within reach.
  resolutions.set('lima.example', '169.254.169.254')
  const named = caller(side, lima, { url: `https://lima.example:${port}` })
  await assert.rejects(say(named), { code: 'MINGA_BAD_STATION_URL', message: /may not be called/ })
  resolutions.set('lima.example', '192.168.1.1')
  const outside = caller(side, lima, { url: `https://lima.example:${port}`, guard: OUTSIDE })
  await assert.rejects(say(outside), { code: 'MINGA_BAD_STATION_URL' })
  assert.deepEqual(side.heard, [])
})

test('what a registrar says of others is stored without addresses inside our network', () => {
  const station = { id: 'a', name: 'A', publicKey: '', ca: null, branch: '', capacity: 1 }
  const row = { ...station, state: 'active' as const, keeper: null }
  const urls = ['https://a.example:7700', 'https://127.0.0.1:7700', 'http://a.example', 'nonsense']
  const stored = withGuardedUrls(
    urls.map((url) => ({ ...row, url })),
    OUTSIDE,
  )
  assert.deepEqual(
    stored.map(({ url }) => url),
    ['https://a.example:7700', '', '', ''],
  )
})

const noOpenssl = spawnSync('openssl', ['version']).error ? 'openssl is not installed' : false

test(
  'over https a self-signed certificate counts for the station that published it',
  { skip: noOpenssl },
  async () => {
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const names = ['-subj', '/CN=quito', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '30']
    const files = ['-keyout', keyFile, '-out', certFile]
    execFileSync('openssl', ['req', ...options, ...names, ...files], { stdio: 'ignore' })
    const cert = readFileSync(certFile, 'utf8')
    const side = await listening({ cert, key: readFileSync(keyFile, 'utf8') })
    const unknown = await say(caller(side)).catch((error: unknown) => error)
    assert.ok(isMingaError(unknown) && unknown.code === 'MINGA_STATION_AWAY')
    assert.equal((await say(caller(side, lima, { ca: cert }))).toString(), `hello ${lima.id}`)
  },
)

// Goal: no body of another station keeps the main loop from others. Method: hand-made bodies.

test('a body of more values than any call has is refused before it is parsed', () => {
  const graph = Array.from({ length: 100_000 }, (_, i) => ({ host: 'a.test', pages: i, links: 1 }))
  assert.deepEqual(unpackJson(packJson(graph), z.unknown()), graph)
  const zeros = packJson(Array.from({ length: 4_000_000 }, () => 0))
  assert.throws(() => unpackJson(zeros, z.unknown()), StationCallRefused)
})

test('what is no packed JSON is refused', () => {
  assert.throws(() => unpackJson(Buffer.from('no frame'), z.unknown()), StationCallRefused)
})
