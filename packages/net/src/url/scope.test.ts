// Goal: a collection holds exactly the URLs its scope names, and no pattern can hang the frontier.
// Method: examples for each kind, properties for include and exclude, refused and accepted patterns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMs } from '@minga/testkit'
import * as fc from 'fast-check'
import { BadPattern } from '../errors.ts'
import { checkPatterns, compileScope, inScope, type Scope } from './scope.ts'
import { compileUrlPattern, STORED_PLACES_MAX } from './url-pattern.ts'

const SEED = 'http://www.example.com/docs/start.html?x=/y'

function scope(kind: Scope['kind'], more: Partial<Scope> = {}): Scope {
  return { kind, seeds: [SEED], ...more }
}

test('each kind of scope reaches as far as its name says', () => {
  const urls: [string, Scope['kind'][]][] = [
    [SEED, ['page', 'prefix', 'host', 'domain', 'any']],
    ['http://www.example.com/docs/other', ['prefix', 'host', 'domain', 'any']],
    ['https://www.example.com/docs/a/b', ['prefix', 'host', 'domain', 'any']],
    ['http://www.example.com/docs', ['host', 'domain', 'any']],
    ['http://www.example.com/blog/', ['host', 'domain', 'any']],
    ['http://www.example.com:8080/docs/', ['domain', 'any']],
    ['http://example.com/docs/', ['domain', 'any']],
    ['http://a.b.example.com/', ['domain', 'any']],
    ['http://notexample.com/docs/', ['any']],
    ['http://www.example.com.evil.test/docs/', ['any']],
    ['ftp://www.example.com/docs/', []],
    ['', []],
  ]
  for (const kind of ['page', 'prefix', 'host', 'domain', 'any'] as const) {
    const reaches = compileScope(scope(kind))
    for (const [url, kinds] of urls)
      assert.equal(reaches(url), kinds.includes(kind), `${kind} ${url}`)
  }
})

test('seeds are canonicalised and broken ones match nothing', () => {
  const seeds = ['HTTP://A.test:80/x#y', 'not a url', 'mailto:x@y']
  assert.equal(inScope('http://a.test/x', { kind: 'page', seeds }), true)
  assert.equal(inScope('http://a.test/x', { kind: 'page', seeds: ['not a url'] }), false)
})

test('addresses are their own domain, with any port', () => {
  const reaches = compileScope({ kind: 'domain', seeds: ['http://127.0.0.1:8080/'] })
  assert.equal(reaches('http://127.0.0.1:9090/'), true)
  assert.equal(reaches('http://127.0.0.2:8080/'), false)
})

test('include narrows, and exclude wins over include', () => {
  const reaches = compileScope(
    scope('host', { include: ['/docs/', '/blog/'], exclude: ['\\.pdf$'] }),
  )
  assert.equal(reaches('http://www.example.com/docs/a'), true)
  assert.equal(reaches('http://www.example.com/blog/a'), true)
  assert.equal(reaches('http://www.example.com/shop/a'), false)
  assert.equal(reaches('http://www.example.com/docs/a.pdf'), false)
  assert.equal(reaches('http://other.test/docs/'), false)
})

test('patterns never widen a scope', () => {
  const word = fc.constantFrom('a', 'b', 'docs', '\\d+', '\\.html$')
  const url = fc.constantFrom('http://www.example.com/docs/a', 'http://b.test/docs/1.html', SEED)
  fc.assert(
    fc.property(fc.array(word), fc.array(word), url, (include, exclude, one) => {
      for (const kind of ['page', 'prefix', 'host', 'domain'] as const) {
        if (!inScope(one, scope(kind, { include, exclude }))) continue
        assert.equal(inScope(one, scope(kind)), true)
      }
    }),
  )
})

test('malformed and catastrophic patterns are refused with a code', () => {
  const patterns = [
    ['(', '[a', 'a{2,1}', '*', '(a+)+b', '(a*)*', '(.*,)*x', '((a+)b?)+', '(a?b?)*c', '([a-z]+)*$'],
    ['(x+x+)+y', '(?:a{1,50}){1,50}', '(?:.*){2,}z', 'a'.repeat(1_001), '(?:(?:a{99}){99}){99}'],
    ['(a)\\1', '(?<n>a)\\k<n>', '(?!x)', '(?<=x)y', '\\bx', '\\p{L}', '\\cA', '(?i:x)', '(?-i:x)'],
  ].flat()
  for (const pattern of patterns) {
    const refused = (error: unknown): boolean =>
      error instanceof BadPattern && error.code === 'MINGA_BAD_PATTERN' && error.retry === 'never'
    assert.throws(() => compileScope(scope('any', { include: [pattern] })), refused, pattern)
    assert.throws(() => compileScope(scope('any', { exclude: [pattern] })), refused, pattern)
  }
})

test('a new scope has at most fifty patterns of three hundred places; one that is stored keeps what it has', () => {
  const include = Array.from({ length: 50 }, (_, i) => `/${i}$`)
  const exclude = ['a{298}']
  checkPatterns({ include, exclude })
  assert.throws(() => checkPatterns({ include: [...include, 'x'] }), {
    code: 'MINGA_TOO_MANY_PATTERNS',
  })
  assert.throws(() => checkPatterns({ exclude: ['a{299}b'] }), { code: 'MINGA_BAD_PATTERN' })
  const stored = compileScope(scope('any', { include: [...include, 'a{1500}'] }))
  assert.deepEqual(
    [stored(`http://a.test/${'a'.repeat(1_500)}`), stored('http://a.test/x')],
    [true, false],
  )
})

