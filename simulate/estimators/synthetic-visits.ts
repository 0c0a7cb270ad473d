/** Visits to pages that change as a Poisson process, together with the truth. Rates per day. */
import type { Visit } from '@minga/forecast'
import { uniform } from '../fleet/draws.ts'

export const DAY_MS = 86_400_000

/** A stream of numbers in [0, 1) that its name alone determines. */
export function streamOf(...name: readonly number[]): () => number {
  let step = 0
  return () => uniform(...name, step++)
}

export const exponential = (random: () => number, perDay: number): number =>
  -Math.log(1 - random()) / perDay

/** Standard normal by Box and Muller. */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

export interface TrueVisit extends Visit {
  /** Changes since the visit before; a visitor only learns whether there were any. */
  count: number
}

/** The changes of `days` days are drawn one by one, so that the last one's moment is known. */
function visitAfter(random: () => number, days: number, perDay: number): TrueVisit {
  let count = 0
  let last = 0
  for (let at = exponential(random, perDay); at <= days; at += exponential(random, perDay)) {
    last = at
    count += 1
  }
  const sinceMs = days * DAY_MS
  if (count === 0) return { sinceMs, changed: false, count }
  return { sinceMs, changed: true, count, lastModifiedAgoMs: (days - last) * DAY_MS }
}

export interface Plan {
  perDay: number
  visits: number
  visitsPerDay: number
  spacing: 'fixed' | 'poisson'
}

export function visitsOf(random: () => number, plan: Plan): TrueVisit[] {
  return Array.from({ length: plan.visits }, () => {
    const fixed = plan.spacing === 'fixed'
    const days = fixed ? 1 / plan.visitsPerDay : exponential(random, plan.visitsPerDay)
    return visitAfter(random, days, plan.perDay)
  })
}
