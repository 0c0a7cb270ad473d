/**
 * A text as the words that are searched: without case and accents, in their order, with their places. What is
 * indexed, what is asked and what is marked all go through here, so both databases answer the same. Words are not
 * brought back to a stem: one archive speaks many languages, and a page does not say which.
 *
 * Scripts that write without spaces (Chinese, Japanese, Thai …) give one word a letter; a run of them is asked for as
 * a phrase, which finds what a division into words would find, and a little more.
 */

export interface Word {
  /** As it is compared. */
  folded: string
  /** Where it stands in the text. */
  from: number
  to: number
}

/** PostgreSQL notes no places beyond the 16,383rd word; what one database cannot find the other must not. */
const WORDS_MOST = 16_000
/** Of all words together: PostgreSQL takes a megabyte at most, and a letter has up to three bytes. */
const LETTERS_MOST = 300_000
/** Longer ones are keys and garbage; who asks for one is cut alike. */
const WORD_LETTERS_MOST = 64

const SPACELESS = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`
const WORD = new RegExp(`${SPACELESS}|[[\\p{L}\\p{M}\\p{N}]--${SPACELESS}]+`, 'gv')

/**
 * Changes when the same text would give other words: texts indexed before are then indexed again.
 */
export const WORDS_VERSION = `1/${process.versions['unicode'] ?? ''}`

export function* wordsOf(text: string): Generator<Word> {
  let words = 0
  let letters = 0
  for (const { 0: found, index } of text.matchAll(WORD)) {
    const folded = fold(found)
    if (folded === '') continue
    words++
    letters += folded.length
    if (words > WORDS_MOST || letters > LETTERS_MOST) return
    yield { folded, from: index, to: index + found.length }
  }
}

/** With a space between them: how they are handed to the index. */
export function foldedText(text: string): string {
  const words: string[] = []
  for (const { folded } of wordsOf(text)) words.push(folded)
  return words.join(' ')
}

const PLAIN = /^[a-z0-9]*$/
const NO_LETTER = /[^\p{L}\p{N}]/gu

/** Letters and digits are all that is left: a word needs no quotes in either database. */
function fold(word: string): string {
  const lower = word.toLowerCase()
  const bare = PLAIN.test(lower) ? lower : lower.normalize('NFKD').replaceAll(NO_LETTER, '')
  return bare.slice(0, WORD_LETTERS_MOST).toWellFormed()
}
