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
const SIZE = { width: 300, height: 100 }

test('the busiest span is the tallest, and the newest stands at the right edge', () => {
  const { bars, most, to } = dayBars([span(0, 30), span(1, 60), span(2, 0)], SIZE)
  assert.equal(most, 60)
  assert.deepEqual(
    bars.map(({ height }) => height),
    [50, 100, 0],
  )
  assert.equal(to, 180_000)
  assert.ok(bars.at(-1)!.x + bars.at(-1)!.width <= SIZE.width)
})

test('a short past keeps narrow bars at the right, and nothing done has no height', () => {
  const { bars, from } = dayBars([span(100, 0)], SIZE)
  assert.ok(bars[0]!.x > SIZE.width / 2)
  assert.equal(bars[0]!.height, 0)
  assert.ok(from < 100 * 60_000)
})
