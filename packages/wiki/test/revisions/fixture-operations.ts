/** A store that knows wikis and nothing else, for tests; with what ingest does inside operations of its own. */
import type { OperationTable } from '@minga/store'
import { addBatches } from '../../src/revisions/batch-operations.ts'
import {
  clearGaps,
  noteEvents,
  noteGaps,
  notePages,
  titlesOfPage,
} from '../../src/revisions/page-operations.ts'
import { addTask, openTasks } from '../../src/revisions/task-operations.ts'
import { wikiOperations } from '../../src/revisions/wiki-operations.ts'

export const operations = {
  ...wikiOperations,
  wikiAddBatches: addBatches,
  wikiAddTask: addTask,
  wikiClearGaps: clearGaps,
  wikiNoteEvents: noteEvents,
  wikiNoteGaps: noteGaps,
  wikiNotePages: notePages,
  wikiOpenTasks: openTasks,
  wikiTitlesOfPage: titlesOfPage,
} satisfies OperationTable

export type FixtureOperations = typeof operations

export const blobSeries = {}
