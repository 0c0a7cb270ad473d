/**
 * Text that compresses about as badly as prose does. Words are drawn by Zipf's law from a large
 * synthetic vocabulary, with a page's own topic words coming back often; what makes articles dense
 * (references with addresses, dates, names, numbers) is there in the usual measure.
 */
import { seededRandom, type SeededRandom } from '../random.ts'

const VOCABULARY = 60_000
const TOPIC_WORDS = 400
/** Zipf-Mandelbrot: rank r is drawn with weight 1 / (r + 2.7). */
const RANK_SHIFT = 2.7

const ONSETS =
  'b c d f g h j k l m n p qu r s t v w y z br ch cl cr dr fl fr gl gr pl pr sh sl sp st str th tr wh'
const NUCLEI = 'a a e e i o u ai ea ee ie io oa ou au é ü ø ã'
const CODAS = 'n r s t l m d ck ll nd ng nt rd rk rs rt ss st x th'
const ENDINGS = [
  '',
  '',
  '',
  's',
  'ed',
  'ing',
  'tion',
  'al',
  'ly',
  'er',
  'ity',
  'ous',
  'ment',
  'ism',
]
const SCRIPTS = [
  'αβγδεηθικλμνοπρστυω',
  'абвгдежзиклмнопрстуя',
  'אבגדהוזחטילמנסעפקרשת',
  'の日本語文字山川田中大小国',
]
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const HEX = '0123456789abcdef'

export interface Prose {
  word(): string
  sentence(): string
  /** Sentences up to about this many characters. */
  paragraph(characters: number): string
  heading(): string
  name(): string
  infobox(): string
  category(): string
  reference(): string
}

interface Vocabulary {
  words: string[]
  /** Cumulative weights, the last is 1. */
  cumulative: Float64Array
}

let shared: Vocabulary | undefined

/** One for all seeds: two pages of a wiki are written in one language. */
function vocabulary(): Vocabulary {
  shared ??= makeVocabulary()
  return shared
}

function makeVocabulary(): Vocabulary {
  const random = seededRandom(0x770d5)
  const words: string[] = []
  const taken = new Set<string>()
  const cumulative = new Float64Array(VOCABULARY)
  let total = 0
  while (words.length < VOCABULARY) {
    const word = newWord(random, words.length)
    if (taken.has(word)) continue
    taken.add(word)
    total += 1 / (words.length + RANK_SHIFT)
    cumulative[words.length] = total
    words.push(word)
  }
  for (let rank = 0; rank < VOCABULARY; rank += 1) cumulative[rank]! /= total
  return { words, cumulative }
}

const onsets = ONSETS.split(' ')
const nuclei = NUCLEI.split(' ')
const codas = CODAS.split(' ')

/** Frequent words are short, as in any language. */
function newWord(random: SeededRandom, rank: number): string {
  if (rank > 5_000 && random.chance(0.01)) {
    const letters = random.pick(SCRIPTS).split('')
    return Array.from({ length: 2 + random.integer(6) }, () => random.pick(letters)).join('')
  }
  const syllables = rank < 60 ? 1 : 1 + random.integer(rank < 2_000 ? 2 : 3)
  let word = ''
  for (let syllable = 0; syllable < syllables; syllable += 1) {
    if (word !== '' || random.chance(0.8)) word += random.pick(onsets)
    word += random.pick(nuclei)
    if (random.chance(0.4)) word += random.pick(codas)
  }
  return rank < 300 ? word : word + random.pick(ENDINGS)
}

function drawn({ words, cumulative }: Vocabulary, random: SeededRandom): string {
  const at = random.next()
  let low = 0
  let high = words.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (cumulative[middle]! < at) low = middle + 1
    else high = middle
  }
  return words[low] ?? 'a'
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Prose about one topic: the topic's words are drawn a quarter of the time. */
export function prose(random: SeededRandom): Prose {
  const all = vocabulary()
  const topic = Array.from({ length: TOPIC_WORDS }, () => random.pick(all.words))
  // The square favours the topic's first words, so that a few come again and again.
  const ofTopic = (): string => topic[Math.floor(random.next() ** 2 * TOPIC_WORDS)] ?? 'a'
  const word = (): string => (random.chance(0.25) ? ofTopic() : drawn(all, random))
  const some = (count: number): string => Array.from({ length: count }, word).join(' ')
  const name = (): string => `${capital(ofTopic())} ${capital(word())}`
  const digits = (count: number): string => String(random.integer(10 ** count))
  const hex = (count: number): string =>
    Array.from({ length: count }, () => HEX[random.integer(16)]).join('')
  const date = (): string =>
    `${1 + random.integer(28)} ${random.pick(MONTHS)} ${1950 + random.integer(75)}`
  const address = (): string =>
    `http://www.${word()}${random.pick(['.com', '.org', '.net', '.edu'])}/${word()}/${digits(6)}/${random.chance(0.3) ? hex(16) : word()}.html`
  const reference = (): string =>
    `<ref>{{cite ${random.pick(['web', 'news', 'book', 'journal'])} |url=${address()} |title=${capital(some(4 + random.integer(6)))} |last=${capital(word())} |first=${capital(word())} |date=${date()} |publisher=${name()} |accessdate=${date()}}}</ref>`
  const token = (): string => {
    const kind = random.next()
    if (kind < 0.04) return `[[${capital(word())} ${word()}]]`
    if (kind < 0.06) return `[[${name()}|${word()}]]`
    if (kind < 0.08) return String(1800 + random.integer(226))
    if (kind < 0.09) return `''${some(2)}''`
    return kind < 0.1 ? name() : word()
  }
  const sentence = (): string => {
    const tokens = Array.from({ length: 7 + random.integer(20) }, token)
    const middle = random.integer(tokens.length)
    if (random.chance(0.6)) tokens[middle] += ','
    const cited = random.chance(0.12) ? reference() : ''
    return `${capital(tokens.join(' '))}.${cited}`
  }
  const paragraph = (characters: number): string => {
    const sentences: string[] = []
    for (let length = 0; length < characters; length += (sentences.at(-1) ?? '').length + 1) {
      sentences.push(sentence())
    }
    return sentences.join(' ')
  }
  const infobox = (): string =>
    `{{Infobox ${word()}\n${Array.from({ length: 6 + random.integer(12) }, () => `| ${word()} = ${random.chance(0.5) ? name() : digits(5)}`).join('\n')}\n}}`
  const heading = (): string => `== ${capital(some(1 + random.integer(3)))} ==`
  const category = (): string => `[[Category:${capital(some(1 + random.integer(3)))}]]`
  return { word, sentence, paragraph, heading, name, infobox, category, reference }
}
