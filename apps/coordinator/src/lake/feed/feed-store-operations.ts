/** What the feeds run in the store. */
import type { OperationTable } from '@minga/store'
import { commitExtract, extractedCollections, readExtract } from '../extract/extract-operations.ts'
import { listPendingPurges, dropPendingPurges } from '../../archive/pending-purges.ts'
import { commitFeed, makeFeedTables, readFeed } from './feed-operations.ts'
import { commitRevisions, readRevisions } from './revisions-feed.ts'

export const feedOperations = {
  lakeReadFeed: readFeed,
  lakeCommitFeed: commitFeed,
  lakeMakeFeedTables: makeFeedTables,
  lakeReadRevisions: readRevisions,
  lakeCommitRevisions: commitRevisions,
  lakeExtractedCollections: extractedCollections,
  lakeReadExtract: readExtract,
  lakeCommitExtract: commitExtract,
  lakePendingPurges: listPendingPurges,
  lakeDropPendingPurges: dropPendingPurges,
} satisfies OperationTable
