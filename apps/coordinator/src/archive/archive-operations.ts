/** What reading the archive runs in the store. */
import type { OperationTable } from '@minga/store'
import { capturesByKey, countKeys, indexUrls, tombstonesOfUrl } from './archived-urls.ts'
import { tallyCaptures } from './archive-sizes.ts'
import { collectionCalendar, urlCalendar } from './calendar.ts'
import { captureBlock } from './capture-list.ts'
import {
  captureInWindow,
  countChanges,
  documentOf,
  listChanges,
  listDocuments,
  windowState,
} from './documents.ts'
import {
  dropFavourite,
  dropSearches,
  listFavourites,
  listSearches,
  noteSearch,
  putFavourite,
} from './favourites.ts'
import { findMemento, listMoments } from './protocols/mementos.ts'
import { searchUrls } from './search.ts'
import { findVersion, listVersions } from './compare/versions.ts'
import { watchDiffOptions } from './compare/watch-diff-options.ts'

export const archiveOperations = {
  captureBlock,
  captureInWindow,
  capturesByKey,
  collectionCalendar,
  countChanges,
  countKeys,
  documentOf,
  dropFavourite,
  dropSearches,
  findMemento,
  findVersion,
  indexUrls,
  listChanges,
  listDocuments,
  listFavourites,
  listMoments,
  listSearches,
  listVersions,
  noteSearch,
  putFavourite,
  searchUrls,
  tallyCaptures,
  tombstonesOfUrl,
  urlCalendar,
  watchDiffOptions,
  windowState,
} satisfies OperationTable
