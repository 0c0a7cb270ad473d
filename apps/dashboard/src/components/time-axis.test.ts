// Goal: a time axis says what the data spans, in a few labels that differ. Method: spans from seconds to decades, among
// them those that were drawn wrong: one day old watches, a crawl of seconds, a growth of one day.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFormat } from '../format.ts'
import { shareOf, timeAxis, wholeTicks, type TimeAxis } from './time-axis.ts'

const NOON = Date.parse('2026-11-17T12:00:00Z')
const DAY_MS = 86_400_000
const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const en = createFormat('en', 'utc')

const spread = (spanMs: number, points = 30, from = NOON): number[] =>
  Array.from({ length: points }, (_, i) => from + (i / (points - 1)) * spanMs)

const labelsOf = ({ ticks, unit }: TimeAxis): string[] => ticks.map((at) => en.tick(at, unit))

const axisOf = (moments: readonly number[], isDaily = false): TimeAxis =>
  timeAxis(moments, { zone: 'utc', isDaily })!

test('fewer than three moments have no axis, also when many points share one moment', () => {
  assert.equal(timeAxis([], { zone: 'utc' }), null)
  assert.equal(timeAxis([NOON, NOON + DAY_MS], { zone: 'utc' }), null)
  assert.equal(timeAxis([NOON, NOON, NOON, NOON], { zone: 'utc' }), null)
})

test('the axis is the data and five of a hundred on both sides, whatever the span', () => {
  for (const span of [20 * SECOND_MS, 30 * MINUTE_MS, 5 * DAY_MS, 400 * DAY_MS]) {
    const { from, to } = axisOf(spread(span))
    assert.equal(from, NOON - span * 0.05)
    assert.equal(to, NOON + span * 1.05)
  }
})

test('a watch of ten minutes has an axis of ten minutes, not of years to come', () => {
  const axis = axisOf(spread(10 * MINUTE_MS, 5))
  assert.deepEqual(labelsOf(axis), ['12:00', '12:02', '12:04', '12:06', '12:08', '12:10'])
  assert.ok(axis.to < NOON + 11 * MINUTE_MS)
})

test('a collection that lived for ten seconds has seconds as labels, each once', () => {
  const labels = labelsOf(axisOf(spread(10 * SECOND_MS)))
  assert.deepEqual(labels.slice(0, 3), ['12:00:00', '12:00:02', '12:00:04'])
})

test('a growth of three days has each day once, not nine times', () => {
  const days = [0, 1, 2].map((day) => Date.parse('2026-11-15') + day * DAY_MS)
  assert.deepEqual(labelsOf(axisOf(days, true)), ['Nov 15', 'Nov 16', 'Nov 17'])
})

const UNITS: [spanMs: number, unit: TimeAxis['unit'], example: RegExp][] = [
  [40 * SECOND_MS, 'second', /^12:00:\d\d$/],
  [30 * MINUTE_MS, 'minute', /^12:\d\d$/],
  [8 * HOUR_MS, 'minute', /^\d\d:00$/],
  [50 * HOUR_MS, 'hour', /^Nov \d\d, \d\d:00$/],
  [12 * DAY_MS, 'day', /^Nov \d\d$/],
  [70 * DAY_MS, 'day', /^[A-Z][a-z]{2} \d+$/],
  [300 * DAY_MS, 'month', /^[A-Z][a-z]{2} 202\d$/],
  [3_000 * DAY_MS, 'year', /^20\d\d$/],
  [40_000 * DAY_MS, 'year', /^2\d\d0$/],
]
for (const [spanMs, unit, example] of UNITS) {
  test(`a span of ${spanMs / 1_000} s has two to seven different labels of its unit ${unit}`, () => {
    const axis = axisOf(spread(spanMs))
    const labels = labelsOf(axis)
    assert.equal(axis.unit, unit)
    assert.ok(labels.length >= 2 && labels.length <= 7, labels.join())
    assert.equal(new Set(labels).size, labels.length, labels.join())
    for (const label of labels) assert.match(label, example)
    for (const at of axis.ticks) assert.ok(shareOf(axis, at) >= 0 && shareOf(axis, at) <= 1)
  })
}

test('every span has between one and seven labels that differ, in either zone', () => {
  for (const zone of ['utc', 'local'] as const) {
    const format = createFormat('en', zone)
    for (let spanMs = 900; spanMs < 1e13; spanMs *= 1.37) {
      const { ticks, unit } = timeAxis(spread(spanMs, 4), { zone })!
      const labels = ticks.map((at) => format.tick(at, unit))
      assert.ok(labels.length >= 1 && labels.length <= 7, `${spanMs}: ${labels.join()}`)
      assert.equal(new Set(labels).size, labels.length, `${spanMs}: ${labels.join()}`)
    }
  }
})

test('a narrow plot has as many labels as fit', () => {
  const axis = timeAxis(spread(30 * MINUTE_MS), { zone: 'utc', labelsMost: 3 })!
  assert.ok(axis.ticks.length <= 3 && axis.ticks.length > 0)
})

test('figures up the side are whole, begin at zero, and have labels that differ', () => {
  for (const highest of [0, 0.3, 1, 2, 7, 999, 1_500, 12_345_678, 4_200_000_000]) {
    const ticks = wholeTicks(highest)
    const labels = ticks.map((bytes) => en.bytes(bytes))
    assert.equal(ticks[0], 0)
    assert.ok(ticks.at(-1)! >= highest && ticks.length <= 7, `${highest}: ${labels.join()}`)
    assert.ok(ticks.every(Number.isInteger))
    assert.equal(new Set(labels).size, labels.length, labels.join())
  }
})
