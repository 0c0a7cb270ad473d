// Goal: times, tables and plots of the terminal say what they should. Method: examples and round trips.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  durationIn,
  durationText,
  forecastLine,
  nextVisitText,
  perDay,
  sparkline,
  tableText,
  timeText,
} from './text.ts'

const duration = durationIn('--period')

test('times are read as people write them, and refused otherwise', () => {
  assert.deepEqual(
    ['6h', '30m', '2d', '1w', '1d12h', '1.5h'].map((text) => duration(text) / 60_000),
    [360, 30, 2_880, 10_080, 2_160, 90],
  )
  for (const text of ['', '6', 'h', '6 h', '6x', '0m', '-1h', '6hours', '10s', 'auto']) {
    assert.throws(() => duration(text), { code: 'MINGA_BAD_OPTION' }, text)
  }
})

test('whole minutes are written as they are read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (minutes) => {
      assert.equal(duration(durationText(minutes * 60_000)), minutes * 60_000)
    }),
    { seed: 1 },
  )
  assert.equal(durationText(0), '0m')
})

test('columns are as wide as their widest cell and end without spaces', () => {
  assert.equal(
    tableText([
      ['A', 'LONG', 'C'],
      ['aaa', 'b', ''],
    ]),
    'A    LONG  C\naaa  b\n',
  )
  assert.equal(timeText(null), '-')
  assert.equal(timeText(Date.UTC(2026, 4, 6, 7, 8)), '2026-05-06 07:08')
})

test('a plot has a sign for each day, the tallest for the most, and a dot for nothing', () => {
  assert.equal(sparkline([0, 1, 4, 8]), '·▁▄█')
  assert.equal(sparkline([0, 0]), '··')
  assert.equal(sparkline([3]), '█')
  fc.assert(
    fc.property(fc.array(fc.nat(1_000)), (values) => {
      assert.equal(sparkline(values).length, values.length)
    }),
    { seed: 1 },
  )
})

test('rates are read at a glance: two digits, and never in powers of ten', () => {
  const shown = [0.0033, 0.41, 1.305, 57.4, 99.9, 286.4, 12_345].map(perDay)
  assert.deepEqual(shown, ['0.0033', '0.41', '1.3', '57', '100', '286', '12345'])
})

test('a visit whose moment has passed is due, and is under way only where a station runs', () => {
  const now = Date.UTC(2026, 10, 18, 12)
  const later = now + 3_600_000
  const visit = { nextVisitAt: null, outSince: now - 5_000, plan: null }
  const alone = { now, isStation: false }
  assert.equal(forecastLine(visit, { now, isStation: true }).why, 'is being visited')
  assert.deepEqual(
    [forecastLine(visit, alone).when.trim(), forecastLine(visit, alone).why],
    ['due now', '`minga watch run` or `minga up` visits it'],
  )
  const past = { nextVisitAt: now - 60_000, outSince: null, plan: null }
  assert.equal(forecastLine(past, alone).when.trim(), 'due now')
  const next = { nextVisitAt: later, outSince: null, plan: null }
  assert.deepEqual(forecastLine(next, alone), { when: '2026-11-18 13:00', why: 'not visited yet' })
  const watch = { isActive: true, nextVisitAt: null, state: 'running' } as const
  assert.equal(nextVisitText(watch, now), 'due now')
  assert.equal(nextVisitText({ ...watch, nextVisitAt: now - 1 }, now), 'due now')
  assert.equal(nextVisitText({ ...watch, nextVisitAt: later }, now), '2026-11-18 13:00')
  assert.equal(nextVisitText({ ...watch, isActive: false }, now), 'paused')
})
