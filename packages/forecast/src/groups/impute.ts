/**
 * What a fixed period would have caught depends on when changes happened, and visits say only
 * between which of them. Change times are drawn as they may have been (at least one in an interval
 * that ended changed, none in one that did not, by chance at the page's rate), several times over, and
 * the comparisons averaged: multiple imputation (Rubin 1987). Unbiased when changes come by chance.
 */
import type { ComparedRow, Comparison } from '@minga/protocol'
import { compareWithFixed } from './compare.ts'
import { DAY_MS } from '../estimate/grid.ts'

export interface SeenVisit {
  at: number
  /** Null on the first visit. */
  sinceMs: number | null
  changed: boolean
}

export interface VisitedUrl {
  visits: readonly SeenVisit[]
  ratePerDay: number
  bytesPerVersion: number
}

export interface Draws {
  periodMs: number
  /** A number from 0 up to, not including, 1. */
  random: () => number
  draws?: number
}

/** Sums settle to within a few in a hundred. */
const DRAWS = 20
/**
 * A page that changes on every fetch would otherwise count thousands of lost states that have no
 * value.
 */
const RATE_MOST = 24

/** Several URLs of one watch are compared each for itself and summed. Null without two visits to any. */
export function compareVisited(urls: readonly VisitedUrl[], asked: Draws): Comparison | null {
  const parts = urls.filter(({ visits }) => visits.length > 1).map((url) => expected(url, asked))
  const [first, ...rest] = parts
  return first === undefined ? null : rest.reduce(added, first)
}

function expected(url: VisitedUrl, { periodMs, random, draws = DRAWS }: Draws): Comparison {
  const visits = url.visits.map(({ at }) => at)
  const frame = { from: visits[0]!, to: visits.at(-1)! + 1, visits }
  const all = Array.from({ length: draws }, () => {
    const changes = drawChanges(url, random)
    const history = { ...frame, changes, bytesPerVersion: url.bytesPerVersion }
    return compareWithFixed(history, { periodMs })
  })
  const total = all.reduce(added)
  return {
    ...total,
    days: total.days / draws,
    dynamic: averaged(total.dynamic, draws),
    fixed: averaged(total.fixed, draws),
    savedBytes: total.savedBytes / draws,
    unfairSavedBytes: total.unfairSavedBytes / draws,
    savedVisits: total.savedVisits / draws,
  }
}

/** Shares are averages already. */
function averaged(row: ComparedRow, draws: number): ComparedRow {
  return {
    changes: row.changes / draws,
    visits: row.visits / draws,
    versions: row.versions / draws,
    lost: row.lost / draws,
    lostSameDay: row.lostSameDay / draws,
    storedBytes: row.storedBytes / draws,
    repeatedBytes: row.repeatedBytes / draws,
    visitsPerDay: row.visitsPerDay,
    frequency: row.frequency,
  }
}

/** Change times as they may have been, in order. */
export function drawChanges({ visits, ratePerDay }: VisitedUrl, random: () => number): number[] {
  const changes: number[] = []
  for (const { at, sinceMs, changed } of visits) {
    if (!changed || sinceMs === null || sinceMs <= 0) continue
    const mean = (Math.min(Math.max(ratePerDay, 0), RATE_MOST) * sinceMs) / DAY_MS
    for (let left = atLeastOne(mean, random); left > 0; left--) {
      changes.push(at - random() * sinceMs)
    }
  }
  return changes.toSorted((a, b) => a - b)
}

/** A Poisson number that is not zero: the first event is drawn within its span, the others freely. */
function atLeastOne(mean: number, random: () => number): number {
  let at = -Math.log1p(random() * Math.expm1(-mean))
  let count = 1
  for (;;) {
    at += -Math.log1p(-random())
    if (at >= mean) return count
    count++
  }
}

function added(a: Comparison, b: Comparison): Comparison {
  const days = a.days + b.days
  return {
    periodMs: a.periodMs,
    days,
    dynamic: addedRows(a.dynamic, b.dynamic, [a.days, b.days]),
    fixed: addedRows(a.fixed, b.fixed, [a.days, b.days]),
    savedBytes: a.savedBytes + b.savedBytes,
    unfairSavedBytes: a.unfairSavedBytes + b.unfairSavedBytes,
    savedVisits: a.savedVisits + b.savedVisits,
  }
}

function addedRows(a: ComparedRow, b: ComparedRow, [daysA, daysB]: [number, number]): ComparedRow {
  const days = daysA + daysB
  const mean = (left: number, right: number): number => (left * daysA + right * daysB) / days
  return {
    changes: a.changes + b.changes,
    visits: a.visits + b.visits,
    versions: a.versions + b.versions,
    lost: a.lost + b.lost,
    lostSameDay: a.lostSameDay + b.lostSameDay,
    storedBytes: a.storedBytes + b.storedBytes,
    repeatedBytes: a.repeatedBytes + b.repeatedBytes,
    visitsPerDay: mean(a.visitsPerDay, b.visitsPerDay),
    frequency: mean(a.frequency, b.frequency),
  }
}
