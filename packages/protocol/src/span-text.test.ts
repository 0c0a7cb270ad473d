// Goal: spans of time are short and never round into the next unit. Method: spans around every border.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spanText } from './span-text.ts'

test('a span is shown in its one or two largest units', () => {
  const told = [0, 140, 9_900, 12_400, 60_000, 95_000, 3_600_000, 7_500_000, 90_000_000].map(
    spanText,
  )
  assert.deepEqual(told, [
    '0 s',
    '0.1 s',
    '9.9 s',
    '12 s',
    '1 min',
    '1 min 35 s',
    '1 h',
    '2 h 5 min',
    '1 d 1 h',
  ])
})
