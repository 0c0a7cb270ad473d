// Goal: the leaderboard ranks only those who want to be named, and lines can be put away. Method: answers by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, linesOf, ranked } from './leaderboard-series.ts'
import type { Contribution, Contributions } from '../../api/station-api.ts'

const row = (name: string | null, bytes: number[]): Contribution => ({
  name,
  volunteers: 1,
  requests: bytes.length,
  bytes: bytes.reduce((sum, value) => sum + value, 0),
  streakDays: 1,
  byDay: bytes.map((value) => ({ requests: 1, bytes: value })),
})

const VIEW: Contributions = {
  from: 86_400_000,
  days: 2,
  volunteers: [row(null, [50, 60]), row('Ana', [1, 2]), row('Ben', [1, 0])],
}

test('contributors without a name have no rank, however much they did', () => {
  assert.deepEqual(
    ranked(VIEW).map(({ rank, name }) => [rank, name]),
    [
      [1, 'Ana'],
      [2, 'Ben'],
      [0, null],
    ],
  )
})

test('a line has a figure for every day, and one that was put away is not drawn', () => {
  assert.deepEqual(daysOf(VIEW), [86_400, 172_800])
  const lines = linesOf(VIEW, 'bytes', new Set([0]))
  assert.deepEqual(
    lines.map(({ name, values }) => [name, values]),
    [
      ['Ana', [1, 2]],
      ['Ben', [1, 0]],
    ],
  )
  assert.deepEqual(linesOf(VIEW, 'requests', new Set([0, 1]))[0]?.values, [1, 1])
})
