// Goal: no request, from any sender, makes the station answer 500, answer against its own document,
// hang or grow. Method: a whole station and requests made from openapi.json, and from a table of
// the routes of agents, stations, workers and readers of archives, right and wrong in every place,
// with the key of the operator, an agent or a worker, with a wrong one and without. MINGA_LONG=1
// sends twenty times as many; MINGA_SEED repeats a run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretHash } from '@minga/fleet'
import { seededRandom, type SeededRandom } from '@minga/testkit'
import type { LightMyRequestResponse } from 'fastify'
import { TestDevice } from '../test/agents/device-fixture.ts'
import { ApiFuzzer, type FuzzedRequest } from '../test/api-fuzz-fixture.ts'
import { openStation, START, TOKENS, type TestStation } from '../test/station-fixture.ts'

const REQUESTS = process.env['MINGA_LONG'] === '1' ? 100_000 : 5_000
const SEED = Number(process.env['MINGA_SEED'] ?? 91)
const MINUTE_MS = 60_000
/** Requests within a minute of the station's clock: few enough that limits per minute do not hide everything. */
const PER_MINUTE = 100
const PATIENCE_MS = 250
const ANSWER_MS_MAX = 60_000
/** Statements, sessions and archives of one run are a fraction of it; a leak of 100 KB per request is more. */
const GROWTH_MAX_BYTES = 512 * 1024 * 1024
/** By then its threads run and its caches are full: what comes on top of that grows with every request. */
const WARM_REQUESTS = REQUESTS / 10
const FAULTS_SHOWN = 20
/** One of the addresses in the requests. */
const ARCHIVED_URL = 'http://127.0.0.1:9/'

test('no request made from the document, or to a route outside of it, is answered with a 500, against the document or not at all', async (t) => {
  t.diagnostic(`MINGA_SEED=${SEED}`)
  const station = await openStation({
    allowPrivateAddresses: true,
    addressesOf: () => ['127.0.0.1'],
  })
  const page = { body: '<title>a page</title><a href="/b">b</a>' }
  await station.crawl({ seeds: [ARCHIVED_URL] }, { [ARCHIVED_URL]: page })
  const random = seededRandom(SEED)
  const fuzzer = new ApiFuzzer(random)
  assert.ok(REQUESTS > 10 * fuzzer.operations)
  let warmBytes = 0
  const faults = new Map<string, string>()
  let key = TOKENS.apiKey
  let { device } = station
  for (let n = 0; n < REQUESTS; n++) {
    if (n === WARM_REQUESTS) warmBytes = process.memoryUsage.rss()
    const request = fuzzer.next()
    const shownKey = keyFor(request, { session: device.session, operatorKey: key, random })
    try {
      const response = await send(station, request, shownKey)
      requireSound(response, request)
      if (!request.isStream) fuzzer.learn(response)
      // A request may have ended the key itself.
      if (response.statusCode === 401 && shownKey === key) {
        key = `the key from request ${n} on`
        await station.store.call('ensureOperator', { keyHash: secretHash(key), now: START })
      }
    } catch (error) {
      const asked = `${request.method} ${request.url} ${request.payload ?? ''}`.slice(0, 1_000)
      faults.set(request.operation, `request ${n}: ${asked}\n  ${String(error).slice(0, 1_000)}`)
    }
    if (n % PER_MINUTE === 0) {
      await station.clock.advance(MINUTE_MS)
      await station.tick()
      device = await welcome(station, device)
    }
  }
  const report = [...faults].map(([operation, what]) => `${operation}: ${what}`)
  assert.equal(faults.size, 0, `MINGA_SEED=${SEED}\n${report.slice(0, FAULTS_SHOWN).join('\n')}`)
  const grownBytes = process.memoryUsage.rss() - warmBytes
  assert.ok(grownBytes < GROWTH_MAX_BYTES, `grew by ${Math.round(grownBytes / 1e6)} MB`)
})

/** A session ends by silence or a goodbye, and the device itself when a request revokes it: then another one joins. */
async function welcome(station: TestStation, device: TestDevice): Promise<TestDevice> {
  const boot = 'boot of the fuzzer'
  if ((await device.hello(boot)).status === 200) return device
  const next = new TestDevice(station)
  await next.enrol()
  await next.hello(boot)
  return next
}

/** Right in three of five cases. */
function keyFor(
  { url }: FuzzedRequest,
  { session, operatorKey, random }: { session: string; operatorKey: string; random: SeededRandom },
): string {
  if (random.chance(0.4)) return random.pick(['a wrong key', ''])
  if (url.startsWith('/agent/')) return session
  return url.startsWith('/worker/') ? TOKENS.workerToken : operatorKey
}

async function send(
  station: TestStation,
  { method, url, contentType, payload, isStream }: FuzzedRequest,
  key: string,
): Promise<LightMyRequestResponse> {
  const answered = station.app.inject({
    method,
    url,
    headers: {
      host: 'localhost',
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(payload === undefined ? {} : { 'content-type': contentType }),
    },
    ...(payload === undefined ? {} : { payload }),
    ...(isStream ? { payloadAsStream: true } : {}),
  })
  // A request that waits for its page waits by the station's clock, which only this test advances.
  for (let waitedMs = 0; waitedMs < ANSWER_MS_MAX; waitedMs += PATIENCE_MS) {
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(() => late.resolve(null), PATIENCE_MS)
    const response = await Promise.race([answered, late.promise])
    clearTimeout(timer)
    if (response !== null) return response
    await station.clock.advance(MINUTE_MS)
  }
  throw new Error(`no answer within ${ANSWER_MS_MAX / 1_000} s`)
}

function requireSound(response: LightMyRequestResponse, { isStream }: FuzzedRequest): void {
  if (isStream) response.stream().destroy()
  if (response.statusCode === 500) throw new Error(isStream ? '500' : `500 ${response.body}`)
}
