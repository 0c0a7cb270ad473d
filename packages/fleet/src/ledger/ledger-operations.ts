/** The ledger's operations by name, as the store runs them: each is one transaction. */
import { closeBatch, compensate, refund, reserve, topUp, withdraw } from './budget.ts'
import { findStatementLines } from './find-statement-lines.ts'
import { leaderboard } from './leaderboard.ts'
import { forfeitHeld, payAudit, payBlock, payCacheHits, releaseHeld } from './pay.ts'
import { balancesOf, statement } from './statement.ts'
import { trialBalance } from './trial-balance.ts'

export const ledgerOperations = {
  balancesOf,
  closeBatch,
  compensate,
  findStatementLines,
  forfeitHeld,
  leaderboard,
  payAudit,
  payBlock,
  payCacheHits,
  refund,
  releaseHeld,
  reserve,
  statement,
  topUp,
  trialBalance,
  withdraw,
}
