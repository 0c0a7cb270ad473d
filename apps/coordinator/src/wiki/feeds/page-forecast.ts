/**
 * When a page is likely to have changed, from the exact times of its revisions: the belief of
 * packages/forecast, fed week by week so that what is old is forgotten as it would have been.
 */
import { chanceOfChange, isBursting, newBelief, observeChanges, rateOf } from '@minga/forecast'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** Even odds: sooner would mostly find nothing, later would mostly be late. */
const DUE_CHANCE = 0.5
/** Planning further ahead has no use. */
const HORIZON_DAYS = 365

export interface PageForecast {
  /** Edits a day, and where the true rate lies nine times in ten. */
  perDay: number
  low: number
  high: number
  isBursting: boolean
  /** How likely there is something new by now. */
  chance: number
  /** When that is as likely as not. */
  dueAt: number
}

/** `times` are sorted, `lookedAt` is when the page was asked for last. */
export function forecastPage(
  times: readonly number[],
  { lookedAt, now }: { lookedAt: number; now: number },
): PageForecast {
  const belief = newBelief()
  const [first] = times
  let at = 0
  for (let from = first ?? lookedAt; from < lookedAt; from += WEEK_MS) {
    const until = Math.min(from + WEEK_MS, lookedAt)
    const seen: number[] = []
    for (; at < times.length && times[at]! <= until; at++) seen.push(times[at]!)
    observeChanges(belief, { at: until, count: seen.length, spanMs: until - from, times: seen })
  }
  const { perDay, low, high } = rateOf(belief)
  const isLikely = (to: number): boolean => chanceOfChange(belief, lookedAt, to) >= DUE_CHANCE
  let days = 1 / 24
  while (days < HORIZON_DAYS && !isLikely(lookedAt + days * DAY_MS)) days *= 1.1
  return {
    perDay,
    low,
    high,
    isBursting: isBursting(belief),
    chance: chanceOfChange(belief, lookedAt, now),
    dueAt: Math.round(lookedAt + days * DAY_MS),
  }
}
