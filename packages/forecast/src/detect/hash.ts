/**
 * Hashes of text: 32 bits are enough to tell two versions of one page apart (a change is missed once
 * in four milliards), and sums of them do not depend on order.
 */

export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return stirred(hash)
}

/** Spreads every bit of the input over all bits, so that sums of hashes do not cancel. */
export function stirred(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export function joinedHash(first: number, second: number): number {
  return stirred(Math.imul(first, 31) + second)
}

export interface TextFacts {
  hash: number
  /** Sum of the hashes of the words: equal for the same words in another order. */
  wordSum: number
  words: number
  /** Words as they weigh in a change: those with a digit (prices, dates, results) count three times. */
  weight: number
  /** Charikar's simhash over the words: alike texts differ in few bits. */
  simhash: number
}

const DIGIT_WEIGHT = 3
/** `|`, which parts the cells of a row: of the markup, not of the words. */
const CELL_MARK = Math.imul(0x811c9dc5 ^ 124, 0x01000193)
const votes = new Int32Array(32)

/** One pass over text whose words are parted by single spaces. */
export function factsOf(text: string): TextFacts {
  votes.fill(0)
  let [hash, word, wordSum, words, weight] = [0x811c9dc5, 0x811c9dc5, 0, 0, 0]
  let hasDigit = false
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 32
    if (code !== 32) {
      word = Math.imul(word ^ code, 0x01000193)
      hasDigit ||= code >= 48 && code <= 57
    } else if (word !== 0x811c9dc5) {
      const stirredWord = stirred(word)
      for (let bit = 0; bit < 32; bit++) votes[bit]! += (stirredWord >>> bit) & 1 ? 1 : -1
      hash = Math.imul(hash ^ stirredWord, 0x01000193)
      hash ^= hash >>> 15
      if (word !== CELL_MARK) {
        wordSum = (wordSum + stirredWord) >>> 0
        words += 1
        weight += hasDigit ? DIGIT_WEIGHT : 1
      }
      word = 0x811c9dc5
      hasDigit = false
    }
  }
  let simhash = 0
  for (let bit = 0; bit < 32; bit++) if (votes[bit]! > 0) simhash |= 1 << bit
  return { hash: stirred(hash), wordSum, words, weight, simhash: simhash >>> 0 }
}

/** The share of words that two texts seem not to have in common: the angle between their votes. */
export function simhashDifference(first: number, second: number): number {
  let bits = first ^ second
  let count = 0
  for (; bits !== 0; bits &= bits - 1) count += 1
  return count >= 16 ? 1 : 1 - Math.cos((Math.PI * count) / 32)
}
