// Goal: the plot shows every step inside its frame, in the order of visitors. Method: a few steps by
// hand, at several widths.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadShape, tickStep } from './load-shape.ts'
import type { StepSummary } from '../api/station-api.ts'

const step = (visitors: number, perSecond: number, p95Ms: number | null): StepSummary => ({
  visitors,
  countedMs: 10_000,
  requests: 10,
  perSecond,
  bytes: 0,
  errors: {},
  errorRate: 0,
  p50Ms: null,
  p90Ms: null,
  p95Ms,
  p99Ms: null,
  doesBear: true,
  isHeldBack: false,
})
const STEPS = [step(1, 2, 100), step(4, 8, 110), step(8, 9.5, 900), step(6, 9, null)]
const CAPACITY = { visitors: 6, isAtLeast: false, low: 4, high: 8 }

for (const width of [260, 640, 1_200]) {
  test(`at ${width} pixels everything lies inside the frame, from few visitors to many`, () => {
    const shape = loadShape({
      steps: STEPS,
      capacity: CAPACITY,
      limitMs: 500,
      width,
      height: 260,
    })
    const { left, right, top, bottom } = shape
    assert.ok(left < right && top < bottom)
    assert.deepEqual([shape.rates.length, shape.latencies.length], [4, 3])
    for (const points of [shape.rates, shape.latencies]) {
      for (const { x, y } of points) assert.ok(x >= left && x <= right && y >= top && y <= bottom)
      const order = points.map(({ x }) => x)
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      )
    }
    const { from, at, to } = shape.estimate!
    assert.ok(left < from && from < at && at < to && to <= right)
    assert.ok(shape.limitY! > top && shape.limitY! < bottom)
    assert.ok(shape.visitorTicks.every(({ value }) => Number.isInteger(value)))
  })
}

test('a limit that nothing came near is not drawn, nor an estimate that there is not', () => {
  const shape = loadShape({ steps: STEPS, capacity: null, limitMs: 5_000, width: 640, height: 260 })
  assert.deepEqual([shape.limitY, shape.estimate], [null, null])
})

test('nothing measured and one idle step are drawn without a number that is none', () => {
  for (const steps of [[], [step(1, 0, null)]]) {
    const shape = loadShape({ steps, capacity: null, limitMs: 100, width: 300, height: 200 })
    const numbers = [...shape.visitorTicks, ...shape.rateTicks, ...shape.latencyTicks]
    assert.ok(numbers.every(({ at }) => Number.isFinite(at)))
    assert.ok(shape.rates.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)))
  }
})

test('ticks are round numbers, a handful of them', () => {
  assert.deepEqual([0, 1, 7, 9.5, 40, 100, 900].map(tickStep), [1, 0.2, 2, 2, 10, 20, 200])
})
