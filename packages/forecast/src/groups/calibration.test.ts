// Goal: the calibration shows whether forecasts are accurate, and how certain that is. Method: bins
// with known shares.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calibrationOf, type DrawerTally } from './calibration.ts'

const tally = (drawer: number, visits: number, changed: number, chance: number): DrawerTally => ({
  drawer,
  visits,
  changed,
  chances: chance * visits,
  squares: changed * (1 - chance) ** 2 + (visits - changed) * chance ** 2,
})

test('a forecast that says 30 in a hundred and is right 30 times of a hundred lies on the diagonal', () => {
  const { drawers, brier, baseBrier } = calibrationOf([tally(3, 100, 30, 0.3)])
  assert.equal(drawers.length, 1)
  assert.ok(Math.abs(drawers[0]!.predicted - 0.3) < 1e-9)
  assert.ok(Math.abs(drawers[0]!.observed - 0.3) < 1e-9)
  assert.ok(drawers[0]!.low < 0.3 && drawers[0]!.high > 0.3)
  assert.ok(Math.abs(brier! - 0.21) < 1e-9)
  assert.ok(Math.abs(baseBrier! - 0.21) < 1e-9)
})

test('few visits leave a wide interval, many a narrow one, and both stay between nothing and everything', () => {
  const [few, many] = calibrationOf([tally(0, 2, 0, 0.05), tally(9, 2_000, 2_000, 0.95)]).drawers
  assert.equal(few!.low, 0)
  assert.ok(few!.high > 0.5)
  assert.ok(many!.high > 0.999 && many!.high <= 1)
  assert.ok(many!.low > 0.99)
})

test('a forecast that tells pages apart is better than always saying the mean', () => {
  const { brier, baseBrier } = calibrationOf([tally(0, 50, 2, 0.05), tally(9, 50, 48, 0.95)])
  assert.ok(brier! < baseBrier! / 2)
})

test('nothing is said of no visits', () => {
  assert.deepEqual(calibrationOf([]), { visits: 0, drawers: [], brier: null, baseBrier: null })
})
