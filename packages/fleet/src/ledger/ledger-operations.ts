/** The ledger's operations by name, as the store runs them: each is one transaction. */
import type { OperationTable } from '@minga/store'
import { topUp } from './budget.ts'
import { balancesOf, findStatementLines, statement } from './statement.ts'
import { trialBalance } from './trial-balance.ts'

export const ledgerOperations = {
  balancesOf,
  findStatementLines,
  statement,
  topUp,
  trialBalance,
} satisfies OperationTable
