/** The operations of a federation by name; each is one transaction. */
import type { OperationTable } from '@minga/store'
import { applyMap } from './apply-map.ts'
import { handOver } from './hand-over.ts'
import { claimsToMake, claimsToResolve } from './host-claims.ts'
import { continueSnapshot } from './journal-snapshot.ts'
import { enterFederation, federationView, leaveFederation, noteStations } from './membership.ts'
import { acknowledge, nextBatch, stationsWaiting } from './outbox.ts'
import { receiveBatch } from './receive-batch.ts'
import { continueRelease } from './release.ts'
import { federationReport, finishFederated, forgetSettled, noteHot } from './report.ts'
import { describeCollections } from './shared-collections.ts'
import { suspendLeases } from './suspend-leases.ts'

export const federationOperations = {
  acknowledge,
  applyMap,
  claimsToMake,
  claimsToResolve,
  continueRelease,
  continueSnapshot,
  describeCollections,
  enterFederation,
  federationReport,
  federationView,
  finishFederated,
  forgetSettled,
  handOver,
  leaveFederation,
  nextBatch,
  noteHot,
  noteStations,
  receiveBatch,
  stationsWaiting,
  suspendLeases,
} satisfies OperationTable
