/** The days of a watch as what its plots show: every day from the first to the last, gaps included. */
import type { Growth, GrowthSample, WatchDay } from '@minga/protocol'

const DAY_S = 86_400
const DAY_MS = DAY_S * 1_000

export interface WatchSeries {
  /** Seconds since the Unix epoch, one for each day. */
  at: number[]
  /** Null where there was none: no mark is drawn. */
  changes: (number | null)[]
  lost: (number | null)[]
  /** Days with visits that found nothing new. */
  looked: (number | null)[]
  visits: number[]
  failures: (number | null)[]
  /** In all, up to the end of each day. */
  storedBytes: number[]
}

/** Below this a change does not count as lost. */
const LOST_LEAST = 0.05

export function watchSeries(days: readonly WatchDay[]): WatchSeries {
  const series: WatchSeries = {
    at: [],
    changes: [],
    lost: [],
    looked: [],
    visits: [],
    failures: [],
    storedBytes: [],
  }
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return series
  const byDay = new Map(days.map((day) => [day.day, day]))
  let stored = 0
  for (let day = first.day; day <= last.day; day++) {
    const {
      visits = 0,
      changes = 0,
      lost = 0,
      failures = 0,
      storedBytes = 0,
    } = byDay.get(day) ?? {}
    stored += storedBytes
    series.at.push(day * DAY_S)
    series.changes.push(changes > 0 ? changes : null)
    series.lost.push(lost >= LOST_LEAST ? lost : null)
    series.looked.push(visits > 0 && changes === 0 ? 0 : null)
    series.visits.push(visits)
    series.failures.push(failures > 0 ? failures : null)
    series.storedBytes.push(stored)
  }
  return series
}

export interface GrowthSeries {
  at: number[]
  stored: (number | null)[]
  likely: (number | null)[]
}

/** As far ahead as was looked back, and not beyond the day it is full. */
export function growthSeries(
  given: readonly GrowthSample[],
  { bytes, bytesPerDay, fullAt }: Growth,
): GrowthSeries {
  // The zero before the first day is where counting begins; the archive was not observed to grow from there in a straight line.
  const samples = given[0]?.bytes === 0 ? given.slice(1) : given
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return { at: [], stored: [], likely: [] }
  const at = samples.map((sample) => sample.at / 1_000)
  const stored: (number | null)[] = samples.map((sample) => sample.bytes)
  const likely: (number | null)[] = samples.map(() => null)
  if (bytesPerDay === null || fullAt?.likely === last.at) return { at, stored, likely }
  const ahead = last.at - first.at
  const end = Math.min(last.at + ahead, fullAt?.likely ?? Number.POSITIVE_INFINITY)
  const days = (end - last.at) / DAY_MS
  likely[likely.length - 1] = bytes
  return {
    at: [...at, end / 1_000],
    stored: [...stored, null],
    likely: [...likely, Math.max(0, bytes + days * bytesPerDay.likely)],
  }
}
