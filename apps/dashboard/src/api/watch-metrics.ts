/** What the page asks about the figures of watches and the growth of the archive. */
import type {
  ArchiveGrowthView,
  Behaviour,
  WatchCompareView,
  WatchGroupsView,
  WatchMetricsView,
} from '@minga/protocol'
import { call, queryOf } from './call.ts'

export const BEHAVIOURS = [
  'steady',
  'rare',
  'seasonal',
  'without pattern',
] as const satisfies readonly Behaviour[]

export const readWatchMetrics = (id: string, days: number): Promise<WatchMetricsView> =>
  call('GET', `/watches/${id}/metrics${queryOf({ days })}`)

/** The period as the station writes it: `6h`, `15d`. */
export const readWatchCompare = (id: string, period: string): Promise<WatchCompareView> =>
  call('GET', `/watches/${id}/compare${queryOf({ period })}`)

export const readWatchGroups = (days: number): Promise<WatchGroupsView> =>
  call('GET', `/watch-groups${queryOf({ days })}`)

export const readGrowth = (): Promise<ArchiveGrowthView> => call('GET', '/archive/growth')
