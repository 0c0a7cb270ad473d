// Goal: only a device that proves its key comes in, and what it sends counts as its own alone. Method:
// a whole station on virtual time; devices with real keys; every proof forged, replayed and mixed up.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  enrolProof,
  helloProof,
  newDeviceKeys,
  PROTOCOL_VERSION,
  uploadProof,
  type Challenge,
} from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import {
  assertRefused,
  openStation,
  TOKENS,
  uploadOf,
  type TestStation,
} from '../../test/station-fixture.ts'
import type { Parcel } from '../../../agent/src/record/outbox.ts'
import { AgentSessions } from './agent-sessions.ts'
import { FACTS, TestDevice } from '../../test/agents/device-fixture.ts'

const station = await openStation()

async function newDevice(own: TestStation, boot: string): Promise<TestDevice> {
  const device = new TestDevice(own)
  await device.enrol()
  await device.hello(boot)
  return device
}

/** Work that is out with a device, answered but not sent. */
async function workOf(own: TestStation, device: TestDevice, seed: string) {
  await own.collect({ seeds: [seed], delayMs: 0 })
  for (let tries = 0; tries < 10; tries++) {
    await device.call('beat', { progress: tries, fences: [] })
    const { block } = await device.ask(own.clock)
    if (block !== null) return own.fetch(block, {})
  }
  throw new Error('the station has nothing to fetch')
}

test('Connect, valid/invalid token: a device with the right token is online, one without is rejected with the reason', async () => {
  const device = new TestDevice(station)
  assertRefused(await device.enrol('no such token'), '401 MINGA_TOKEN_REFUSED', /does not know/)
  assertRefused(await device.enrol(TOKENS.apiKey), '401 MINGA_TOKEN_REFUSED', /does not know/)
  assertRefused(await device.enrol(''), '401 MINGA_TOKEN_REFUSED', /does not know/)
  assert.equal((await device.enrol()).status, 200)
  assert.match(device.id, /^dev_[0-9a-f]{20}$/)
  assert.equal((await device.hello('boot-of-connect')).status, 200)
  const listed = (await station.inject({
    url: '/api/devices',
    headers: { authorization: `Bearer ${TOKENS.apiKey}` },
  })) as { body: { id: string; isConnected: boolean }[] }
  assert.equal(listed.body.find(({ id }) => id === device.id)?.isConnected, true)
})

test('a device cannot enrol the key of another device', async () => {
  const { publicKey } = newDeviceKeys()
  const thief = new TestDevice(station)
  const signature = thief.sign(enrolProof(publicKey, TOKENS.joinToken))
  const message = { protocol: PROTOCOL_VERSION, publicKey, name: 'x', facts: FACTS, signature }
  const headers = { authorization: `Bearer ${TOKENS.joinToken}` }
  const said = await thief.call('enrol', message, headers)
  assertRefused(said, '403 MINGA_BAD_SIGNATURE', /not signed by the key/)
})

test('a hello counts once, for its own device and boot, and not for long', async () => {
  const device = await newDevice(station, 'boot-of-proofs')
  const other = await newDevice(station, 'boot-of-other')
  const nonceOf = async (id: string): Promise<string> =>
    ((await device.call('challenge', { device: id })).body as Challenge).nonce
  const messageOf = (nonce: string, boot = 'boot-of-proofs', signer = device) => {
    const proven = { device: device.id, boot, nonce }
    const signature = signer.sign(helloProof(proven))
    return { protocol: PROTOCOL_VERSION, ...proven, facts: FACTS, signature }
  }
  const stale = ['408 MINGA_STALE_CHALLENGE', /Ask for a new one/] as const
  const forged = ['403 MINGA_BAD_SIGNATURE', /not signed by the key/] as const
  const say = (message: object) => device.call('hello', message)

  const once = messageOf(await nonceOf(device.id))
  assert.equal((await say(once)).status, 200)
  assertRefused(await say(once), ...stale)
  assertRefused(await say(messageOf(await nonceOf(other.id))), ...stale)
  assertRefused(await say(messageOf('1.made.up')), ...stale)
  const overtaken = messageOf(await nonceOf(device.id))
  assert.equal((await say(messageOf(await nonceOf(device.id)))).status, 200)
  assertRefused(await say(overtaken), ...stale)
  const signed = messageOf(await nonceOf(device.id))
  assertRefused(await say({ ...signed, boot: 'another-boot' }), ...forged)
  assertRefused(await say(messageOf(await nonceOf(device.id), 'boot-of-x', other)), ...forged)
  const late = messageOf(await nonceOf(device.id))
  await station.clock.advance(61_000)
  assertRefused(await say(late), ...stale)
  const stranger = await device.call('hello', {
    ...messageOf(await nonceOf('dev_nobody')),
    device: 'dev_nobody',
  })
  assertRefused(stranger, '404 MINGA_UNKNOWN_DEVICE', /Enrol it/)
})

