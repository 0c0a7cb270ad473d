// Goal: a policy may hurry a host that copes, within its bounds, and nothing else. Method: the figures
// of spec 2 as examples, the promises as properties of pure functions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { POLITENESS } from '@minga/protocol'
import { delayOf } from './host-clock.ts'
import {
  densityDelayMs,
  paceAfter,
  politeDelayMs,
  restFactorOf,
  tenfoldDelayMs,
  type Pace,
  type PacedAnswer,
  type PolitenessFacts,
} from './politeness.ts'

const THESIS = { pagesMax: 78_523, maxMs: 15_000, minMs: 1_000 }
const DAY_MS = 86_400_000

const bounds = { delayMs: 15_000, delayMinMs: 1_000 }
const unknown: Pace = { lastMs: 0, paceMs: 0, firstByteMs: 0 }
const coping: PolitenessFacts = {
  ...bounds,
  ...unknown,
  pages: 78_523,
  pagesMax: 78_523,
  goodAnswers: 20,
  backoffMs: 0,
}
const good: PacedAnswer = { status: 200, kind: 'page', totalMs: 120, firstByteMs: 100 }

const factsOf: fc.Arbitrary<PolitenessFacts> = fc.record({
  delayMs: fc.oneof(fc.nat(2_000), fc.nat(DAY_MS)),
  delayMinMs: fc.oneof(fc.integer({ min: 250, max: 3_000 }), fc.integer({ min: 250, max: DAY_MS })),
  pages: fc.nat(10_000_000),
  pagesMax: fc.nat(10_000_000),
  goodAnswers: fc.nat(20),
  backoffMs: fc.oneof(fc.constant(0), fc.nat(600_000)),
  lastMs: fc.nat(DAY_MS),
  paceMs: fc.nat(DAY_MS),
  firstByteMs: fc.double({ min: 0, max: DAY_MS, noNaN: true }),
})
const politeness = fc.constantFrom(...POLITENESS)

test('Politeness 3 modes: a server of one page rests 15 s, the densest 1 s, others by their logarithm', () => {
  const delay = (pages: number): number => densityDelayMs({ ...THESIS, pages })
  assert.equal(delay(1), 15_000)
  assert.equal(delay(78_523), 1_000)
  const seconds = [10, 122, 1_000, 10_000].map((pages) => (delay(pages) / 1_000).toFixed(1))
  assert.deepEqual(seconds, ['12.1', '9.0', '6.4', '3.6'])
})

test('Politeness 3 modes: the constant is constant, and tenfold is ten times the last download', () => {
  assert.equal(politeDelayMs('constant', { ...coping, lastMs: 400, paceMs: 2_000 }), 15_000)
  const tenfold = (lastMs: number): number => politeDelayMs('tenfold', { ...coping, lastMs })
  assert.deepEqual([0, 5, 300, 2_000, 9_000].map(tenfold), [15_000, 1_000, 3_000, 20_000, 60_000])
})

test('a delay that depends on density is bounded, falls with the pages, and rises with those of the densest', () => {
  const pages = fc.integer({ min: 0, max: 1e9 })
  fc.assert(
    fc.property(pages, pages, pages, fc.tuple(fc.nat(1e6), fc.nat(1e6)), (a, b, pagesMax, ms) => {
      const [minMs, maxMs] = [Math.min(...ms), Math.max(...ms)]
      const delay = (n: number, most = pagesMax): number =>
        densityDelayMs({ pages: n, pagesMax: most, maxMs, minMs })
      for (const n of [a, b, pagesMax, 0, 1]) {
        assert.ok(Number.isSafeInteger(delay(n)) && delay(n) >= minMs && delay(n) <= maxMs)
      }
      assert.ok(delay(Math.max(a, b)) <= delay(Math.min(a, b)))
      if (pagesMax > 1) assert.ok(delay(a, pagesMax + 1) >= delay(a))
    }),
  )
})

test('every policy stays between the floor and the ceiling, and one that shortens does not lengthen', () => {
  fc.assert(
    fc.property(politeness, factsOf, (name, facts) => {
      const delayMs = politeDelayMs(name, facts)
      const floorMs = Math.min(facts.delayMs, facts.delayMinMs)
      assert.ok(Number.isSafeInteger(delayMs))
      assert.ok(delayMs >= floorMs && delayMs <= Math.max(facts.delayMs, 60_000))
      if (name === 'constant' || name === 'density') assert.ok(delayMs <= facts.delayMs)
    }),
  )
})

test('a host that is unknown, strains or complained gets at least the whole delay', () => {
  fc.assert(
    fc.property(politeness, factsOf, fc.nat(9), (name, facts, goodAnswers) => {
      assert.ok(politeDelayMs(name, { ...facts, goodAnswers }) >= facts.delayMs)
      const backoffMs = facts.backoffMs + 1
      assert.ok(politeDelayMs(name, { ...facts, backoffMs }) >= facts.delayMs)
    }),
  )
  assert.equal(politeDelayMs('density', coping), 1_000)
  assert.equal(politeDelayMs('density', { ...coping, goodAnswers: 9 }), 15_000)
})

test('no policy makes the delay shorter than what robots.txt, an owner or the back-off asks', () => {
  fc.assert(
    fc.property(politeness, factsOf, fc.nat(DAY_MS), (name, facts, robotsMs) => {
      const collectionMs = politeDelayMs(name, facts)
      const delayMs = delayOf({ collectionMs, robotsMs, backoffMs: facts.backoffMs })
      assert.ok(delayMs >= robotsMs && delayMs >= facts.backoffMs)
    }),
  )
})

test('a delay of zero is obeyed by every policy', () => {
  fc.assert(
    fc.property(politeness, factsOf, (name, facts) => {
      assert.equal(politeDelayMs(name, { ...facts, delayMs: 0 }), 0)
    }),
  )
})

