// Goal: with a second factor a stolen password opens nothing, and who lost their app still gets in. Method: a whole station
// on virtual time, with an app that shows the codes of the secret; a rotation of the station's key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecondFactorView } from '@minga/protocol'
import { TOKENS } from '../../test/station-fixture.ts'
import { codeAt } from '../../test/accounts/authenticator-fixture.ts'
import { openPeople, PASSWORD } from '../../test/accounts/people-fixture.ts'

const STEP_MS = 30_000
const people = await openPeople()
const { clock, store } = people.station

const logIn = (name: string, code?: string, password = PASSWORD): Promise<string> =>
  people.outcome(null, 'POST', '/sessions', { name, password, code, as: 'token' })

interface Enrolled {
  id: string
  token: string
  secret: string
  codes: string[]
}

async function enrol(name: string): Promise<Enrolled> {
  const { id, token } = await people.person(name, 'reader')
  const begun = { password: PASSWORD }
  const { secret } = await people.ok<{ secret: string }>(token, 'POST', '/me/second-factor', begun)
  const { recoveryCodes: codes } = await people.ok<{ recoveryCodes: string[] }>(
    token,
    'POST',
    '/me/second-factor/confirm',
    { code: codeAt(secret, clock.now()) },
  )
  await clock.advance(STEP_MS)
  return { id, token, secret, codes }
}
const stateOf = (token: string): Promise<SecondFactorView> =>
  people.ok(token, 'GET', '/me/second-factor')

test('the factor counts when a code was shown, and then a log-in needs password and code', async () => {
  const { token } = await people.person('factor.ana', 'reader')
  const begin = (password: string): Promise<string> =>
    people.outcome(token, 'POST', '/me/second-factor', { password })
  assert.equal(await begin('not the password'), '401 MINGA_BAD_LOGIN')
  const { secret, uri } = await people.ok<{ secret: string; uri: string }>(
    token,
    'POST',
    '/me/second-factor',
    { password: PASSWORD },
  )
  assert.equal(new URL(uri).searchParams.get('secret'), secret)
  assert.match(uri, /^otpauth:\/\/totp\/Minga%20localhost%3Afactor\.ana\?/)
  assert.equal(await logIn('factor.ana'), '200')
  const confirm = (code: string): Promise<string> =>
    people.outcome(token, 'POST', '/me/second-factor/confirm', { code })
  assert.equal(await confirm('000000'), '401 MINGA_BAD_CODE')
  assert.equal(await confirm(codeAt(secret, clock.now())), '200')
  assert.equal(await begin(PASSWORD), '409 MINGA_SECOND_FACTOR_ON')
  assert.deepEqual(await stateOf(token), { since: clock.now(), recoveryCodes: 10 })
  assert.equal(await logIn('factor.ana'), '401 MINGA_SECOND_FACTOR_NEEDED')
  assert.equal(await logIn('factor.ana', undefined, 'not the password'), '401 MINGA_BAD_LOGIN')
  // The code that confirmed it was shown already.
  assert.equal(await logIn('factor.ana', codeAt(secret, clock.now())), '401 MINGA_BAD_CODE')
  await clock.advance(STEP_MS)
  assert.equal(await logIn('factor.ana', codeAt(secret, clock.now())), '200')
})

test('a code opens once, also for two that come together, and not after its minute', async () => {
  const { secret } = await enrol('factor.ben')
  const code = codeAt(secret, clock.now())
  const both = await Promise.all([logIn('factor.ben', code), logIn('factor.ben', code)])
  assert.deepEqual(both.toSorted(), ['200', '401 MINGA_BAD_CODE'])
  const late = codeAt(secret, clock.now() + STEP_MS)
  await clock.advance(3 * STEP_MS)
  assert.equal(await logIn('factor.ben', late), '401 MINGA_BAD_CODE')
})

test('a recovery code opens once, however it is typed, and only its own account', async () => {
  const { codes, token } = await enrol('factor.cleo')
  await enrol('factor.carl')
  assert.match(codes[0]!, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  assert.equal(await logIn('factor.carl', codes[0]), '401 MINGA_BAD_CODE')
  const typed = codes[0]!.toLowerCase().replaceAll('-', ' ')
  assert.equal(await logIn('factor.cleo', typed), '200')
  assert.equal(await logIn('factor.cleo', codes[0]), '401 MINGA_BAD_CODE')
  assert.equal((await stateOf(token)).recoveryCodes, 9)
})

test('codes are guessed five times, then once in five minutes', async () => {
  const { secret } = await enrol('factor.dora')
  for (let i = 0; i < 5; i++) {
    assert.equal(await logIn('factor.dora', 'nonsense'), '401 MINGA_BAD_CODE')
  }
  const right = (): string => codeAt(secret, clock.now())
  assert.equal(await logIn('factor.dora', right()), '429 MINGA_RATE_LIMITED')
  await clock.advance(10 * STEP_MS)
  assert.equal(await logIn('factor.dora', right()), '200')
})

test('it can be removed by its owner with password and code and by an operator, and by no one else', async () => {
  const eva = await enrol('factor.eva')
  const remove = (code: string): Promise<string> =>
    people.outcome(eva.token, 'POST', '/me/second-factor/remove', { password: PASSWORD, code })
  assert.equal(await remove('000000'), '401 MINGA_BAD_CODE')
  assert.equal(await remove(codeAt(eva.secret, clock.now())), '200')
  assert.deepEqual(await stateOf(eva.token), { since: null, recoveryCodes: 0 })
  assert.equal(await logIn('factor.eva'), '200')
  const fay = await enrol('factor.fay')
  const reset = (shown: string): Promise<string> =>
    people.outcome(shown, 'DELETE', '/accounts/factor.fay/second-factor')
  assert.equal(await reset(eva.token), '403 MINGA_FORBIDDEN')
  assert.equal(await logIn('factor.fay'), '401 MINGA_SECOND_FACTOR_NEEDED')
  assert.equal(await reset(TOKENS.apiKey), '200')
  assert.equal(await logIn('factor.fay'), '200')
  const [, ...ofEva] = await people.acts(eva.id)
  assert.deepEqual(ofEva, [
    ['account:factor-on', eva.id],
    ['account:factor-off', eva.id],
  ])
  assert.deepEqual((await people.acts(fay.id)).at(-1), ['account:factor-off', 'operator'])
})

test('the database shows neither the secret nor the recovery codes', async () => {
  const { secret, codes, id } = await enrol('factor.gus')
  const stored = await store.call('readTotp', { accountId: id })
  assert.match(stored!.secret, /^sealed1:/)
  assert.ok(!stored!.secret.includes(secret))
  const rows = await store.call('listSecretRows', { keyId: null })
  assert.ok(!codes.some((code) => JSON.stringify(rows).includes(code)))
})
