// Goal: the curve of sizes never has more points than asked for and never hides a blanked page. Method: histories by
// hand and a long one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curvePath, curvePoints, deltaAt, playStep } from './size-curve.ts'

test('a short history is drawn as it is, without unknown sizes', () => {
  assert.deepEqual(curvePoints([5, null, 7], 10), [
    { place: 0, size: 5 },
    { place: 2, size: 7 },
  ])
})

test('of a long history the highest and the lowest of each stretch stay', () => {
  const sizes = Array.from({ length: 10_000 }, (_, i) => 1_000 + (i % 7))
  sizes[4_321] = 0
  sizes[8_765] = 99_999
  const points = curvePoints(sizes, 400)
  assert.ok(points.length <= 400)
  assert.ok(points.some(({ place, size }) => place === 4_321 && size === 0))
  assert.ok(points.some(({ place, size }) => place === 8_765 && size === 99_999))
  const places = points.map(({ place }) => place)
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
})

test('the path steps from one revision to the next', () => {
  const path = curvePath(curvePoints([0, 10, 5], 9), 3)
  assert.equal(path, 'M0.00000 1.0000H0.50000V0.0000H1.00000V0.5000')
  assert.equal(curvePath([], 0), '')
  assert.equal(curvePath([{ place: 0, size: 4 }], 1), 'M0.00000 0.0000')
})

test('a revision adds what it has more than the one before; the first one all of itself', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((place) => deltaAt([5, 3, null, 4], place)),
    [5, -2, null, null],
  )
})

test('long histories are played in larger steps', () => {
  assert.deepEqual([1, 120, 121, 12_000].map(playStep), [1, 1, 2, 100])
})
