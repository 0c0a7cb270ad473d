/**
 * Parses what a user searches in the texts: all words, "words in this order", begin*, and not
 * -these. There are no syntax errors: input without a special meaning is treated as words.
 */
import { wordsOf } from './words.ts'

export interface TextTerm {
  /** One, or several that follow each other. */
  words: readonly string[]
  /** The last one is only the beginning of a word. */
  isPrefix: boolean
}

export interface TextQuery {
  wanted: readonly TextTerm[]
  unwanted: readonly TextTerm[]
}

/** People ask for a few; each costs a walk through the index. */
const TERMS_MOST = 32
/** One letter begins half of all words. */
const PREFIX_LETTERS_LEAST = 2

const TERM = /(?<minus>-?)(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))(?<star>\*?)/gu

/** Null when there is no word in it. */
export function textQuery(asked: string): TextQuery | null {
  const wanted: TextTerm[] = []
  const unwanted: TextTerm[] = []
  for (const { groups = {} } of [...asked.matchAll(TERM)].slice(0, TERMS_MOST)) {
    const text = groups['phrase'] ?? groups['word'] ?? ''
    const term = termOf(text, text.endsWith('*') || groups['star'] === '*')
    if (term === null) continue
    if (groups['minus'] === '-') unwanted.push(term)
    else wanted.push(term)
  }
  if (wanted.length > 0) return { wanted, unwanted }
  // Everything but a word is no question that an index answers.
  return unwanted.length > 0 ? { wanted: unwanted, unwanted: [] } : null
}

function termOf(text: string, hasStar: boolean): TextTerm | null {
  const words = [...wordsOf(text)].map(({ folded }) => folded)
  const last = words.at(-1)
  if (last === undefined) return null
  return { words, isPrefix: hasStar && last.length >= PREFIX_LETTERS_LEAST }
}

/** For FTS5. Words are letters and digits only: nothing in them has a meaning of its own. */
export function forSqlite({ wanted, unwanted }: TextQuery): string {
  const termOfFts = ({ words, isPrefix }: TextTerm): string =>
    `"${words.join(' ')}"${isPrefix ? ' *' : ''}`
  const all = `(${wanted.map(termOfFts).join(' AND ')})`
  return unwanted.length === 0 ? all : `${all} NOT (${unwanted.map(termOfFts).join(' OR ')})`
}

/** A `tsquery`, made without PostgreSQL's own division into words. */
export function forPostgres({ wanted, unwanted }: TextQuery): string {
  const termOfTs = ({ words, isPrefix }: TextTerm): string => {
    const parts = words.map(
      (word, i) => `'${word}'${isPrefix && i === words.length - 1 ? ':*' : ''}`,
    )
    return `(${parts.join(' <-> ')})`
  }
  return [...wanted.map(termOfTs), ...unwanted.map((term) => `!${termOfTs(term)}`)].join(' & ')
}
