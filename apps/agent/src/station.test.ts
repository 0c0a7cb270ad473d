// Goal: whatever a station or the way to it does, an agent learns one of two things: try again, or
// stop and read why. Method: the real client against a real server on loopback that answers so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helloProof, privateKeyOf, PROTOCOL_VERSION, signProof } from '@minga/protocol'
import { InsecureStation, StationRefused, StationUnreachable } from './errors.ts'
import { callLimitMs } from './station-call.ts'
import {
  FACTS,
  freePort,
  KEYS,
  startStationServer,
  stationAt,
  until,
  WELCOME,
  type Reply,
} from './station-fixture.ts'

const never = new AbortController().signal

/** A station that lets everybody in. */
const atTheDoor: Record<string, Reply> = {
  challenge: { json: { nonce: 'a-nonce' } },
  hello: { json: WELCOME },
}

test('a hello proves the device, and every further call shows the session it brought', async (t) => {
  const server = await startStationServer(t, ({ name }) => atTheDoor[name] ?? { json: { name } })
  const station = stationAt(server.url)
  assert.deepEqual(await station.hello(), WELCOME)
  assert.deepEqual(await station.ask({ requestsMax: 7, hostsMax: 5 }, never), { name: 'ask' })
  await station.upload(new Uint8Array([1, 2, 3]))
  await station.goodbye()
  const [challenge, hello, ask, results, goodbye] = server.calls
  const device = 'dev_1'
  const boot = 'boot-0001'
  assert.deepEqual(challenge?.message, { device })
  const proven = { device, boot, nonce: 'a-nonce' }
  const { signature, ...said } = hello!.message
  assert.deepEqual(said, { protocol: PROTOCOL_VERSION, ...proven, facts: FACTS })
  assert.equal(signature, signProof(privateKeyOf(KEYS), helloProof(proven)))
  assert.deepEqual(ask?.message, { requestsMax: 7, hostsMax: 5 })
  assert.deepEqual(results?.body, Buffer.from([1, 2, 3]))
  assert.equal(results?.contentType, 'application/vnd.minga.upload')
  assert.equal(goodbye?.name, 'goodbye')
  for (const call of [challenge, hello]) assert.equal(call?.authorization, undefined)
  for (const call of [ask, results, goodbye]) {
    assert.equal(call?.authorization, 'Bearer a-session')
  }
})

for (const status of [408, 429, 500, 502, 503]) {
  test(`${status} means that the station is away and comes back`, async (t) => {
    const server = await startStationServer(t, () => ({ status, text: 'not now' }))
    await assert.rejects(stationAt(server.url).upload(new Uint8Array(1)), (error) => {
      assert.ok(error instanceof StationUnreachable)
      assert.equal(error.retry, 'later')
      return true
    })
  })
}

for (const status of [400, 401, 403, 404, 413]) {
  test(`${status} is a refusal for good, and its reason is kept`, async (t) => {
    const text = '{"error":{"code":"MINGA_X","message":"Because."}}'
    const server = await startStationServer(t, () => ({ status, text }))
    await assert.rejects(stationAt(server.url).upload(new Uint8Array(1)), (error) => {
      assert.ok(error instanceof StationRefused)
      assert.equal(error.retry, 'never')
      assert.match(error.message, /MINGA_X.*Because\./)
      return true
    })
    assert.equal(server.calls.length, 1)
  })
}

test('a refusal without words still says its status', async (t) => {
  const server = await startStationServer(t, () => ({ status: 418, text: '' }))
  await assert.rejects(stationAt(server.url).hello(), /HTTP 418/)
})

test('a closed port, a broken connection and an answer that is not JSON can be tried again', async (t) => {
  const server = await startStationServer(t, () => 'reset')
  const nobody = stationAt(`http://127.0.0.1:${await freePort()}`)
  await assert.rejects(nobody.hello(), StationUnreachable)
  const broken = await stationAt(server.url)
    .hello()
    .catch((error: unknown) => error)
  assert.ok(broken instanceof StationUnreachable)
  assert.ok(broken.cause, 'the error of the socket is kept for whoever looks for the reason')
  server.answer = () => ({ text: '<html>a portal of some hotel</html>' })
  await assert.rejects(stationAt(server.url).hello(), StationUnreachable)
})

test('an agent that the station forgot says hello by itself, once, and then goes on', async (t) => {
  const server = await startStationServer(t, ({ name, authorization }) => {
    if (authorization === 'Bearer a-session') return { json: { ended: [] } }
    const stranger = { status: 409, text: '{"error":{"code":"MINGA_UNKNOWN_AGENT"}}' }
    return atTheDoor[name] ?? stranger
  })
  const station = stationAt(server.url)
  const ask = { requestsMax: 1, hostsMax: 1 }
  // Two loops notice it at the same moment.
  const both = [station.upload(new Uint8Array(1)), station.ask(ask, never)]
  for (const { reason } of (await Promise.allSettled(both)) as PromiseRejectedResult[]) {
    assert.ok(reason instanceof StationUnreachable)
  }
  assert.deepEqual(await station.ask(ask, never), { ended: [] })
  assert.equal(server.callsOf('hello').length, 1)
})

test('a station that does not even know an agent at its hello is not asked in circles', async (t) => {
  const server = await startStationServer(t, () =>
    // The fortieth answer ends a circle, so that the test fails instead of running for ever.
    server.calls.length < 40 ? { status: 409, text: 'MINGA_UNKNOWN_AGENT' } : { json: WELCOME },
  )
  await assert.rejects(
    stationAt(server.url).ask({ requestsMax: 1, hostsMax: 1 }, never),
    StationUnreachable,
  )
  assert.equal(server.calls.length, 2)
})

test('a stop ends an open question at once', async (t) => {
  const server = await startStationServer(t, () => 'hang')
  const stop = new AbortController()
  const asked = stationAt(server.url).ask({ requestsMax: 1, hostsMax: 1 }, stop.signal)
  await until(() => server.calls.length === 1, 'the question arrived')
  stop.abort()
  await assert.rejects(asked, StationUnreachable)
})

test('a goodbye that nobody hears does not matter, one that is refused does', async (t) => {
  const server = await startStationServer(t, () => ({ status: 503 }))
  await stationAt(server.url).goodbye()
  assert.equal(server.calls.length, 1)
  server.answer = () => ({ status: 401, text: 'no' })
  await assert.rejects(stationAt(server.url).goodbye(), StationRefused)
})

test('plain http is spoken with this machine only, whatever a name looks like', () => {
  const far = [
    'http://station.example',
    'http://10.0.0.1:7700',
    'http://127.0.0.1.example.org',
    'http://127.example.org',
    'http://localhost.example.org',
    'http://[::2]:7700',
    'http://user@example.org',
  ]
  for (const url of far) assert.throws(() => stationAt(url), InsecureStation, url)
  const near = [
    'http://127.0.0.1:7700',
    'http://127.8.9.10',
    'http://localhost:1',
    'http://[::1]:1',
  ]
  for (const url of [...near, 'https://station.example']) assert.doesNotThrow(() => stationAt(url))
})

test('an upload may take a minute and as long as a slow line needs for its size', () => {
  assert.equal(callLimitMs('{}'), 60_001)
  assert.equal(callLimitMs(new Uint8Array(4 * 1024 * 1024)), 60_000 + 262_144)
})
