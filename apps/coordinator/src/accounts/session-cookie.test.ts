// Goal: browsers keep the session to themselves and send it to this station only. Method: the
// header's text, and Cookie headers as browsers and others send them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieTagOf } from '../station/secrets/cookie-tag.ts'
import { clearingHeader, cookieHeader, readCookie, sessionCookie } from './session-cookie.ts'

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
