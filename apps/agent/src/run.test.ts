// Goal: an agent built from its settings does what they and the station's welcome say, from the first
// knock to the goodbye. Method: the whole agent against a written station and the fake web.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { decodeUpload, type Result } from '@minga/protocol'
import { startFakeWeb, type FakeWeb } from '@minga/testkit'
import {
  WELCOME,
  blockOf,
  freePort,
  hostOf,
  realMs,
  startStationServer,
  until,
  type Call,
  type Reply,
  type StationServer,
} from '../test/station/station-client-fixture.ts'
import { StationRefused } from './errors.ts'
import { startAgent, succeed, type AgentSettings } from './run.ts'

const TAKEN: Reply = { json: { accepted: 1, stale: 0 } }
const LENT_BYTES = 64 * 1024 * 1024
const NOTHING: Reply = { json: { block: null, waitMs: 60_000 } }

/** A station with one block to give away. */
function answersWith(web: FakeWeb, others: Record<string, Reply> = {}): StationServer['answer'] {
  const origin = web.origin(0)
  const urls = [0, 1, 2].map((page) => `${origin}/p/${page}`)
  const block = blockOf(1, [hostOf(urls, { address: new URL(origin).hostname })])
  let isGiven = false
  return ({ name }: Call): Reply => {
    const other = others[name]
    if (other) return other
    if (name === 'enrol') return { json: { device: 'dev_1' } }
    if (name === 'challenge') return { json: { nonce: 'a-nonce' } }
    if (name === 'hello') return { json: WELCOME }
    if (name === 'beat') return { json: { ended: [] } }
    if (name === 'results') return TAKEN
    if (name !== 'ask' || isGiven) return NOTHING
    isGiven = true
    return { json: { block, waitMs: 0 } }
  }
}

async function webOf(t: TestContext): Promise<FakeWeb> {
  const web = await startFakeWeb({ hosts: 1, pagesPerHost: 5 })
  t.after(() => web.close())
  return web
}

function agentOf(t: TestContext, stationUrl: string, more: Partial<AgentSettings> = {}) {
  const stop = new AbortController()
  const data = mkdtempSync(join(tmpdir(), 'minga-agent-'))
  const settings: AgentSettings = {
    stationUrl,
    token: 'a-token',
    data,
    allowPrivateAddresses: true,
    ...more,
  }
  const running = startAgent(settings, stop.signal)
  // A test that fails before it awaits the agent must not fail by its end as well.
  running.catch(() => {})
  t.after(async () => {
    stop.abort()
    await running.catch(() => {})
    rmSync(data, { recursive: true })
  })
  return { stop, running, data }
}

const resultsOf = (server: StationServer): Result[] =>
  server.callsOf('results').flatMap(({ body }) => decodeUpload(body).manifest.results)

test('an agent knocks until its station opens, works off its block and says goodbye', async (t) => {
  const web = await webOf(t)
  const port = await freePort()
  const { stop, running } = agentOf(t, `http://127.0.0.1:${port}`)
  await realMs(100)
  const server = await startStationServer(t, answersWith(web), port)
  await until(() => resultsOf(server).length === 3, 'all results arrived')
  stop.abort()
  await running
  assert.deepEqual(
    resultsOf(server).map((result) => (result.type === 'captured' ? result.status : result.type)),
    [200, 200, 200],
  )
  assert.deepEqual(
    server.calls.slice(0, 3).map(({ name }) => name),
    ['enrol', 'challenge', 'hello'],
  )
  assert.equal(server.calls.at(-1)?.name, 'goodbye')
  for (const hit of web.hits()) assert.equal(hit.userAgent, WELCOME.userAgent)
})

for (const [who, allows] of [
  ['this machine', { machine: false, station: true }],
  ['the station', { machine: true, station: false }],
] as const) {
  test(`a private address is not dialled when ${who} does not allow it`, async (t) => {
    const web = await webOf(t)
    const welcome = { ...WELCOME, allowPrivateAddresses: allows.station }
    const server = await startStationServer(t, answersWith(web, { hello: { json: welcome } }))
    const { stop, running } = agentOf(t, server.url, { allowPrivateAddresses: allows.machine })
    await until(() => resultsOf(server).length === 3, 'all results arrived')
    stop.abort()
    await running
    for (const result of resultsOf(server)) {
      assert.ok(result.type === 'failed')
      assert.equal(result.code, 'MINGA_ADDRESS_REFUSED')
    }
    assert.equal(web.hits().length, 0)
  })
}

