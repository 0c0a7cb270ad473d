/** The station's operations, and those that only tests call by name; loaded into the store's thread of a test. */
import type { OperationTable } from '@minga/store'
import { addBatches } from '../../../packages/wiki/src/revisions/batch-operations.ts'
import { notePages } from '../../../packages/wiki/src/revisions/page-operations.ts'
import { operations as ofStation } from './operations.ts'

export { blobSeries } from './operations.ts'

export const operations = {
  ...ofStation,
  wikiAddBatches: addBatches,
  wikiNotePages: notePages,
} satisfies OperationTable
