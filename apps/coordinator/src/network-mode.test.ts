// Goal: a station that can be reached from elsewhere shows nothing to callers whom it does not know, also where only a
// proxy on its own machine calls it. Method: real coordinators, asked as browsers and proxies ask.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../packages/store/test/contract-engines.ts'
import { startCoordinator, type Coordinator, type CoordinatorSettings } from './start.ts'

const PASSWORD = 'seven brown llamas walk'

async function start(
  t: TestContext,
  changes: Partial<CoordinatorSettings> = {},
): Promise<Coordinator> {
  const listen = { host: '127.0.0.1', port: 0 }
  const settings = { data: temporaryFolder(), listen, allowPrivateAddresses: false, ...changes }
  const station = await startCoordinator(settings)
  t.after(() => station.close())
  return station
}

async function call(
  { app }: Coordinator,
  path: string,
  asked: { headers?: Record<string, string>; payload?: object; key?: string } = {},
) {
  const { headers, payload, key } = asked
  const bearer = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const response = await app.inject({
    method: payload === undefined ? 'GET' : 'POST',
    url: path,
    headers: { host: '127.0.0.1', ...bearer, ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: response.statusCode, headers: response.headers, body: response.body }
}

const register = (name: string) => ({ payload: { name, password: PASSWORD } })

test('what comes through a proxy on this machine is not from this machine', async (t) => {
  const station = await start(t)
  const open = ['/api/collections', '/api/captures', '/cdx?url=example.org', '/api/watches']
  for (const path of open) assert.equal((await call(station, path)).status, 200, path)
  const forwarded: Record<string, string>[] = [
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-proto': 'https' },
    { 'x-real-ip': '203.0.113.9' },
    { forwarded: 'for=203.0.113.9' },
    { via: '1.1 proxy' },
  ]
  for (const headers of forwarded) {
    for (const path of open) assert.equal((await call(station, path, { headers })).status, 401)
    const eve = { ...register('eve'), headers }
    assert.equal((await call(station, '/api/accounts', eve)).status, 401)
  }
  assert.equal((await call(station, '/api/accounts', register('ana'))).status, 200)
})

/** As nginx asks by default: the station's own address as the host, and no header of a proxy. */
async function plainly({ url }: Coordinator, version: string, path: string): Promise<string> {
  const { hostname, port, host } = new URL(url!)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/${version}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const answer = await text(socket)
  return answer.slice(0, answer.indexOf('\r\n'))
}

test('a proxy that says nothing but HTTP/1.0 opens nothing either', async (t) => {
  const station = await start(t)
  for (const path of ['/api/collections', '/cdx?url=example.org']) {
    assert.match(await plainly(station, '1.0', path), / 401 /)
    assert.match(await plainly(station, '1.1', path), / 200 /)
  }
})

test('with a public address nothing is open, and the station is called by its own names only', async (t) => {
  const station = await start(t, { publicUrl: 'https://minga.example' })
  const own = { host: 'minga.example' }
  for (const headers of [{}, own]) {
    assert.equal((await call(station, '/api/collections', { headers })).status, 401)
    const eve = { ...register('eve'), headers }
    assert.equal((await call(station, '/api/accounts', eve)).status, 401)
  }
  const { apiKey: key } = station.tokens
  assert.equal((await call(station, '/api/collections', { key, headers: own })).status, 200)
  const foreign = { key, headers: { host: 'evil.example' } }
  assert.match((await call(station, '/api/collections', foreign)).body, /evil\.example/)
  await call(station, '/api/accounts', { key, ...register('ana') })
  const session = { payload: { name: 'ana', password: PASSWORD } }
  const away = await call(station, '/api/sessions', { ...session, headers: own })
  assert.match(String(away.headers['set-cookie']), /; Secure/)
})

test('a proxy that the operator names is believed: addresses are its clients’, and cookies are secure', async (t) => {
  const flags = { registration: 'open' } as const
  const station = await start(t, { behindProxy: ['127.0.0.0/8'], flags })
  const from = (address: string) => ({
    'x-forwarded-for': address,
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'minga.example',
    origin: 'https://minga.example',
  })
  assert.equal((await call(station, '/api/collections')).status, 401)
  const make = async (name: string, address: string) =>
    (await call(station, '/api/accounts', { ...register(name), headers: from(address) })).status
  const made: number[] = []
  for (let i = 0; i < 6; i++) made.push(await make(`ana${i}`, '203.0.113.9'))
  assert.deepEqual(made, [200, 200, 200, 200, 200, 429])
  assert.equal(await make('ben', '203.0.113.10'), 200, 'another client has its own limit')
  const session = { payload: { name: 'ben', password: PASSWORD }, headers: from('203.0.113.10') }
  const said = await call(station, '/api/sessions', session)
  assert.match(String(said.headers['set-cookie']), /; Secure/)
  assert.equal(said.headers['strict-transport-security'], 'max-age=31536000')
})

test('links to a new password lead to the station, whatever name the request carries', async (t) => {
  const station = await start(t, { listen: { host: '0.0.0.0', port: 0 } })
  const { apiKey: key } = station.tokens
  await call(station, '/api/accounts', { key, ...register('ana') })
  const { port } = new URL(station.url!)
  const headers = { host: 'evil.example', authorization: `Bearer ${key}` }
  const typed = { ...headers, 'content-type': 'application/json' }
  const asking = request(`http://127.0.0.1:${port}/api/resets`, { method: 'POST', headers: typed })
  asking.end(JSON.stringify({ account: 'ana' }))
  const [response] = (await once(asking, 'response')) as [AsyncIterable<Buffer>]
  let json = ''
  for await (const bytes of response) json += String(bytes)
  const { link } = JSON.parse(json) as { link: string }
  assert.equal(new URL(link).origin, `http://127.0.0.1:${port}`)
})
