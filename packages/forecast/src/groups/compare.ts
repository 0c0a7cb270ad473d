/**
 * Compares a site as it was visited with the same site visited at a fixed period: what each would
 * have kept, lost, fetched and stored. Both sides store a state once, however often it is met; the
 * original formula stored every fixed visit and none of the repeated dynamic ones, which makes the
 * dynamic side look better than it is. That figure is given too, under its own name.
 */
import type { ComparedRow, Comparison } from '@minga/protocol'
import { DAY_MS } from '../estimate/grid.ts'
import { shareOf } from './frequency.ts'

/** Instants in order, from inclusive, to exclusive. A change at the instant of a visit is seen by it. */
export interface SiteHistory {
  from: number
  to: number
  changes: readonly number[]
  visits: readonly number[]
  bytesPerVersion: number
}

export function compareWithFixed(history: SiteHistory, asked: { periodMs: number }): Comparison {
  const days = Math.max(1, Math.ceil((history.to - history.from) / DAY_MS))
  const dynamic = comparedRow(history, history.visits, days)
  const planned = comparedRow(history, fixedVisits(history, asked.periodMs), days)
  const fixed = { ...planned, frequency: planned.visitsPerDay }
  return {
    periodMs: asked.periodMs,
    days,
    dynamic,
    fixed,
    savedBytes: fixed.storedBytes - dynamic.storedBytes,
    unfairSavedBytes: fixed.repeatedBytes - dynamic.storedBytes,
    savedVisits: fixed.visits - dynamic.visits,
  }
}

/** Whole periods after the beginning, before the end: 240, 16 and 8 visits in 241 days at 1, 15, 30. */
function fixedVisits({ from, to }: SiteHistory, periodMs: number): number[] {
  const count = Math.max(0, Math.ceil((to - from) / periodMs) - 1)
  return Array.from({ length: count }, (_, i) => from + (i + 1) * periodMs)
}

function comparedRow(
  { from, changes, bytesPerVersion }: SiteHistory,
  visits: readonly number[],
  days: number,
): ComparedRow {
  const { caught, isFirstNew } = caughtBy(changes, visits)
  const versions = caught + (visits.length > 0 && !isFirstNew ? 1 : 0)
  const dayOf = (at: number): number => Math.floor((at - from) / DAY_MS)
  const changedDays = new Set(changes.map(dayOf))
  const visitedDays = new Set(visits.map(dayOf))
  return {
    changes: changes.length,
    visits: visits.length,
    versions,
    lost: changes.length - caught,
    lostSameDay: [...changedDays].filter((day) => !visitedDays.has(day)).length,
    storedBytes: versions * bytesPerVersion,
    repeatedBytes: visits.length * bytesPerVersion,
    visitsPerDay: visits.length / days,
    frequency: shareOf(changedDays.size, days),
  }
}

/** Of the changes since the visit before, a visit catches the newest. */
function caughtBy(
  changes: readonly number[],
  visits: readonly number[],
): { caught: number; isFirstNew: boolean } {
  let [next, caught] = [0, 0]
  let isFirstNew = false
  for (const [i, at] of visits.entries()) {
    const before = next
    while (next < changes.length && changes[next]! <= at) next++
    if (next === before) continue
    caught++
    if (i === 0) isFirstNew = true
  }
  return { caught, isFirstNew }
}
