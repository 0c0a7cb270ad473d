/** A text cut into words, as VADER cuts it: at white space, with some punctuation taken off their ends. */
import { FNV_OFFSET, hashedWith, hashOf, type WordTable } from './word-table.ts'

/** Bits that say how a word is written. */
export const WRITTEN = {
  /** Exactly as the table has it. */
  plain: 1,
  /** At least one capital and no small letter, of the Latin alphabet. */
  capitals: 2,
  /** It contains the part that makes a negation. */
  negating: 4,
} as const

/** What may be taken off one end of a word that has no other punctuation. Other runs stay: they may be faces. */
const ENDS = new Set([
  '.',
  '!',
  '?',
  ',',
  ';',
  ':',
  '-',
  "'",
  '"',
  '!!',
  '!!!',
  '??',
  '???',
  '?!?',
  '!?!',
  '?!?!',
  '!?!?',
])
const END_MOST = 4
const SHORTEST = 2

const SPACE = 1
const PUNCTUATION = 2
const SMALL = 4
const CAPITAL = 8
/** Classes of ASCII; beyond it `\s` decides. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => classOf(String.fromCharCode(code)))

function classOf(character: string): number {
  if (/\s/.test(character)) return SPACE
  if (/[a-z]/.test(character)) return SMALL
  if (/[A-Z]/.test(character)) return CAPITAL
  return /[!-/:-@[-`{-~]/.test(character) ? PUNCTUATION : 0
}

/** Kept and used again for every text: a text leaves nothing behind for the garbage collector. */
export class Words {
  count = 0
  /** Numbers of entries of the table; −1 for words that are in none. */
  entry = new Int32Array(256)
  /** What those entries are, 0 for none. */
  roles = new Uint16Array(256)
  written = new Uint8Array(256)
  exclamations = 0
  questions = 0
  /** Some, but not all, are in capitals: then capitals mean emphasis. */
  isEmphatic = false
  readonly #table: WordTable
  readonly #negatingPart: string

  constructor(table: WordTable, negatingPart: string) {
    this.#table = table
    this.#negatingPart = negatingPart
  }

  cut(text: string): void {
    this.count = this.exclamations = this.questions = 0
    let inCapitals = 0
    const { length } = text
    for (let at = 0; at < length; at++) {
      const start = at
      let hash = FNV_OFFSET
      let seen = 0
      let marks = 0
      for (; at < length; at++) {
        const code = text.charCodeAt(at)
        const kind = code < 128 ? CLASSES[code]! : isSpace(code) ? SPACE : BEYOND_ASCII
        if (kind === SPACE) break
        seen |= kind
        hash = hashedWith(hash, code)
        if (kind === PUNCTUATION) {
          marks++
          if (code === EXCLAMATION) this.exclamations++
          else if (code === QUESTION) this.questions++
        }
      }
      if (at - start < SHORTEST) continue
      if ((seen & (CAPITAL | SMALL)) === CAPITAL) inCapitals++
      if (this.count === this.entry.length) this.#grow()
      if (marks === 0 && seen < BEYOND_ASCII)
        this.#add(this.#table.find(text, start, at, hash), seen)
      else this.#addOdd(text, { start, end: at, seen, marks })
    }
    this.isEmphatic = inCapitals > 0 && inCapitals < this.count
  }

  #add(entry: number, seen: number): void {
    const at = this.count++
    this.entry[at] = entry
    this.roles[at] = entry < 0 ? 0 : this.#table.entries[entry]!.roles
    const isCapitals = (seen & (CAPITAL | SMALL)) === CAPITAL
    this.written[at] = (seen & CAPITAL) === 0 ? WRITTEN.plain : isCapitals ? WRITTEN.capitals : 0
  }

  /** A word with punctuation, or with letters that ASCII has not. */
  #addOdd(text: string, odd: { start: number; end: number; seen: number; marks: number }): void {
    let { start, end } = odd
    const { seen, marks } = odd
    if (marks > 0 && marks <= END_MOST && end - start - marks >= SHORTEST) {
      if (isEnd(text, start, start + marks)) start += marks
      else if (isEnd(text, end - marks, end)) end -= marks
    }
    const at = this.count
    if (seen < BEYOND_ASCII) {
      this.#add(this.#table.find(text, start, end, hashOf(text, start, end)), seen)
    } else {
      const lower = text.slice(start, end).toLowerCase()
      this.#add(this.#table.find(lower, 0, lower.length, hashOf(lower, 0, lower.length)), seen)
      // Capitals beyond ASCII count for this, and for nothing else.
      if (!text.startsWith(lower, start)) this.written[at]! &= ~WRITTEN.plain
    }
    if (marks > 0 && this.#isNegating(text, start, end)) this.written[at]! |= WRITTEN.negating
  }

  #isNegating(text: string, start: number, end: number): boolean {
    const part = this.#negatingPart
    if (part === '') return false
    for (let at = start; at + part.length <= end; at++) if (text.startsWith(part, at)) return true
    return false
  }

  #grow(): void {
    const { entry, roles, written } = this
    this.entry = new Int32Array(entry.length * 2)
    this.entry.set(entry)
    this.roles = new Uint16Array(roles.length * 2)
    this.roles.set(roles)
    this.written = new Uint8Array(written.length * 2)
    this.written.set(written)
  }
}

const BEYOND_ASCII = 16
const EXCLAMATION = 33
const QUESTION = 63

/** Counted before: all punctuation of the word is here, or nothing is taken off. */
function isEnd(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i)
    if (code >= 128 || CLASSES[code] !== PUNCTUATION) return false
  }
  if (to - from === 1) return ONE_MARK[text.charCodeAt(from)] === 1
  return ENDS.has(text.slice(from, to))
}

const ONE_MARK = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(ENDS.has(String.fromCharCode(code))),
)

function isSpace(code: number): boolean {
  if (code < 128) return CLASSES[code] === SPACE
  return code === 0xa0 || (code >= 0x1680 && /\s/.test(String.fromCharCode(code)))
}
