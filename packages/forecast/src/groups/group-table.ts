/**
 * The table of groups: interval, sites, mean frequency, changes lost and their share, visits,
 * changes, unnecessary visits and their share. Two original formulas mislead, and have a corrected
 * column next to them: "unnecessary" subtracts every change that occurred, also those that no visit
 * caught (the waste is visits less changes caught), and both shares are of site-days, whereas the
 * share of changes and visits is wanted.
 */
import type { Behaviour, FrequencyGroup, GroupRow, SiteMetrics } from '@minga/protocol'
import { DAY_MS } from '../estimate/grid.ts'
import { FREQUENCY_GROUPS, groupOf, shareOf } from './frequency.ts'

const HOUR_MS = 3_600_000
const BEHAVIOURS: readonly Behaviour[] = ['steady', 'rare', 'seasonal', 'without pattern']

export interface GroupSite extends Pick<SiteMetrics, 'lost' | 'occurred' | 'visits' | 'frequency'> {
  /** Summed over the site's URLs. */
  days: number
  /** From the first to the last day of observation. */
  spanDays: number
  /** States kept; where every change falls on a day of its own, those that occurred less those lost. */
  versions: number
  /** Null until the behaviour has been evaluated. */
  behaviour: Behaviour | null
}

/** One row for each group, the empty ones too. */
export function groupTable(sites: readonly GroupSite[]): GroupRow[] {
  return FREQUENCY_GROUPS.map((group) =>
    groupRow(
      group,
      sites.filter(({ frequency }) => groupOf(frequency) === group),
    ),
  )
}

function groupRow(group: FrequencyGroup, sites: readonly GroupSite[]): GroupRow {
  const sum = (figure: (site: GroupSite) => number): number =>
    sites.reduce((total, site) => total + figure(site), 0)
  const [lost, visits] = [sum((site) => site.lost), sum((site) => site.visits)]
  const [changes, siteDays] = [sum((site) => site.occurred), sum((site) => site.days)]
  const longest = sites.reduce((most, { spanDays }) => Math.max(most, spanDays), 0)
  const unnecessary = visits - changes
  const waste = visits - sum((site) => site.versions)
  return {
    group,
    intervalHours: (longest * DAY_MS) / HOUR_MS,
    sites: sites.length,
    meanFrequency: shareOf(
      sum(({ frequency }) => frequency),
      sites.length,
    ),
    lost,
    lostShare: shareOf(lost, siteDays),
    visits,
    changes,
    unnecessary,
    unnecessaryShare: shareOf(unnecessary, siteDays),
    lostOfChanges: shareOf(lost, changes),
    waste,
    wasteOfVisits: shareOf(waste, visits),
    behaviours: behavioursIn(sites),
  }
}

function behavioursIn(sites: readonly GroupSite[]): Record<Behaviour, number> {
  const counts = BEHAVIOURS.map((kind) => [
    kind,
    sites.filter(({ behaviour }) => behaviour === kind).length,
  ])
  return Object.fromEntries(counts) as Record<Behaviour, number>
}
