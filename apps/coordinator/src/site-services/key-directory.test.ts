// Goal: the published keys are those of devices that may work and have shown that the key is
// theirs. Method: a whole station on virtual time, hand-driven devices with real and borrowed keys.
import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { directoryBase, KEY_DIRECTORY_PATH, signDirectory, thumbprintOf } from '@minga/net'
import {
  helloProof,
  newDeviceKeys,
  privateKeyOf,
  PROTOCOL_VERSION,
  type BotSigningKey,
  type Challenge,
  type DeviceKeys,
  type Welcome,
} from '@minga/protocol'
import { FACTS, TestDevice } from '../../test/agents/device-fixture.ts'
import { openStation, type Said } from '../../test/station-fixture.ts'

const AGENT = 'https://minga.example'
const station = await openStation({ publicUrl: AGENT, flags: { webBotAuth: 'on' } })

function shown(keys: DeviceKeys, agent = AGENT): BotSigningKey {
  const bot = { key: privateKeyOf(keys), publicKey: keys.publicKey }
  const nowMs = station.clock.now()
  return { publicKey: keys.publicKey, ...signDirectory(bot, { agent, nowMs, validS: 3_600 }) }
}

let boots = 0

async function hello(device: TestDevice, signing: BotSigningKey | null): Promise<Said> {
  if (device.id === '') await device.enrol()
  const challenge = await device.call('challenge', { device: device.id })
  const { nonce, signatureAgent } = challenge.body as Challenge
  assert.equal(signatureAgent, AGENT)
  const proven = { device: device.id, boot: `boot-of-test-${++boots}`, nonce }
  const signature = device.sign(helloProof(proven))
  const message = { protocol: PROTOCOL_VERSION, ...proven, facts: FACTS, signing, signature }
  return device.call('hello', message)
}

async function directory(of = station) {
  await of.clock.advance(5_000)
  const headers = { host: 'localhost' }
  const response = await of.app.inject({ url: KEY_DIRECTORY_PATH, headers })
  const body = response.json<{ keys?: { x: string; kid: string; use: string }[] }>()
  return { status: response.statusCode, headers: response.headers, keys: body.keys ?? [] }
}

test('the keys of devices at work are published, each with its own signature of the directory', async () => {
  const [one, two] = [newDeviceKeys(), newDeviceKeys()]
  const said = await hello(new TestDevice(station), shown(one))
  assert.equal((said.body as Welcome).signatureAgent, AGENT)
  await hello(new TestDevice(station), shown(two))
  const { headers, keys } = await directory()
  assert.equal(headers['content-type'], 'application/http-message-signatures-directory+json')
  assert.deepEqual(new Set(keys.map(({ x }) => x)), new Set([one.publicKey, two.publicKey]))
  for (const { x, kid } of keys) assert.equal(kid, thumbprintOf(x))
  const inputs = String(headers['signature-input']).split(', ')
  const signatures = String(headers['signature']).split(', ')
  assert.equal(inputs.length, 2)
  for (const [i, input] of inputs.entries()) {
    const [, created, kid, expires] =
      /^sig\d+=\("@authority";req\);created=(\d+);keyid="([\w-]+)";alg="ed25519";expires=(\d+);tag="http-message-signatures-directory"$/.exec(
        input,
      )!
    const { x } = keys.find((key) => key.kid === kid)!
    const times = { createdS: Number(created), expiresS: Number(expires) }
    const base = directoryBase({ publicKey: x, authority: 'minga.example', ...times })
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const signature = /^sig\d+=:(.+):$/.exec(signatures[i]!)![1]!
    assert.ok(verify(null, base, key, Buffer.from(signature, 'base64')))
  }
})

test('a key leaves with its device: blocked, revoked, or no longer shown', async () => {
  const devices = [new TestDevice(station), new TestDevice(station), new TestDevice(station)]
  const keys = devices.map(() => newDeviceKeys())
  for (const [i, device] of devices.entries()) await hello(device, shown(keys[i]!))
  const isPublished = async (): Promise<boolean[]> => {
    const published = new Set((await directory()).keys.map(({ x }) => x))
    return keys.map(({ publicKey }) => published.has(publicKey))
  }
  assert.deepEqual(await isPublished(), [true, true, true])
  await station.post(`/devices/${devices[0]!.id}/block`, { note: 'a test', durationS: 60 })
  await station.post(`/devices/${devices[1]!.id}/revoke`)
  const refusing = await hello(devices[2]!, null)
  assert.equal((refusing.body as Welcome).signatureAgent, null)
  assert.deepEqual(await isPublished(), [false, false, false])
})

test('a device cannot publish a key that is not its own, or was signed for another station', async () => {
  const theirs = shown(newDeviceKeys())
  const { publicKey } = newDeviceKeys()
  const device = new TestDevice(station)
  for (const signing of [
    { ...theirs, publicKey },
    { ...theirs, expiresS: theirs.expiresS + 1 },
    shown(newDeviceKeys(), 'https://other.example'),
  ]) {
    const { status } = await hello(device, signing)
    assert.equal(status, 403)
  }
  const broken = { ...theirs, publicKey: 'x'.repeat(44) }
  assert.equal((await hello(device, broken)).status, 400)
})

test('without the setting or a public address there is no directory, and no device is asked to sign', async () => {
  for (const changes of [{ publicUrl: AGENT }, { flags: { webBotAuth: 'on' as const } }]) {
    const off = await openStation(changes)
    assert.equal((await directory(off)).status, 404)
    const device = new TestDevice(off)
    await device.enrol()
    const said = await device.hello('boot-of-silence')
    assert.equal((said.body as Welcome).signatureAgent, null)
  }
})
