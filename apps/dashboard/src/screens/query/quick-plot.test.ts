// Goal: the plot that is offered first makes sense, and every value stands where it belongs. Method: answers as plain rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  guessPlot,
  momentIn,
  numberIn,
  plotData,
  shareOf,
  ticksOf,
  type Answer,
} from './quick-plot.ts'

const answer = (columns: string[], ...rows: unknown[][]): Answer => ({ columns, rows })

test('texts are bars, moments and rising numbers are lines, other numbers are points', () => {
  const cases: [Answer, object | null][] = [
    [answer(['host', 'pages'], ['a', 3], ['b', 5]), { kind: 'bar', x: 0, y: 1 }],
    [answer(['n', 'day'], [3, '2026-01-01'], [5, '2026-01-02']), { kind: 'line', x: 1, y: 0 }],
    [answer(['hour', 'edits'], [0, 9], [1, 4], [2, 7]), { kind: 'line', x: 0, y: 1 }],
    [answer(['a', 'b'], [5, 1], [2, 3]), { kind: 'scatter', x: 0, y: 1 }],
    [answer(['n'], [5], [2]), { kind: 'bar', x: 0, y: 0 }],
    [answer(['title', 'rating'], ['<b>', '4.500000'], ['x', null]), { kind: 'bar', x: 0, y: 1 }],
    [answer(['title'], ['x']), null],
    [answer(['n']), null],
  ]
  for (const [given, expected] of cases) assert.deepEqual(guessPlot(given), expected)
})

test('numbers and moments are read from texts, and nothing else is', () => {
  assert.deepEqual(['4.5', '-3', 7, '1e3', '', 'x', null, '0x10', Number.NaN].map(numberIn), [
    4.5,
    -3,
    7,
    1_000,
    null,
    null,
    null,
    null,
    null,
  ])
  assert.equal(momentIn('2026-01-02 03:04:05+00'), Date.UTC(2026, 0, 2, 3, 4, 5))
  assert.equal(momentIn('2026-01-02 03:04:05.5'), Date.UTC(2026, 0, 2, 3, 4, 5, 500))
  assert.equal(momentIn('2026-01-02'), Date.UTC(2026, 0, 2))
  assert.equal(momentIn('2026'), null)
})

test('rows without a value are left out, and those that are too many are counted', () => {
  const few = plotData(answer(['a', 'n'], ['x', 1], ['y', null], ['z', 3]), {
    kind: 'bar',
    x: 0,
    y: 1,
  })
  assert.deepEqual(few, {
    points: [
      { label: 'x', x: 0, y: 1 },
      { label: 'z', x: 2, y: 3 },
    ],
    axis: 'row',
    left: 0,
  })
  const many = Array.from({ length: 100 }, (_, i) => [`r${i}`, i])
  assert.equal(plotData(answer(['a', 'n'], ...many), { kind: 'bar', x: 0, y: 1 }).left, 60)
})

test('a line goes from left to right whatever the order of its rows', () => {
  const { points, axis } = plotData(answer(['day', 'n'], ['2026-01-03', 1], ['2026-01-01', 2]), {
    kind: 'line',
    x: 0,
    y: 1,
  })
  assert.equal(axis, 'time')
  assert.deepEqual(
    points.map(({ y }) => y),
    [2, 1],
  )
})

test('axes have round numbers around all values', () => {
  assert.deepEqual(ticksOf(0, 10), [0, 2, 4, 6, 8, 10])
  assert.deepEqual(ticksOf(-3, 7), [-4, -2, 0, 2, 4, 6, 8])
  assert.deepEqual(ticksOf(0, 0.3), [0, 0.1, 0.2, 0.3])
  const one = ticksOf(5, 5)
  assert.ok(one[0]! <= 5 && one.at(-1)! >= 5)
})

test('a value stands between the ends, alone in the middle', () => {
  assert.deepEqual([shareOf(5, 0, 10), shareOf(3, 3, 3)], [0.5, 0.5])
})
