/** The fleet's operations and raw SQL beside them, loaded into the store's thread of a test. */
import { isMingaError } from '@minga/protocol'
import type { Row, Sql } from '@minga/store'
import { noteAnswers, noteSubmission } from './abuse/client-days.ts'
import { checkRestrictions } from './abuse/flags.ts'
import { receiveDevice } from './devices/device-sessions.ts'
import { markDrained } from './devices/drain.ts'
import { findDevices } from './devices/find-devices.ts'
import { eraseDevice, markRevoked, pauseDevice } from './devices/own-devices.ts'
import { noteResults } from './devices/request-details.ts'
import { post, type Posting } from './ledger/posting.ts'
import { beatLoadTest, claimLoadTest } from './load-tests/load-test-rows.ts'
import { closeRun, looksFor, noteSighting, openRuns } from './neutrality/runs.ts'
import { fleetOperations } from './operations.ts'
import { claimFiles, noteFile, provenProof } from './site-owners/proofs.ts'

export const operations = {
  ...fleetOperations,
  beatLoadTest,
  claimLoadTest,
  closeRun,
  looksFor,
  noteSighting,
  openRuns,
  query: (sql: Sql, args: { text: string; params: Row }) => sql.all(args.text, args.params),
  change: (sql: Sql, args: { text: string; params: Row }) => sql.run(args.text, args.params),
  claimFiles,
  checkRestrictions,
  eraseDevice,
  findDevices,
  markDrained,
  markRevoked,
  noteFile,
  noteAnswers,
  noteResults,
  noteSubmission,
  pauseDevice,
  provenProof,
  receiveDevice,
  post,
  /** As a caller that goes on after a refusal: what it does next is committed. */
  postAll: async (sql: Sql, args: { postings: Posting[] }) => {
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
  },
}
