/** Sentences that sound like reviews, made once and then put together at the speed of memory. */
import type { Random } from '@minga/partition'
import { BAD, BLAME, BOOSTERS, FOREIGN, GOOD, PARTS, PLAIN, PRAISE } from './vocabulary.ts'

const SENTENCES = 800

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[random.below(items.length)]!

/** Once in `often`, on average; never when that is infinite. */
export const happens = (random: Random, often: number): boolean =>
  Number.isFinite(often) && random.below(1_000_000) < 1_000_000 / often

export class TextMill {
  /** What stands between two paragraphs. */
  readonly lineBreak: '\n' | ' '
  readonly #random: Random
  /** As they stand inside a quoted field: quotes are doubled. */
  readonly #good: string[]
  readonly #bad: string[]
  readonly #plain: string[]

  constructor(random: Random, hasBreaks = true) {
    this.#random = random
    this.lineBreak = hasBreaks ? '\n' : ' '
    this.#good = sentences(random, PRAISE)
    this.#bad = sentences(random, BLAME)
    this.#plain = sentences(random, PLAIN)
  }

  /** About 700 characters in the mean, few of them very long; the mood follows the score. */
  review(score: number): string {
    const random = this.#random
    const count = 1 + Math.floor(-Math.log((random.below(1_000_000) + 1) / 1_000_001) * 13.6)
    if (random.below(200) === 0) return pick(random, FOREIGN)
    const mood = score >= 4 ? this.#good : this.#bad
    let text = pick(random, mood)
    for (let place = 1; place < count; place += 1) {
      const sentence = pick(random, random.below(2) === 0 ? mood : this.#plain)
      text += (random.below(20) === 0 ? this.lineBreak : ' ') + sentence
    }
    return text
  }

  /** One line, without quotes in it. */
  line(score: number): string {
    const sentence = pick(this.#random, score >= 4 ? this.#good : this.#bad)
    return sentence.replaceAll('"', '').slice(0, 60)
  }
}

function sentences(random: Random, patterns: readonly string[]): string[] {
  return Array.from({ length: SENTENCES }, () =>
    pick(random, patterns)
      .replaceAll('%g', () => pick(random, GOOD))
      .replaceAll('%b', () => pick(random, BAD))
      .replaceAll('%x', () => pick(random, BOOSTERS))
      .replaceAll('%p', () => pick(random, PARTS))
      .replaceAll('"', '""'),
  )
}
