// Goal: a session's cookies go back to the host that set them, and to no other, and no longer than
// they last. Method: fields as wikis and hostile servers write them, and what would be sent where.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { HeaderList } from '@minga/net'
import { SessionCookies } from './session-cookies.ts'

const NOW = Date.UTC(2026, 0, 1)
const API = 'https://wiki.example/w/api.php'

const fields = (...values: string[]): HeaderList => values.map((value) => ['Set-Cookie', value])

function cookiesAfter(...values: string[]): SessionCookies {
  const cookies = new SessionCookies()
  cookies.keep(API, fields(...values), NOW)
  return cookies
}

test('cookies are sent back together, a later value in place of an earlier one', () => {
  const cookies = cookiesAfter('wiki_session=1; path=/; HttpOnly', 'wikiUser=Ana; Path=/; Secure')
  cookies.keep(API, fields('wiki_session=2; path=/'), NOW)
  assert.equal(cookies.header(API, NOW), 'wiki_session=2; wikiUser=Ana')
})

test('a cookie stays on its host, unless it names a domain that the host is in', () => {
  const own = cookiesAfter('a=1; path=/')
  assert.equal(own.header('https://en.wiki.example/w/api.php', NOW), null)
  assert.equal(own.header('https://example/', NOW), null)
  const shared = cookiesAfter('a=1; path=/; Domain=.wiki.example')
  assert.equal(shared.header('https://en.wiki.example/', NOW), 'a=1')
  assert.equal(shared.header('https://evilwiki.example/', NOW), null)
  for (const domain of ['evil.example', 'iki.example', 'en.wiki.example']) {
    assert.equal(cookiesAfter(`a=1; path=/; domain=${domain}`).header(API, NOW), null, domain)
  }
  const address = new SessionCookies()
  address.keep('http://10.1.2.3/w/api.php', fields('a=1; path=/; domain=2.3'), NOW)
  assert.equal(address.header('http://10.1.2.3/', NOW), null)
})

test('a cookie is sent below its path, and without one below the folder of what set it', () => {
  const cookies = cookiesAfter('a=1; path=/w', 'b=2', 'c=3; path=/', 'd=4; path=nonsense')
  assert.equal(cookies.header('https://wiki.example/w/index.php', NOW), 'a=1; b=2; d=4; c=3')
  assert.equal(cookies.header('https://wiki.example/w', NOW), 'a=1; b=2; d=4; c=3')
  assert.equal(cookies.header('https://wiki.example/wiki/A', NOW), 'c=3')
})

test('a secure cookie is neither taken from nor sent over http', () => {
  assert.equal(
    cookiesAfter('a=1; path=/; secure').header('http://wiki.example/w/api.php', NOW),
    null,
  )
  const plain = new SessionCookies()
  plain.keep('http://wiki.example/w/api.php', fields('a=1; path=/; secure'), NOW)
  assert.equal(plain.header(API, NOW), null)
})

test('a cookie ends when it says so, Max-Age before Expires, and at once when it is taken back', () => {
  const cookies = cookiesAfter(
    'a=1; path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    'b=2; path=/; Expires=Thu, 01 Jan 2026 00:02:00 GMT',
    'c=3; path=/; Max-Age=soon',
  )
  assert.equal(cookies.header(API, NOW), 'a=1; b=2; c=3')
  assert.equal(cookies.header(API, NOW + 60_000), 'b=2; c=3')
  assert.equal(cookies.header(API, NOW + 120_000), 'c=3')
  cookies.keep(API, fields('c=deleted; path=/; Max-Age=0'), NOW)
  assert.equal(cookies.header(API, NOW + 120_000), null)
})

test('a server cannot fill the memory or write fields of its own', () => {
  const many = Array.from({ length: 500 }, (_, i) => `c${i}=x; path=/`)
  assert.equal(
    cookiesAfter(...many)
      .header(API, NOW)
      ?.split('; ').length,
    50,
  )
  assert.equal(cookiesAfter(`a=${'x'.repeat(5_000)}; path=/`).header(API, NOW), null)
  const parts = [
    '=',
    ';',
    ' ',
    ',',
    'a',
    'path=/',
    'domain=',
    'é',
    '\u{1}',
    '\r\n',
    'Max-Age=9',
    '"',
  ]
  const line = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((each) => each.join(''))
  fc.assert(
    fc.property(line, (value) => {
      const sent = cookiesAfter(value).header(API, NOW)
      assert.ok(sent === null || /^[\x20-\x7e\x80-\xff]+$/.test(sent))
    }),
    { seed: 7 },
  )
})
