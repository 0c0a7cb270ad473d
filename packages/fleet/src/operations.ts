/** The fleet's operations by name, as the store runs them: each is one transaction. */
import { accountOperations } from './accounts/account-operations.ts'
import { deviceOperations } from './devices/device-operations.ts'
import { ledgerOperations } from './ledger/ledger-operations.ts'
import { trustOperations } from './trust/trust-operations.ts'

export const fleetOperations = {
  ...accountOperations,
  ...deviceOperations,
  ...ledgerOperations,
  ...trustOperations,
}
