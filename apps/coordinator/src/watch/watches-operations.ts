/** The store's operations of subscriptions, by name. */
import type { OperationTable } from '@minga/store'
import { forgetAllNoise, restoreNoise, watchNoise } from './watch-noise.ts'
import {
  addWatchCategory,
  removeWatchCategory,
  renameWatchCategory,
  watchCategories,
} from './categories.ts'
import { changeWatch, setNextVisit, undoWatch } from './change-watch.ts'
import { addWatchUrls, createWatch } from './create-watch.ts'
import { timesWatched, watchEntries } from './files/watch-entries.ts'
import { removeWatch } from './remove-watch.ts'
import {
  addSources,
  dropWatchHook,
  isWatchHook,
  noteSource,
  setWatchHook,
  takePush,
  watchHubs,
} from './signals/sources.ts'
import { hearVisits } from './signals/listen.ts'
import { takeNotices, watchNotices } from './signals/notices.ts'
import {
  dueSubscriptions,
  noteAsked,
  noteDenied,
  noteVerified,
  subscriptionOf,
  wantSubscription,
} from './signals/websub-rows.ts'
import { listWatches, markSeen, watchDetail, watchGroups, watchOwner } from './watch-rows.ts'
import { nextVisits, watchActivity, watchedUrls, watchVisits } from './watch-reading.ts'
import { watchPage } from './watch-list.ts'
import { watchTrail } from './watch-trail.ts'

export const watchesOperations = {
  addSources,
  addWatchCategory,
  addWatchUrls,
  changeWatch,
  createWatch,
  dropWatchHook,
  dueSubscriptions,
  forgetAllNoise,
  hearVisits,
  isWatchHook,
  listWatches,
  markSeen,
  nextVisits,
  noteAsked,
  noteDenied,
  noteSource,
  noteVerified,
  removeWatch,
  removeWatchCategory,
  renameWatchCategory,
  restoreNoise,
  setNextVisit,
  setWatchHook,
  subscriptionOf,
  takeNotices,
  takePush,
  timesWatched,
  undoWatch,
  wantSubscription,
  watchActivity,
  watchCategories,
  watchDetail,
  watchEntries,
  watchGroups,
  watchHubs,
  watchNoise,
  watchNotices,
  watchOwner,
  watchPage,
  watchTrail,
  watchVisits,
  watchedUrls,
} satisfies OperationTable
