/**
 * The coordinator's own operations, loaded into the store's thread of a test, with those that the
 * coordinator runs inside others, and raw SQL so that a test can recount what the operations store.
 * Imported by path rather than by name: this room does not know the coordinator, only its tests do.
 */
import type { Result } from '@minga/protocol'
import type { BlobSeries, Operation, OperationTable } from '@minga/store'
import { rawSqlOperations } from '../../store/test/raw-sql-fixture.ts'
import type { Verdict } from '../src/settle/accept.ts'
import { hello, removeDevice } from '../src/lease/agents.ts'
import { discover } from '../src/queue/discover.ts'
import { growScope } from '../src/federation/shared-changes.ts'
import { hostRuleFor } from '../src/hosts/host-rules-read.ts'
import { closeHosts, exemptHosts, openHosts, slowHosts } from '../src/hosts/host-rules.ts'
import { lease } from '../src/lease/lease.ts'
import { openCollection } from '../src/collections/open-collection.ts'
import type { FrontierOperations } from '../src/operations.ts'
import { addRequests } from '../src/requests/add-requests.ts'
import { openBatch } from '../src/requests/batches.ts'
import { holdHost } from '../src/hosts/hold-host.ts'

/** One result of an upload. */
export interface TestUploadItem {
  result: Result
  members: Uint8Array[]
  found?: object
  verdict?: Verdict
}

/** What tests of this room send to the coordinator's ingest. */
interface TestUpload {
  id: string
  boot: string | null
  items: TestUploadItem[]
  refusals: Record<string, string>
  secret: string
  prices: { requestMicros: number; cacheMicros: number; platformShareBps: number }
  guard: { allowPrivateAddresses: boolean }
  now: number
}

/** Operations of the coordinator that tests of this room call. */
interface CoordinatorOperations {
  finishCollections: Operation<{ now: number; elapsedMs: number }, number[]>
  ingest: Operation<TestUpload, { accepted: number; stale: number }>
  sampleCollections: Operation<{ now: number }, number>
  collectionCurve: Operation<{ id: number; now: number }, { points: unknown[] }>
}

interface OperationsModule {
  operations: FrontierOperations & CoordinatorOperations
  blobSeries: Record<string, BlobSeries>
}

const coordinator = new URL('../../../apps/coordinator/src/operations.ts', import.meta.url)
const loaded = (await import(coordinator.href)) as OperationsModule

export const operations = {
  ...loaded.operations,
  ...rawSqlOperations,
  addRequests,
  closeHosts,
  discover,
  exemptHosts,
  growScope,
  hello,
  hostRuleFor,
  lease,
  openBatch,
  openCollection,
  openHosts,
  removeDevice,
  holdHost,
  slowHosts,
} satisfies OperationTable

export type ContractOperations = typeof operations

export const blobSeries = loaded.blobSeries
