/**
 * What the numbers of a watch mean, in one place: every list, page, table and command counts by
 * these rules (docs/groups-and-metrics.md says them in words).
 *   visit       a visit to a watched page that ended, failed ones included; the second of a double fetch is none
 *   change      a visit that found the page changed
 *   feed check  a visit to a feed or sitemap, which reports changes and is not itself what is watched
 *   learning    before three visits to a page its rate of changes is not estimated
 */
import type { LearningView, NoticeSource, VisitCause } from './watch.ts'

/** What is watched; a watch of nothing but a feed watches that. */
export const PAGE_ROLES = ['page', 'probe'] as const

/** Two visits make one comparison: either it changed or not, and any rate would be a guess. */
export const LEARNT_FROM = 3

/** Null when a page was visited often enough for a forecast. */
export function learningOf(visits: number): LearningView | null {
  return visits >= LEARNT_FROM ? null : { visits, of: LEARNT_FROM }
}

export const learningText = ({ visits, of }: LearningView): string =>
  `learning, ${visits} of ${of} visits`

export interface VisitCircumstances {
  isFirst: boolean
  /** The signal of a change since the visit before, which made the page due at once. */
  notice: NoticeSource | null
  /** A user requested it since the visit before. */
  isAsked: boolean
  hasPeriod: boolean
}

/** What made a visit happen; a wish of a person comes before all that would have happened anyway. */
export function causeOf({ isFirst, notice, isAsked, hasPeriod }: VisitCircumstances): VisitCause {
  if (isFirst) return 'first'
  if (isAsked) return 'manual'
  return notice ?? (hasPeriod ? 'period' : 'plan')
}
