// Goal: a belief survives the store, and a million of them can be read in bulk. Method: round
// trips, a history replayed through the bytes compared with one in memory, and damaged bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BELIEF_BYTES, decodeBelief, decodeWeightsInto, encodeBelief } from './belief-bytes.ts'
import { chanceOfChange, newBelief, observeVisit, rateOf } from './belief.ts'
import { UnreadableBelief } from './errors.ts'
import { DAY_MS } from './grid.ts'
import { packedBeliefs, rateAt, setWeightsAt } from './packed.ts'
import {
  beliefFrom,
  MONDAY,
  randomOf,
  watch,
  workingWeek,
} from '../../test/estimate/pages-fixture.ts'

test('a belief is the same after a journey through its bytes', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 0, max: 80 }), (seed, visits) => {
      const random = randomOf(seed)
      const belief = beliefFrom(watch(random, { perDay: 10 ** (random() * 4 - 3), visits }))
      const { weights, season, faster, slower, ...rest } = decodeBelief(encodeBelief(belief))
      for (const [i, weight] of weights.entries()) {
        assert.ok(Math.abs(weight - belief.weights[i]!) < 1e-3 * belief.weights[i]! + 1e-9)
      }
      for (const [i, tally] of season.tallies.entries()) {
        assert.ok(Math.abs(tally - belief.season.tallies[i]!) < 1e-3 * (1 + tally))
      }
      assert.ok(Math.abs(faster.score - belief.faster.score) < 0.01)
      assert.ok(
        Math.abs(slower.otherDays - belief.slower.otherDays) < 0.01 + slower.otherDays / 500,
      )
      assert.equal(rest.visits, belief.visits)
      assert.equal(rest.changes, belief.changes)
      assert.equal(rest.lastSeenAt, Math.round(belief.lastSeenAt))
      assert.equal(rest.lastChangeAt, Math.round(belief.lastChangeAt))
      assert.equal(rest.lastRegime, belief.lastRegime)
    }),
    { seed: 1, numRuns: 60 },
  )
})

test('a page stored and read at every visit is believed what it would be in memory', () => {
  const visits = watch(randomOf(2), { rateAt: workingWeek(2), everyDays: 0.25, visits: 500 })
  const inMemory = beliefFrom(visits)
  let bytes = encodeBelief(newBelief())
  for (const visit of visits) {
    const belief = decodeBelief(bytes)
    observeVisit(belief, visit)
    bytes = encodeBelief(belief)
  }
  const stored = decodeBelief(bytes)
  assert.equal(stored.season.weekly, true)
  assert.equal(inMemory.season.weekly, true)
  assert.ok(Math.abs(rateOf(stored).perDay / rateOf(inMemory).perDay - 1) < 0.03)
  const sunday = MONDAY + 6 * DAY_MS
  const chances = [stored, inMemory].map((belief) => {
    return chanceOfChange(belief, sunday, sunday + DAY_MS)
  })
  assert.ok(Math.abs(chances[0]! - chances[1]!) < 0.03, chances.join(' '))
})

test('a belief takes little more than two hundred bytes and its offset from UTC is kept', () => {
  const bytes = encodeBelief(newBelief(undefined, -4.5 * 3_600_000))
  assert.equal(bytes.length, BELIEF_BYTES)
  assert.ok(bytes.length <= 220)
  assert.equal(decodeBelief(bytes).season.utcOffsetMs, -4.5 * 3_600_000)
})

test('bytes of another length or version are refused with a name', () => {
  const bytes = encodeBelief(newBelief())
  assert.throws(() => decodeBelief(bytes.subarray(1)), UnreadableBelief)
  assert.throws(() => decodeBelief(new Uint8Array()), UnreadableBelief)
  const newer = Uint8Array.from(bytes)
  newer[0] = 99
  assert.throws(() => decodeBelief(newer), { code: 'MINGA_UNREADABLE_BELIEF', retry: 'never' })
  assert.throws(() => decodeWeightsInto(packedBeliefs(1), 0, newer), UnreadableBelief)
})

test('rates in a packed array are those of the beliefs they came from', () => {
  const random = randomOf(3)
  const beliefs = [0.01, 0.3, 20].map((perDay) => beliefFrom(watch(random, { perDay, visits: 30 })))
  const packed = packedBeliefs(6)
  for (const [i, belief] of beliefs.entries()) {
    setWeightsAt(packed, i, belief.weights)
    decodeWeightsInto(packed, 3 + i, encodeBelief(belief))
  }
  for (const [i, belief] of beliefs.entries()) {
    const { perDay } = rateOf(belief)
    assert.ok(Math.abs(rateAt(packed, i) / perDay - 1) < 1e-6)
    assert.ok(Math.abs(rateAt(packed, 3 + i) / perDay - 1) < 1e-3)
  }
})
