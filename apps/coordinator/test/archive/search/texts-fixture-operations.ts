/**
 * What indexing runs in the store, and little else, with ways to take captures away and to inspect
 * what is left.
 */
import type { OperationTable, Sql } from '@minga/store'
import { captureContent, listCaptures } from '../../../src/archive/captures/captures.ts'
import { importCaptures, importedTotal } from '../../../src/archive/import/import-captures.ts'
import { markForPurge, lowerFeedMarks } from '../../../src/archive/pending-purges.ts'
import { readFact, writeFact } from '../../../src/station/station-facts.ts'
import { repairOperations } from '../../../src/archive/repair/repair-rows.ts'
import { tombstoneOf } from '../../../src/archive/takedown/takedown-rows.ts'
import { eraseTexts, forgetTexts } from '../../../src/archive/search/forget-texts.ts'
import { textOperations } from '../../../src/archive/search/text-operations.ts'

export interface IndexedRows {
  /** Of every capture, in order, how many texts it has. */
  texts: number[]
  /** Different payloads in the index. */
  payloads: number
}

async function indexedRows(sql: Sql): Promise<IndexedRows> {
  const texts = await sql.all<{ texts: number }>(
    `SELECT (SELECT COUNT(*) FROM text_captures m WHERE m.capture_id = c.id) AS texts
     FROM captures c ORDER BY c.id`,
  )
  const payloads = await sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM capture_texts')
  return { texts: texts.map((row) => row.texts), payloads: payloads!.n }
}

async function idsOf(sql: Sql, url: string): Promise<number[]> {
  const rows = await sql.all<{ id: number }>('SELECT id FROM captures WHERE url = ?', [url])
  return rows.map(({ id }) => id)
}

/** As a takedown does it. */
async function takeAway(sql: Sql, { url }: { url: string }): Promise<void> {
  for (const id of await idsOf(sql, url)) {
    await sql.wipe()
    await markForPurge(sql, 'id = ?', [id])
    await eraseTexts(sql, [id])
    await sql.run('DELETE FROM captures WHERE id = ?', [id])
  }
  await lowerFeedMarks(sql)
}

/** As a collection lets go of them. */
async function discard(sql: Sql, { url }: { url: string }): Promise<void> {
  for (const id of await idsOf(sql, url)) {
    await markForPurge(sql, 'id = ?', [id])
    await forgetTexts(sql, 'id = ?', [id])
    await sql.run('DELETE FROM captures WHERE id = ?', [id])
  }
  await lowerFeedMarks(sql)
}

export const operations = {
  ...textOperations,
  ...repairOperations,
  captureContent,
  discard,
  importCaptures,
  importedTotal,
  indexedRows,
  listCaptures,
  readFact,
  takeAway,
  tombstoneOf,
  writeFact,
} satisfies OperationTable

export type TextsFixtureOperations = typeof operations
