// Goal: bars stand where their time is and as tall as their rate. Method: a few spans by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayBars } from './day-bars.ts'

const span = (minute: number, done: number) => ({
  at: minute * 60_000,
  spanMs: 60_000,
  done,
  bytes: 0,
})
const SIZE = { width: 300, height: 100, zone: 'utc' } as const

test('the busiest span is the tallest, and all stand inside the frame in the order of time', () => {
  const { bars, most } = dayBars([span(0, 30), span(1, 60), span(2, 0)], SIZE)!
  assert.equal(most, 60)
  assert.deepEqual(
    bars.map(({ height }) => height),
    [50, 100, 0],
  )
  assert.ok(bars[0]!.x > 0 && bars[1]!.x > bars[0]!.x)
  assert.ok(bars.at(-1)!.x + bars.at(-1)!.width <= SIZE.width)
})

test('half an hour of throughput has an axis of half an hour, not of a day', () => {
  const { axis } = dayBars(
    Array.from({ length: 30 }, (_, minute) => span(minute, 1)),
    SIZE,
  )!
  assert.equal(axis.to - axis.from, 33 * 60_000)
  assert.ok(axis.ticks.length >= 2 && axis.ticks.length <= 5)
})

test('one or two spans are too few for a plot', () => {
  assert.equal(dayBars([span(100, 0), span(101, 5)], SIZE), null)
})
