// Goal: the rules of politeness are what they say. Method: examples and properties of pure functions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { delayOf, moodAfter, nextAllowedAt, retryPauseMs, threadsFor } from './host-clock.ts'

const calm = { backoffMs: 0, latencyMs: 100, bears: 16, goodAnswers: 20 }
const delay = fc.nat(86_400_000)

test('the largest of the delays counts, from the end of the last response', () => {
  fc.assert(
    fc.property(delay, delay, delay, fc.nat(), (collectionMs, robotsMs, backoffMs, endedAt) => {
      const delays = { collectionMs, robotsMs, backoffMs }
      const next = nextAllowedAt(endedAt, delays)
      for (const ms of [collectionMs, robotsMs, backoffMs]) assert.ok(next >= endedAt + ms)
      assert.equal(next, endedAt + delayOf(delays))
    }),
  )
})

test('429 and 503 double the pause up to ten minutes, and good answers halve it away', () => {
  for (const status of [429, 503]) {
    let mood = calm
    const pauses: number[] = []
    for (let i = 0; i < 12; i++) {
      mood = moodAfter(mood, { status, totalMs: 10, retryAfterMs: null })
      pauses.push(mood.backoffMs)
    }
    assert.deepEqual(pauses.slice(0, 4), [2_000, 4_000, 8_000, 16_000])
    assert.equal(pauses.at(-1), 600_000)
    for (let i = 0; i < 12; i++)
      mood = moodAfter(mood, { status: 200, totalMs: 10, retryAfterMs: null })
    assert.equal(mood.backoffMs, 0)
  }
})

test('Retry-After is obeyed up to a day', () => {
  const asked = (retryAfterMs: number) => moodAfter(calm, { status: 429, totalMs: 1, retryAfterMs })
  assert.equal(asked(90_000).backoffMs, 90_000)
  assert.equal(asked(1).backoffMs, 2_000)
  assert.equal(asked(1e12).backoffMs, 86_400_000)
})

test('a site that answers much slower than usual gets air, a fast one never does', () => {
  const slow = moodAfter(calm, { status: 200, totalMs: 4_000, retryAfterMs: null })
  assert.equal(slow.backoffMs, 4_000)
  const large = moodAfter(calm, { status: 200, totalMs: 900, retryAfterMs: null })
  assert.equal(large.backoffMs, 0)
  const alwaysSlow = moodAfter(
    { ...calm, latencyMs: 4_000 },
    { status: 200, totalMs: 4_500, retryAfterMs: null },
  )
  assert.equal(alwaysSlow.backoffMs, 0)
})

test('pauses stay whole, finite and bounded through any sequence of answers', () => {
  const answered = fc.record({
    status: fc.oneof(fc.constantFrom(200, 404, 429, 500, 503), fc.constant('failed' as const)),
    totalMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    retryAfterMs: fc.option(fc.nat(1e9)),
  })
  fc.assert(
    fc.property(fc.array(answered), (answers) => {
      const unknown = { backoffMs: 0, latencyMs: 0, bears: 16, goodAnswers: 0 }
      const mood = answers.reduce(moodAfter, unknown)
      for (const ms of [mood.backoffMs, mood.latencyMs]) {
        assert.ok(Number.isSafeInteger(ms) && ms >= 0 && ms <= 86_400_000)
      }
    }),
  )
})

test('a failed attempt is repeated after one, four and sixteen seconds', () => {
  assert.deepEqual([1, 2, 3].map(retryPauseMs), [1_000, 4_000, 16_000])
  assert.equal(retryPauseMs(20), 600_000)
  assert.equal(retryPauseMs(1, 90_000), 90_000, 'as long as its site asks for')
  assert.equal(retryPauseMs(1, 1e15), 86_400_000, 'but not for ever')
})

test('Adaptive site maximum: complaints, strain and errors lower what a site bears, good answers raise it slowly', () => {
  const good = { status: 200, totalMs: 10, retryAfterMs: null }
  const bearsAfter = (answered: Parameters<typeof moodAfter>[1]) => moodAfter(calm, answered).bears
  assert.equal(bearsAfter({ ...good, status: 503 }), 1)
  assert.equal(bearsAfter({ ...good, status: 429 }), 1)
  assert.equal(bearsAfter({ ...good, totalMs: 4_000 }), 1)
  assert.equal(bearsAfter({ ...good, status: 500 }), 8)
  assert.equal(bearsAfter({ ...good, status: 'failed' }), 8)
  assert.equal(bearsAfter(good), 16)
  let mood = { ...calm, bears: 1 }
  for (let i = 0; i < 19; i++) mood = moodAfter(mood, good)
  assert.equal(threadsFor({ delayMs: 0, wanted: 8, bears: mood.bears }), 1)
  for (let i = 0; i < 400; i++) mood = moodAfter(mood, good)
  assert.equal(threadsFor({ delayMs: 0, wanted: 8, bears: mood.bears }), 8)
  assert.equal(threadsFor({ delayMs: 5, wanted: 8, bears: mood.bears }), 1)
})

test('good answers are counted up to twenty, an error halves them, a complaint or strain forgets them', () => {
  const good = { status: 200, totalMs: 10, retryAfterMs: null }
  const after = (answered: Parameters<typeof moodAfter>[1]) => moodAfter(calm, answered).goodAnswers
  assert.equal(after(good), 20)
  assert.equal(after({ ...good, status: 404 }), 20)
  assert.equal(after({ ...good, status: 500 }), 10)
  assert.equal(after({ ...good, status: 'failed' }), 10)
  assert.equal(after({ ...good, status: 429 }), 0)
  assert.equal(after({ ...good, status: 503 }), 0)
  assert.equal(after({ ...good, totalMs: 4_000 }), 0)
  assert.equal(moodAfter({ ...calm, goodAnswers: 3 }, good).goodAnswers, 4)
})
