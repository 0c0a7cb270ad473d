/**
 * When a collection will have nothing left, as far as its last samples tell. Every collection finds while it works, so
 * what counts is how fast the queue shrinks. The recent past is cut into pieces; their rates give an estimate, and
 * how much they differ gives the interval. Where they do not even agree on the direction, nothing is said.
 */
import type { CurvePoint } from '@minga/protocol'

export interface Estimate {
  kind: 'estimate'
  at: number
  from: number
  /** Null: some of the last pieces grew, so there is no telling how late it may be. */
  to: number | null
  /** What ends it. */
  by: 'queue' | 'pages' | 'bytes'
}

export interface NoEstimate {
  kind: 'none'
  why: 'ended' | 'early' | 'growing' | 'still'
}

export type Projection = Estimate | NoEstimate

interface Limits {
  maxPages: number | null
  maxBytes: number | null
}

/** Less tells nothing: the first minute is robots.txt, sitemaps and the first links. */
const SPAN_LEAST_MS = 45_000
const POINTS_LEAST = 4
/** The share of its life that counts as recent. */
const RECENT = 1 / 3
const PIECES = 6
/** Later than a month is no forecast. */
const LATEST_MS = 31 * 24 * 3_600_000

export function projectionOf(
  points: readonly CurvePoint[],
  { isRunning, limits }: { isRunning: boolean; limits: Limits },
): Projection {
  const last = points.at(-1)
  if (!isRunning || last === undefined) return { kind: 'none', why: 'ended' }
  const recent = recentOf(points)
  if (recent.length < POINTS_LEAST || last.at - recent[0]!.at < SPAN_LEAST_MS) {
    return { kind: 'none', why: 'early' }
  }
  const { maxPages, maxBytes } = limits
  const ends = [
    endOf(recent, ({ queued }) => queued, 'queue'),
    ...(maxPages === null ? [] : [endOf(recent, ({ pages }) => maxPages - pages, 'pages')]),
    ...(maxBytes === null ? [] : [endOf(recent, ({ bytes }) => maxBytes - bytes, 'bytes')]),
  ].filter((end) => end !== null)
  const soonest = ends.toSorted((a, b) => a.at - b.at)[0]
  if (soonest !== undefined) return soonest
  const done = ({ found, queued }: CurvePoint): number => found - queued
  return { kind: 'none', why: done(last) > done(recent[0]!) ? 'growing' : 'still' }
}

/** At least a minute, and the last third of its life. */
function recentOf(points: readonly CurvePoint[]): readonly CurvePoint[] {
  const first = points[0]!
  const last = points.at(-1)!
  const spanMs = Math.max(SPAN_LEAST_MS * 2, (last.at - first.at) * RECENT)
  // The first point is where it began, before anything was found: it tells no rate.
  return points.slice(1).filter(({ at }) => at >= last.at - spanMs)
}

function endOf(
  recent: readonly CurvePoint[],
  left: (point: CurvePoint) => number,
  by: Estimate['by'],
): Estimate | null {
  const first = recent[0]!
  const last = recent.at(-1)!
  const overall = (left(first) - left(last)) / (last.at - first.at)
  if (overall <= 0 || left(last) / overall > LATEST_MS) return null
  const rates = piecesOf(recent).map(([a, b]) => (left(a) - left(b)) / Math.max(1, b.at - a.at))
  const after = (rate: number): number => Math.round(last.at + left(last) / rate)
  const quickest = Math.max(overall, ...rates)
  const slowest = Math.min(overall, ...rates)
  const isOpen = slowest <= 0 || left(last) / slowest > LATEST_MS
  const to = isOpen ? null : after(slowest)
  return { kind: 'estimate', by, at: after(overall), from: after(quickest), to }
}

function piecesOf(points: readonly CurvePoint[]): [CurvePoint, CurvePoint][] {
  const pieces = Math.min(PIECES, Math.floor(points.length / 2))
  const at = (i: number): CurvePoint =>
    points[Math.round((i * (points.length - 1)) / Math.max(1, pieces))]!
  return Array.from({ length: pieces }, (_, i) => [at(i), at(i + 1)])
}
