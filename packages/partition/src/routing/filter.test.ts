// Goal: an operator's word about what is collected stands above every table and is never misread. Method: each kind
// of rule with facts on both sides of it, facts that are still unknown, and invalid rules.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BadFilter } from './errors.ts'
import { filterOf } from './filter-rules.ts'
import { isWanted, judge, type UrlFacts } from './filter.ts'

const only = (conditions: object): ReturnType<typeof filterOf> =>
  filterOf({ otherwise: 'deny', rules: [{ effect: 'allow', ...conditions }] })
const verdict = (conditions: object, facts: Partial<UrlFacts>): string =>
  judge(only(conditions), { host: 'www.example', ...facts }).verdict

test('Admin filters override: a domain covers what is below it and nothing that only ends alike', () => {
  const domains = ['ipb.pt', 'Example.org']
  for (const host of ['ipb.pt', 'www.ipb.pt', 'a.b.ipb.pt', 'WWW.example.ORG.']) {
    assert.equal(verdict({ domains }, { host }), 'wanted', host)
  }
  for (const host of ['notipb.pt', 'ipb.pt.evil.example', 'pt']) {
    assert.equal(verdict({ domains }, { host }), 'unwanted', host)
  }
  assert.equal(verdict({ domains: ['4'] }, { host: '1.2.3.4' }), 'unwanted')
})

test('Admin filters override: an address range holds for every way of writing an address', () => {
  const addresses = ['193.136.0.0/16', '2001:db8::/32']
  for (const address of ['193.136.195.224', '::ffff:193.136.1.1', '2001:DB8:1::1']) {
    assert.equal(verdict({ addresses }, { addresses: ['10.0.0.1', address] }), 'wanted', address)
  }
  assert.equal(verdict({ addresses }, { addresses: ['193.137.0.1', 'rubbish'] }), 'unwanted')
  assert.equal(verdict({ addresses }, { addresses: [] }), 'unwanted')
  assert.equal(verdict({ addresses }, {}), 'open')
})

test('Admin filters override: words, type and language decide by content once it is known', () => {
  const words = ['Ponte', 'rio  Douro', '橋']
  assert.equal(verdict({ words }, { text: 'A PONTE, nova.' }), 'wanted')
  assert.equal(verdict({ words }, { text: 'no rio\nDouro corre' }), 'wanted')
  assert.equal(verdict({ words }, { text: '大きな橋です' }), 'wanted')
  assert.equal(verdict({ words }, { text: 'pontes; o rio e o Douro' }), 'unwanted')
  assert.equal(verdict({ words }, { text: null }), 'unwanted')
  assert.equal(verdict({ words }, {}), 'open')
  const types = ['text/html', 'image/*']
  assert.equal(verdict({ types }, { type: 'Text/HTML; charset=utf-8' }), 'wanted')
  assert.equal(verdict({ types }, { type: 'image/png' }), 'wanted')
  assert.equal(verdict({ types }, { type: 'text/plain' }), 'unwanted')
  assert.equal(verdict({ types }, { type: null }), 'unwanted')
  const languages = ['pt', 'en-GB']
  assert.equal(verdict({ languages }, { language: 'pt-BR' }), 'wanted')
  assert.equal(verdict({ languages }, { language: 'en-gb' }), 'wanted')
  assert.equal(verdict({ languages }, { language: 'en-US' }), 'unwanted')
  assert.equal(verdict({ languages }, { language: 'ptx' }), 'unwanted')
})

test('Admin filters override: geography decides by country and by area, over the date line too', () => {
  assert.equal(verdict({ countries: ['pt'] }, { country: 'PT' }), 'wanted')
  assert.equal(verdict({ countries: ['PT'] }, { country: 'ES' }), 'unwanted')
  assert.equal(verdict({ countries: ['PT'] }, { country: null }), 'unwanted')
  const areas = [
    { south: 36.9, west: -9.6, north: 42.2, east: -6.1 },
    { south: -20, west: 176, north: -15, east: -178 },
  ]
  assert.equal(verdict({ areas }, { place: { latitude: 41.8, longitude: -6.8 } }), 'wanted')
  assert.equal(verdict({ areas }, { place: { latitude: -18, longitude: 179.9 } }), 'wanted')
  assert.equal(verdict({ areas }, { place: { latitude: -18, longitude: -179 } }), 'wanted')
  assert.equal(verdict({ areas }, { place: { latitude: 40.4, longitude: -3.7 } }), 'unwanted')
  assert.equal(verdict({ areas }, { place: { latitude: Number.NaN, longitude: 0 } }), 'unwanted')
  assert.equal(verdict({ areas }, {}), 'open')
})

test('Admin filters override: the first rule that matches decides, and all its lists have to', () => {
  const filter = filterOf({
    otherwise: 'deny',
    rules: [
      { effect: 'allow', domains: ['news.ads.example'] },
      { effect: 'deny', domains: ['ads.example'] },
      { effect: 'allow', domains: ['example'], countries: ['PT', 'BR'] },
    ],
  })
  const ruling = (host: string, country?: string) => judge(filter, { host, country })
  assert.deepEqual(ruling('news.ads.example'), { verdict: 'wanted', rule: 0 })
  assert.deepEqual(ruling('www.ads.example', 'PT'), { verdict: 'unwanted', rule: 1 })
  assert.deepEqual(ruling('www.example', 'BR'), { verdict: 'wanted', rule: 2 })
  assert.deepEqual(ruling('www.example', 'ES'), { verdict: 'unwanted', rule: null })
  assert.deepEqual(ruling('www.example'), { verdict: 'open', rule: 2 })
  assert.deepEqual(ruling('www.other'), { verdict: 'unwanted', rule: null })
})

