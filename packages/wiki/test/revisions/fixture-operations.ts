/** A store that knows wikis and nothing else, for tests; with what ingest does inside operations of its own. */
import type { OperationTable, Sql } from '@minga/store'
import { addBatches } from '../../src/revisions/batch-operations.ts'
import {
  clearGaps,
  noteEvents,
  noteGaps,
  notePages,
  titlesOfPage,
} from '../../src/revisions/page-operations.ts'
import { readWikiSnapshot, type WikiSnapshot } from '../../src/revisions/segment-operations.ts'
import { addTask, openTasks } from '../../src/revisions/task-operations.ts'
import { wikiOperations } from '../../src/revisions/wiki-operations.ts'

/** A fold of another process commits right before the batches are read. */
async function readSnapshotWhileFolded(
  sql: Sql,
  known: { wikiId: number; version: number; changes: number },
): Promise<WikiSnapshot | null> {
  let isFolded = false
  const all: Sql['all'] = async (statement, values) => {
    if (!isFolded && statement.includes('FROM wiki_batches')) {
      isFolded = true
      await sql.run('UPDATE wikis SET version = version + 1 WHERE id = ?', [known.wikiId])
      await sql.run('DELETE FROM wiki_batches WHERE wiki_id = ?', [known.wikiId])
    }
    return sql.all(statement, values)
  }
  const get: Sql['get'] = (statement, values) => sql.get(statement, values)
  return readWikiSnapshot({ ...sql, all, get }, known)
}

export const operations = {
  ...wikiOperations,
  wikiAddBatches: addBatches,
  wikiAddTask: addTask,
  wikiClearGaps: clearGaps,
  wikiReadSnapshotWhileFolded: readSnapshotWhileFolded,
  wikiNoteEvents: noteEvents,
  wikiNoteGaps: noteGaps,
  wikiNotePages: notePages,
  wikiOpenTasks: openTasks,
  wikiTitlesOfPage: titlesOfPage,
} satisfies OperationTable

export type FixtureOperations = typeof operations

export const blobSeries = {}
