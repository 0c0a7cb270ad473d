/**
 * How good or bad a text sounds: VADER's compound score, in linear time.
 *
 * Each word with a valence is changed by the three words before it (adverbs of degree, negations, idioms), what
 * follows a "but" counts more than what precedes it, exclamation and question marks add emphasis, and the sum s becomes
 * s / √(s² + 15). The constants are the paper's (see english.ts); the order of the arithmetic is that of the npm port
 * `vader-sentiment`, so that both round alike. One pass cuts and looks up, a second visits words with a valence only.
 */
import type { LanguageRules } from './language.ts'
import { ROLE, WordTable, type WordEntry } from './word-table.ts'
import { Words, WRITTEN } from './words.ts'

/** In capitals, where others are not. */
const CAPITALS = 0.733
const NEGATED = -0.74
/** How much less a word counts that stands two or three before. */
const DISTANCE = [1, 0.95, 0.9] as const
const BEFORE_CONTRAST = 0.5
const AFTER_CONTRAST = 1.5
const EXCLAMATION = 0.292
const EXCLAMATIONS_MOST = 4
const QUESTION = 0.18
const QUESTIONS_MANY = 0.96
/** Approximates the largest sum to be expected. */
const ALPHA = 15
/** Scores have four decimals. */
const UNIT = 10_000
const PAIR_LOWERS = -0.293

/** The score of a text as an integer of 10⁻⁴, from −10,000 to 10,000. */
export type Scorer = (text: string) => number

export function createScorer(rules: LanguageRules): Scorer {
  const scoring = new Scoring(rules)
  return (text) => scoring.score(text)
}

class Scoring {
  readonly #entries: readonly WordEntry[]
  readonly #words: Words
  readonly #phrases: Phrases
  readonly #areNegationsSmall: boolean
  /** Of the words of the text at hand; 0 where there is none. */
  #valences = new Float64Array(256)

  constructor(rules: LanguageRules) {
    const table = new WordTable(entriesOf(rules))
    this.#areNegationsSmall = rules.areNegationsSmall
    this.#entries = table.entries
    this.#words = new Words(table, rules.negatingPart)
    this.#phrases = new Phrases(rules, this.#words, table.entries)
  }

