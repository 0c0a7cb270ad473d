// Goal: noise is no disagreement, a forgery is, and only a trusted fetch makes a lie of it.
// Method: pairs of pages that differ in noise or in substance, and all constellations of fetches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMs } from '@minga/testkit'
import * as fc from 'fast-check'
import { chooseCanary, type VerifiedPage } from './canary.ts'
import { mayAudit, mayJudge, networkOf, type Checker } from './eligible.ts'
import { contentFingerprint, headersFingerprint, urlPattern } from './fingerprint.ts'
import { compare, verdictOf, type PageFacts } from './verdict.ts'

const html = (text: string): string | null => contentFingerprint(text, 'text/html; charset=utf-8')

const page = (content: string, more: Partial<PageFacts> = {}): PageFacts => ({
  status: 200,
  digest: content,
  fingerprint: content,
  location: null,
  ...more,
})

test('times, counters, nonces and tokens do not make two pages different', () => {
  const pairs = [
    [
      '<p>Updated Mon, 3 Feb 2025 09:05 GMT</p>',
      '<p>Updated Tuesday, 12 March 2024 23:59:01 UTC</p>',
    ],
    ['<b>1,204 readers</b>', '<b>7 readers</b>'],
    ['<p>5 minutes ago</p>', '<p>1 hour ago</p>'],
    ['<script nonce="aBcDefGh">x()</script>', '<script nonce="zzTop+/=">x()</script>'],
    ['<input name="csrf_token" value="abc">', '<input name="csrf_token" value="xyz">'],
    ['{"requestId":"abcdef"}', '{"requestId":"fedcba"}'],
    ['<a href="/x?sid=9f8e7d6c5b4a">in</a>', '<a href="/x?sid=0a1b2c3d4e5f">in</a>'],
    ['<p>same   words</p>', '<p>same words</p>\n'],
    ['<p>You are 198.51.100.7.</p>', '<p>You are 0000000000.</p>'],
    ['<p>You are 2001:db8:face::cafe: hi</p>', '<p>You are 000000000000000: hi</p>'],
    ['<a href="/?from=2001%3Adb8%3Aface%3A%3Abeef">x</a>', '<a href="/?from=203.0.113.9">x</a>'],
  ]
  for (const [one, other] of pairs) assert.equal(html(one!), html(other!), one)
})

test('one changed word, name, link or script makes two pages different', () => {
  const original =
    '<h1>Result</h1><p>Anna won with 51 votes</p><a href="https://a.example/in">in</a>'
  const forgeries = [
    original.replace('Anna', 'Berta'),
    original.replace('won', 'lost'),
    original.replace('a.example', 'evil.example'),
    `${original}<script>steal()</script>`,
    original.replace('<h1>Result</h1>', ''),
  ]
  for (const forgery of forgeries) assert.notEqual(html(forgery), html(original), forgery)
})

test('what is no text has no fingerprint, so its digest decides', () => {
  assert.equal(contentFingerprint('\u0000\u0001', 'image/png'), null)
  assert.equal(contentFingerprint('x', ''), null)
  assert.notEqual(contentFingerprint('x', 'application/ld+json'), null)
  const picture = page('a', { fingerprint: null })
  assert.equal(compare(picture, { ...picture, digest: 'b' }), 'differ')
  assert.equal(compare(picture, { ...picture }), 'agree')
})

test('any text has a fingerprint that is the same twice and blind to numbers', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.nat(),
      fc.nat(),
      (text, a, b) => {
        assert.equal(html(text), html(text))
        assert.equal(html(`${text} ${a} x`), html(`${text} ${b} x`))
        assert.notEqual(html(`${text} word`), html(`${text} other`))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a long hostile text is read in time that grows with its length only', () => {
  for (const piece of [
    '<input name="token',
    'nonce=',
    '1:',
    ' a=1',
    '<meta ',
    '<input value="',
    'csrf-',
    '2001:',
    '2001%3a%3A',
    '<input name=token value=x>',
  ]) {
    const started = threadMs()
    html(piece.repeat(20_000))
    assert.ok(threadMs() - started < 2_000, piece)
  }
})

