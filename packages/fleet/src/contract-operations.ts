/**
 * The fleet's operations, those that production runs inside others, and raw SQL beside them; loaded into the store's
 * thread of a test.
 */
import { isMingaError } from '@minga/protocol'
import type { OperationTable, Sql } from '@minga/store'
import { rawSqlOperations } from '../../store/src/raw-sql-fixture.ts'
import { noteAnswers, noteSubmission } from './abuse/client-days.ts'
import { checkRestrictions } from './abuse/flags.ts'
import { receiveDevice } from './devices/device-sessions.ts'
import { markDrained } from './devices/drain.ts'
import { findDevices } from './devices/find-devices.ts'
import {
  eraseDevice,
  fleetTotals,
  listDevices,
  markRevoked,
  pauseDevice,
} from './devices/own-devices.ts'
import { noteResults } from './devices/request-details.ts'
import { closeBatch, compensate, refund, reserve, withdraw } from './ledger/budget.ts'
import { leaderboard } from './ledger/leaderboard.ts'
import { ledgerOperations } from './ledger/ledger-operations.ts'
import { forfeitHeld, payAudit, payBlock, payCacheHits, releaseHeld } from './ledger/pay.ts'
import { post, type Posting } from './ledger/posting.ts'
import { beatLoadTest, claimLoadTest } from './load-tests/load-test-rows.ts'
import { closeRun, looksFor, noteSighting, openRuns } from './neutrality/runs.ts'
import { fleetOperations } from './operations.ts'
import { claimFiles, isHostProven, noteFile, provenProof } from './site-owners/proofs.ts'
import { nextAuditsFor, noteAuditResult, sweepAudits } from './trust/audit-work.ts'
import { chooseAudits, openCanary } from './trust/choose-audits.ts'
import {
  admitDevice,
  noteService,
  quarantineDevice,
  sweepBlocks,
  trustLog,
  trustOf,
} from './trust/devices-standing.ts'

/** As a caller that goes on after a refusal: what it does next is committed. */
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
  looksFor,
  markDrained,
  markRevoked,
  nextAuditsFor,
  noteAnswers,
  noteAuditResult,
  noteFile,
  noteResults,
  noteService,
  noteSighting,
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
