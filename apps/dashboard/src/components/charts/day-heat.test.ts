// Goal: a calendar shows every day of its year once, in its week, and keys lead from day to day. Method: years of
// known weekdays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayByKey, heatYear, yearsOf } from './day-heat.ts'

const DAY_MS = 86_400_000
const dayOf = (text: string): number => Date.parse(text) / DAY_MS

test('every day of a year stands once in the row of its weekday, leap years included', () => {
  for (const [year, count] of [
    [2023, 365],
    [2024, 366],
    [2026, 365],
  ] as const) {
    const { rows, weeks } = heatYear(year, [])
    const days = rows.flat().flatMap((cell) => (cell === null ? [] : [cell.day]))
    assert.equal(new Set(days).size, count)
    assert.ok(rows.every((row) => row.length === weeks))
    for (const [weekday, row] of rows.entries()) {
      for (const cell of row) {
        if (cell === null) continue
        assert.equal((new Date(cell.day * DAY_MS).getUTCDay() + 6) % 7, weekday)
      }
    }
  }
})

test('a month begins in the week of its first day', () => {
  const { rows, months } = heatYear(2026, [])
  const first = dayOf('2026-03-01')
  assert.ok(rows.some((row) => row[months[2]!]?.day === first))
})

test('days differ by how much happened, and one full day leaves the others visible', () => {
  const days = [
    { day: dayOf('2026-01-05'), value: 100 },
    { day: dayOf('2026-01-06'), value: 1 },
    { day: dayOf('2026-01-07'), value: 0 },
    { day: dayOf('2025-12-31'), value: 10_000 },
  ]
  const cells = new Map(
    heatYear(2026, days)
      .rows.flat()
      .flatMap((cell) => (cell === null ? [] : [[cell.day, cell] as const])),
  )
  assert.equal(cells.get(dayOf('2026-01-05'))!.level, 4)
  assert.equal(cells.get(dayOf('2026-01-06'))!.level, 1)
  assert.equal(cells.get(dayOf('2026-01-07'))!.level, 0)
  assert.equal(cells.get(dayOf('2026-01-08'))!.value, null)
  assert.deepEqual(yearsOf(days), [2026, 2025])
})

test('arrows lead to the days before and after, about a week up and down, and to both ends', () => {
  const days = [10, 12, 19, 20, 40]
  assert.equal(dayByKey('ArrowRight', 12, days), 19)
  assert.equal(dayByKey('ArrowLeft', 12, days), 10)
  assert.equal(dayByKey('ArrowLeft', 10, days), null)
  assert.equal(dayByKey('ArrowDown', 12, days), 19)
  assert.equal(dayByKey('ArrowUp', 20, days), 12)
  assert.equal(dayByKey('Home', 20, days), 10)
  assert.equal(dayByKey('End', 20, days), 40)
  assert.equal(dayByKey('a', 20, days), null)
})
