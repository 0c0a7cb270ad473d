/** Operations in the store by which wikis travel the common road. */
import type { OperationTable } from '@minga/store'
import { hearStream, streamedHosts } from './feeds/hear-stream.ts'
import { closedWikis, noteRuleCalls, wikiSchedules, wikisToSchedule } from './tasks/schedule.ts'
import {
  limitWikiTask,
  openWikiTask,
  wikiTaskView,
  hasWikiTask,
  wikiTaskViews,
} from './tasks/task-views.ts'
import { claimMetricTask, endMetricTask, openMetricTask } from './v1/metric-tasks.ts'
import { setWikiFeed, advanceFeeds } from './feeds/advance-feeds.ts'
import { cancelWikiTask, advanceWikiTasks } from './tasks/advance-tasks.ts'
import { closeWikisOf } from './tasks/close-wikis.ts'
import { hiddenRevisions, wikiCaptures } from './hidden-revisions-rows.ts'
import { wikisOfCollections } from './wiki-of-collection.ts'
import { putWikiLogIn } from './wiki-log-ins.ts'
import { putWikiToken, wikiLogInState } from './wiki-tokens.ts'

export const wikiPipelineOperations = {
  cancelWikiTask,
  closeWikisOf,
  claimMetricTask,
  closedWikis,
  endMetricTask,
  hearStream,
  hiddenRevisions,
  limitWikiTask,
  noteRuleCalls,
  openMetricTask,
  openWikiTask,
  putWikiLogIn,
  putWikiToken,
  setWikiFeed,
  streamedHosts,
  advanceFeeds,
  advanceWikiTasks,
  wikiCaptures,
  wikiLogInState,
  wikiSchedules,
  wikisOfCollections,
  wikisToSchedule,
  wikiTaskView,
  hasWikiTask,
  wikiTaskViews,
} satisfies OperationTable
