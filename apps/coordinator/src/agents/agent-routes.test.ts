// Goal: whatever an agent sends, the station answers with a code and a sentence, and keeps each capture
// once or not at all. Method: real uploads of the agent's own recorder through the real server.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeUpload, type CapturedResult, type CollectionStatus } from '@minga/protocol'
import type { Parcel } from '../../../agent/src/record/outbox.ts'
import { FACTS } from '../../test/agents/device-fixture.ts'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import {
  assertRefused,
  BOOT,
  leasedRequestsOf,
  openStation,
  TOKENS,
  uploadOf,
  type TestStation,
} from '../../test/station-fixture.ts'

const station = await openStation()

/** What the agent has to send for the seed of a collection. */
function seedOf(own: TestStation, seed: string): Promise<Parcel[]> {
  return own.leased([seed], { [seed]: { body: `<title>Home</title><p>hello from ${seed}` } })
}

test('without a session no message is accepted, whatever else is presented', async () => {
  const tokens = ['', 'wrong', TOKENS.apiKey, TOKENS.joinToken]
  for (const call of ['ask', 'beat', 'results', 'goodbye', 'revoke']) {
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` }
      const payload = { requestsMax: 10, hostsMax: 1 }
      const said = await station.inject({ method: 'POST', url: `/agent/${call}`, headers, payload })
      assertRefused(said, '409 MINGA_UNKNOWN_AGENT', /send its hello again/)
    }
  }
})

test('an agent of the same protocol version gets its name towards web sites and its limits', async () => {
  await station.hello()
  const { status, body } = await station.device.hello(BOOT)
  assert.equal(status, 200)
  const { session } = station.device
  assert.deepEqual(body, {
    session,
    userAgent: 'MingaBot/0.1 (+test)',
    limits: { bodyBytesMax: 64 * 1024 * 1024 },
    allowPrivateAddresses: false,
    signatureAgent: null,
    seenAddress: '127.0.0.1',
  })
  const older = { protocol: 1, device: 'd', boot: BOOT, nonce: '', facts: FACTS, signature: '' }
  const said = await station.agent('hello', older)
  assertRefused(said, '400 MINGA_WRONG_PROTOCOL', /uses protocol version 1/)
})

test('messages that are not of their form are refused by the name of the field', async () => {
  await station.hello()
  const bad: [call: string, message: object, field: RegExp][] = [
    ['enrol', { protocol: 2, publicKey: 'short' }, /publicKey: .*name: .*facts: /],
    ['challenge', {}, /device: /],
    ['hello', { protocol: 'one', device: 'd', boot: 'short' }, /protocol: .*boot: .*nonce: /],
    ['ask', { requestsMax: 0, hostsMax: 1 }, /requestsMax: /],
    ['beat', { progress: 1.5, fences: ['x'] }, /progress: .*fences\.0: /],
  ]
  for (const [call, message, field] of bad) {
    assertRefused(await station.agent(call, message), '400 MINGA_BAD_MESSAGE', field)
  }
})

test('an idle agent waits for work and is asked to come back when there is none', async () => {
  await station.hello()
  const asked = station.agent('ask', { requestsMax: 10, hostsMax: 1 })
  for (let waited = 0; station.clock.sleeping() === 0 && waited < 200; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await station.clock.advance(6_000)
  assert.deepEqual((await asked).body, {
    block: null,
    waitMs: 0,
    seenAddress: '127.0.0.1',
  })
})

test('an upload that is cut off anywhere is refused and changes nothing', async () => {
  const whole = uploadOf(await seedOf(station, 'http://cut.test/'))
  const before = await station.captures()
  for (const bytes of [0, 3, 4, 20, whole.length - 1]) {
    const said = await station.upload(whole.subarray(0, bytes))
    assertRefused(said, '400 MINGA_BAD_UPLOAD', /The upload was refused/)
  }
  const longer = await station.upload(Buffer.concat([whole, Buffer.from('x')]))
  assertRefused(longer, '400 MINGA_BAD_UPLOAD', /bytes of members but/)
  assert.deepEqual(await station.captures(), before)
  assert.deepEqual((await station.upload(whole)).body, { accepted: 1, stale: 0 })
})

test('what is no upload at all is refused as one', async () => {
  const json = await station.agent('results', { boot: BOOT, results: [] })
  assertRefused(json, '400 MINGA_BAD_UPLOAD', /The upload was refused/)
  const text = await station.agent('results', Buffer.from('<xml/>'), 'text/xml')
  assertRefused(text, '415 MINGA_BAD_MESSAGE', /\w/)
  const noise = await station.upload(Buffer.from([0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]))
  assertRefused(noise, '400 MINGA_BAD_UPLOAD', /its manifest cannot be read/)
})

for (const engine of ENGINES) {
  describe(`Uploads on ${engine.name}`, { skip: engine.skip }, async () => {
    const own = await openStation({ engine })

    test('are kept once however often they are sent, also in parallel', async () => {
      const upload = uploadOf(await seedOf(own, 'http://once.test/'))
      const answers = await Promise.all([1, 2, 3].map(() => own.upload(upload)))
      answers.push(await own.upload(upload))
      const counts = answers.map(({ body }) => body as { accepted: number; stale: number })
      assert.equal(
        counts.reduce((sum, { accepted }) => sum + accepted, 0),
        1,
      )
      assert.equal(
        counts.reduce((sum, { stale }) => sum + stale, 0),
        3,
      )
      const pages = (await own.captures()).filter(({ url }) => url === 'http://once.test/')
      assert.equal(pages.length, 1)
      const [status] = (await own.get('/collections')).body as [CollectionStatus]
      assert.equal(status.pages, 1)
    })

    test('under another fence, host, collection or request than was leased keep nothing', async () => {
      const [parcel] = await seedOf(own, 'http://fence.test/')
      const before = await own.captures()
      const { result } = parcel!
      for (const wrong of [
        { fence: result.fence + 1 },
        { fence: result.fence - 1 },
        { hostId: result.hostId + 1 },
        { collectionId: result.collectionId + 1 },
        { hash: result.hash + 1 },
      ]) {
        const said = await own.send([{ ...parcel!, result: { ...result, ...wrong } }])
        assert.deepEqual(said, { status: 200, body: { accepted: 0, stale: 1 } })
      }
      assert.deepEqual(await own.captures(), before)
    })

    test('whose record has another digest than its manifest says are refused whole', async () => {
      const [first] = await seedOf(own, 'http://digest.test/')
      const { digest } = first!.result as CapturedResult
      await own.send([first!])
      const parcels = await own.leased(['http://b.test/x', 'http://b.test/y'], {
        'http://b.test/x': { body: 'x' },
        'http://b.test/y': { body: 'y' },
      })
      const before = await own.captures()
      const lying = { ...parcels[1]!.result, digest } as CapturedResult
      const said = await own.send([parcels[0]!, { ...parcels[1]!, result: lying }])
      assertRefused(said, '400 MINGA_IMPOSSIBLE_REVISIT', /its payload is sha256:/)
      assert.deepEqual(await own.captures(), before)
      // The truth is still welcome.
      assert.deepEqual((await own.send(parcels)).body, { accepted: 2, stale: 0 })
    })

    test('with titles and headers that a database could choke on are kept', async () => {
      const [parcel] = await seedOf(own, 'http://odd.test/')
      const odd = '\0 nul, \ud800 half a character, 🦙'
      const result = { ...parcel!.result, title: odd, etag: odd, lastModified: odd, mime: odd }
      const said = await own.send([{ ...parcel!, result }])
      assert.deepEqual(said, { status: 200, body: { accepted: 1, stale: 0 } })
      assert.equal((await own.content('http://odd.test/')).status, 200)
    })
  })
}

test('goodbye gives what was out to the next agent under a new fence', async () => {
  const [old] = await seedOf(station, 'http://bye.test/')
  assert.deepEqual((await station.agent('goodbye', {})).body, {})
  await station.hello()
  const block = await station.lease()
  assert.ok(block.fence > old!.result.fence)
  assert.deepEqual(
    leasedRequestsOf(block).map(({ request }) => request.url),
    ['http://bye.test/'],
  )
  assert.deepEqual((await station.send([old!])).body, { accepted: 0, stale: 1 })
})

test('an empty upload is no mistake', async () => {
  await station.hello()
  const said = await station.upload(encodeUpload({ boot: BOOT, results: [] }, []))
  assert.deepEqual(said, { status: 200, body: { accepted: 0, stale: 0 } })
})
