// Goal: a step and its URL are the same thing. Method: random steps of every kind go through their
// URL and back; the URL is what the frontier would store; runs, attempts and continuations are
// distinguished.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { canonicalUrl } from '@minga/net'
import { API, INDEX, REVISIONS, TICKET } from '../../test/api/answer-fixture.ts'
import { stepOfUrl, urlOfStep } from './step-url.ts'
import { isContinueKey } from './step-params.ts'
import { LOG_TYPES, portionsOf, type WikiStep } from './wiki-step.ts'

const id = fc.integer({ min: 1, max: 2 ** 40 })
const count = fc.integer({ min: 0, max: 2 ** 31 })
const limit = fc.integer({ min: 1, max: 500 })
const second = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1000)
const ticket = fc.record({ run: count, task: count, attempt: fc.nat(9) })
// Titles hold neither bars nor lone surrogates: the wiki could not name such a page.
const title = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((text) => !text.includes('|') && text.isWellFormed())
const more = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.constantFrom('continue', 'rvcontinue', 'gapcontinue', 'x-odd'), title, {
    maxKeys: 3,
  }),
)
const reached = fc.option(fc.record({ at: second, revId: id }))
const api = fc.constantFrom(API, 'http://127.0.0.1:8080/api.php')
const index = fc.constantFrom(INDEX, 'http://127.0.0.1:8080/index.php')
const page = fc.constantFrom(
  'https://wiki.example/wiki/A%2Fb',
  'https://wiki.example/?title=A%20b&x=1',
)

const step: fc.Arbitrary<WikiStep> = fc.oneof(
  fc.record({
    kind: fc.constant('discover' as const),
    url: page,
    origin: page,
    candidate: fc.nat(5),
    ticket,
  }),
  fc.record({
    kind: fc.constant('siteinfo' as const),
    api,
    origin: fc.option(page),
    candidate: fc.nat(5),
    ticket,
  }),
  fc.record({
    kind: fc.constant('titles' as const),
    api,
    by: fc.constantFrom('titles' as const, 'pageids' as const, 'revids' as const),
    of: fc.array(title, { minLength: 1, maxLength: 5 }),
    isFollowing: fc.boolean(),
    more,
    ticket,
  }),
  fc.record({
    kind: fc.constant('revisions' as const),
    api,
    pageId: id,
    hasSlots: fc.boolean(),
    order: fc.constantFrom('oldest-first' as const, 'newest-first' as const),
    since: fc.option(second),
    limit,
    withText: fc.boolean(),
    soFar: count,
    reached,
    more,
    ticket,
  }),
  fc.record({
    kind: fc.constant('ids' as const),
    api,
    pageId: id,
    hasSlots: fc.boolean(),
    limit,
    soFar: count,
    reached,
    more,
    ticket,
  }),
  fc.record({
    kind: fc.constant('byIds' as const),
    api,
    pageId: id,
    revIds: fc.array(id, { minLength: 1, maxLength: 50 }),
    hasSlots: fc.boolean(),
    more,
    ticket,
  }),
  fc.record({
    kind: fc.constant('allpages' as const),
    api,
    ns: fc.integer({ min: -2, max: 3_000 }),
    limit,
    more,
    ticket,
  }),
  fc.record({
    kind: fc.constant('category' as const),
    api,
    title,
    depth: fc.nat(9),
    limit,
    more,
    ticket,
  }),
  fc.record({
    kind: fc.constant('recentchanges' as const),
    api,
    since: second,
    until: fc.option(second),
    limit,
    more,
    ticket,
  }),
  fc.record({
    kind: fc.constant('logevents' as const),
    api,
    type: fc.option(fc.constantFrom(...LOG_TYPES)),
    since: fc.option(second),
    title: fc.option(title),
    limit,
    more,
    ticket,
  }),
  fc.record({ kind: fc.constant('export' as const), index, title, ticket }),
  fc.record({
    kind: fc.constant('historyPage' as const),
    index,
    title,
    offset: fc.option(title),
    limit,
    soFar: count,
    ticket,
  }),
  fc.record({ kind: fc.constant('raw' as const), index, title, pageId: id, revId: id, ticket }),
)

test('every step comes back from its URL as it was', () => {
  fc.assert(
    fc.property(step, (each) =>
      assert.deepEqual(stepOfUrl(urlOfStep(each)), structuredClone(each)),
    ),
    { seed: 6, numRuns: 3_000 },
  )
})

