// Goal: the dedup key equals what a browser's URL parser says, and the keys derived from it are stable.
// Method: examples, and properties against `URL` itself on addresses built to hit every fast path.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  canonicalUrl,
  hostKeyOf,
  originOf,
  pathAndQueryOf,
  redirectTarget,
  registrableDomainOf,
  surt,
} from './url.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 500_000 : 6_000

/** The definition, without any of the short cuts. */
function byTheBook(input: string, base?: string): string | null {
  const parsed = URL.parse(input, base)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  parsed.hash = ''
  return parsed.href.length < 8_192 ? parsed.href : null
}

const piece = fc.constantFrom(
  ...[
    ['http://', 'https://', 'HTTP:', 'http:/', '//', '/', '\\', '.', '..', '%2e', '%2E', '%', '?'],
    ['#', ':', '@', ' ', '\t', '\n', "'", '"', '|', '^', '[', ']', 'a', 'B', 'é', '漢', '\u0000'],
    ['example.com', 'EXAMPLE.com', 'xn--nxasmq6b', '127.0.0.1', '0x7f.1', '[::1]', ':80', ':443'],
    [
      ':8080',
      ':0080',
      ':99999',
      'user:pw@',
      'path',
      'a=b&c',
      '&amp;',
      '~',
      '!',
      '(',
      '{',
      'mailto:',
    ],
    ['javascript:', 'data:x', 'localhost', 'h.test', '1', '.html', '+', ',', ';', '*', '$', '^'],
  ].flat(),
)
const messyUrl = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''))
const absoluteUrl = fc
  .tuple(
    fc.constantFrom('http://a.test', 'https://b.test:8443', 'http://C.test', 'http://1.2'),
    messyUrl,
  )
  .map(([origin, rest]) => origin + rest)

test('the fast paths agree with the URL parser on absolute addresses', () => {
  fc.assert(
    fc.property(fc.oneof(messyUrl, absoluteUrl), (input) => {
      assert.equal(canonicalUrl(input), byTheBook(input))
    }),
    { numRuns: RUNS },
  )
})

test('the fast paths agree with the URL parser on references against a base', () => {
  const base = fc.oneof(
    absoluteUrl,
    fc.constantFrom('http://a.test/x/y?q#f', 'http://u:p@a.test/', 'x'),
  )
  fc.assert(
    fc.property(fc.oneof(messyUrl, absoluteUrl), base, (input, from) => {
      assert.equal(canonicalUrl(input, from), byTheBook(input, from))
    }),
    { numRuns: RUNS },
  )
})

test('canonicalising twice changes nothing', () => {
  fc.assert(
    fc.property(fc.oneof(messyUrl, absoluteUrl, fc.webUrl({ withFragments: true })), (input) => {
      const once = canonicalUrl(input)
      if (once !== null) assert.equal(canonicalUrl(once), once)
    }),
    { numRuns: RUNS },
  )
})

test('only the fragment is dropped, nothing else is tidied', () => {
  const cases: [string, string | null][] = [
    ['http://example.com', 'http://example.com/'],
    ['http://example.com/#', 'http://example.com/'],
    ['http://example.com/a#b#c', 'http://example.com/a'],
    ['http://example.com/a?#b', 'http://example.com/a?'],
    ['HTTP://EXAMPLE.com:80/A', 'http://example.com/A'],
    ['https://example.com:443/', 'https://example.com/'],
    ['http://example.com/a/../b', 'http://example.com/b'],
    ['http://example.com//a//b', 'http://example.com//a//b'],
    ['http://example.com/?b=2&a=1', 'http://example.com/?b=2&a=1'],
    // RFC 3986 calls these pairs equivalent, browsers do not: each address is requested as it is written.
    ['http://example.com/~user', 'http://example.com/~user'],
    ['http://example.com/%7Euser', 'http://example.com/%7Euser'],
    ['http://example.com/%C3%A4', 'http://example.com/%C3%A4'],
    ['http://example.com/%c3%a4', 'http://example.com/%c3%a4'],
    ['http://example.com/%41bc', 'http://example.com/%41bc'],
    ['http://example.com/index.html', 'http://example.com/index.html'],
    ['http://bücher.example/ü', 'http://xn--bcher-kva.example/%C3%BC'],
    ['ftp://example.com/', null],
    ['mailto:a@example.com', null],
    ['javascript:alert(1)', null],
    ['http://', null],
    ['http://exa mple.com/', null],
    ['/relative', null],
    ['', null],
  ]
  for (const [input, expected] of cases) assert.equal(canonicalUrl(input), expected, input)
})

