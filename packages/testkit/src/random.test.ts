// Goal: tests can repeat their luck. Method: draw twice from equal seeds, and look at the spread.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { mixedFraction, seededRandom } from './random.ts'

test('equal seeds give equal draws and different seeds different ones', () => {
  const draws = (seed: number): number[] => {
    const random = seededRandom(seed)
    return Array.from({ length: 50 }, () => random.next())
  }
  assert.deepEqual(draws(7), draws(7))
  assert.notDeepEqual(draws(7), draws(8))
})

test('draws spread evenly over the unit interval, also for consecutive inputs', () => {
  const counts = Array.from({ length: 10 }, () => 0)
  for (let n = 0; n < 20_000; n += 1) {
    const bin = Math.floor(mixedFraction(1, n) * 10)
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  for (const count of counts)
    assert.ok(Math.abs(count - 2000) < 200, `a bin holds ${count} of 2000`)
})

test('a shuffle keeps every item and picking from nothing is refused', () => {
  const random = seededRandom(3)
  const items = Array.from({ length: 40 }, (_, n) => n)
  const shuffled = random.shuffled(items)
  assert.notDeepEqual(shuffled, items)
  assert.deepEqual(
    shuffled.toSorted((a, b) => a - b),
    items,
  )
  assert.throws(() => random.pick([]), RangeError)
  assert.equal(random.chance(0), false)
  assert.equal(random.chance(1), true)
})
