/** The fleet's operations by name, as the store runs them: each is one transaction. */
import { joinOperations } from '@minga/store'
import { abuseOperations } from './abuse/abuse-operations.ts'
import { accountOperations } from './accounts/account-operations.ts'
import { deviceOperations } from './devices/device-operations.ts'
import { ledgerOperations } from './ledger/ledger-operations.ts'
import { loadTestOperations } from './load-tests/load-test-operations.ts'
import { neutralityOperations } from './neutrality/neutrality-operations.ts'
import { siteOwnerOperations } from './site-owners/site-owner-operations.ts'
import { trustOperations } from './trust/trust-operations.ts'

export const fleetOperations = joinOperations(
  abuseOperations,
  accountOperations,
  deviceOperations,
  ledgerOperations,
  loadTestOperations,
  neutralityOperations,
  siteOwnerOperations,
  trustOperations,
)

export type FleetOperations = typeof fleetOperations
