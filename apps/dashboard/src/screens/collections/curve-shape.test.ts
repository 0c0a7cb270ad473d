// Goal: a curve lies inside its frame whatever its counts, and what is ahead begins where the past ends. Method: a few
// curves at several widths.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CurvePoint } from '@minga/protocol'
import { curveShape, type CurveShape } from './curve-shape.ts'
import type { Projection } from './projection.ts'

const points: CurvePoint[] = Array.from({ length: 20 }, (_, i) => ({
  at: i * 10_000,
  found: 400,
  queued: 400 - i * 10,
  pages: i * 10,
  bytes: 0,
  failed: 0,
}))
const NONE: Projection = { kind: 'none', why: 'early' }

for (const width of [240, 700, 1_300]) {
  test(`at ${width} pixels all lines lie inside the frame`, () => {
    for (const projection of [
      NONE,
      { kind: 'estimate', by: 'queue', at: 400_000, from: 380_000, to: 9_000_000 },
      { kind: 'estimate', by: 'queue', at: 9_000_000, from: 8_000_000, to: null },
    ] satisfies Projection[]) {
      const shape = curveShape({ points, projection, width, height: 220, zone: 'utc' })!
      const { left, right, top, bottom, done, queued, ahead } = shape
      const ends = ahead === null ? [] : Object.values(ahead)
      for (const { x, y } of [...done, ...queued, ...ends]) {
        assert.ok(x >= left - 0.1 && x <= right + 0.1 && y >= top - 0.1 && y <= bottom + 0.1)
      }
      assert.equal(ahead === null, projection.kind === 'none')
      if (ahead !== null) assert.deepEqual(ahead.now, queued.at(-1))
    }
  })
}

const shapeOf = (some: readonly CurvePoint[], width: number): CurveShape | null =>
  curveShape({ points: some, projection: NONE, width, height: 200, zone: 'utc' })

test('fewer than three points have no plot', () => {
  for (const count of [0, 1, 2]) assert.equal(shapeOf(points.slice(0, count), 300), null)
})

test('a life of seconds has labels of seconds, each once, and as many as fit', () => {
  const short = points.map((point, i) => ({ ...point, at: 1_000 + i * 500 }))
  for (const [width, most] of [
    [240, 1],
    [700, 7],
  ] as const) {
    const { timeTicks, unit } = shapeOf(short, width)!
    assert.equal(unit, 'second')
    assert.ok(timeTicks.length > 0 && timeTicks.length <= most)
    assert.ok(timeTicks.every(({ at }) => at % 1_000 === 0))
  }
})
