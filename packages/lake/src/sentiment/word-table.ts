/**
 * The words that rules speak of, found by the characters of a text without cutting them out of it. A text of 700
 * characters has about 120 words; making a string of each to look it up in a Map costs more than all the rest.
 */

/** Bits that say what a word is. */
export const ROLE = {
  /** It has a valence, which may be 0. */
  valued: 1,
  booster: 2,
  negation: 4,
  contrast: 8,
  never: 16,
  so: 32,
  least: 64,
  /** "at" or "very" before "least". */
  sparesLeast: 128,
  kind: 256,
  of: 512,
  /** The longest word of an idiom or a lowering pair: where it is not, there is none. */
  phrase: 1024,
} as const

export interface WordEntry {
  word: string
  roles: number
  valence: number
  boost: number
}

const NOTHING = -1

export class WordTable {
  readonly entries: readonly WordEntry[]
  readonly #slots: Int32Array
  readonly #hashes: Int32Array
  readonly #mask: number

  constructor(entries: readonly WordEntry[]) {
    this.entries = entries
    // A quarter full at most: one probe nearly always, and most words of a text are in no list.
    const size = 2 ** Math.ceil(Math.log2(entries.length * 4 + 1))
    this.#mask = size - 1
    this.#slots = new Int32Array(size).fill(NOTHING)
    this.#hashes = new Int32Array(entries.length)
    for (const [i, { word }] of entries.entries()) {
      const hash = hashOf(word, 0, word.length)
      this.#hashes[i] = hash
      let slot = hash & this.#mask
      while (this.#slots[slot] !== NOTHING) slot = (slot + 1) & this.#mask
      this.#slots[slot] = i
    }
  }

  /** Number of the entry that equals `text` from `start` to `end` in lower case, or −1. `hash` is of that part. */
  find(text: string, start: number, end: number, hash: number): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const i = this.#slots[slot]!
      if (i === NOTHING) return NOTHING
      if (this.#hashes[i] === hash && isSame(this.entries[i]!.word, text, start, end)) return i
    }
  }
}

/** FNV-1a over UTF-16 units, for callers that read each of them anyway: begin with FNV_OFFSET. */
export const FNV_OFFSET = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193

export const hashedWith = (hash: number, code: number): number =>
  Math.imul(hash ^ lowerCode(code), FNV_PRIME)

export function hashOf(text: string, start: number, end: number): number {
  let hash = FNV_OFFSET
  for (let i = start; i < end; i++) hash = hashedWith(hash, text.charCodeAt(i))
  return hash
}

function isSame(word: string, text: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false
  for (let i = 0; i < word.length; i++) {
    if (word.charCodeAt(i) !== lowerCode(text.charCodeAt(start + i))) return false
  }
  return true
}

/** A table, because two comparisons for each character of a text cost a third of its time. */
const LOWER = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 65 && code <= 90 ? code + 32 : code,
)

const lowerCode = (code: number): number => (code < 128 ? LOWER[code]! : code)
