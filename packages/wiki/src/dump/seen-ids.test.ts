// Goal: ids that come again are noticed, in bounded memory. Method: against a plain set, and beyond the limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { SeenIds } from './seen-ids.ts'

test('an id is new exactly once, also beyond 32 bits', () => {
  const id = fc.oneof(fc.nat({ max: 300 }), fc.maxSafeNat())
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200 }), (ids) => {
      const seen = new SeenIds(1000)
      const known = new Set<number>()
      for (const one of ids) {
        assert.equal(seen.add(one), !known.has(one))
        known.add(one)
      }
    }),
    { seed: 3 },
  )
})

test('beyond its limit the oldest ids are forgotten and the latest are not', () => {
  const seen = new SeenIds(2)
  for (const id of [1, 100_000, 200_000]) assert.equal(seen.add(id), true)
  assert.equal(seen.add(200_000), false)
  assert.equal(seen.add(100_000), false)
  assert.equal(seen.add(1), true)
})
