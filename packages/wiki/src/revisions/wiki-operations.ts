/** What the store does for wikis, by name. */
import {
  addBatches,
  entomb,
  listPurges,
  pendingBatches,
  pendingTotals,
  readBatches,
  replaceBatch,
  whereabouts,
  whereaboutsIn,
} from './batch-operations.ts'
import {
  clearGaps,
  listEvents,
  listGaps,
  noteEvents,
  noteGaps,
  notePages,
  pageRows,
  titlesOfPage,
} from './page-operations.ts'
import { commitFold, readCheckpoint } from './commit-operations.ts'
import {
  beginFold,
  dropFold,
  lookAtWiki,
  pagesAfter,
  readManifest,
  renewFold,
} from './segment-operations.ts'
import { addTask, changeTask, listTasks, openTasks, readTask } from './task-operations.ts'
import {
  closePurges,
  forgetSegments,
  goneSegments,
  namedFiles,
  wikiTotals,
} from './tidy-operations.ts'
import { findWiki, listWikis, registerWiki, wikiById } from './wiki-identity.ts'

/** The names begin with `wiki`: they stand beside those of all other rooms. */
export const wikiOperations = {
  wikiAddBatches: addBatches,
  wikiAddTask: addTask,
  wikiBeginFold: beginFold,
  wikiById,
  wikiChangeTask: changeTask,
  wikiClearGaps: clearGaps,
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
  wikiNoteEvents: noteEvents,
  wikiNoteGaps: noteGaps,
  wikiNotePages: notePages,
  wikiOpenTasks: openTasks,
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
  wikiTitlesOfPage: titlesOfPage,
  wikiTotals,
  wikiWhereabouts: whereabouts,
  wikiWhereaboutsIn: whereaboutsIn,
}
