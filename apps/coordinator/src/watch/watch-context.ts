import type { RouteContext } from '../accounts/access.ts'
import type { Alerts } from './alerts/alerts.ts'
import type { WatchMetrics } from './metrics/watch-metrics.ts'
import type { ChangeSignals } from './signals/change-signals.ts'
import type { VisitScheduler } from './visits/visit-scheduler.ts'
import type { WatchService } from './watch-service.ts'

export interface WatchServices {
  watches: WatchService
  alerts: Alerts
  changeSignals: ChangeSignals
  visitScheduler: VisitScheduler
  watchMetrics: WatchMetrics
}

export type WatchContext = RouteContext & WatchServices
