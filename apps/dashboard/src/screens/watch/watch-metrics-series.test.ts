// Goal: plots show every day once, marks only where there is something, and a growth that ends when the disk
// is full. Method: days and samples written by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Growth, WatchDay } from '@minga/protocol'
import { growthSeries, watchSeries } from './watch-metrics-series.ts'

const day = (number: number, more: Partial<WatchDay> = {}): WatchDay => ({
  day: number,
  visits: 0,
  changes: 0,
  versions: 0,
  storedBytes: 0,
  failures: 0,
  lost: 0,
  ...more,
})
const DAY_MS = 86_400_000

test('Lists, graphs, comparison, console: the graph has a mark for a change, another for a look and a cross for a loss', () => {
  const series = watchSeries([
    day(10, { visits: 1, storedBytes: 5 }),
    day(12, { lost: 0.5 }),
    day(13, { visits: 2, changes: 1, storedBytes: 3 }),
    day(14, { failures: 1, lost: 0.01 }),
  ])
  assert.deepEqual(series, {
    at: [10, 11, 12, 13, 14].map((number) => number * 86_400),
    changes: [null, null, null, 1, null],
    lost: [null, null, 0.5, null, null],
    looked: [0, null, null, null, null],
    visits: [1, 0, 0, 2, 0],
    failures: [null, null, null, null, 1],
    storedBytes: [5, 5, 5, 8, 8],
  })
})

test('a watch without visits and an archive without captures have empty plots', () => {
  assert.deepEqual(watchSeries([]).at, [])
  assert.deepEqual(growthSeries([], growing(null)).at, [])
})

function growing(likely: number | null, fullAt: number | null = null): Growth {
  return {
    bytes: 70,
    bytesPerDay: likely === null ? null : { likely, low: 0, high: 2 * likely },
    basis: 'weeks',
    setAsideBytes: 0,
    outlook: fullAt === null ? 'never' : 'dated',
    fullAt: { earliest: fullAt, likely: fullAt, latest: null },
  }
}

const SAMPLES = [
  { at: 0, bytes: 0 },
  { at: 1 * DAY_MS, bytes: 10 },
  { at: 15 * DAY_MS, bytes: 70 },
]

test('the growth goes on as far ahead as was looked back, and no further than the day it is full', () => {
  const on = growthSeries(SAMPLES, growing(5))
  assert.deepEqual(on.at, [86_400, 15 * 86_400, 29 * 86_400])
  assert.deepEqual(on.stored, [10, 70, null])
  assert.deepEqual(on.likely, [null, 70, 140])
  const full = growthSeries(SAMPLES, growing(5, 17 * DAY_MS))
  assert.deepEqual([full.at.at(-1), full.likely.at(-1)], [17 * 86_400, 80])
})

test('a growth begins with what was seen, not with a straight line from zero', () => {
  assert.deepEqual(growthSeries(SAMPLES, growing(null)).stored, [10, 70])
  assert.deepEqual(growthSeries(SAMPLES.slice(0, 2), growing(null)).at, [86_400])
})
