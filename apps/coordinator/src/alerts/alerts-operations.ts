/** The store's operations of alerts, by name. */
import {
  addAlertRule,
  alertRule,
  alertRules,
  removeAlertRule,
  turnAlertRule,
  unsubscribeAlert,
} from './alert-rules.ts'
import {
  alertDeliveries,
  alertFeed,
  bareAlerts,
  claimDeliveries,
  formDeliveries,
  noteDelivery,
  noteExcerpts,
  openTestDelivery,
  pruneAlerts,
} from './deliveries.ts'
import { matchVisits } from './match-visits.ts'

export const alertsOperations = {
  addAlertRule,
  alertDeliveries,
  alertFeed,
  alertRule,
  alertRules,
  bareAlerts,
  claimDeliveries,
  formDeliveries,
  matchVisits,
  noteDelivery,
  noteExcerpts,
  openTestDelivery,
  pruneAlerts,
  removeAlertRule,
  turnAlertRule,
  unsubscribeAlert,
}
