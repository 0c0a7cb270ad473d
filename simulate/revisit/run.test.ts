// Goal: the figures mean exactly what is written above them. Method: histories of a few changes, visits at chosen
// moments, every figure by hand; and identities over random ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Tally } from './run.ts'
import { inObservation } from './trace.ts'

const HOUR = 3_600_000

function tallied(changesH: number[], visitsH: number[], endH = 10): Tally {
  const changes = changesH.map((hour) => hour * HOUR)
  const trace = inObservation({ url: 'a', weight: 1, start: 0, end: endH * HOUR, changes })
  const tally = new Tally(trace)
  for (const hour of visitsH) tally.visit(hour * HOUR)
  tally.end()
  return tally
}

const figures = ({ crawls, versions, caught, freshMs, ageMs2 }: Tally): number[] => [
  crawls,
  versions,
  caught,
  freshMs / HOUR,
  ageMs2 / HOUR / HOUR,
]

test('versions, caught changes, freshness and age of a small history are what a hand reckons', () => {
  // Changes at 2, 3 and 7; visits at 0, 5 and 6. The state of hour 2 is lost, that of 3 is seen at 5,
  // that of 7 is lost. Fresh 0–2 and 5–7; age runs from 2 to 5 and from 7 to 10.
  assert.deepEqual(figures(tallied([2, 3, 7], [0, 5, 6])), [3, 2, 1, 4, 9])
})

test('a change at the very instant of a visit is seen by it', () => {
  assert.deepEqual(figures(tallied([5], [0, 5])), [2, 2, 1, 10, 0])
  assert.deepEqual(figures(tallied([0], [0])), [1, 1, 1, 10, 0])
})

test('of two changes at one instant the former is lost', () => {
  assert.deepEqual(figures(tallied([4, 4], [0, 4])), [2, 2, 1, 10, 0])
})

test('before the first visit nothing is fresh, and age runs from the first change', () => {
  assert.deepEqual(figures(tallied([], [4])), [1, 1, 0, 6, 0])
  assert.deepEqual(figures(tallied([1, 3], [5])), [1, 1, 1, 5, 8])
})

test('every visit captures a version or is redundant, and no change is caught twice', () => {
  const hours = fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 30 })
  fc.assert(
    fc.property(hours, hours, (changes, visits) => {
      const sorted = [...new Set(visits)].toSorted((a, b) => a - b)
      const tally = tallied(changes, sorted, 100)
      const states = new Set(sorted.map((at) => changes.filter((change) => change <= at).length))
      assert.equal(tally.versions, states.size)
      assert.equal(tally.caught, states.size - (states.has(0) ? 1 : 0))
      assert.ok(tally.freshMs <= 100 * HOUR && tally.ageMs2 >= 0)
    }),
    { seed: 3, numRuns: 300 },
  )
})
