/** What the page asks about the figures of watches and the growth of the archive. */
import type {
  ArchiveGrowthView,
  Behaviour,
  BudgetView,
  CalibrationView,
  CompareCurveView,
  WatchCompareView,
  WatchGroupsView,
  WatchMetricsView,
  WatchYear,
} from '@minga/protocol'
import { station } from './station.ts'

export const BEHAVIOURS = [
  'steady',
  'rare',
  'seasonal',
  'without pattern',
] as const satisfies readonly Behaviour[]

export const readWatchMetrics = (id: string, days: number): Promise<WatchMetricsView> =>
  station('GET /watches/{id}/metrics', { params: { id }, query: { days } })

/** The period as the station writes it: `6h`, `15d`. */
export const readWatchCompare = (id: string, period: string): Promise<WatchCompareView> =>
  station('GET /watches/{id}/compare', { params: { id }, query: { period } })

export const readCompareCurve = (id: string): Promise<CompareCurveView> =>
  station('GET /watches/{id}/compare-curve', { params: { id } })

/** Of one watch, or of all. */
export const readCalibration = (id: string | null): Promise<CalibrationView> =>
  id === null
    ? station('GET /watch-calibration')
    : station('GET /watches/{id}/calibration', { params: { id } })

export const readWatchYears = (id: string): Promise<WatchYear[]> =>
  station('GET /watches/{id}/years', { params: { id } })

export const readBudget = (): Promise<BudgetView> => station('GET /watch-budget')

export const readWatchGroups = (days: number): Promise<WatchGroupsView> =>
  station('GET /watch-groups', { query: { days } })

export const readGrowth = (): Promise<ArchiveGrowthView> => station('GET /archive/growth')
