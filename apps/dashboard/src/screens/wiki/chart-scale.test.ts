// Goal: figures beside a plot are round, start at nothing and reach above the highest bar. Method: a few heights.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countSteps, labelPlaces } from './chart-scale.ts'

test('steps are whole, even and reach the highest figure', () => {
  assert.deepEqual(countSteps(0), [0, 1])
  assert.deepEqual(countSteps(3), [0, 1, 2, 3])
  assert.deepEqual(countSteps(17), [0, 5, 10, 15, 20])
  for (const highest of [1, 7, 99, 100, 12_345]) {
    const steps = countSteps(highest)
    assert.ok(steps.at(-1)! >= highest)
    assert.ok(steps.length <= 7, `${highest}: ${steps.join()}`)
  }
})

test('no more places are labelled than there is room for', () => {
  assert.deepEqual(labelPlaces(3, 5), [0, 1, 2])
  assert.deepEqual(labelPlaces(100, 4), [0, 25, 50, 75])
  assert.deepEqual(labelPlaces(0, 4), [])
})