test("what leads into the network of a lent machine is recorded as refused, and written into its owner's log", async (t) => {
  const web = await webOf(t)
  // Public by its class, and given to no one.
  const welcome = { ...WELCOME, seenAddress: '3ffe:1:2:3::1' }
  const hosts = [
    hostOf(['http://camera.example/'], { hostId: 1, address: '3ffe:1:2:3::99' }),
    hostOf(['http://[3ffe:9::1]/'], { hostId: 2, address: '3ffe:9::1' }),
    hostOf(['http://wiki.example/'], {
      hostId: 4,
      address: '3ffe:7::1',
      authorization: 'Bearer a-secret',
    }),
    hostOf(['http://camera.example/again'], { hostId: 3, address: '3ffe:1:2:3::99' }),
  ]
  const answer = answersWith(web, { hello: { json: welcome } })
  const asks: Reply[] = [{ json: { block: blockOf(1, hosts), waitMs: 0 } }]
  const server = await startStationServer(t, (call) =>
    call.name === 'ask' ? (asks.pop() ?? NOTHING) : answer(call),
  )
  const lent = { allowPrivateAddresses: false, volunteer: NO_PAUSE }
  const { stop, running, data } = agentOf(t, server.url, lent)
  await until(() => resultsOf(server).length === 4, 'all results arrived')
  stop.abort()
  await running
  const codes = resultsOf(server).map((result) => result.type === 'failed' && result.code)
  assert.deepEqual(codes, Array(4).fill('MINGA_VOLUNTEER_REFUSED'))
  const log = readFileSync(join(data, 'activity.jsonl'), 'utf8')
  const times = [...log.matchAll(/"at":(\d+),"url":"http:\/\/camera/g)].map(([, at]) => Number(at))
  assert.ok(times[1]! - times[0]! >= 950, 'one request per host and second')
  for (const url of ['http://camera.example/', 'http://[3ffe:9::1]/', 'http://wiki.example/']) {
    assert.ok(
      log.includes(`"url":"${url}","status":null,"code":"MINGA_VOLUNTEER_REFUSED","bytes":0`),
    )
  }
})

test('an address that a lent machine gets while it runs is refused with the answer that tells of it', async (t) => {
  const web = await webOf(t)
  const own = '3ffe:1:2:3::1'
  const hosts = [hostOf(['http://camera.example/'], { address: own })]
  const asks: Reply[] = [{ json: { block: blockOf(1, hosts), waitMs: 0, seenAddress: own } }]
  const answer = answersWith(web)
  const server = await startStationServer(t, (call) =>
    call.name === 'ask' ? (asks.pop() ?? NOTHING) : answer(call),
  )
  const { stop, running } = agentOf(t, server.url, {
    allowPrivateAddresses: false,
    volunteer: NO_PAUSE,
  })
  await until(() => resultsOf(server).length === 1, 'the result arrived')
  stop.abort()
  await running
  const [result] = resultsOf(server)
  assert.equal(result?.type === 'failed' && result.code, 'MINGA_VOLUNTEER_REFUSED')
})

/** A page that says who asks, as far as the station knows it. */
const ECHO = 'You are 62.10.20.77.'

/** What an agent recorded of one page with that text. */
async function recordOf(t: TestContext, more: Partial<AgentSettings>) {
  const site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'x-seen': '62.10.20.77' }).end(ECHO)
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.after(() => site.close())
  const { port } = site.address() as AddressInfo
  const block = blockOf(1, [hostOf([`http://127.0.0.1:${port}/`])])
  const asks: Reply[] = [{ json: { block, waitMs: 0 } }]
  const hello = { json: { ...WELCOME, seenAddress: '62.10.20.77' } }
  const answer = answersWith(await webOf(t), { hello })
  const server = await startStationServer(t, (call) =>
    call.name === 'ask' ? (asks.pop() ?? NOTHING) : answer(call),
  )
  const { stop, running } = agentOf(t, server.url, more)
  await until(() => server.callsOf('results').length === 1, 'the result arrived')
  stop.abort()
  await running
  const { manifest, members } = decodeUpload(server.callsOf('results')[0]!.body)
  const [result] = manifest.results
  assert.ok(result?.type === 'captured')
  return { record: String(gunzipSync(members.subarray(0, result.members[0]))), result }
}

