// Goal: what visits found, what was lost and what comes next stand in their order on one axis. Method: visits at
// known moments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VisitOutcome, WatchDay } from '@minga/protocol'
import { timeLine } from './watch-time-line.ts'

const DAY_MS = 86_400_000
const NOW = 20_000 * DAY_MS
const visit = (daysAgo: number, outcome: VisitOutcome, chance: number | null = null) => ({
  at: NOW - daysAgo * DAY_MS,
  outcome,
  chance,
})
const lostOn = (daysAgo: number, lost: number): WatchDay => ({
  day: NOW / DAY_MS - daysAgo,
  visits: 0,
  changes: 0,
  versions: 0,
  storedBytes: 0,
  failures: 0,
  lost,
})

test('marks stand in the order of time, with now and the next visit behind them', () => {
  const visits = [
    visit(10, 'first'),
    visit(5, 'changed', 0.4),
    visit(2, 'unchanged'),
    visit(1, 'failed'),
  ]
  const line = timeLine(visits, {
    days: [lostOn(7, 0.8)],
    now: NOW,
    nextVisitAt: NOW + DAY_MS,
    zone: 'utc',
  })!
  assert.deepEqual(
    line.marks.map(({ kind }) => kind),
    ['first', 'lost', 'changed', 'looked', 'failed'],
  )
  assert.ok(line.marks[0]!.x > 0 && line.marks[0]!.x < 0.06)
  assert.ok(line.marks.every(({ x }) => x >= 0 && x <= line.now))
  assert.ok(line.next! > line.now && line.next! <= 1)
  assert.ok(line.ticks.length >= 2 && line.ticks.length <= 5)
})

test('what is hardly lost is not shown, and visits at one place are one mark that counts them', () => {
  const many = Array.from({ length: 50 }, (_, i) => visit(30 - i / 5_000, 'unchanged'))
  const line = timeLine([...many, visit(0, 'unchanged')], {
    days: [lostOn(7, 0.1)],
    now: NOW,
    nextVisitAt: null,
    zone: 'utc',
  })!
  assert.equal(line.marks.length, 2)
  assert.equal(line.marks[0]!.count, 50)
  assert.equal(line.next, null)
})

test('a visit far ahead does not press the past together', () => {
  const visits = [visit(2, 'first'), visit(1.5, 'unchanged'), visit(1, 'unchanged')]
  const nextVisitAt = NOW + 900 * DAY_MS
  const line = timeLine(visits, { days: [], now: NOW, nextVisitAt, zone: 'utc' })!
  assert.ok(line.now > 0.4)
  assert.equal(line.next, 1)
})

test('one or two visits make no line', () => {
  const options = { days: [], now: NOW, nextVisitAt: NOW, zone: 'utc' as const }
  assert.equal(timeLine([], options), null)
  assert.equal(timeLine([visit(2, 'first'), visit(1, 'changed')], options), null)
})
