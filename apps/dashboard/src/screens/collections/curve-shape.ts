/** Where the lines of a collection's life lie: done and to do over time, and how the queue may continue. */
import type { CurvePoint } from '@minga/protocol'
import {
  POINTS_LEAST,
  shareOf,
  timeAxis,
  wholeTicks,
  type TickUnit,
} from '../../components/time-axis.ts'
import type { Zone } from '../../zone.ts'
import type { Estimate, Projection } from './projection.ts'

interface Point {
  x: number
  y: number
}

export interface CurveShape {
  left: number
  right: number
  top: number
  bottom: number
  done: Point[]
  queued: Point[]
  /** From now to the estimate; null when there is none. */
  ahead: { now: Point; end: Point; from: Point; to: Point } | null
  unit: TickUnit
  timeTicks: { at: number; x: number }[]
  countTicks: { value: number; y: number }[]
}

/** Half of the last label along the bottom stands beyond the frame. */
const MARGIN = { left: 52, right: 32, top: 12, bottom: 30 }
/** Of labels along the bottom. */
const LABEL_PX = 96
/** Room for what lies ahead: at most as much as lies behind, or there would be nothing to see of it. */
const AHEAD_MOST = 1

interface CurveOptions {
  points: readonly CurvePoint[]
  projection: Projection
  width: number
  height: number
  zone: Zone
}

/** Null when there are too few points for a plot. */
export function curveShape(options: CurveOptions): CurveShape | null {
  const { points, projection, width, height, zone } = options
  if (points.length < POINTS_LEAST) return null
  const left = MARGIN.left
  const right = Math.max(left + 1, width - MARGIN.right)
  const top = MARGIN.top
  const bottom = Math.max(top + 1, height - MARGIN.bottom)
  const begun = points[0]!.at
  const now = points.at(-1)!.at
  const behindMs = Math.max(1_000, now - begun)
  const isAhead = projection.kind === 'estimate' && projection.by === 'queue'
  const latest = isAhead
    ? Math.min(projection.to ?? projection.at, begun + behindMs * (1 + AHEAD_MOST))
    : now
  const until = Math.max(
    latest,
    isAhead ? Math.min(projection.at, begun + behindMs * 2) : now,
    begun + 1_000,
  )
  const axis = timeAxis([...points.map(({ at }) => at), until], {
    zone,
    labelsMost: Math.floor((right - left) / LABEL_PX),
  })
  if (axis === null) return null
  const most = Math.max(1, ...points.map(({ found, queued }) => Math.max(queued, found - queued)))
  const counts = wholeTicks(most)
  const high = counts.at(-1)!
  const x = (at: number): number => left + shareOf(axis, at) * (right - left)
  const y = (count: number): number => bottom - (count / high) * (bottom - top)
  return {
    left,
    right,
    top,
    bottom,
    done: points.map(({ at, found, queued }) => ({ x: x(at), y: y(found - queued) })),
    queued: points.map(({ at, queued }) => ({ x: x(at), y: y(queued) })),
    ahead: isAhead ? aheadOf(projection, { last: points.at(-1)!, until, x, y }) : null,
    unit: axis.unit,
    timeTicks: axis.ticks.map((at) => ({ at, x: x(at) })),
    countTicks: counts.map((value) => ({ value, y: y(value) })),
  }
}

interface Scales {
  last: CurvePoint
  until: number
  x: (at: number) => number
  y: (count: number) => number
}

/** Lines that end beyond the frame are cut where they leave it. */
function aheadOf({ at, from, to }: Estimate, { last, until, x, y }: Scales): CurveShape['ahead'] {
  const towards = (end: number): Point => {
    if (end <= until) return { x: x(end), y: y(0) }
    const share = (until - last.at) / (end - last.at)
    return { x: x(until), y: y(last.queued * (1 - share)) }
  }
  return {
    now: { x: x(last.at), y: y(last.queued) },
    end: towards(at),
    from: towards(from),
    to: to === null ? { x: x(until), y: y(last.queued) } : towards(to),
  }
}

export const pathOf = (points: readonly Point[]): string =>
  points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
