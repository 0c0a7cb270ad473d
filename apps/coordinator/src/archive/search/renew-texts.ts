/** When the index has to be rebuilt, and how. */
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'
import { WORDS_VERSION } from './words.ts'

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
