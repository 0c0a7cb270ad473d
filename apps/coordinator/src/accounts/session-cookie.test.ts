// Goal: browsers keep the session to themselves and send it to this station only. Method: the
// header's text, and Cookie headers as browsers and others send them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieTagOf } from '../station/secrets/station-secrets.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { openPeople } from '../../test/accounts/people-fixture.ts'
import { clearingHeader, cookieHeader, readCookie, sessionCookie } from './session-cookie.ts'

const HOUR_MS = 3_600_000
const people = await openPeople()
const { clock } = people.station

test('the cookie is out of reach of scripts and of other sites, and secure over TLS', () => {
  const plain = sessionCookie(cookieTagOf('secret'), false)
  assert.match(plain.name, /^minga_[0-9a-f]{8}$/)
  assert.equal(
    cookieHeader(plain, 'T', 60),
    `${plain.name}=T; Path=/; Max-Age=60; HttpOnly; SameSite=Strict`,
  )
  const secure = sessionCookie(cookieTagOf('secret'), true)
  assert.equal(
    cookieHeader(secure, 'T', 60),
    `__Host-${plain.name}=T; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure`,
  )
  assert.match(clearingHeader(secure), /=; Path=\/; Max-Age=0; /)
})

test('two stations on one machine have cookies of their own', () => {
  assert.notEqual(cookieTagOf('a'), cookieTagOf('b'))
})

test('the cookie is found among others and nothing else is mistaken for it', () => {
  const found: [header: string | undefined, value: string | null][] = [
    ['minga=T', 'T'],
    ['a=1; minga=T; b=2', 'T'],
    ['a=1;minga= T=T ', 'T=T'],
    [undefined, null],
    ['', null],
    ['minga', null],
    ['minga=', null],
    ['xminga=T; Minga=T', null],
    ['a=minga=T', null],
    [';'.repeat(10_000), null],
  ]
  for (const [header, value] of found) assert.equal(readCookie(header, 'minga'), value)
})

// Goal: an unused session expires when the operator's setting says so. Method: two sessions of one
// person on virtual time, one of them in use, under the default, under another number and without a
// limit.

const set = (settings: object): Promise<unknown> =>
  people.ok(TOKENS.apiKey, 'PATCH', '/settings', settings)
const isOpen = async (token: string): Promise<boolean> =>
  (await people.call(token, 'GET', '/me')).status === 200
const listed = async (token: string): Promise<number> =>
  (await people.ok<object[]>(token, 'GET', '/sessions')).length

test('an unused session ends after the idle time, a used one stays until its 14 days are over', async () => {
  const { token: used } = await people.person('idle.ana', 'reader')
  const unused = await people.logIn('idle.ana')
  for (let hours = 0; hours < 95; hours += 19) {
    await clock.advance(19 * HOUR_MS)
    assert.equal(await isOpen(used), true)
  }
  assert.equal(await listed(used), 2)
  await clock.advance(HOUR_MS)
  assert.equal(await listed(used), 1)
  assert.equal(await isOpen(unused), false)
  for (let hours = 96; hours < 14 * 24 - 48; hours += 48) {
    await clock.advance(48 * HOUR_MS)
    assert.equal(await isOpen(used), true)
  }
  await clock.advance(48 * HOUR_MS)
  assert.equal(await isOpen(used), false)
})

test('another idle time holds at once, and none leaves a session open', async () => {
  const { token } = await people.person('idle.ben', 'reader')
  await set({ sessionIdleHours: null })
  await clock.advance(300 * HOUR_MS)
  assert.equal(await isOpen(token), true)
  await clock.advance(2 * HOUR_MS)
  await set({ sessionIdleHours: 2 })
  assert.equal(await isOpen(token), false)
  await set({ sessionIdleHours: 200 })
  assert.equal(await isOpen(token), false, 'what has ended is not opened again')
})

test('API keys have no idle time', async () => {
  const { token } = await people.person('idle.cleo', 'client')
  const { secret } = await people.key(token)
  await set({ sessionIdleHours: 1 })
  await clock.advance(HOUR_MS)
  assert.deepEqual([await isOpen(token), await isOpen(secret)], [false, true])
})
