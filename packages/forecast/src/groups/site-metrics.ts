/** The six figures of a site: changes lost and occurred, space generated and stored, visits, frequency. */
import type { SiteMetrics, WatchDay } from '@minga/protocol'
import { shareOf } from './frequency.ts'

/** What watching a site for a while has shown; days, changes and losses of all its URLs together. */
export interface SiteObservation {
  /** Days of observation, summed over the site's URLs. */
  days: number
  /** Days on which a change was found. */
  seen: number
  lost: number
  visits: number
  /** States kept, the first one included. */
  versions: number
  storedBytes: number
}

export function siteMetrics(site: SiteObservation): SiteMetrics {
  const { days, seen, lost, visits, versions, storedBytes } = site
  return {
    lost,
    occurred: seen + lost,
    // Lost versions are assumed to be as large as stored ones.
    generatedBytes: storedBytes + lost * shareOf(storedBytes, versions),
    storedBytes,
    visits,
    frequency: Math.min(1, shareOf(seen + lost, days)),
  }
}

/** The observation of one URL; days counts those from its first visit on. */
export function observationOf(found: readonly WatchDay[], days: number): SiteObservation {
  const site = { days, seen: 0, lost: 0, visits: 0, versions: 0, storedBytes: 0 }
  for (const day of found) {
    if (day.changes > 0) site.seen++
    site.lost += day.lost
    site.visits += day.visits + day.failures
    site.versions += day.versions
    site.storedBytes += day.storedBytes
  }
  return site
}

export function sumObservations(all: readonly SiteObservation[]): SiteObservation {
  const sum = { days: 0, seen: 0, lost: 0, visits: 0, versions: 0, storedBytes: 0 }
  for (const one of all) {
    sum.days += one.days
    sum.seen += one.seen
    sum.lost += one.lost
    sum.visits += one.visits
    sum.versions += one.versions
    sum.storedBytes += one.storedBytes
  }
  return sum
}
