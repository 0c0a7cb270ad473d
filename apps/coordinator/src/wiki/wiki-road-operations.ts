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
import { setWikiFeed, tendFeeds } from './feeds/tend-feeds.ts'
import { cancelWikiTask, tendWikiTasks } from './tasks/tend-tasks.ts'
import { closeWikisOf } from './tasks/close-wikis.ts'
import { wikisOfCollections } from './wiki-of-collection.ts'
import { putWikiLogIn } from './wiki-log-ins.ts'
import { putWikiToken, wikiLogInState } from './wiki-tokens.ts'

export const wikiRoadOperations = {
  cancelWikiTask,
  closeWikisOf,
  claimMetricTask,
  closedWikis,
  endMetricTask,
  hearStream,
  limitWikiTask,
  noteRuleCalls,
  openMetricTask,
  openWikiTask,
  putWikiLogIn,
  putWikiToken,
  setWikiFeed,
  streamedHosts,
  tendFeeds,
  tendWikiTasks,
  wikiLogInState,
  wikiSchedules,
  wikisOfCollections,
  wikisToSchedule,
  wikiTaskView,
  hasWikiTask,
  wikiTaskViews,
} satisfies OperationTable
