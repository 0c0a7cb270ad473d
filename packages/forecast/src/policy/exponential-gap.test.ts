// Goal: the revisit rule of exponential gaps decides as defined, its two cases and its edges
// included. Method: hand-made samples, and random ones against the rule spelt out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { DAY_MS } from '../estimate/grid.ts'
import { exponentialGap, isRevisitDue, sampleSize, type ChangeSample } from './exponential-gap.ts'

const HOUR_MS = DAY_MS / 24
const NEWEST = 1_000 * DAY_MS

/** A sample of the newest changes over so many days. */
const over = (days: number, n: number): ChangeSample => ({
  n,
  newestAt: NEWEST,
  oldestAt: NEWEST - days * DAY_MS,
})
const dueAfter = (sample: ChangeSample, hours: number): boolean =>
  isRevisitDue(sample, NEWEST + hours * HOUR_MS)

test('Revisit: case A is due after 12 h and case B after 2.31 h', () => {
  assert.equal(sampleSize(280), 28)
  assert.deepEqual(
    [12, 12.01].map((hours) => dueAfter(over(14, 28), hours)),
    [false, true],
  )
  assert.equal(sampleSize(1_350), 135)
  assert.deepEqual(
    [2.31, 2.32].map((hours) => dueAfter(over(13, 135), hours)),
    [false, true],
  )
})

test('Revisit: n < 20 asks all there are, from 200 on a tenth', () => {
  assert.deepEqual(
    [0, 1, 19, 20, 199, 200, 209, 210].map(sampleSize),
    [0, 1, 19, 20, 20, 20, 20, 21],
  )
  assert.deepEqual(
    [47, 49].map((hours) => dueAfter(over(10, 5), hours)),
    [false, true],
  )
})

test('Revisit: equal timestamps leave no gap to wait for, and a single change neither', () => {
  for (const n of [1, 5]) {
    assert.deepEqual(
      [0, 0.001].map((hours) => dueAfter(over(0, n), hours)),
      [false, true],
    )
  }
  assert.equal(exponentialGap([5, 5, 5]), null)
})

test('Revisit: the decision is that of the gap over any sorted times', () => {
  const times = fc.array(fc.integer({ min: 0, max: 1_000 * DAY_MS }), {
    minLength: 2,
    maxLength: 400,
  })
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 100 * DAY_MS }), (unsorted, sinceMs) => {
      const sorted = unsorted.toSorted((a, b) => a - b)
      const n = sampleSize(sorted.length)
      const newestAt = sorted.at(-1)!
      const sample = { n, newestAt, oldestAt: sorted.at(-n)! }
      const gapMs = exponentialGap(sorted)?.gapMs ?? 0
      assert.equal(isRevisitDue(sample, newestAt + sinceMs), sinceMs > gapMs)
    }),
    { seed: 6, numRuns: 500 },
  )
})
