// Goal: no micro-unit is made or lost when a sum is shared. Method: a worked example, chosen
// corners, and properties over random sums, shares and weights.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { formatMicros } from './format-micros.ts'
import { divide, split, type Share } from './split.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 100_000 : 5_000

const micros = fc.oneof(
  fc.nat(1_000),
  fc.maxSafeNat(),
  fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
)
const bps = fc.integer({ min: 0, max: 10_000 })

test('Credits, 30/70 split: 28.00 becomes 8.40 for the platform and 19.60 for volunteers', () => {
  const parts = split(28_000_000)
  assert.deepEqual(parts, { platformMicros: 8_400_000, volunteersMicros: 19_600_000 })
  assert.equal(formatMicros(parts.platformMicros), '8.40')
  assert.equal(formatMicros(parts.volunteersMicros), '19.60')
})

test('what cannot be split evenly goes to the volunteers', () => {
  assert.deepEqual(split(1), { platformMicros: 0, volunteersMicros: 1 })
  assert.deepEqual(split(9), { platformMicros: 2, volunteersMicros: 7 })
  assert.deepEqual(split(9, 10_000), { platformMicros: 9, volunteersMicros: 0 })
  assert.deepEqual(split(9, 0), { platformMicros: 0, volunteersMicros: 9 })
})

test('the parts of any sum under any share add up to it and miss the share by less than one', () => {
  fc.assert(
    fc.property(micros, bps, (total, share) => {
      const { platformMicros, volunteersMicros } = split(total, share)
      assert.equal(BigInt(platformMicros) + BigInt(volunteersMicros), BigInt(total))
      const missing = BigInt(total) * BigInt(share) - BigInt(platformMicros) * 10_000n
      assert.ok(missing >= 0n && missing < 10_000n)
    }),
    { numRuns: RUNS },
  )
})

test('a sum or share that is no amount is refused with a sentence', () => {
  for (const bad of [-1, 0.5, Number.NaN, Infinity, Number.MAX_SAFE_INTEGER + 1]) {
    assert.throws(() => split(bad), { code: 'MINGA_BAD_AMOUNT' })
    assert.throws(() => split(1, bad), { code: 'MINGA_BAD_AMOUNT' })
    assert.throws(() => divide(bad, [{ id: 'a', weight: 1 }]), { code: 'MINGA_BAD_AMOUNT' })
    assert.throws(() => divide(1, [{ id: 'a', weight: bad }]), { code: 'MINGA_BAD_AMOUNT' })
  }
  assert.throws(() => split(1, 10_001), { code: 'MINGA_BAD_AMOUNT' })
  assert.throws(() => divide(1, []), { code: 'MINGA_BAD_AMOUNT' })
  assert.throws(() => divide(1, [{ id: 'a', weight: 0 }]), { code: 'MINGA_BAD_AMOUNT' })
})

test('devices share in proportion to requests served, ties by id', () => {
  const shares = [
    { id: 'dev_c', weight: 1 },
    { id: 'dev_a', weight: 1 },
    { id: 'dev_b', weight: 1 },
  ]
  assert.deepEqual(Object.fromEntries(divide(11, shares)), { dev_a: 4, dev_b: 4, dev_c: 3 })
  const served = divide(19_600_000, [
    { id: 'dev_a', weight: 3 },
    { id: 'dev_b', weight: 1 },
    { id: 'dev_c', weight: 0 },
  ])
  const expected = { dev_a: 14_700_000, dev_b: 4_900_000, dev_c: 0 }
  assert.deepEqual(Object.fromEntries(served), expected)
  assert.deepEqual([...divide(0, [])], [])
  assert.deepEqual([...divide(0, [{ id: 'a', weight: 0 }])], [['a', 0]])
})

const shares = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .chain((ids) =>
    fc
      .array(micros, { minLength: ids.length, maxLength: ids.length })
      .map((weights) => ids.map((id, i): Share => ({ id, weight: weights[i]! }))),
  )
  .filter((list) => list.some(({ weight }) => weight > 0))

test('any division adds up, stays within one of the quota and ignores the order of devices', () => {
  fc.assert(
    fc.property(micros, shares, (total, list) => {
      const parts = divide(total, list)
      const sum = [...parts.values()].reduce((all, part) => all + BigInt(part), 0n)
      assert.equal(sum, BigInt(total))
      const weights = list.reduce((all, { weight }) => all + BigInt(weight), 0n)
      for (const { id, weight } of list) {
        const off = BigInt(parts.get(id)!) * weights - BigInt(total) * BigInt(weight)
        assert.ok(off > -weights && off < weights)
        if (weight === 0) assert.equal(parts.get(id), 0)
      }
      const turned = divide(total, list.toReversed())
      for (const { id } of list) assert.equal(turned.get(id), parts.get(id))
    }),
    { numRuns: RUNS },
  )
})

test('amounts are written exactly, with two digits or as many as they need', () => {
  const written = [0, 1, -1, 10_000, 123_456_789, -5_060_000, Number.MAX_SAFE_INTEGER]
  assert.deepEqual(written.map(formatMicros), [
    '0.00',
    '0.000001',
    '-0.000001',
    '0.01',
    '123.456789',
    '-5.06',
    '9007199254.740991',
  ])
})
