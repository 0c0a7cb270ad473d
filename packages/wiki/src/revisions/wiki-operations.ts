/** What the store does for wikis, by name. */
import type { OperationTable } from '@minga/store'
import {
  entomb,
  listPurges,
  pendingBatches,
  pendingTotals,
  readBatches,
  replaceBatch,
  whereabouts,
  whereaboutsIn,
} from './batch-operations.ts'
import { listEvents, listGaps, pageRows } from './page-operations.ts'
import { commitFold, readCheckpoint } from './commit-operations.ts'
import {
  beginFold,
  dropFold,
  lookAtWiki,
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
  wikiEntomb: entomb,
  wikiFind: findWiki,
  wikiForgetSegments: forgetSegments,
  wikiGoneSegments: goneSegments,
  wikiList: listWikis,
  wikiListEvents: listEvents,
  wikiListGaps: listGaps,
  wikiListPurges: listPurges,
  wikiListTasks: listTasks,
  wikiLook: lookAtWiki,
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
  wikiWhereabouts: whereabouts,
  wikiWhereaboutsIn: whereaboutsIn,
} satisfies OperationTable

export type WikiOperations = typeof wikiOperations
