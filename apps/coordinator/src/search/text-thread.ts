/** The thread that reads pages for the index: parsing them would hold up whoever calls the station meanwhile. */
import { parentPort } from 'node:worker_threads'
import { readPageWords, type ReadPage } from './page-words.ts'

parentPort!.on('message', (page: ReadPage) => {
  try {
    parentPort!.postMessage({ words: readPageWords(page) })
  } catch {
    // A page that breaks the parser has no words.
    parentPort!.postMessage({ words: null })
  }
})
