// Goal: edits stand in the day, week or month in which they happened, and quiet times are shown as quiet. Method:
// dates chosen by hand around the ends of weeks, months and years.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayText, editSeries, fittingUnit, isTooFine, sharedSeries } from './edit-series.ts'

const days = (...counts: [string, number][]) => counts.map(([day, edits]) => ({ day, edits }))

test('days without an edit are there, with nothing', () => {
  const { at, edits } = editSeries(days(['2024-02-28', 2], ['2024-03-01', 1]), 'day')
  assert.deepEqual(at.map(dayText), ['2024-02-28', '2024-02-29', '2024-03-01'])
  assert.deepEqual(edits, [2, 0, 1])
})

test('weeks begin on Monday, and one may lie in two years', () => {
  const { at, edits } = editSeries(
    days(['2024-12-29', 1], ['2024-12-30', 2], ['2025-01-05', 4], ['2025-01-06', 8]),
    'week',
  )
  assert.deepEqual(at.map(dayText), ['2024-12-23', '2024-12-30', '2025-01-06'])
  assert.deepEqual(edits, [1, 6, 8])
})

test('months have different lengths and lose no edit', () => {
  const { at, edits } = editSeries(days(['2023-12-31', 1], ['2024-02-29', 3]), 'month')
  assert.deepEqual(at.map(dayText), ['2023-12-01', '2024-01-01', '2024-02-01'])
  assert.deepEqual(edits, [1, 0, 3])
})

test('several pages share the time of all of them', () => {
  const { at, edits } = sharedSeries([days(['2024-01-01', 1]), days(['2024-03-02', 2])], 'month')
  assert.equal(at.length, 3)
  assert.deepEqual(edits, [
    [1, 0, 0],
    [0, 0, 2],
  ])
})

test('nothing is a series without bars', () => {
  assert.deepEqual(editSeries([], 'day'), { at: [], edits: [] })
  assert.deepEqual(sharedSeries([], 'day'), { at: [], edits: [] })
})

test('the unit fits the span: a quarter by days, two years by weeks, a decade by months', () => {
  const until = (last: string) => fittingUnit(days(['2010-01-01', 1], [last, 1]))
  assert.deepEqual(['2010-03-01', '2011-12-31', '2020-01-01'].map(until), ['day', 'week', 'month'])
  assert.equal(isTooFine(days(['2000-01-01', 1], ['2020-01-01', 1]), 'day'), true)
  assert.equal(isTooFine(days(['2000-01-01', 1], ['2020-01-01', 1]), 'week'), false)
})