  score(text: string): number {
    const words = this.#words
    words.cut(text)
    if (this.#valences.length < words.count) this.#valences = new Float64Array(words.entry.length)
    for (let i = 0; i < words.count; i++) {
      this.#valences[i] = this.#has(i, ROLE.valued) ? this.#valenceAt(i) : 0
    }
    const sum = this.#weighContrast()
    const emphasis = emphasisOf(words)
    const total = sum > 0 ? sum + emphasis : sum < 0 ? sum - emphasis : sum
    const compound = total / Math.sqrt(total * total + ALPHA)
    // Not Math.round of a product: that would round twice.
    return Math.round(Number(compound.toFixed(4)) * UNIT)
  }

  #valenceAt(i: number): number {
    const words = this.#words
    if (this.#has(i, ROLE.booster) || this.#isKindOf(i)) return 0
    let valence = this.#entries[words.entry[i]!]!.valence
    if (words.isEmphatic && this.#isWritten(i, WRITTEN.capitals)) {
      valence += valence > 0 ? CAPITALS : -CAPITALS
    }
    for (let back = 1; back <= Math.min(3, i); back++) {
      if (this.#has(i - back, ROLE.valued)) continue
      valence += this.#boostAt(i - back, valence) * DISTANCE[back - 1]!
      valence *= this.#factorAt(i, back)
      if (back === 3) valence = this.#phrases.apply(i, valence)
    }
    return this.#isLeast(i) ? valence * NEGATED : valence
  }

  #boostAt(i: number, valence: number): number {
    if (!this.#has(i, ROLE.booster)) return 0
    const { boost } = this.#entries[this.#words.entry[i]!]!
    const towards = valence < 0 ? -boost : boost
    if (!this.#words.isEmphatic || !this.#isWritten(i, WRITTEN.capitals)) return towards
    return valence > 0 ? towards + CAPITALS : towards - CAPITALS
  }

  /** What negations and "never so" do from `back` words before. */
  #factorAt(i: number, back: number): number {
    if (back === 2 && this.#is(i - 2, ROLE.never) && this.#is(i - 1, ROLE.so)) return 1.5
    if (back === 3) {
      const isNeverSo = this.#is(i - 3, ROLE.never) && this.#is(i - 2, ROLE.so)
      if (isNeverSo || this.#is(i - 1, ROLE.so)) return 1.25
    }
    return this.#isNegation(i - back) ? NEGATED : 1
  }

  #isNegation(i: number): boolean {
    if (this.#isWritten(i, WRITTEN.negating)) return true
    return this.#areNegationsSmall ? this.#is(i, ROLE.negation) : this.#has(i, ROLE.negation)
  }

  #isLeast(i: number): boolean {
    if (i === 0 || !this.#has(i - 1, ROLE.least) || this.#has(i - 1, ROLE.valued)) return false
    return i === 1 || !this.#has(i - 2, ROLE.sparesLeast)
  }

  #isKindOf(i: number): boolean {
    return this.#has(i, ROLE.kind) && i + 1 < this.#words.count && this.#has(i + 1, ROLE.of)
  }

  #weighContrast(): number {
    const at = this.#contrastAt()
    let sum = 0
    for (let i = 0; i < this.#words.count; i++) {
      const valence = this.#valences[i]!
      if (at === -1 || i === at) sum += valence
      else sum += valence * (i < at ? BEFORE_CONTRAST : AFTER_CONTRAST)
    }
    return sum
  }

  /** The first in small letters, else the first in capitals. */
  #contrastAt(): number {
    let inCapitals = -1
    for (let i = 0; i < this.#words.count; i++) {
      if (!this.#has(i, ROLE.contrast)) continue
      if (this.#isWritten(i, WRITTEN.plain)) return i
      if (inCapitals === -1 && this.#isWritten(i, WRITTEN.capitals)) inCapitals = i
    }
    return inCapitals
  }

  /** However it is written. */
  #has(i: number, role: number): boolean {
    return (this.#words.roles[i]! & role) > 0
  }

  /** Written as the rules have it. */
  #is(i: number, role: number): boolean {
    return this.#isWritten(i, WRITTEN.plain) && this.#has(i, role)
  }

  #isWritten(i: number, how: number): boolean {
    return (this.#words.written[i]! & how) > 0
  }
}

function emphasisOf({ exclamations, questions }: Words): number {
  const byQuestions = questions <= 1 ? 0 : questions <= 3 ? questions * QUESTION : QUESTIONS_MANY
  return Math.min(exclamations, EXCLAMATIONS_MOST) * EXCLAMATION + byQuestions
}

/** Idioms and pairs around a word: rare, so they may cost strings. */
class Phrases {
  readonly #rules: LanguageRules
  readonly #words: Words
  readonly #entries: readonly WordEntry[]

  constructor(rules: LanguageRules, words: Words, entries: readonly WordEntry[]) {
    this.#rules = rules
    this.#words = words
    this.#entries = entries
  }

  /** For a word with three words before it; the idiom nearest to it is looked for first. */
  apply(i: number, valence: number): number {
    if (!this.#isNear(i)) return valence
    const { idioms, loweringPairs } = this.#rules
    const before = [
      this.#text(i - 1, i),
      this.#text(i - 2, i),
      this.#text(i - 2, i - 1),
      this.#text(i - 3, i - 1),
    ]
    before.push(this.#text(i - 3, i - 2))
    let changed = idioms.get(before.find((words) => idioms.has(words)) ?? '') ?? valence
    changed = idioms.get(this.#text(i, i + 1)) ?? changed
    changed = idioms.get(this.#text(i, i + 2)) ?? changed
    const isLowered = [this.#text(i - 3, i - 2), this.#text(i - 2, i - 1)].some((pair) =>
      loweringPairs.has(pair),
    )
    return isLowered ? changed + PAIR_LOWERS : changed
  }

  #isNear(i: number): boolean {
    const { roles, count } = this.#words
    for (let at = i - 3; at <= i + 2 && at < count; at++)
      if ((roles[at]! & ROLE.phrase) > 0) return true
    return false
  }

  /** Words from one to another, as written; empty when one of them is in no list or differs from it. */
  #text(from: number, to: number): string {
    if (to >= this.#words.count) return ''
    let text = ''
    for (let i = from; i <= to; i++) {
      const entry = this.#words.entry[i]!
      if (entry < 0 || (this.#words.written[i]! & WRITTEN.plain) === 0) return ''
      text += i === from ? this.#entries[entry]!.word : ` ${this.#entries[entry]!.word}`
    }
    return text
  }
}

function entriesOf(rules: LanguageRules): WordEntry[] {
  const entries = new Map<string, WordEntry>()
  const at = (word: string): WordEntry => {
    const known = entries.get(word) ?? { word, roles: 0, valence: 0, boost: 0 }
    entries.set(word, known)
    return known
  }
  const mark = (words: Iterable<string>, role: number): void => {
    for (const word of words) if (word !== '') at(word).roles |= role
  }
  for (const [word, valence] of rules.valences) {
    // Texts are looked up in lower case: what has a capital could never be found.
    if (word === word.toLowerCase()) Object.assign(at(word), { valence, roles: ROLE.valued })
  }
  for (const [word, boost] of rules.boosters) at(word).boost = boost
  mark(rules.boosters.keys(), ROLE.booster)
  mark(rules.negations, ROLE.negation)
  const { never, so, this: these, least, at: spared, very, kind, of } = rules.special
  mark([rules.contrast], ROLE.contrast)
  mark([never], ROLE.never)
  mark([so, these], ROLE.so)
  mark([least], ROLE.least)
  mark([spared, very], ROLE.sparesLeast)
  mark([kind], ROLE.kind)
  mark([of], ROLE.of)
  for (const phrase of [...rules.idioms.keys(), ...rules.loweringPairs]) {
    const words = phrase.split(' ')
    for (const word of words) at(word)
    mark([words.reduce((a, b) => (b.length >= a.length ? b : a))], ROLE.phrase)
  }
  return [...entries.values()]
}