test('the URL of a step is the one that the frontier keeps', () => {
  fc.assert(
    fc.property(step, (each) => assert.equal(canonicalUrl(urlOfStep(each)), urlOfStep(each))),
    { seed: 7, numRuns: 3_000 },
  )
})

test('two steps have one URL only when they are the same step', () => {
  fc.assert(
    fc.property(step, step, (a, b) => {
      const isSame = JSON.stringify(a) === JSON.stringify(b)
      if (!isSame) assert.notEqual(urlOfStep(a), urlOfStep(b))
    }),
    { seed: 8, numRuns: 2_000 },
  )
})

test('another run asks the same thing by another URL, the same run by the same', () => {
  const again = { ...REVISIONS, ticket: { ...TICKET, run: 4 } }
  assert.notEqual(urlOfStep(again), urlOfStep(REVISIONS))
  assert.equal(urlOfStep({ ...REVISIONS }), urlOfStep(REVISIONS))
})

test('a history is requested with all properties, oldest first, patiently', () => {
  const url = new URL(
    urlOfStep({ ...REVISIONS, more: { rvcontinue: '2020|7', continue: '||info' } }),
  )
  const asked = Object.fromEntries(url.searchParams)
  const props = new Set((asked['rvprop'] ?? '').split('|'))
  for (const prop of 'ids flags timestamp user userid size sha1 contentmodel comment parsedcomment content tags'.split(
    ' ',
  )) {
    assert.ok(props.has(prop), prop)
  }
  assert.equal(asked['formatversion'], '2')
  assert.equal(asked['maxlag'], '5')
  assert.equal(asked['rvdir'], 'newer')
  assert.equal(asked['rvslots'], '*')
  assert.equal(asked['rvcontinue'], '2020|7')
  assert.equal(asked['continue'], '||info')
  assert.match(asked['requestid'] ?? '', /^revisions;r3;t7;a0;s0$/)
  const old = new URL(urlOfStep({ ...REVISIONS, hasSlots: false }))
  assert.equal(old.searchParams.has('rvslots'), false)
  assert.doesNotMatch(old.searchParams.get('rvprop') ?? '', /slot/)
})

test('addresses that are not steps are rejected', () => {
  const good = urlOfStep(REVISIONS)
  for (const url of [
    'https://wiki.example/w/api.php?action=query',
    'no url',
    good.replace('revisions%3B', 'nothing%3B'),
    good.replace('r3', 'rx'),
    good.replace('pageids=9', 'pageids=x'),
    good.replace('%3Bs0', '%3Bs%25E0'),
    good.replace('%3Ba0', ''),
  ]) {
    assert.equal(stepOfUrl(url), null, url)
  }
  const kinds: WikiStep['kind'][] = [
    'titles',
    'ids',
    'byIds',
    'allpages',
    'category',
    'recentchanges',
    'logevents',
  ]
  for (const kind of [...kinds, 'export', 'historyPage', 'raw', 'siteinfo', 'discover']) {
    assert.equal(stepOfUrl(`${API}?requestid=${kind};r1;t1;a0`), null, kind)
  }
})

test('a continuation cannot overwrite what is asked for', () => {
  for (const key of ['action', 'titles', 'PageIds', 'rvprop', 'requestid', 'a b', '']) {
    assert.equal(isContinueKey(key), false, key)
  }
  for (const key of ['continue', 'rvcontinue', 'gapcontinue', 'grccontinue', 'sroffset']) {
    assert.equal(isContinueKey(key), true, key)
  }
})

test('long lists are cut into portions whose URLs a server accepts', () => {
  const titles = Array.from({ length: 120 }, (_, n) => `東京${'都'.repeat(60)}${n}`)
  const portions = portionsOf(titles)
  assert.deepEqual(portions.flat(), titles)
  for (const of of portions) {
    const url = urlOfStep({
      kind: 'titles',
      api: API,
      by: 'titles',
      of,
      isFollowing: true,
      more: {},
      ticket: TICKET,
    })
    assert.ok(url.length < 8_000)
    assert.ok(of.length <= 50)
  }
  assert.deepEqual(
    portionsOf(Array.from({ length: 101 }, (_, n) => `${n}`)).map(({ length }) => length),
    [50, 50, 1],
  )
  assert.deepEqual(portionsOf([]), [])
})
