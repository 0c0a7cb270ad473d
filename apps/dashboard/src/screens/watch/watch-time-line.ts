/** Visits, what was lost between them and the next one, as marks on one axis of time. */
import type { VisitOutcome, WatchDay } from '@minga/protocol'
import { POINTS_LEAST, shareOf, timeAxis, type TickUnit } from '../../components/time-axis.ts'
import type { Zone } from '../../zone.ts'

const DAY_MS = 86_400_000

export type LineMark = 'first' | 'changed' | 'looked' | 'failed' | 'lost'

export interface PlacedMark {
  kind: LineMark
  /** From 0 at the beginning to 1 at the end of the axis. */
  x: number
  at: number
  /** Of several at one place; marks that would cover each other are drawn once. */
  count: number
  /** The chance predicted before; null when there was no prediction. */
  chance: number | null
}

export interface TimeLine {
  from: number
  marks: PlacedMark[]
  /** Where now is, and the next visit; null when none is planned. */
  now: number
  next: number | null
  unit: TickUnit
  ticks: { x: number; at: number }[]
}

interface Visited {
  at: number
  outcome: VisitOutcome
  chance: number | null
}

interface LineOptions {
  days: readonly WatchDay[]
  now: number
  nextVisitAt: number | null
  zone: Zone
}

/** Below this a change does not count as lost. */
const LOST_LEAST = 0.5
/** As many positions as can be distinguished on a wide screen. */
const PLACES = 240
const TICKS = 5
/** Of the axis is for what is to come. */
const AHEAD = 0.15

const MARKS: Record<VisitOutcome, LineMark> = {
  first: 'first',
  changed: 'changed',
  unchanged: 'looked',
  noise: 'looked',
  failed: 'failed',
}

/** Null when there are too few visits for a line. */
export function timeLine(visits: readonly Visited[], options: LineOptions): TimeLine | null {
  const { days, now, nextVisitAt, zone } = options
  const first = visits.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
  if (visits.length < POINTS_LEAST) return null
  const pastMs = Math.max(now - first, 60_000)
  const ahead = Math.max(now, Math.min(nextVisitAt ?? now, now + pastMs))
  const to = Math.max(ahead, now + (pastMs * AHEAD) / 2)
  const axis = timeAxis([...visits.map(({ at }) => at), now, to], { zone, labelsMost: TICKS })
  if (axis === null) return null
  const place = (at: number): number => shareOf(axis, at)
  const lost = days
    .filter((day) => day.lost >= LOST_LEAST)
    .map(({ day }) => ({ kind: 'lost' as const, at: (day + 0.5) * DAY_MS, chance: null }))
    .filter(({ at }) => at >= first && at <= now)
  const seen = visits.map(({ at, outcome, chance }) => ({ kind: MARKS[outcome], at, chance }))
  const next = nextVisitAt === null ? null : Math.min(1, Math.max(place(now), place(nextVisitAt)))
  return {
    from: first,
    marks: thinned([...lost, ...seen].map((mark) => ({ ...mark, x: place(mark.at), count: 1 }))),
    now: place(now),
    next,
    unit: axis.unit,
    ticks: axis.ticks.map((at) => ({ x: place(at), at })),
  }
}

function thinned(marks: readonly PlacedMark[]): PlacedMark[] {
  const byPlace = new Map<string, PlacedMark>()
  for (const mark of marks) {
    const key = `${mark.kind} ${Math.round(mark.x * PLACES)}`
    const known = byPlace.get(key)
    if (known === undefined) byPlace.set(key, mark)
    else byPlace.set(key, { ...known, count: known.count + 1 })
  }
  return [...byPlace.values()].toSorted((a, b) => a.at - b.at)
}
