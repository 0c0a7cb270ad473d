// Goal: what stands out is noticed and what is ordinary is not. Method: hand-made days, each rule
// just below and at its limits, and rows of addresses as people and programs send them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anomaliesOf, robustZ, type ClientDay } from './anomalies.ts'
import { describeSubmission, isNextNumber } from './submission.ts'

const QUIET: ClientDay = {
  submitted: 400,
  denied: 3,
  injections: 0,
  credentials: 0,
  effects: 2,
  probes: 0,
  numbered: 10,
  answered: 390,
  refused: 4,
  missing: 20,
  reasked: 0,
  topHost: { host: 'a.test', submitted: 50 },
  history: [300, 420, 0, 510, 380, 0, 410, 390],
}

function kindsOf(changes: Partial<ClientDay>): string[] {
  return anomaliesOf({ ...QUIET, ...changes }).map(({ kind, severity }) => `${kind} ${severity}`)
}

test('an ordinary day of an ordinary client raises nothing', () => {
  assert.deepEqual(kindsOf({}), [])
})

test('Abuse heuristics: each pattern of abuse is noticed by its own rule', () => {
  const days: Record<string, Partial<ClientDay>> = {
    'injection notice': { injections: 1 },
    'injection alarm': { injections: 10 },
    'credentials notice': { credentials: 1 },
    'denied notice': { denied: 80 },
    'volume notice': { submitted: 2_500 },
    'volume alarm': { submitted: 20_000 },
    'hammering notice': { submitted: 2_000, history: [], topHost: { host: 'a', submitted: 2_000 } },
    'scanning notice': { missing: 300 },
    'scanning alarm': { submitted: 900, answered: 900, refused: 250, missing: 250 },
    'enumeration notice': { submitted: 900, numbered: 500 },
    'evasion notice': { reasked: 5 },
    'evasion alarm': { reasked: 25 },
    'clicks notice': { effects: 20 },
    'clicks alarm': { effects: 200 },
    'probing notice': { probes: 5 },
  }
  for (const [wanted, day] of Object.entries(days)) assert.deepEqual(kindsOf(day), [wanted])
})

test('a large client that is always large, and a new one, are not reported for sending too much', () => {
  const large = Array.from({ length: 28 }, (_, i) => 90_000 + (i % 5) * 3_000)
  assert.deepEqual(kindsOf({ submitted: 110_000, history: large }), [])
  assert.deepEqual(kindsOf({ submitted: 5_000, history: [5, 10] }), [])
})

test('the measure of unusual is not moved by the unusual days themselves', () => {
  const spiky = [100, 110, 90, 105, 50_000, 95, 100, 60_000]
  assert.ok(robustZ(40_000, spiky) > 100)
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000), { minLength: 7, maxLength: 28 }), (history) => {
      const middle = history.toSorted((a, b) => a - b)[history.length >> 1]!
      const z = robustZ(middle, history)
      assert.ok(Number.isFinite(z) && Math.abs(z) < 10)
    }),
  )
})

test('the next number is seen wherever it stands in an address, and nothing else is', () => {
  for (const [before, after] of [
    ['http://a.test/1', 'http://a.test/2'],
    ['http://a.test/9', 'http://a.test/10'],
    ['http://a.test/item/199/view?x=1', 'http://a.test/item/200/view?x=1'],
    ['http://a.test/?id=00129', 'http://a.test/?id=00130'],
    ['http://a.test/?id=5', 'http://a.test/?id=4'],
  ] as const) {
    assert.ok(isNextNumber(before, after), after)
  }
  for (const [before, after] of [
    ['http://a.test/1', 'http://a.test/1'],
    ['http://a.test/1', 'http://a.test/3'],
    ['http://a.test/1', 'http://b.test/2'],
    ['http://a.test/1/x', 'http://a.test/2/y'],
    ['http://a.test/x', 'http://a.test/y'],
    ['http://a.test/', 'http://a.test/1'],
  ] as const) {
    assert.ok(!isNextNumber(before, after), after)
  }
})

test('a submission is described by its numbers, with a few addresses and without passwords', () => {
  const judged = (path: string, code: string | null = null) => ({
    url: `http://a.test${path}`,
    host: 'a.test',
    code,
  })
  const { samples, hosts, ...counts } = describeSubmission([
    { url: null, host: '', code: 'MINGA_BAD_URL' },
    judged("/?id=1'", 'MINGA_ABUSE_INJECTION'),
    judged('/login?user=ana&password=llama', 'MINGA_ABUSE_CREDENTIALS'),
    judged('/poll/1/vote?x=1'),
    judged('/.env'),
    ...Array.from({ length: 20 }, (_, i) => judged(`/item/${i}`)),
  ])
  assert.deepEqual(counts, {
    submitted: 25,
    denied: 3,
    injections: 1,
    credentials: 1,
    effects: 1,
    probes: 1,
    numbered: 19,
    firstUrl: "http://a.test/?id=1'",
    lastUrl: 'http://a.test/item/19',
  })
  assert.deepEqual(hosts, [['a.test', 24]])
  assert.equal(samples['numbered']?.length, 5)
  assert.ok(!JSON.stringify(samples).includes('llama'))
})

test('hosts that are a small part of a submission are not kept', () => {
  const urls = Array.from({ length: 100 }, (_, i) => ({
    url: `http://h${i}.test/`,
    host: `h${i}.test`,
    code: null,
  }))
  assert.deepEqual(describeSubmission(urls).hosts, [])
})
