/** The thread that reads pages by a user's rules: what never ends there is ended from outside. */
import { answerCalls, type ExtractRule, type ExtractSpec } from '@minga/protocol'
import { extractPage, type ArchivedPage, type ExtractedRow } from './extract-page.ts'

export type PageQuestion =
  | { page: ArchivedPage; rules: readonly ExtractRule[] }
  | { match: ExtractSpec['match']; url: string; mime: string }

/** Neither field when the selector cannot be one, or the page breaks the parser. */
export interface PageAnswer {
  row?: ExtractedRow
  isMatch?: boolean
}

answerCalls((question: PageQuestion): PageAnswer => {
  try {
    if ('match' in question) return { isMatch: isMatch(question) }
    return { row: extractPage(question.page, question.rules) }
  } catch {
    return {}
  }
})

/** In this thread because these are a user's expressions. */
function isMatch({ match, url, mime }: Extract<PageQuestion, { url: string }>): boolean {
  const fits = (text: string, pattern?: string): boolean =>
    pattern === undefined || new RegExp(pattern, 'u').test(text)
  return fits(url, match.url) && fits(mime, match.mime)
}
