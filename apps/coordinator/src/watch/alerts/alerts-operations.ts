/** The store's operations of alerts, by name. */
import type { OperationTable } from '@minga/store'
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
import {
  claimAccountMail,
  claimConfirmations,
  confirmationBy,
  confirmationFailed,
  confirmMailbox,
  listSuppressions,
  pruneConfirmations,
  refuseMailbox,
  returnAccountMail,
  suppressAddress,
} from './mailboxes.ts'
import { matchVisits } from './match-visits.ts'

export const alertsOperations = {
  addAlertRule,
  alertDeliveries,
  alertFeed,
  alertRule,
  alertRules,
  bareAlerts,
  claimAccountMail,
  claimConfirmations,
  claimDeliveries,
  confirmationBy,
  confirmationFailed,
  confirmMailbox,
  formDeliveries,
  listSuppressions,
  matchVisits,
  noteDelivery,
  noteExcerpts,
  openTestDelivery,
  pruneAlerts,
  pruneConfirmations,
  refuseMailbox,
  removeAlertRule,
  returnAccountMail,
  suppressAddress,
  turnAlertRule,
  unsubscribeAlert,
} satisfies OperationTable