const NO_PAUSE = { limits: { pauseOnBattery: false, pauseOnMetered: false } }

test("a lent machine records zeros where a page shows its address, a station's own agent the page as it is", async (t) => {
  const lent = await recordOf(t, { volunteer: NO_PAUSE })
  assert.match(lent.record, /You are 00000000000\.$/m)
  assert.match(lent.record, /^x-seen: 00000000000\r$/m)
  assert.doesNotMatch(lent.record, /62\.10\.20\.77/)
  const own = await recordOf(t, {})
  assert.match(own.record, /You are 62\.10\.20\.77\.$/m)
  assert.notEqual(own.result.digest, lent.result.digest)
})

test('a body longer than the station wants is cut there', async (t) => {
  const web = await webOf(t)
  const welcome = { ...WELCOME, limits: { bodyBytesMax: 100 } }
  const server = await startStationServer(t, answersWith(web, { hello: { json: welcome } }))
  const { stop, running } = agentOf(t, server.url)
  await until(() => resultsOf(server).length === 3, 'all results arrived')
  stop.abort()
  await running
  for (const result of resultsOf(server)) {
    assert.equal(result.type === 'captured' && result.payloadBytes, 100)
  }
})

test('a lent machine takes in 64 MiB of a body, whatever its station wants', async (t) => {
  const site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    response.end(Buffer.alloc(LENT_BYTES + 1_000))
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.after(() => site.close())
  const { port } = site.address() as AddressInfo
  const block = blockOf(1, [hostOf([`http://127.0.0.1:${port}/`])])
  const asks: Reply[] = [{ json: { block, waitMs: 0 } }]
  const hello = { json: { ...WELCOME, limits: { bodyBytesMax: 1_000_000_000 } } }
  const answer = answersWith(await webOf(t), { hello })
  const server = await startStationServer(t, (call) =>
    call.name === 'ask' ? (asks.pop() ?? NOTHING) : answer(call),
  )
  const { stop, running } = agentOf(t, server.url, { volunteer: NO_PAUSE })
  await until(() => resultsOf(server).length === 1, 'the result arrived')
  stop.abort()
  await running
  const [result] = resultsOf(server)
  assert.equal(result?.type === 'captured' && result.payloadBytes, LENT_BYTES)
})

test('an agent that is refused at the door ends with the reason', async (t) => {
  const server = await startStationServer(t, () => ({ status: 401, text: 'a wrong token' }))
  const { running } = agentOf(t, server.url)
  await assert.rejects(running, (error) => {
    assert.ok(error instanceof StationRefused)
    assert.match(error.message, /a wrong token/)
    return true
  })
  assert.equal(server.calls.length, 1)
})

for (const [what, reply] of [
  ['does not answer', 'hang'],
  ['is starting', { status: 503 }],
] as const) {
  test(`a stop at the door of a station that ${what} ends the agent at once`, async (t) => {
    const server = await startStationServer(t, () => reply)
    const { stop, running } = agentOf(t, server.url)
    await until(() => server.calls.length === 1, 'it knocked')
    await realMs(20)
    stop.abort()
    await running
    assert.equal(server.calls.length, 1)
  })
}

// Goal: a run knows which one it follows, and believes no broken file. Method: one folder, several runs.

const folder = await mkdtemp(join(tmpdir(), 'minga-boot-'))
after(() => rm(folder, { recursive: true }))

test('each run gets the one before it, the first and one after a broken file none', async () => {
  assert.equal(await succeed(folder, 'the-first-run'), null)
  assert.equal(await succeed(folder, 'the-second-run'), 'the-first-run')
  assert.equal(await succeed(folder, 'the-third-run'), 'the-second-run')
  await writeFile(join(folder, 'boot'), '{"half of')
  assert.equal(await succeed(folder, 'the-fourth-run'), null)
})
