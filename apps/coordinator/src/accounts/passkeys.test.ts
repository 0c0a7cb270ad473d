// Goal: a passkey opens its own account, once per challenge, at this station only, and nothing else does. Method: a whole
// station on virtual time and devices with real keys; tests/e2e/fleet-page.test.ts does the same with a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PasskeyView } from '@minga/protocol'
import { TOKENS } from '../../test/station-fixture.ts'
import { Passkeys } from './passkeys.ts'
import { cborWithCertificate, FakeDevice } from '../../test/accounts/passkey-fixture.ts'
import { openPeople, PASSWORD } from '../../test/accounts/people-fixture.ts'

const MINUTE_MS = 60_000
const REFUSED = '401 MINGA_PASSKEY_REFUSED'
const people = await openPeople()
const { clock } = people.station

interface Options {
  challenge: string
  rpId?: string
  rp?: { id: string }
}

async function registration(token: string): Promise<Options> {
  const body = { password: PASSWORD }
  const path = '/me/passkeys/options'
  return (await people.ok<{ options: Options }>(token, 'POST', path, body)).options
}
async function logInOptions(): Promise<Options> {
  return (await people.ok<{ options: Options }>(null, 'POST', '/sessions/passkey-options')).options
}
const add = (token: string, credential: object): Promise<string> =>
  people.outcome(token, 'POST', '/me/passkeys', { name: 'telephone', credential })
const logIn = (credential: object): Promise<string> =>
  people.outcome(null, 'POST', '/sessions/by-passkey', { credential })

interface WithDevice {
  id: string
  token: string
  device: FakeDevice
}

async function withDevice(name: string): Promise<WithDevice> {
  const { id, token } = await people.person(name, 'reader')
  const device = new FakeDevice()
  assert.equal(await add(token, device.create({ options: await registration(token) })), '200')
  return { id, token, device }
}

test('who registered a passkey logs in by it without a name, and sees when it was used', async () => {
  const { token, device } = await withDevice('pass.ana')
  const listed = async (): Promise<PasskeyView[]> => people.ok(token, 'GET', '/me/passkeys')
  const view = { name: 'telephone', isSynced: false, createdAt: clock.now() }
  const id = device.id.toString('base64url')
  assert.deepEqual(await listed(), [{ id, ...view, usedAt: null }])
  const credential = device.get({ options: await logInOptions() })
  const { status, body } = await people.call(null, 'POST', '/sessions/by-passkey', { credential })
  assert.equal(status, 200)
  assert.equal((body as { account: { name: string } }).account.name, 'pass.ana')
  assert.deepEqual(await listed(), [{ id, ...view, usedAt: clock.now() }])
  assert.equal(await logIn(credential), REFUSED, 'an answer opens once')
})

test('registering needs the password and a session', async () => {
  const { token } = await people.person('pass.ben', 'reader')
  const options = (shown: string, password: string): Promise<string> =>
    people.outcome(shown, 'POST', '/me/passkeys/options', { password })
  assert.equal(await options(token, 'not the password'), '401 MINGA_BAD_LOGIN')
  const { secret } = await people.key(token)
  assert.equal(await options(secret, PASSWORD), '403 MINGA_FORBIDDEN')
})

test('what was meant for another origin, account or purpose, or comes late, is refused', async () => {
  const { token, device } = await withDevice('pass.cleo')
  const { token: other } = await people.person('pass.carl', 'reader')
  const stolen = new FakeDevice()
  assert.equal(await add(other, stolen.create({ options: await registration(token) })), REFUSED)
  const elsewhere = 'http://localhost.evil.test'
  const options = await logInOptions()
  assert.equal(await logIn(device.get({ options, origin: elsewhere })), REFUSED)
  const forOther = { ...options, rpId: 'evil.test' }
  assert.equal(await logIn(device.get({ options: forOther })), REFUSED)
  const { challenge } = await registration(token)
  assert.equal(await logIn(device.get({ options: { challenge, rpId: 'localhost' } })), REFUSED)
  const invented = { challenge: Buffer.alloc(56).toString('base64url'), rpId: 'localhost' }
  assert.equal(await logIn(device.get({ options: invented })), REFUSED)
  const late = device.get({ options })
  await clock.advance(5 * MINUTE_MS)
  assert.equal(await logIn(late), REFUSED)
  assert.equal(await logIn(device.get({ options: await logInOptions() })), '200')
})

test('a device that was not unlocked, is unknown, or whose counter went back is refused', async () => {
  const { device } = await withDevice('pass.dora')
  device.isUnlocked = false
  assert.equal(await logIn(device.get({ options: await logInOptions() })), REFUSED)
  device.isUnlocked = true
  device.counter = 0
  assert.equal(await logIn(device.get({ options: await logInOptions() })), REFUSED)
  const unknown = new FakeDevice()
  assert.equal(await logIn(unknown.get({ options: await logInOptions() })), REFUSED)
})

test('an attestation with certificates is refused before anything that they name is fetched', async (t) => {
  const { token } = await people.person('pass.eva', 'reader')
  const fetched = t.mock.method(globalThis, 'fetch')
  const attestation = cborWithCertificate(Buffer.alloc(300))
  const made = new FakeDevice().create({ options: await registration(token) }, attestation)
  assert.equal(await add(token, made), REFUSED)
  assert.equal(fetched.mock.callCount(), 0)
})

test('a passkey ends when its owner removes it, or gets a new password by a link', async () => {
  const { id, token, device } = await withDevice('pass.fay')
  const { token: other } = await people.person('pass.fred', 'reader')
  const path = `/me/passkeys/${device.id.toString('base64url')}`
  assert.equal(await people.outcome(other, 'DELETE', path), '404 MINGA_NO_SUCH_PASSKEY')
  assert.equal(await people.outcome(token, 'DELETE', path), '200')
  assert.equal(await logIn(device.get({ options: await logInOptions() })), REFUSED)
  const again = new FakeDevice()
  assert.equal(await add(token, again.create({ options: await registration(token) })), '200')
  const account = { account: 'pass.fay' }
  const reset = await people.ok<{ token: string }>(TOKENS.apiKey, 'POST', '/resets', account)
  const body = { token: reset.token, password: 'another llama quinoa' }
  await people.ok(null, 'POST', '/resets/use', body)
  const [, ...acts] = await people.acts(id)
  assert.deepEqual(acts, [
    ['account:passkey-added', id],
    ['account:passkey-removed', id],
    ['account:passkey-added', id],
    ['account:reset-made', 'operator'],
    ['account:reset-used', id],
  ])
  assert.equal(await logIn(again.get({ options: await logInOptions() })), REFUSED)
})

test('at a bare address there are no passkeys', () => {
  const origins = [
    'http://localhost:7700',
    'https://minga.test',
    'http://127.0.0.1:7700',
    'https://[::1]',
  ]
  assert.deepEqual(origins.map(Passkeys.isPossibleAt), [true, true, false, false])
})
