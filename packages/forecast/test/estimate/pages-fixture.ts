/** Pages that change at known rates, and visits that see of them what visits can see. */
import { seededRandom } from '@minga/testkit'
import { newBelief, observeVisit, type Belief, type VisitSeen } from '../../src/estimate/belief.ts'
import { DAY_MS } from '../../src/estimate/grid.ts'

/** Monday, 1 January 2024, in UTC. */
export const MONDAY = 1_704_067_200_000
export const HOUR_MS = 3_600_000

export type Random = () => number
export function randomOf(seed: number): Random {
  const random = seededRandom(seed)
  return () => random.next()
}

export const exponentialDays = (random: Random, perDay: number): number =>
  -Math.log(1 - random()) / perDay

export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

export interface WatchedPage {
  from: number
  visits: number
  /** At exponential intervals around this, or exactly this. */
  everyDays: number
  spacing: 'random' | 'fixed'
  /** Changes per day at a moment. */
  rateAt: (at: number) => number
}

const constantly = (perDay: number) => (): number => perDay

/** Visits to a page; its rate is taken as constant within an hour. */
export function watch(
  random: Random,
  page: Partial<WatchedPage> & { perDay?: number },
): VisitSeen[] {
  const { visits = 100, everyDays = 1, spacing = 'random', from = MONDAY } = page
  const rateAt = page.rateAt ?? constantly(page.perDay ?? 1)
  let at = from
  return Array.from({ length: visits }, () => {
    const days = spacing === 'fixed' ? everyDays : exponentialDays(random, 1 / everyDays)
    const sinceMs = days * DAY_MS
    const changed = random() < -Math.expm1(-expectedChanges(rateAt, at, at + sinceMs))
    at += sinceMs
    return { at, sinceMs, changed }
  })
}

function expectedChanges(rateAt: WatchedPage['rateAt'], from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to;) {
    const next = Math.min(to, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS)
    sum += (rateAt(at) * (next - at)) / DAY_MS
    at = next
  }
  return sum
}

export function beliefFrom(visits: readonly VisitSeen[], belief: Belief = newBelief()): Belief {
  for (const visit of visits) observeVisit(belief, visit)
  return belief
}

/** Monday is 0. */
export const weekdayAt = (at: number): number =>
  (((Math.floor((at - MONDAY) / DAY_MS) % 7) + 7) % 7) | 0

/** Busy from Monday to Friday, nearly silent at weekends; mean 1. */
export const workingWeek =
  (perDay: number) =>
  (at: number): number =>
    perDay * (weekdayAt(at) < 5 ? 1.35 : 0.125)

export const rootMeanSquare = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length)

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
