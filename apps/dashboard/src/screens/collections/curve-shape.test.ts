// Goal: a curve lies inside its frame whatever its counts, and what is ahead begins where the past ends. Method: a few
// curves at several widths.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CurvePoint } from '@minga/protocol'
import { curveShape, pathOf } from './curve-shape.ts'
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
      const shape = curveShape({ points, projection, width, height: 220 })
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

test('no points and one point are drawn without a number that is none', () => {
  for (const few of [[], points.slice(0, 1)]) {
    const shape = curveShape({ points: few, projection: NONE, width: 300, height: 200 })
    assert.ok(!pathOf(shape.done).includes('NaN'))
    assert.ok(shape.timeTicks.every(({ x }) => Number.isFinite(x)))
  }
})
