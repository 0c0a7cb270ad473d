/**
 * What visits say about days. No page is observed all the time: a visit that finds it unchanged
 * clears every day since the visit before, one that finds it changed says only that some of these
 * days had a change, and the newest state is all that can still be captured. How many states were
 * lost in between is an expectation, given how often the page changes.
 */
import type { WatchDay } from '@minga/protocol'

/** The visits to one URL on one day. */
export type DayTally = Omit<WatchDay, 'lost'>

/**
 * One entry for every day with a visit, and one for every day between on which something may have
 * been lost. Tallies come in order of days.
 */
export function lostByDay(tallies: readonly DayTally[], ratePerDay: number): WatchDay[] {
  const found: WatchDay[] = []
  let last: number | null = null
  for (const tally of tallies) {
    if (last !== null && tally.changes > 0) {
      const days = tally.day - last
      const lost = lostWithin(days, dayChance(ratePerDay)) / Math.max(1, days - 1)
      for (let day = last + 1; day < tally.day; day++) {
        found.push({ day, visits: 0, changes: 0, versions: 0, storedBytes: 0, failures: 0, lost })
      }
    }
    const { day, visits, changes, versions, storedBytes, failures } = tally
    found.push({ day, visits, changes, versions, storedBytes, failures, lost: 0 })
    // A day of failures only has shown nothing: what went before stays open.
    if (tally.visits > 0) last = tally.day
  }
  // A day of failures inside a gap was met twice: with its own counts, and with what was lost.
  return sumDays(found)
}

/** One entry for each day, in order, with the sum of what is said of it. */
export function sumDays(days: readonly WatchDay[]): WatchDay[] {
  const byDay = new Map<number, WatchDay>()
  for (const day of days) {
    const sum = byDay.get(day.day)
    if (sum === undefined) {
      byDay.set(day.day, { ...day })
      continue
    }
    sum.visits += day.visits
    sum.changes += day.changes
    sum.versions += day.versions
    sum.storedBytes += day.storedBytes
    sum.failures += day.failures
    sum.lost += day.lost
  }
  return [...byDay.values()].toSorted((a, b) => a.day - b.day)
}

/** The chance that a page changes on a day, when its changes come by chance at this rate. */
export function dayChance(ratePerDay: number): number {
  return -Math.expm1(-Math.max(0, ratePerDay))
}

/**
 * Of so many days that had at least one change among them, all but the newest change are lost:
 * g·p / (1 − (1 − p)^g) − 1. Between 0, for a page that hardly ever changes, and g − 1.
 */
export function lostWithin(days: number, chance: number): number {
  if (days <= 1) return 0
  const some = -Math.expm1(days * Math.log1p(-Math.min(chance, 1)))
  return some <= 0 ? 0 : Math.max(0, (days * chance) / some - 1)
}
