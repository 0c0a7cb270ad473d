/**
 * The station's operations, those that production runs inside others and only tests call by name, and raw SQL
 * beside them; loaded into the store's thread of a test.
 */
import type { OperationTable } from '@minga/store'
import { rawSqlOperations } from '../../../packages/store/src/raw-sql-fixture.ts'
import { addBatches } from '../../../packages/wiki/src/revisions/batch-operations.ts'
import { notePages } from '../../../packages/wiki/src/revisions/page-operations.ts'
import { operations as ofStation } from './operations.ts'

export { blobSeries } from './operations.ts'

export const operations = {
  ...ofStation,
  ...rawSqlOperations,
  wikiAddBatches: addBatches,
  wikiNotePages: notePages,
} satisfies OperationTable

export type ContractOperations = typeof operations