test('a crawl that has just begun takes no host for a dense one', () => {
  const delayMs = politeDelayMs('density', { ...coping, pages: 30, pagesMax: 30 })
  assert.ok(delayMs > 8_000, 'thirty pages are few, though no host has more')
})

test('tenfold delays grow with the download and are sent to the agent', () => {
  fc.assert(
    fc.property(fc.nat(DAY_MS), fc.nat(DAY_MS), (a, b) => {
      const delay = (lastMs: number): number =>
        tenfoldDelayMs({ lastMs, minMs: 1_000, maxMs: 60_000 })
      assert.ok(delay(Math.min(a, b)) <= delay(Math.max(a, b)))
    }),
  )
  const spec = { politeness: 'tenfold', delayMs: 15_000 } as Parameters<typeof restFactorOf>[0]
  assert.deepEqual(restFactorOf(spec), { times: 10, atMostMs: 60_000 })
  assert.equal(restFactorOf({ ...spec, politeness: 'adaptive' }), null)
  assert.equal(restFactorOf({ ...spec, delayMs: 0 }), null)
})

const paced = (answers: readonly PacedAnswer[], from = unknown): Pace =>
  answers.reduce((pace, answer) => paceAfter(pace, answer, bounds), from)
const times = (count: number, answer = good): PacedAnswer[] =>
  Array.from({ length: count }, () => answer)

test('an adaptive delay shrinks step by step to the floor while answers stay as fast as usual', () => {
  let pace = paced(times(1))
  assert.equal(pace.paceMs, 15_000)
  const delays: number[] = []
  for (let i = 0; i < 400; i++) {
    pace = paceAfter(pace, good, bounds)
    delays.push(pace.paceMs)
  }
  assert.equal(delays[0], Math.floor(15_000 / 1.05))
  for (const [i, delayMs] of delays.slice(1).entries()) assert.ok(delayMs <= delays[i]!)
  assert.equal(delays.at(-1), 1_000)
  assert.ok(delays.indexOf(1_000) > 200, 'equal steps of the rate, not leaps')
})

test('an adaptive delay doubles at once when answers become slower, and waits while they waver', () => {
  const calm = paced(times(100))
  const slow = paceAfter(calm, { ...good, firstByteMs: 301 }, bounds)
  assert.equal(slow.paceMs, 2 * calm.paceMs)
  const wavering = paceAfter(calm, { ...good, firstByteMs: 180 }, bounds)
  assert.equal(wavering.paceMs, calm.paceMs)
  const small = paced([{ ...good, firstByteMs: 3 }, ...times(1, { ...good, firstByteMs: 30 })])
  assert.ok(small.paceMs < 15_000, 'some milliseconds are no strain, whatever their factor')
  assert.equal(paced(times(30, { ...good, firstByteMs: 9_000 }), calm).paceMs, 60_000)
})

test('a complaint takes back everything that an adaptive delay had gained', () => {
  const quick = paced(times(400))
  assert.equal(quick.paceMs, 1_000)
  for (const status of [429, 503]) {
    assert.equal(paceAfter(quick, { ...good, status }, bounds).paceMs, 15_000)
    const twice = times(2, { ...good, status })
    assert.equal(paced(twice, quick).paceMs, 30_000)
  }
})

test('what slows down little by little does not pass for usual', () => {
  let pace = paced(times(50))
  let slowest = 0
  for (let firstByteMs = 100; firstByteMs < 1_000; firstByteMs += 15) {
    pace = paceAfter(pace, { ...good, firstByteMs }, bounds)
    slowest = Math.max(slowest, pace.paceMs)
  }
  assert.equal(slowest, 60_000)
})

test('errors, redirects and robots.txt neither hurry nor slow an adaptive delay', () => {
  const calm = paced(times(20))
  for (const answer of [
    { ...good, status: 404 },
    { ...good, status: 301 },
    { ...good, status: 500 },
    { ...good, status: 'failed' as const },
    { ...good, kind: 'robots' },
  ]) {
    const { paceMs, firstByteMs } = paceAfter(calm, { ...answer, firstByteMs: 1 }, bounds)
    assert.deepEqual(
      { paceMs, firstByteMs },
      { paceMs: calm.paceMs, firstByteMs: calm.firstByteMs },
    )
  }
})

test('a failure never makes the last download look shorter', () => {
  const long = paced([{ ...good, totalMs: 4_000.2 }])
  assert.equal(long.lastMs, 4_001)
  assert.equal(paced([{ ...good, status: 'failed', totalMs: 3 }], long).lastMs, 4_001)
  assert.equal(paced([{ ...good, status: 'failed', totalMs: 9_000 }], long).lastMs, 9_000)
  assert.equal(paced([good], long).lastMs, 120)
})

test('a pace stays whole, finite and bounded through any answers, however wrong', () => {
  const answer = fc.record({
    status: fc.oneof(fc.constantFrom(200, 404, 429, 500, 503), fc.constant('failed' as const)),
    kind: fc.constantFrom('page', 'robots'),
    totalMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
    firstByteMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
  })
  const range = fc.record({ delayMs: fc.nat(DAY_MS), delayMinMs: fc.nat(DAY_MS) })
  fc.assert(
    fc.property(fc.array(answer), range, (answers, within) => {
      const pace = answers.reduce((last, each) => paceAfter(last, each, within), unknown)
      assert.ok(Number.isSafeInteger(pace.lastMs) && Number.isSafeInteger(pace.paceMs))
      assert.ok(pace.paceMs >= 0 && pace.paceMs <= Math.max(within.delayMs, 60_000))
      assert.ok(pace.firstByteMs >= 0 && pace.firstByteMs <= DAY_MS)
    }),
  )
})
