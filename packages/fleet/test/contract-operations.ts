/**
 * The fleet's operations, those that production runs inside others, and raw SQL; loaded into the
 * store's thread of a test.
 */
import { isMingaError } from '@minga/protocol'
import type { OperationTable, Sql } from '@minga/store'
import { rawSqlOperations } from '../../store/test/raw-sql-fixture.ts'
import { noteAnswers, noteSubmission } from '../src/abuse/client-days.ts'
import { checkRestrictions } from '../src/abuse/flags.ts'
import { receiveDevice } from '../src/devices/device-sessions.ts'
import { markDrained } from '../src/devices/drain.ts'
import { findDevices } from '../src/devices/find-devices.ts'
import {
  eraseDevice,
  fleetTotals,
  listDevices,
  markRevoked,
  pauseDevice,
} from '../src/devices/own-devices.ts'
import { noteResults } from '../src/devices/request-details.ts'
import { closeBatch, compensate, refund, reserve, withdraw } from '../src/ledger/budget.ts'
import { leaderboard } from '../src/ledger/leaderboard.ts'
import { ledgerOperations } from '../src/ledger/ledger-operations.ts'
import { forfeitHeld, payAudit, payBlock, payCacheHits, releaseHeld } from '../src/ledger/pay.ts'
import { post, type Posting } from '../src/ledger/posting.ts'
import { beatLoadTest, claimLoadTest } from '../src/load-tests/load-test-rows.ts'
import {
  closeRun,
  listMonitorRequests,
  recordObservation,
  openRuns,
} from '../src/neutrality/runs.ts'
import { fleetOperations } from '../src/operations.ts'
import { claimFiles, isHostProven, noteFile, provenProof } from '../src/site-owners/proofs.ts'
import { nextAuditsFor, noteAuditResult, sweepAudits } from '../src/trust/audit-work.ts'
import { chooseAudits, openCanary } from '../src/trust/choose-audits.ts'
import {
  admitDevice,
  noteService,
  quarantineDevice,
  sweepBlocks,
  trustLog,
  trustOf,
} from '../src/trust/devices-standing.ts'

/** As a caller that continues after a refusal: what it does next is committed. */
async function postAll(sql: Sql, args: { postings: Posting[] }): Promise<string[]> {
  const outcomes: string[] = []
  for (const posting of args.postings) {
    try {
      outcomes.push((await post(sql, posting)).outcome)
    } catch (error) {
      if (!isMingaError(error)) throw error
      outcomes.push(error.code)
    }
  }
  return outcomes
}

const ofLedger = {
  ...ledgerOperations,
  closeBatch,
  compensate,
  forfeitHeld,
  leaderboard,
  payAudit,
  payBlock,
  payCacheHits,
  post,
  postAll,
  refund,
  releaseHeld,
  reserve,
  withdraw,
} satisfies OperationTable

export type LedgerContract = typeof ofLedger

export const operations = {
  ...fleetOperations,
  ...ofLedger,
  ...rawSqlOperations,
  admitDevice,
  beatLoadTest,
  checkRestrictions,
  chooseAudits,
  claimFiles,
  claimLoadTest,
  closeRun,
  eraseDevice,
  findDevices,
  fleetTotals,
  isHostProven,
  listDevices,
  listMonitorRequests,
  markDrained,
  markRevoked,
  nextAuditsFor,
  noteAnswers,
  noteAuditResult,
  noteFile,
  noteResults,
  noteService,
  recordObservation,
  noteSubmission,
  openCanary,
  openRuns,
  pauseDevice,
  provenProof,
  quarantineDevice,
  receiveDevice,
  sweepAudits,
  sweepBlocks,
  trustLog,
  trustOf,
} satisfies OperationTable

export type ContractOperations = typeof operations
