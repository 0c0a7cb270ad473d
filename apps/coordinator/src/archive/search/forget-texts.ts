/**
 * Removes the texts of deleted captures. Once the transaction that deletes a capture is committed,
 * its text can no longer be found through it; a text that no other capture has is then removed from
 * the index. A takedown does both in its own transaction. A discarded collection may have very many
 * texts, and the store has other callers to serve: they are removed in small batches, later.
 */
import type { Sql, Value } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'
import { unpackText, wordsIn } from './page-words.ts'
import { WORDS_VERSION } from './words.ts'

/** `where` chooses captures that are deleted after this, in the same transaction. */
export async function forgetTexts(
  sql: Sql,
  where: string,
  params: readonly Value[],
): Promise<void> {
  const gone = `capture_id IN (SELECT id FROM captures WHERE ${where})`
  await sql.run(
    `INSERT INTO doomed_texts (text_id) SELECT DISTINCT text_id FROM text_captures WHERE ${gone}
     ON CONFLICT DO NOTHING`,
    params,
  )
  await sql.run(`DELETE FROM text_captures WHERE ${gone}`, params)
}

/** Nothing of them is left in the index when this resolves, unless other captures say the same. */
export async function eraseTexts(sql: Sql, captureIds: readonly number[]): Promise<void> {
  const among = `IN (${captureIds.map(() => '?').join(', ')})`
  const texts = await sql.all<{ id: number }>(
    `SELECT DISTINCT text_id AS id FROM text_captures WHERE capture_id ${among}`,
    captureIds,
  )
  await forgetTexts(sql, `id ${among}`, captureIds)
  await purge(sql, texts)
}

/** Some of those that wait for it. Answers whether there may be more. */
export async function purgeTexts(sql: Sql, { most }: { most: number }): Promise<boolean> {
  const texts = await sql.all<{ id: number }>(
    'SELECT text_id AS id FROM doomed_texts ORDER BY text_id LIMIT ?',
    [most],
  )
  if (texts.length === 0) return false
  await sql.wipe({ keepsJournal: true })
  await purge(sql, texts)
  return texts.length === most
}

async function purge(sql: Sql, texts: readonly { id: number }[]): Promise<void> {
  await renewForWords(sql)
  for (const { id } of texts) {
    const text = await sql.get<{ bytes: Uint8Array }>(
      `SELECT bytes FROM capture_texts WHERE id = ?
         AND NOT EXISTS (SELECT 1 FROM text_captures WHERE text_id = ?)`,
      [id, id],
    )
    // The same bytes may have come again in the meantime, from elsewhere.
    if (text === undefined) continue
    if (sql.dialect === 'sqlite') await forgetWords(sql, id, text.bytes)
    await sql.run('DELETE FROM capture_texts WHERE id = ?', [id])
  }
  const rows = texts.map(({ id }) => [id])
  await sql.deleteMany({ table: 'doomed_texts', keys: ['text_id'], rows })
}

async function forgetWords(sql: Sql, id: number, bytes: Uint8Array): Promise<void> {
  await sql.run(`INSERT INTO text_words (text_words, rowid, words) VALUES ('delete', ?, ?)`, [
    id,
    wordsIn(unpackText(bytes)),
  ])
}

/** How far the archive was read. Whatever takes captures away moves its turn on, as it does for the lake's tables. */
export const FEED = 'texts'
const VERSION_FACT = 'textWords'

/**
 * Another edition of Unicode, or of this program, may split a text differently. Then the existing
 * entries could no longer be removed word by word: all of them are dropped at once, and the archive
 * is read again from the start.
 */
export async function renewForWords(sql: Sql): Promise<void> {
  const known = await readFact(sql, { name: VERSION_FACT })
  if (known === WORDS_VERSION) return
  await writeFact(sql, { name: VERSION_FACT, value: WORDS_VERSION })
  if (known === null) return
  if (sql.dialect === 'sqlite') {
    await sql.run(`INSERT INTO text_words (text_words) VALUES ('delete-all')`)
  }
  for (const table of ['capture_texts', 'text_captures', 'doomed_texts']) {
    await sql.run(`DELETE FROM ${table}`)
  }
  await sql.run('DELETE FROM lake_feeds WHERE feed = ?', [FEED])
}
