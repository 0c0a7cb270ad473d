// Goal: captures stand in the order of time and keys lead from one to the next. Method: a few captures with known
// bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureByKey, placedCaptures, type LineCapture } from './archive-time-line.ts'

const capture = (id: number, capturedAt: number, digest: string): LineCapture => ({
  id,
  capturedAt,
  kind: 'response',
  digest,
})

test('captures stand by their time, and those with other bytes than before are changes', () => {
  const placed = placedCaptures([capture(3, 400, 'b'), capture(1, 0, 'a'), capture(2, 100, 'a')])
  assert.deepEqual(
    placed.map(({ x }) => x),
    [0, 0.25, 1],
  )
  assert.deepEqual(
    placed.map(({ isChanged }) => isChanged),
    [false, false, true],
  )
  assert.equal(placedCaptures([capture(1, 5, 'a')])[0]!.x, 0.5)
  assert.deepEqual(placedCaptures([]), [])
})

test('arrows lead to the neighbours, page keys to changes, and beyond the ends to nothing', () => {
  const placed = placedCaptures(['a', 'a', 'b', 'b', 'c'].map((digest, i) => capture(i, i, digest)))
  assert.equal(captureByKey('ArrowRight', 0, placed), 1)
  assert.equal(captureByKey('ArrowLeft', 0, placed), null)
  assert.equal(captureByKey('PageDown', 0, placed), 2)
  assert.equal(captureByKey('PageUp', 4, placed), 2)
  assert.equal(captureByKey('PageUp', 2, placed), null)
  assert.equal(captureByKey('End', 0, placed), 4)
  assert.equal(captureByKey('x', 0, placed), null)
})
