/**
 * How often a site changes, as the share of its days on which it did, and the group that follows.
 * The bounds are half-open and belong to the upper group:
 *   low [0, 0.4)   medium [0.4, 0.7)   high [0.7, 1]
 * Groups have names rather than numbers, because published numberings contradict each other.
 */
import type { FrequencyGroup } from '@minga/protocol'

export const FREQUENCY_GROUPS: readonly FrequencyGroup[] = ['high', 'medium', 'low']

const MEDIUM_FROM = 0.4
const HIGH_FROM = 0.7

/** The share of days with a change; every element is one day, 1 when the site changed on it. */
export function frequencyOf(alpha: ArrayLike<number>): number {
  let changed = 0
  for (let day = 0; day < alpha.length; day++) if (alpha[day] !== 0) changed++
  return shareOf(changed, alpha.length)
}

export function groupOf(frequency: number): FrequencyGroup {
  if (frequency >= HIGH_FROM) return 'high'
  return frequency >= MEDIUM_FROM ? 'medium' : 'low'
}

/** Zero of zero: a site without a day of observation has no known changes. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
