// Goal: attacks and secrets are refused, ordinary addresses are not, and neither costs much. Method:
// labelled addresses of our own, precision and recall measured on them; properties; a stopwatch.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { threadMs } from '@minga/testkit'
import * as fc from 'fast-check'
import { canonicalUrl } from '@minga/net'
import { abuseIn } from './judge-url.ts'
import { sideEffectOf } from './submission.ts'

function fixture(name: string): string[] {
  const text = readFileSync(
    new URL(`../../test/abuse/fixtures/${name}.txt`, import.meta.url),
    'utf8',
  )
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('# '))
  return lines.map((line) => {
    const url = canonicalUrl(line)
    assert.ok(url !== null, line)
    return url
  })
}

const ATTACKS = fixture('attacks')
const SECRETS = fixture('secrets')
const ORDINARY = fixture('ordinary')

const isInjection = (url: string): boolean => abuseIn(url)?.code === 'MINGA_ABUSE_INJECTION'

test('Abuse heuristics: injection-like addresses are distinguished from ordinary ones', (t) => {
  assert.ok(ATTACKS.length >= 150 && ORDINARY.length >= 400)
  const missed = ATTACKS.filter((url) => !isInjection(url))
  const wronged = ORDINARY.filter((url) => isInjection(url))
  const caught = ATTACKS.length - missed.length
  const precision = caught / (caught + wronged.length)
  const recall = caught / ATTACKS.length
  t.diagnostic(`precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}`)
  assert.ok(precision >= 0.98, `wronged:\n${wronged.join('\n')}`)
  assert.ok(recall >= 0.95, `missed:\n${missed.join('\n')}`)
})

test('Abuse heuristics: log-ins by address are refused, ordinary addresses are not', () => {
  const code = 'MINGA_ABUSE_CREDENTIALS'
  assert.deepEqual(
    SECRETS.filter((url) => abuseIn(url)?.code !== code),
    [],
  )
  assert.deepEqual(
    ORDINARY.filter((url) => abuseIn(url)?.code === code),
    [],
  )
})

test('an attack is caught however often it is percent-encoded, up to three times', () => {
  const payloads = [
    '<script>alert(1)</script>',
    "1' or '1'='1",
    '../../../etc/passwd',
    '${jndi:ldap://a}',
  ]
  for (const payload of payloads) {
    let wrapped = payload
    for (let layers = 1; layers <= 3; layers++) {
      wrapped = encodeURIComponent(wrapped).replaceAll("'", '%27')
      const url = canonicalUrl(`http://a.test/?id=${wrapped}`)!
      assert.ok(isInjection(url), `${layers} times: ${url}`)
    }
  }
})

test('words and numbers alone are never refused, wherever they stand', () => {
  const words = [
    'select',
    'union',
    'drop',
    'table',
    'script',
    'alert',
    'passwd',
    'etc',
    'or',
    'and',
    '1',
    '42',
  ]
  const word = fc.constantFrom(...words)
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 4 }),
      fc.array(word, { maxLength: 4 }),
      (path, query) => {
        // Next to each other they may be SQL; apart they are words.
        const url = `http://a.test/${path.join('/a-')}?q=${query.join('-')}`
        assert.equal(abuseIn(canonicalUrl(url)!), null)
      },
    ),
  )
})

test('no address crashes the judge or keeps it long', () => {
  const parts = fc.constantFrom(
    "'",
    '"',
    '(',
    ' ',
    'select',
    'union',
    '/*',
    '*/',
    '../',
    '%',
    '%25',
    '<',
    '{{',
    '${',
    '=',
    '&',
    '\\',
    'a',
    '1',
    ';',
    '|',
    'or',
  )
  const started = threadMs()
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 400 }), (texts) => {
      const url = canonicalUrl(`http://a.test/?a=${texts.join('')}`)
      if (url !== null) abuseIn(url)
    }),
    { numRuns: process.env['MINGA_LONG'] === '1' ? 20_000 : 1_000 },
  )
  assert.ok(threadMs() - started < 60_000)
})

test('long runs of one thing are judged in time that grows with their length', () => {
  for (const part of [
    "'",
    '(',
    '/*',
    '../',
    '<',
    '{{',
    '$(',
    '%25',
    ' or ',
    "' or ",
    'union ',
    '[',
    'a=',
    '&a=',
    '"on',
  ]) {
    const url = canonicalUrl(`http://a.test/?a=${part.repeat(8_000 / part.length)}`)
    if (url === null) continue
    const started = threadMs()
    abuseIn(url)
    assert.ok(threadMs() - started < 100, part)
  }
})

test('an ordinary address costs microseconds', (t) => {
  const everyday = Array.from({ length: 1_000 }, (_, i) => [
    `https://www.site${i % 97}.example/news/2024/05/${i % 30}/a-title-of-story-number-${i}`,
    `https://shop.example/catalog/product.php?id=${i}&cat=${i % 9}&utm_source=feed`,
    `https://cdn.example/static/js/app.${i.toString(16)}.min.js?v=1.2.${i}`,
    `https://blog.example/tag/caf%C3%A9-${i}/page/${i % 20}/`,
    `https://en.example/wiki/Union_(${i})?action=history`,
  ]).flat()
  const costUs = (urls: readonly string[]): number => {
    let best = Infinity
    for (let round = 0; round < 30; round++) {
      const started = threadMs()
      for (const url of urls) abuseIn(url)
      best = Math.min(best, ((threadMs() - started) * 1_000) / urls.length)
    }
    return best
  }
  const [plain, odd] = [costUs(everyday), costUs(ORDINARY)]
  t.diagnostic(`${plain.toFixed(2)} µs each; ${odd.toFixed(2)} µs of the labelled, odd ones`)
  assert.ok(plain <= 3)
})

test('votes, likes and paid clicks are noticed, pages about them are not', () => {
  const noticed = {
    'http://a.test/poll/7/vote?option=2': 'vote',
    'http://a.test/index.php?action=vote&id=2': 'vote',
    'http://a.test/post/7/like?': 'like',
    'http://a.test/pagead/aclk?sa=L&ai=x': 'ad-click',
    'http://a.test/r?adurl=http://b.test/': 'ad-click',
    'http://a.test/click?campaign=7': 'click',
    'http://a.test/newsletter/unsubscribe?u=7': 'subscription',
    'http://a.test/.env': 'probe',
    'http://a.test/.git/config': 'probe',
  }
  for (const [url, effect] of Object.entries(noticed)) {
    assert.equal(sideEffectOf(url.slice('http://a.test'.length)), effect, url)
  }
  for (const path of [
    '/how-to-vote',
    '/news/like-a-rolling-stone',
    '/clickhouse/docs',
    '/votes-2024.html',
  ]) {
    assert.equal(sideEffectOf(path), null, path)
  }
})