test('redirects agree by their target, errors by their status and what they say', () => {
  const to = (location: string): PageFacts => page('', { status: 302, location })
  assert.equal(compare(to('/in?sid=123'), to('/in?sid=98')), 'agree')
  assert.equal(compare(to('/in'), to('/out')), 'differ')
  assert.equal(compare(page('a', { status: 404 }), page('a', { status: 404 })), 'agree')
  assert.equal(compare(page('a', { status: 404 }), page('b', { status: 404 })), 'differ')
  assert.equal(compare(page('a', { status: 404 }), page('a', { status: 410 })), 'differ')
  assert.equal(compare(page('a'), page('a', { status: 404 })), 'differ')
})

test('headers that decide what a page is and where it leads are compared, others and their noise are not', () => {
  const sent = (headers: Record<string, string>): PageFacts =>
    page('a', { headers: headersFingerprint((name) => (name in headers ? [headers[name]!] : [])) })
  const usual = { 'content-type': 'text/html; charset=utf-8', link: '</s.css?v=17>; rel=preload' }
  const noise = { ...usual, 'content-type': 'text/html;charset=UTF-8', date: 'now', server: 'x' }
  assert.equal(compare(sent(usual), sent({ ...noise, link: '</s.css?v=4>; rel=preload' })), 'agree')
  for (const forged of [
    { 'content-type': 'text/plain' },
    { refresh: '0; url=https://evil.example/' },
    { link: '<https://evil.example/>; rel=canonical' },
    { 'content-disposition': 'attachment; filename=x.exe' },
  ]) {
    assert.equal(compare(sent(usual), sent({ ...usual, ...forged })), 'differ')
  }
  assert.equal(compare(page('a'), sent(usual)), 'agree', 'facts of older versions have none')
})

const [truth, lie, otherLie] = [page('truth'), page('lie'), page('other lie')]
const at = { receivedAt: 1_000_000 }

test('two fetches that agree settle it without a judge', () => {
  assert.deepEqual(verdictOf({ ...at, subject: truth, auditor: truth }), { type: 'agree' })
})

test('a disagreement is no lie before a trusted fetch says so', () => {
  const open = { ...at, subject: lie, auditor: truth }
  assert.deepEqual(verdictOf(open), { type: 'open', needs: 'judge' })
  assert.deepEqual(verdictOf({ ...open, judge: truth }), { type: 'lie', liars: ['subject'] })
  assert.deepEqual(verdictOf({ ...open, judge: lie }), { type: 'agree' })
})

test('a page that is new on every fetch accuses no device', () => {
  const three = { ...at, subject: page('1'), auditor: page('2'), judge: page('3') }
  assert.deepEqual(verdictOf(three), { type: 'open', needs: 'again' })
  assert.deepEqual(verdictOf({ ...three, again: page('4') }), { type: 'none', reason: 'dynamic' })
})

test('two liars with different lies do not pass for a dynamic page', () => {
  const three = { ...at, subject: lie, auditor: otherLie, judge: truth }
  assert.deepEqual(verdictOf({ ...three, again: truth }), {
    type: 'lie',
    liars: ['subject', 'auditor'],
  })
})

test('a page that changed after the subject saw it accuses no device', () => {
  const seen = { ...at, subject: page('old'), auditor: page('new') }
  const changed = verdictOf({ ...seen, judge: page('new', { modifiedAt: at.receivedAt + 1 }) })
  assert.deepEqual(changed, { type: 'none', reason: 'changed' })
  const known = verdictOf({ ...seen, judge: page('new'), earlier: page('old') })
  assert.deepEqual(known, { type: 'none', reason: 'older-version' })
  const long = verdictOf({ ...seen, judge: page('new', { modifiedAt: 5 }), earlier: page('older') })
  assert.deepEqual(long, { type: 'lie', liars: ['subject'] })
})

