/**
 * The thread that reads pages for the index: parsing them would hold up every caller of the station
 * in the meantime.
 */
import { answerCalls } from '@minga/protocol'
import { readPageWords, type PageWords, type ReadPage } from './page-words.ts'

answerCalls((page: ReadPage): { words: PageWords | null } => {
  try {
    return { words: readPageWords(page) }
  } catch {
    // A page that breaks the parser has no words.
    return { words: null }
  }
})
