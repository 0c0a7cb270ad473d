/** Scales of the plots that we draw ourselves, and the points on them. */
import type { BudgetPoint, CompareCurveView } from '@minga/protocol'
import { wholeTicks } from '../../components/time-axis.ts'

export interface Frame {
  width: number
  height: number
  left: number
  bottom: number
  top: number
  right: number
}

export const WIDE: Frame = { width: 400, height: 220, left: 48, bottom: 34, top: 12, right: 20 }
export const SQUARE: Frame = { width: 260, height: 260, left: 44, bottom: 36, top: 12, right: 12 }

/** From 0 to 1 both ways, the origin at the bottom left. */
export function placeIn(frame: Frame, x: number, y: number): { x: number; y: number } {
  const { width, height, left, bottom, top, right } = frame
  return { x: left + x * (width - left - right), y: height - bottom - y * (height - bottom - top) }
}

export interface CurvePoint {
  x: number
  y: number
  visits: number
  versions: number
  /** Null for what was really done. */
  periodMs: number | null
}

/** Visits by their logarithm: a visit an hour and one in two months stand on one axis. */
export function curvePoints({ dynamic, fixed }: CompareCurveView): CurvePoint[] {
  if (dynamic === null) return []
  const own = { ...dynamic, periodMs: null as number | null }
  const all = [own, ...fixed].filter(({ visits }) => visits > 0)
  const logs = all.map(({ visits }) => Math.log(visits))
  const [least, most] = [Math.min(...logs), Math.max(...logs)]
  const versionsMost = Math.max(...all.map(({ versions }) => versions), 1)
  return all.map(({ visits, versions, periodMs }) => ({
    x: most === least ? 0.5 : (Math.log(visits) - least) / (most - least),
    y: versions / versionsMost,
    visits,
    versions,
    periodMs,
  }))
}

export interface PlotTick {
  /** From 0 to 1 along its axis. */
  share: number
  value: number
}

/** Labels of both axes of the fixed periods: visits by their logarithm, versions in whole figures. */
export function curveTicks(points: readonly CurvePoint[]): { x: PlotTick[]; y: PlotTick[] } {
  const visits = points.map((point) => point.visits)
  const [least, most] = [Math.min(...visits), Math.max(...visits)]
  const versions = Math.max(...points.map((point) => point.versions), 1)
  const share = (value: number): number => Math.log(value / least) / Math.log(most / least)
  return {
    x:
      least === most
        ? []
        : roundSteps(least, most).map((value) => ({ value, share: share(value) })),
    y: wholeTicks(versions)
      .filter((value) => value <= versions)
      .map((value) => ({ value, share: value / versions })),
  }
}

/** One, two and five times powers of ten; fewer where that would be more than seven. */
function roundSteps(least: number, most: number): number[] {
  for (const times of [[1, 2, 5], [1, 3], [1]]) {
    const steps = Array.from({ length: 12 }, (_, i) => times.map((n) => n * 10 ** (i - 3))).flat()
    const within = steps.filter((step) => step >= least && step <= most)
    if (within.length <= 7) return within
  }
  return [least, most]
}

export interface BudgetMark {
  x: number
  /** Of the changes that occur, how many are caught; and the share of time that copies are current. */
  caught: number
  freshness: number
}

/** Budgets double from one to the next: each has the same room. */
export function budgetMarks(points: readonly BudgetPoint[]): BudgetMark[] {
  const last = Math.max(1, points.length - 1)
  return points.map((point, i) => ({
    x: i / last,
    caught: caughtOf(point),
    freshness: point.freshness,
  }))
}

export function caughtOf({ versionsPerDay, changesPerDay }: BudgetPoint): number {
  return changesPerDay === 0 ? 1 : Math.min(1, versionsPerDay / changesPerDay)
}

/** Which of the budgets is in force. */
export function inForceIndex(points: readonly BudgetPoint[], visitsPerDay: number): number {
  const far = (point: BudgetPoint): number => Math.abs(Math.log(point.visitsPerDay / visitsPerDay))
  return points.reduce((best, point, i) => (far(point) < far(points[best]!) ? i : best), 0)
}
