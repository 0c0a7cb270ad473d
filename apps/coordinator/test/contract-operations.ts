/**
 * The station's operations, those that production runs inside others and only tests call by name,
 * and raw SQL; loaded into the store's thread of a test.
 */
import type { OperationTable } from '@minga/store'
import { rawSqlOperations } from '../../../packages/store/test/raw-sql-fixture.ts'
import { trustOf } from '../../../packages/fleet/src/trust/devices-standing.ts'
import { hello } from '../../../packages/frontier/src/lease/agents.ts'
import { discover } from '../../../packages/frontier/src/queue/discover.ts'
import { closeHosts } from '../../../packages/frontier/src/hosts/host-rules.ts'
import { addBatches } from '../../../packages/wiki/src/revisions/batch-operations.ts'
import { notePages } from '../../../packages/wiki/src/revisions/page-operations.ts'
import { operations as ofStation } from '../src/operations.ts'

export { blobSeries } from '../src/operations.ts'

export const operations = {
  ...ofStation,
  ...rawSqlOperations,
  closeHosts,
  discover,
  hello,
  trustOf,
  wikiAddBatches: addBatches,
  wikiNotePages: notePages,
} satisfies OperationTable

export type ContractOperations = typeof operations