test('an address of 8,192 characters or more is refused', () => {
  const start = 'http://a.test/'
  assert.equal(canonicalUrl(start + 'a'.repeat(8_191 - start.length))?.length, 8_191)
  assert.equal(canonicalUrl(start + 'a'.repeat(8_192 - start.length)), null)
  assert.equal(canonicalUrl('/' + 'a'.repeat(8_192), start), null)
  assert.equal(canonicalUrl(start + '#' + 'a'.repeat(9_000)), start)
  assert.equal(canonicalUrl(start + 'ü'.repeat(2_000)), null)
})

test('http and https of one name share a politeness unit, other ports do not', () => {
  assert.equal(hostKeyOf('http://a.test/x'), 'a.test')
  assert.equal(hostKeyOf('https://a.test/x@y'), 'a.test')
  assert.equal(hostKeyOf('http://a.test:8080/'), 'a.test:8080')
  assert.equal(hostKeyOf('http://user:pw@a.test:8080/'), 'a.test:8080')
  assert.equal(hostKeyOf('http://[::1]:81/'), '[::1]:81')
})

test('origin, host and path of canonical addresses equal those of the URL parser', () => {
  fc.assert(
    fc.property(fc.oneof(messyUrl, absoluteUrl), (input) => {
      const url = canonicalUrl(input)
      if (url === null) return
      const parsed = new URL(url)
      assert.equal(originOf(url), parsed.origin)
      assert.equal(hostKeyOf(url), parsed.host)
      // A bare '?' has an empty `search`, but stays in the serialisation.
      assert.equal(
        pathAndQueryOf(url).replace(/\?$/, ''),
        (parsed.pathname + parsed.search).replace(/\?$/, ''),
      )
    }),
    { numRuns: RUNS },
  )
})

test('the registrable domain is the part that can be registered', () => {
  assert.equal(registrableDomainOf('a.b.example.co.uk'), 'example.co.uk')
  assert.equal(registrableDomainOf('me.github.io'), 'me.github.io')
  assert.equal(registrableDomainOf('localhost'), 'localhost')
  assert.equal(registrableDomainOf('127.0.0.1'), '127.0.0.1')
  assert.equal(registrableDomainOf('[::1]'), '[::1]')
  assert.equal(registrableDomainOf('com'), 'com')
})

test('sort keys are those that replay tools look for', () => {
  const cases: [string, string][] = [
    ['http://www.Example.com:80/A/?b=2&a=1', 'com,example)/a/?a=1&b=2'],
    ['https://www2.example.com:8080/', 'com,example:8080)/'],
    ['http://archive.org/goo/', 'org,archive)/goo/'],
    ['http://archive.org/goo/?', 'org,archive)/goo/'],
    ['http://127.0.0.1/x', '1,0,0,127)/x'],
    ['http://[::1]:81/a', '[::1]:81)/a'],
    ['http://www2foo.com/', 'com,www2foo)/'],
    ['urn:some:id', 'urn:some:id'],
    ['http://', 'http://'],
  ]
  for (const [url, key] of cases) assert.equal(surt(url), key, url)
})

test('sort keys never fail and do not depend on http or https', () => {
  fc.assert(
    fc.property(fc.oneof(messyUrl, fc.webUrl({ withQueryParameters: true })), (input) => {
      surt(input)
      const url = canonicalUrl(input)
      if (url === null || !url.startsWith('http:') || /:\d+\//.test(url)) return
      assert.equal(surt(url), surt(url.replace('http:', 'https:')))
    }),
    { numRuns: RUNS / 10 },
  )
})

// Goal: a redirect leads where Chromium goes. Method: the bytes of Location fields, as a fetch gives them.

const latin1 = (text: string, charset: BufferEncoding): string =>
  Buffer.from(text, charset).toString('latin1')

test('bytes outside ASCII are escaped as they came, whatever charset the server meant', () => {
  const leads = (location: string): string | null => redirectTarget('http://a.test/dir/', location)
  assert.equal(leads(latin1('/café?q=é', 'utf8')), 'http://a.test/caf%C3%A9?q=%C3%A9')
  assert.equal(leads(latin1('/café?q=é', 'latin1')), 'http://a.test/caf%E9?q=%E9')
  assert.equal(leads('caf%C3%A9'), 'http://a.test/dir/caf%C3%A9')
  assert.equal(leads(latin1('https://bücher.test/', 'utf8')), 'https://xn--bcher-kva.test/')
  assert.equal(leads('mailto:a@b.test'), null)
  assert.equal(redirectTarget('http://a.test/', null), null)
})
