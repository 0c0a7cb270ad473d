/**
 * Which texts a pack has already, by the first half of their SHA-256: 128 bits are beyond anyone
 * who would make two texts look the same. An open table of numbers, because a Map of a million
 * strings takes 100 MB.
 */
import { hash } from 'node:crypto'

const WORDS = 4
const FIRST_SLOTS = 1024

export function sha256(text: Uint8Array): Buffer {
  return hash('sha256', text, 'buffer')
}

export class TextHashes {
  #keys = new Uint32Array(FIRST_SLOTS * WORDS)
  /** Number of the text plus one; 0 is an empty slot. */
  #numbers = new Uint32Array(FIRST_SLOTS)
  #size = 0

  /** The number of the text with this digest, or undefined after noting `number` for it. */
  numberOrNote(digest: Buffer, number: number): number | undefined {
    if (this.#size * 2 >= this.#numbers.length) this.#grow()
    const slot = this.#slotOf((word) => digest.readUInt32LE(word * 4))
    const known = this.#numbers[slot]!
    if (known !== 0) return known - 1
    for (let word = 0; word < WORDS; word += 1) {
      this.#keys[slot * WORDS + word] = digest.readUInt32LE(word * 4)
    }
    this.#numbers[slot] = number + 1
    this.#size += 1
    return undefined
  }

  /** Where this key is, or the empty slot where it belongs. */
  #slotOf(wordOf: (word: number) => number): number {
    const mask = this.#numbers.length - 1
    let slot = wordOf(0) & mask
    while (this.#numbers[slot] !== 0 && !this.#hasKey(slot, wordOf)) slot = (slot + 1) & mask
    return slot
  }

  #hasKey(slot: number, wordOf: (word: number) => number): boolean {
    for (let word = 0; word < WORDS; word += 1) {
      if (this.#keys[slot * WORDS + word] !== wordOf(word)) return false
    }
    return true
  }

  #grow(): void {
    const keys = this.#keys
    const numbers = this.#numbers
    this.#keys = new Uint32Array(keys.length * 2)
    this.#numbers = new Uint32Array(numbers.length * 2)
    for (const [old, number] of numbers.entries()) {
      if (number === 0) continue
      const slot = this.#slotOf((word) => keys[old * WORDS + word]!)
      this.#keys.set(keys.subarray(old * WORDS, (old + 1) * WORDS), slot * WORDS)
      this.#numbers[slot] = number
    }
  }
}