/** JavaScript's own engine is the judge. */
function agrees(pattern: string, text: string): void {
  assert.equal(
    compileUrlPattern(pattern).test(text),
    new RegExp(pattern).test(text),
    `${pattern} on ${text}`,
  )
}

test('the patterns that people write mean what they mean elsewhere', () => {
  const patterns = [
    [
      '/docs/',
      '\\.pdf$',
      '^https?://[^/]+/wiki/',
      '/(en|de|fr)/',
      '/20[0-9]{2}/',
      '\\?.*page=\\d+',
    ],
    [
      '(foo|bar)+',
      '(?:\\.jpg|\\.png)$',
      '/[^/]+/print/?$',
      '(ab)+',
      '/a{2,5}/',
      '',
      '[(+)+]',
      '\\(a+\\)+',
    ],
    [
      '/.*/.*\\.html',
      '[\\w-]+=',
      '[^\\d/]{3,}',
      '^$',
      '$^',
      'a|^b',
      '[]',
      '[^]',
      '[a-]',
      'x{,3}',
      'a{2',
    ],
    [
      '\\x2fdocs',
      '\\u002f',
      '[+-.]',
      '(?<lang>en|de)',
      'http.*?docs',
      '[\\d-x]',
      ']',
      '}',
      '\\/',
      '\\-',
    ],
  ].flat()
  const urls = [
    [
      'http://a.test/docs/a.pdf',
      'https://a.test/wiki/x',
      'http://a.test/de/2024/',
      'http://a.test/?x&page=12',
    ],
    [
      'http://a.test/foo/print/',
      'http://a.test/aaa/b/c.html',
      '(aa)',
      '',
      'b',
      'ab',
      'x{,3}',
      'a{2',
      '}',
      ']',
    ],
    ['+-.', 'http://a.test/x.png', 'ü', '\n'],
  ].flat()
  for (const pattern of patterns) for (const url of urls) agrees(pattern, url)
})

test('random patterns give the same answer as the engine of JavaScript', () => {
  const unit = fc.constantFrom(
    ...[
      [
        'a',
        'b',
        '/',
        '.',
        '^',
        '$',
        '|',
        '(',
        '(?:',
        ')',
        '*',
        '+',
        '?',
        '*?',
        '{2}',
        '{1,3}',
        '{2,}',
        '{',
      ],
      ['[ab]', '[^a]', '[a-c/]', '\\d', '\\w', '\\.', '[\\d.]', '1'],
    ].flat(),
  )
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '/', '.', '1'), maxLength: 10 })
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 8, size: 'max' }),
      fc.array(text, { minLength: 3 }),
      (units, texts) => {
        const pattern = units.join('')
        try {
          compileUrlPattern(pattern)
        } catch (error) {
          assert.ok(error instanceof BadPattern)
          return
        }
        for (const one of texts) agrees(pattern, one)
      },
    ),
    { numRuns: process.env['MINGA_LONG'] === '1' ? 300_000 : 6_000 },
  )
})

test('no text makes the pattern check itself fail with anything but its code', () => {
  const unit = fc.constantFrom(...'()[]{}|*+?.^$\\ab1,<>=!:-'.split(''))
  const pattern = fc.oneof(fc.string(), fc.string({ unit, maxLength: 30 }))
  fc.assert(
    fc.property(pattern, (text) => {
      try {
        compileUrlPattern(text)
      } catch (error) {
        assert.ok(error instanceof BadPattern)
      }
    }),
    { numRuns: 20_000 },
  )
})

test('patterns that take a backtracking engine hours answer at once', () => {
  const start = threadMs()
  const slow: [string, string][] = [
    ['/.*/.*/.*/.*\\.html$', '/'.repeat(8_000)],
    ['a.*a.*a.*a.*b', 'a'.repeat(8_000)],
    ['(a|aa)+$', 'a'.repeat(8_000) + '!'],
    ['(?:a|b|ab)*c', 'ab'.repeat(4_000)],
    // Remembers the last fifteen characters: more states than the machine keeps.
    ['a[ab]{15}c', 'abbabaaabb'.repeat(800)],
    ['(?:a|b)*a[ab]{250}c', manyStates(8_000)],
  ]
  for (const [pattern, text] of slow) {
    assert.equal(compileUrlPattern(pattern, STORED_PLACES_MAX).test(text), false)
  }
  assert.ok(threadMs() - start < 5_000)
})

test('a new pattern never forgets: one that would is refused with what to change', () => {
  for (const pattern of ['a[ab]{280}c', 'a.{50}b', '/.{0,40}/comments/']) {
    assert.throws(() => compileUrlPattern(pattern), /smaller counts/)
  }
  const usual = [
    '\\.(jpe?g|png|gif|webp|svg)(\\?.*)?$',
    '/\\d{4}/\\d{2}/\\d{2}/',
    '/[a-z]{2,20}-[0-9]{1,10}\\.html?$',
    '[?&](sort|order|session(id)?|sid|utm_[a-z]+)=',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    '^https?://[^/]*/(en|de|fr)/(news|blog)/[^/]+/?$',
  ]
  for (const pattern of usual) compileUrlPattern(pattern)
})

/** Letters in no order: every character leads to a set of places that was not met before. */
function manyStates(length: number): string {
  let seed = 1
  return Array.from({ length }, () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % 2 === 0 ? 'a' : 'b'
  }).join('')
}

test('the machine stays right when it forgets its states', () => {
  const pattern = compileUrlPattern('a[ab]{12}c', STORED_PLACES_MAX)
  const judge = /a[ab]{12}c/
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', 'bc'), minLength: 50, maxLength: 400 }),
      (text) => {
        assert.equal(pattern.test(text), judge.test(text))
      },
    ),
    { numRuns: 1_000 },
  )
})
