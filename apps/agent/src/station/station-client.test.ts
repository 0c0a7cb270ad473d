// Goal: whatever a station or the way to it does, an agent learns one of two things: try again, or
// stop and read why. Method: the real client against a real server on loopback that answers so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  helloProof,
  InsecureStation,
  privateKeyOf,
  PROTOCOL_VERSION,
  signProof,
} from '@minga/protocol'
import { readLease } from '@minga/protocol/station-answers'
import { StationRefused, StationUnreachable } from '../errors.ts'
import { callLimitMs } from './station-call.ts'
import {
  blockOf,
  FACTS,
  freePort,
  hostOf,
  KEYS,
  startStationServer,
  stationAt,
  until,
  WELCOME,
  type Reply,
} from '../../test/station/station-client-fixture.ts'

const never = new AbortController().signal

/** A station that lets everyone in. */
const atTheDoor: Record<string, Reply> = {
  challenge: { json: { nonce: 'a-nonce' } },
  hello: { json: WELCOME },
}
const NO_WORK = { block: null, waitMs: 5 }
const inside: Record<string, Reply> = {
  ask: { json: NO_WORK },
  results: { json: { accepted: 1, stale: 0 } },
}

test('a hello proves the device, and every further call shows the session it brought', async (t) => {
  const server = await startStationServer(t, ({ name }) => atTheDoor[name] ?? inside[name] ?? {})
  const station = stationAt(server.url)
  assert.deepEqual(await station.hello(), WELCOME)
  assert.deepEqual(await station.ask({ requestsMax: 7, hostsMax: 5 }, never), NO_WORK)
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
  assert.ok(broken.cause, 'the error of the socket is kept as the cause')
  server.answer = () => ({ text: '<html>a portal of some hotel</html>' })
  await assert.rejects(stationAt(server.url).hello(), StationUnreachable)
})

const host = hostOf(['http://site.example/'])
const [request] = host.requests
const asBlock = (more: object): object => ({ block: { ...blockOf(1, [host]), ...more }, waitMs: 0 })
const asHost = (more: object): object => asBlock({ hosts: [{ ...host, ...more }] })

const MANY = { ...host, requests: Array(6_000).fill(request) }

const BAD_ANSWERS: [call: 'ask' | 'hello' | 'results', json: unknown, field: string][] = [
  ['ask', asHost({ threads: 1e9 }), 'block.hosts.0.threads'],
  ['ask', asHost({ requests: [{ ...request, url: 7 }] }), 'block.hosts.0.requests.0.url'],
  ['ask', asHost({ requests: Array(10_001).fill(request) }), 'block.hosts.0.requests'],
  ['ask', asBlock({ hosts: [MANY, MANY] }), 'block'],
  ['ask', asBlock({ hosts: null }), 'block.hosts'],
  ['ask', { block: null, waitMs: 'soon' }, 'waitMs'],
  ['ask', 'words', ''],
  ['hello', { ...WELCOME, session: 'one\r\nx-other: header' }, 'session'],
  ['hello', { ...WELCOME, limits: { bodyBytesMax: -1 } }, 'limits.bodyBytesMax'],
  ['results', { accepted: 'all' }, 'accepted'],
]

test('an answer that is not of its form can be tried again, and names the field', async (t) => {
  const server = await startStationServer(t, () => ({}))
  for (const [call, json, field] of BAD_ANSWERS) {
    server.answer = ({ name }) => (name === call ? { json } : (atTheDoor[name] ?? {}))
    const station = stationAt(server.url)
    const calling = {
      ask: () => station.ask({ requestsMax: 1, hostsMax: 1 }, never),
      hello: () => station.hello(),
      results: () => station.upload(new Uint8Array(1)),
    }
    await assert.rejects(calling[call](), (error) => {
      assert.ok(error instanceof StationUnreachable)
      assert.equal(error.code, 'MINGA_BAD_STATION_ANSWER')
      assert.ok(error.message.includes(`"${call}" (${field}: `), error.message)
      return true
    })
  }
})

test('a block of many requests is checked in little time, and comes through unchanged', async (t) => {
  const previous = {
    digest: 'sha256:1',
    url: 'http://site.example/',
    capturedAt: 1,
    recordId: null,
    etag: '"1"',
    lastModified: null,
  }
  const requests = Array.from({ length: 10_000 }, (_, i) => ({ ...request!, hash: i, previous }))
  const block = blockOf(1, [{ ...host, requests, restFactor: { times: 2, atMostMs: 100 } }])
  const json = { block, waitMs: 0, message: { text: 'Thanks!', ageMs: 5 } }
  const server = await startStationServer(t, () => ({ json }))
  assert.deepEqual(await stationAt(server.url).ask({ requestsMax: 1, hostsMax: 1 }, never), json)
  const parsing = processorMs(() => void JSON.parse(JSON.stringify(json)))
  const checking = processorMs(() => void readLease(json))
  assert.ok(
    checking < 10 * parsing + 20,
    `${checking} ms to check, ${parsing} ms to read and write`,
  )
})

/** Of the quickest of three runs: other work on the machine must not count. */
function processorMs(run: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}

test('a redirect of the station is not followed: it could lead anywhere', async (t) => {
  const elsewhere = await startStationServer(t, () => ({ json: NO_WORK }))
  const location = `${elsewhere.url}/agent/ask`
  const server = await startStationServer(t, () => ({ status: 307, headers: { location } }))
  const asked = stationAt(server.url).ask({ requestsMax: 1, hostsMax: 1 }, never)
  await assert.rejects(asked, {
    code: 'MINGA_BAD_STATION_ANSWER',
    message: /redirect to .*not followed/,
  })
  assert.equal(elsewhere.calls.length, 0)
})

test('words of a station reach a terminal without what a terminal obeys', async (t) => {
  const text = 'Bad\u001b[2J\u0007\nminga: all is well\u202e'
  const shown = 'Bad [2J  minga: all is well'
  const server = await startStationServer(t, () => ({
    json: {
      block: null,
      waitMs: 0,
      pause: { code: 'MINGA_X', message: text },
      message: { text, ageMs: 1 },
    },
  }))
  const station = stationAt(server.url)
  const { pause, message } = await station.ask({ requestsMax: 1, hostsMax: 1 }, never)
  assert.deepEqual([pause?.message, message?.text], [shown, shown])
  server.answer = () => ({ status: 401, json: { error: { code: 'MINGA_X', message: text } } })
  await assert.rejects(station.upload(new Uint8Array(1)), (error) => {
    assert.ok(error instanceof StationRefused)
    assert.equal(error.reason, `MINGA_X: ${shown}`)
    return true
  })
})

test('an agent that the station forgot says hello by itself, once, and then goes on', async (t) => {
  const server = await startStationServer(t, ({ name, authorization }) => {
    if (authorization === 'Bearer a-session') return { json: NO_WORK }
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
  assert.deepEqual(await station.ask(ask, never), NO_WORK)
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

test('a goodbye that is not received does not matter, one that is refused does', async (t) => {
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
