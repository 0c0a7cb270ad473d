/** The thread that reads pages by somebody's rules: what never ends there is ended from outside. */
import { parentPort } from 'node:worker_threads'
import type { ExtractRule, ExtractSpec } from '@minga/protocol'
import { extractPage, type ArchivedPage } from './extract-page.ts'

export type PageQuestion =
  | { page: ArchivedPage; rules: readonly ExtractRule[] }
  | { match: ExtractSpec['match']; url: string; mime: string }

parentPort!.on('message', (question: PageQuestion) => {
  try {
    parentPort!.postMessage(
      'match' in question ? isMatch(question) : extractPage(question.page, question.rules),
    )
  } catch {
    // A selector that cannot be one, or a page that breaks the parser.
    parentPort!.postMessage({ cells: null, reasons: ['page:unreadable'] })
  }
})

/** Here, too, because these are somebody's expressions. */
function isMatch({ match, url, mime }: Extract<PageQuestion, { url: string }>): boolean {
  const fits = (text: string, pattern?: string): boolean =>
    pattern === undefined || new RegExp(pattern, 'u').test(text)
  return fits(url, match.url) && fits(mime, match.mime)
}
