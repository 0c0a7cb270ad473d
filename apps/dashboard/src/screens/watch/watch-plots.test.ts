// Goal: points of plots stand where their figures say. Method: figures with known places.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BudgetPoint } from '@minga/protocol'
import {
  budgetMarks,
  caughtOf,
  curvePoints,
  curveTicks,
  inForceIndex,
  placeIn,
  SQUARE,
} from './watch-plots.ts'

const budget = (visitsPerDay: number, versionsPerDay: number): BudgetPoint => ({
  visitsPerDay,
  usedVisitsPerDay: visitsPerDay,
  versionsPerDay,
  changesPerDay: 10,
  freshness: versionsPerDay / 20,
  rareUrls: 0,
})

test('the origin is at the bottom left and everything at the top right', () => {
  const [low, high] = [placeIn(SQUARE, 0, 0), placeIn(SQUARE, 1, 1)]
  assert.ok(low.x < high.x && low.y > high.y)
  assert.equal(low.x, SQUARE.left)
  assert.equal(high.y, SQUARE.top)
})

test('periods stand by their visits, the forecast among them, and nothing is drawn of nothing', () => {
  const row = (visits: number, versions: number, periodMs: number) => ({
    visits,
    versions,
    lost: 0,
    periodMs,
  })
  const points = curvePoints({
    dynamic: { visits: 10, versions: 8, lost: 2 },
    fixed: [row(100, 10, 1), row(1, 1, 2), row(0, 0, 3)],
  })
  assert.deepEqual(
    points.map(({ x }) => x),
    [0.5, 1, 0],
  )
  assert.equal(points[0]!.periodMs, null)
  assert.equal(points[0]!.y, 0.8)
  assert.deepEqual(curvePoints({ dynamic: null, fixed: [] }), [])
})

test('budgets stand side by side, and the one in force is found', () => {
  const points = [budget(1, 2), budget(2, 4), budget(4, 30)]
  assert.deepEqual(
    budgetMarks(points).map(({ x }) => x),
    [0, 0.5, 1],
  )
  assert.equal(caughtOf(points[1]!), 0.4)
  assert.equal(caughtOf(points[2]!), 1)
  assert.equal(inForceIndex(points, 2.2), 1)
})

test('both axes of the fixed periods have a few labels that differ, inside the frame', () => {
  const row = (visits: number, versions: number) => ({
    visits,
    versions,
    lost: 0,
    periodMs: visits,
  })
  const points = curvePoints({
    dynamic: { visits: 18, versions: 6, lost: 0 },
    fixed: [row(0.4, 0.4), row(3, 2), row(700, 9)],
  })
  const ticks = curveTicks(points)
  for (const axis of [ticks.x, ticks.y]) {
    assert.ok(axis.length >= 2 && axis.length <= 7, JSON.stringify(axis))
    assert.ok(axis.every(({ share }) => share >= 0 && share <= 1))
  }
  assert.deepEqual(curveTicks(points.slice(0, 1)).x, [], 'one point has no axis of visits')
})
