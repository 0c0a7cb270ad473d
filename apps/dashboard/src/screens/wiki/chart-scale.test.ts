// Goal: labels below bars stand at the bars of their moments. Method: weeks of a few months.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeAxis } from '../../components/time-axis.ts'
import { labelledPlaces } from './chart-scale.ts'

test('each label stands at the bar that its moment falls in, and no bar has two', () => {
  const weeks = Array.from({ length: 40 }, (_, i) => Date.UTC(2026, 0, 5 + 7 * i))
  const axis = timeAxis(weeks, { zone: 'utc', isDaily: true })!
  const labels = labelledPlaces(weeks, axis)
  assert.ok(labels.length >= 2 && labels.length <= 7)
  assert.equal(new Set(labels.map(({ place }) => place)).size, labels.length)
  for (const { place, moment } of labels) {
    assert.ok(weeks[place]! <= moment && (weeks[place + 1] ?? Infinity) > moment)
  }
})
