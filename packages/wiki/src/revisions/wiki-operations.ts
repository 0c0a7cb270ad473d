/** What the store does for wikis, by name. */
import type { OperationTable } from '@minga/store'
import {
  writeTombstone,
  listPurges,
  pendingBatches,
  pendingTotals,
  readBatches,
  replaceBatch,
  locateRevision,
  locateRevisionByName,
} from './batch-operations.ts'
import { listEvents, listGaps, pageRows } from './page-operations.ts'
import { commitFold, readCheckpoint } from './commit-operations.ts'
import {
  beginFold,
  dropFold,
  readWikiSnapshot,
  pagesAfter,
  readManifest,
  renewFold,
} from './segment-operations.ts'
import { changeTask, listTasks, readTask } from './task-operations.ts'
import {
  closePurges,
  forgetSegments,
  goneSegments,
  namedFiles,
  wikiTotals,
} from './tidy-operations.ts'
import { findWiki, listWikis, registerWiki, wikiById } from './wiki-identity.ts'

/** The names begin with `wiki`, because they share a table with those of all other rooms. */
export const wikiOperations = {
  wikiBeginFold: beginFold,
  wikiById,
  wikiChangeTask: changeTask,
  wikiClosePurges: closePurges,
  wikiCommitFold: commitFold,
  wikiDropFold: dropFold,
  wikiWriteTombstone: writeTombstone,
  wikiFind: findWiki,
  wikiForgetSegments: forgetSegments,
  wikiGoneSegments: goneSegments,
  wikiList: listWikis,
  wikiListEvents: listEvents,
  wikiListGaps: listGaps,
  wikiListPurges: listPurges,
  wikiListTasks: listTasks,
  wikiReadSnapshot: readWikiSnapshot,
  wikiManifest: readManifest,
  wikiNamedFiles: namedFiles,
  wikiPageRows: pageRows,
  wikiPagesAfter: pagesAfter,
  wikiPending: pendingBatches,
  wikiPendingTotals: pendingTotals,
  wikiReadBatches: readBatches,
  wikiReadCheckpoint: readCheckpoint,
  wikiReadTask: readTask,
  wikiRegister: registerWiki,
  wikiRenewFold: renewFold,
  wikiReplaceBatch: replaceBatch,
  wikiTotals,
  wikiLocateRevision: locateRevision,
  wikiLocateRevisionByName: locateRevisionByName,
} satisfies OperationTable

export type WikiOperations = typeof wikiOperations