test('addresses of one provider are one network, in every way of writing them', () => {
  assert.equal(networkOf('203.0.113.9'), networkOf('203.0.7.1'))
  assert.notEqual(networkOf('203.0.113.9'), networkOf('203.1.113.9'))
  assert.equal(networkOf('::ffff:203.0.113.9'), networkOf('203.0.113.9'))
  assert.equal(networkOf('2001:db8::1'), networkOf('2001:0DB8:ffff:1:2:3:4:5'))
  assert.notEqual(networkOf('2001:db8::1'), networkOf('2001:db9::1'))
  assert.equal(networkOf('::1'), '6:0:0')
  assert.equal(networkOf('203.0.113.9', 64500), 'as64500')
  assert.equal(networkOf('no address'), null)
})

const device = (name: string, more: Partial<Checker> = {}): Checker => ({
  device: name,
  owner: `owner of ${name}`,
  network: `network of ${name}`,
  isTrusted: false,
  isProven: true,
  state: 'active',
  ...more,
})

test('friends may not check each other: not the same owner, network or device', () => {
  const subject = device('a')
  assert.equal(mayAudit(subject, device('b')), true)
  assert.equal(mayAudit(subject, subject), false)
  assert.equal(mayAudit(subject, device('b', { owner: subject.owner })), false)
  assert.equal(mayAudit(subject, device('b', { network: subject.network })), false)
  assert.equal(mayAudit(subject, device('b', { network: null })), false)
  assert.equal(mayAudit(subject, device('b', { state: 'quarantined' })), false)
  assert.equal(mayAudit(subject, device('b', { state: 'blocked' })), false)
})

test('only the station’s own devices judge, from whatever network, also strangers whom their operator invited', () => {
  const subject = device('a')
  assert.equal(mayJudge(subject, device('b')), false)
  assert.equal(mayJudge(subject, device('b', { isTrusted: true, network: subject.network })), true)
  assert.equal(mayJudge(subject, device('b', { isTrusted: true, owner: subject.owner })), true)
  assert.equal(mayAudit(subject, device('b', { isTrusted: true, owner: subject.owner })), true)
  assert.equal(mayJudge(subject, { ...subject, isTrusted: true }), false)
})

test('places are remembered by their shape', () => {
  assert.equal(urlPattern('http://a.test/news/123?b=1&a=2'), '/news/#?a&b')
  assert.equal(urlPattern('http://a.test/news/77?a=&b='), '/news/#?a&b')
  assert.equal(urlPattern('http://a.test/about'), '/about')
  assert.equal(urlPattern('nonsense'), '')
})

test('a canary is fresh, unknown to the device and its friends, and not to be foreseen', () => {
  const now = 10_000_000
  const verified = (captureId: number, more: Partial<VerifiedPage> = {}): VerifiedPage => ({
    captureId,
    hostId: 1,
    hash: captureId,
    url: `http://a.test/${captureId}`,
    facts: page('x'),
    at: now - 1_000,
    known: [device('b'), device('c')],
    ...more,
  })
  const turn = { secret: 's', number: 1, now }
  const me = device('a')
  const unfit = [
    verified(1, { at: now - 3_600_001 }),
    verified(2, { known: [device('b', { owner: me.owner })] }),
    verified(3, { known: [device('b', { network: me.network })] }),
    verified(4, { facts: page('x', { status: 503 }) }),
  ]
  assert.equal(chooseCanary(unfit, me, turn), null)
  const pages = [...unfit, ...Array.from({ length: 50 }, (_, i) => verified(10 + i))]
  assert.equal(chooseCanary(pages, me, turn), chooseCanary(pages, me, turn))
  const chosen = new Set(
    Array.from({ length: 200 }, (_, number) => chooseCanary(pages, me, { ...turn, number })),
  )
  assert.ok(chosen.size > 30)
  assert.ok([...chosen].every((one) => one !== null && one.captureId >= 10))
  const seen = new Set(Array.from({ length: 50 }, (_, i) => 10 + i))
  assert.equal(chooseCanary(pages, me, { ...turn, seen }), null)
})