test('Admin filters override: an unknown fact keeps a URL only while it could still change the verdict', () => {
  const spam = { effect: 'deny', words: ['casino'] }
  const lenient = filterOf({ otherwise: 'allow', rules: [spam] })
  assert.equal(isWanted(lenient, { host: 'a.example' }), true)
  assert.equal(isWanted(lenient, { host: 'a.example', text: 'Casino!' }), false)
  const strict = filterOf({ otherwise: 'deny', rules: [spam] })
  assert.equal(isWanted(strict, { host: 'a.example' }), false)
})

const drawnFacts = fc.record(
  {
    host: fc.string(),
    addresses: fc.array(fc.oneof(fc.ipV4(), fc.string())),
    text: fc.option(fc.string({ unit: 'binary' })),
    type: fc.option(fc.string()),
    language: fc.option(fc.string()),
    country: fc.option(fc.string()),
    place: fc.option(fc.record({ latitude: fc.double(), longitude: fc.double() })),
  },
  { requiredKeys: ['host'] },
)

test('Admin filters override: a verdict that is not open stays when more becomes known', () => {
  const list = fc.record(
    {
      domains: fc.constant(['a']),
      words: fc.constant(['a']),
      types: fc.constant(['text/html']),
      countries: fc.constant(['PT']),
    },
    { requiredKeys: ['domains'] },
  )
  const effect = fc.constantFrom('allow', 'deny')
  const rules = fc.array(fc.tuple(effect, list).map(([it, lists]) => ({ effect: it, ...lists })))
  const full = fc.record({
    host: fc.constantFrom('a', 'b'),
    text: fc.constantFrom('a', 'b'),
    type: fc.constantFrom('text/html', null),
    country: fc.constantFrom('PT', 'ES'),
  })
  const hidden = fc.subarray(['text', 'type', 'country'] as const)
  fc.assert(
    fc.property(fc.record({ otherwise: effect, rules }), full, hidden, (data, facts, unknown) => {
      const filter = filterOf(data)
      const early: UrlFacts = { ...facts }
      for (const name of unknown) early[name] = undefined
      const late = judge(filter, facts).verdict
      assert.notEqual(late, 'open')
      const soon = judge(filter, early).verdict
      assert.ok(soon === 'open' || soon === late)
    }),
    { seed: 61, numRuns: 500 },
  )
})

test('any facts get a verdict from any filter, and any data is a filter or refused', () => {
  const filter = filterOf({
    otherwise: 'allow',
    rules: [
      { effect: 'deny', domains: ['x'], addresses: ['::/0'] },
      { effect: 'allow', words: ['x'], types: ['text/*'], languages: ['pt'] },
      { effect: 'deny', countries: ['PT'], areas: [{ south: 0, west: 0, north: 1, east: 1 }] },
    ],
  })
  fc.assert(
    fc.property(drawnFacts, (facts) => {
      assert.match(judge(filter, facts).verdict, /^(wanted|unwanted|open)$/)
    }),
    { seed: 62, numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (data, item) => {
      for (const it of [data, { otherwise: 'deny', rules: [data] }, rule({ domains: [item] })]) {
        try {
          filterOf(it)
        } catch (error) {
          assert.ok(error instanceof BadFilter)
        }
      }
    }),
    { seed: 63, numRuns: 500 },
  )
})

const rule = (conditions: object): object => ({
  otherwise: 'deny',
  rules: [{ effect: 'allow', ...conditions }],
})

test('an invalid rule is refused with its place and what is wrong', () => {
  const bad: [unknown, RegExp][] = [
    [null, /not an object/],
    [{}, /neither "allow" nor "deny"/],
    [{ otherwise: 'deny', rules: {} }, /not a list/],
    [{ otherwise: 'deny', rule: [] }, /"rule" is nothing/],
    [rule({}), /Rule 1: it has no condition/],
    [rule({ domain: ['x'] }), /"domain" is none of domains, addresses/],
    [rule({ constructor: ['x'] }), /"constructor" is none of/],
    [rule({ domains: [] }), /at least one/],
    [rule({ domains: 'x' }), /not a list/],
    [rule({ domains: ['*.example'] }), /"\*\.example" is invalid/],
    [rule({ addresses: ['10.0.0.1/8'] }), /Rule 1, "addresses": "10\.0\.0\.1\/8" is no block/],
    [rule({ words: [' '] }), /is invalid/],
    [rule({ types: ['html'] }), /is invalid/],
    [rule({ languages: ['p'] }), /is invalid/],
    [rule({ countries: ['Portugal'] }), /is invalid/],
    [rule({ areas: [{ south: 1, west: 0, north: 0, east: 0 }] }), /south lies north/],
    [rule({ areas: [{ south: 1, west: 0, north: 91, east: 0 }] }), /"north" is not a number/],
  ]
  for (const [data, message] of bad) {
    assert.throws(() => filterOf(data), BadFilter)
    assert.throws(() => filterOf(data), message)
  }
})