for (const engine of ENGINES) {
  describe(`Devices on ${engine.name}`, { skip: engine.skip }, async () => {
    const own = await openStation({ engine })

    test('an upload counts only with the signature of its own device over all its bytes', async () => {
      const device = await newDevice(own, 'boot-of-signer')
      const other = await newDevice(own, 'boot-of-stranger')
      const parcels = await workOf(own, device, 'http://signed.test/')
      const upload = uploadOf(parcels, 'boot-of-signer')
      const bad = ['403 MINGA_BAD_SIGNATURE', /so it was rejected/] as const
      assertRefused(await device.upload(upload, ''), ...bad)
      assertRefused(await device.upload(upload, 'AAAA'), ...bad)
      assertRefused(await device.upload(upload, other.sign(uploadProof(upload))), ...bad)
      const changed = Buffer.from(upload)
      changed[changed.length - 1]! ^= 1
      assertRefused(await device.upload(changed, device.sign(uploadProof(upload))), ...bad)
      // Signed for another purpose: the same digest, but not as an upload.
      const hello = helloProof({ device: device.id, boot: 'boot-of-signer', nonce: '' })
      assertRefused(await device.upload(upload, device.sign(hello)), ...bad)
      assert.deepEqual((await device.upload(upload)).body, { accepted: 1, stale: 0 })
    })

    test("results of another boot, or under another's fence, are not taken", async () => {
      const device = await newDevice(own, 'boot-of-owner')
      const thief = await newDevice(own, 'boot-of-thief')
      const parcels = await workOf(own, device, 'http://stolen.test/')
      const asOwner = uploadOf(parcels, 'boot-of-owner')
      const said = await thief.upload(asOwner)
      assertRefused(said, '400 MINGA_BAD_UPLOAD', /another boot than its session/)
      const asThief = uploadOf(parcels, 'boot-of-thief')
      assert.deepEqual((await thief.upload(asThief)).body, { accepted: 0, stale: 1 })
      assert.deepEqual((await device.upload(asOwner)).body, { accepted: 1, stale: 0 })
    })

    test('a coordinator that restarts knows the open sessions, and drops expired ones', async () => {
      const device = await newDevice(own, 'boot-of-session')
      const shown = `Bearer ${device.session}`
      const { boot } = await new AgentSessions(own.store).of(shown)
      assert.equal(boot, 'boot-of-session')
      await device.call('goodbye', {})
      const unknown = { code: 'MINGA_UNKNOWN_AGENT' }
      await assert.rejects(new AgentSessions(own.store).of(shown), unknown)
      const ask = await device.call('ask', { requestsMax: 1, hostsMax: 1 })
      assertRefused(ask, '409 MINGA_UNKNOWN_AGENT', /send its hello again/)
    })

    test('a second hello of a boot replaces its session', async () => {
      const device = await newDevice(own, 'boot-of-replaced')
      const first = device.session
      await device.hello('boot-of-replaced')
      const headers = { authorization: `Bearer ${first}` }
      const beat = { progress: 0, fences: [] }
      const said = await device.call('beat', beat, headers)
      assertRefused(said, '409 MINGA_UNKNOWN_AGENT', /send its hello again/)
      assert.equal((await device.call('beat', beat)).status, 200)
    })

    test('a device that leaves for good revokes itself, and no other device', async () => {
      const leaving = await newDevice(own, 'boot-of-farewell')
      const staying = await newDevice(own, 'boot-of-staying')
      assert.deepEqual((await leaving.call('revoke', {})).body, {})
      const said = await leaving.call('beat', { progress: 0, fences: [] })
      assertRefused(said, '409 MINGA_UNKNOWN_AGENT', /send its hello again/)
      const again = await leaving.hello('boot-of-regret')
      assertRefused(again, '403 MINGA_DEVICE_REVOKED', /was revoked/)
      assert.equal((await staying.call('beat', { progress: 0, fences: [] })).status, 200)
    })

    test('Graceful disconnect: what a device held goes to the next one, and nothing is lost', async () => {
      const quiet = await openStation({ engine })
      const leaving = await newDevice(quiet, 'boot-of-leaving')
      const [held] = await workOf(quiet, leaving, 'http://left.test/')
      assert.deepEqual((await leaving.call('goodbye', {})).body, {})
      const next = await newDevice(quiet, 'boot-of-next')
      const again = await workOf(quiet, next, 'http://left.test/')
      assert.deepEqual(again.map(hostAndUrl), [hostAndUrl(held!)])
      assert.ok(again[0]!.result.fence > held!.result.fence)
      const late = await leaving.upload(uploadOf([held!], 'boot-of-leaving'))
      assertRefused(late, '409 MINGA_UNKNOWN_AGENT', /send its hello again/)
      const said = await next.upload(uploadOf(again, 'boot-of-next'))
      assert.deepEqual(said.body, { accepted: 1, stale: 0 })
    })
  })
}

function hostAndUrl({ result }: Parcel): unknown[] {
  return [result.hostId, result.type === 'returned' ? null : result.url]
}
