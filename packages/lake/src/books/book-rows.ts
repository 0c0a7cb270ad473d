/** Lines of `books_data.csv`: synthetic books with the dirt that real ones have. */
import type { Random } from '@minga/partition'
import { csvField } from './csv-field.ts'
import type { Book } from './planted.ts'
import { happens, pick, type TextMill } from './text-mill.ts'
import {
  ADJECTIVES,
  CATEGORIES,
  FIRST_NAMES,
  LAST_NAMES,
  NOUNS,
  PUBLISHERS,
  QUOTED_NAMES,
  SUBJECTS,
} from './vocabulary.ts'

export const BOOKS_HEADER =
  'Title,description,authors,image,previewLink,publisher,publishedDate,infoLink,categories,ratingsCount'

export interface BookMill {
  random: Random
  texts: TextMill
  /** How much dirtier than real data: 1 as dirty, 0 without any dirt. */
  dirt: number
  isTorn: boolean
}

/** All different, and different from those of planted books: they end with their number. */
export function madeUpTitles(random: Random, count: number): string[] {
  return Array.from({ length: count }, (_, place) => {
    const adjective = capital(pick(random, ADJECTIVES))
    const noun = capital(pick(random, NOUNS))
    const shape = random.below(10)
    if (shape < 5) return `The ${adjective} ${noun} ${place}`
    if (shape < 7) return `${adjective} ${noun}: A Novel in ${place} Letters`
    if (shape < 9) return `A Short History of ${capital(pick(random, SUBJECTS))}, Volume ${place}`
    return `"${noun}" and Other Stories, ${place}`
  })
}

const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1)

/** More than a tenth of all novels, so that the upper tenth begins among equals. */
export const isAdored = (place: number): boolean => place % 24 === 3

export function madeUpBook(mill: BookMill, title: string, place: number): Book {
  const { random, dirt } = mill
  return {
    title: titleAsWritten(mill, title),
    authors: random.below(7) === 0 ? '' : authorList(random, dirt),
    publisher: random.below(3) === 0 ? '' : pick(random, PUBLISHERS),
    date: random.below(8) === 0 ? '' : dateAsWritten(random, dirt),
    categories: isAdored(place) ? `['Fiction']` : categoryList(random, dirt),
  }
}

function titleAsWritten({ random, dirt }: BookMill, title: string): string {
  if (happens(random, 200 / dirt)) return pick(random, ['', '', ' ', '\u00a0 \u3000', '\t'])
  if (happens(random, 60 / dirt))
    return pick(random, [` ${title}`, `${title}  `, `\u2003${title}\t`])
  return title
}

function authorList(random: Random, dirt: number): string {
  if (happens(random, 300 / dirt)) {
    return pick(random, [
      'nan',
      '[',
      `['Unfinished Name`,
      'Plain Name',
      `['A' 'B']`,
      '[[]]',
      `{'a': 1}`,
    ])
  }
  const count = [1, 1, 1, 1, 1, 2, 2, 3][random.below(8)]!
  const names = Array.from({ length: count }, () => authorLiteral(random, dirt))
  const last = happens(random, 500 / dirt) ? pick(random, [', ', ', None', `, ''`, `, '  '`]) : ''
  return `[${names.join(', ')}${last}]`
}

function authorLiteral(random: Random, dirt: number): string {
  if (random.below(40) === 0) return `"${pick(random, QUOTED_NAMES)}"`
  const name = `${pick(random, FIRST_NAMES)} ${pick(random, LAST_NAMES)}`
  if (happens(random, 400 / dirt)) {
    return pick(random, [
      `'${name}, Jr.'`,
      `' ${name} '`,
      `'${name} \\'Ace\\''`,
      `'${name} \\u00e9'`,
      `'${name}\\n'`,
    ])
  }
  return `'${name}'`
}

const JUNK_DATES = [
  'unknown',
  'n.d.',
  '19??',
  'MCMXCVI',
  '199',
  '0',
  'Spring',
  '20th century',
  '1/2/96',
  '-',
]

function dateAsWritten(random: Random, dirt: number): string {
  if (happens(random, 120 / dirt)) return pick(random, JUNK_DATES)
  // The square root leans to the years near us, as real books do.
  const year = 1850 + Math.floor(Math.sqrt(random.below(1_000_000) / 1_000_000) * 175)
  if (happens(random, 100 / dirt)) {
    return pick(random, ['%*', 'c. %', '[%]', '%?', '© %', 'Spring %', '%-', '%1231']).replace(
      '%',
      `${year}`,
    )
  }
  const month = String(1 + random.below(12)).padStart(2, '0')
  const shape = random.below(10)
  if (shape < 4) return `${year}`
  return shape < 5
    ? `${year}-${month}`
    : `${year}-${month}-${String(1 + random.below(28)).padStart(2, '0')}`
}

function categoryList(random: Random, dirt: number): string {
  if (random.below(6) === 0) return ''
  if (happens(random, 500 / dirt))
    return pick(random, ['Fiction', 'nan', `['Fiction`, `["Children's stories"]`])
  const first = pick(random, CATEGORIES)
  return random.below(20) === 0 ? `['${first}', '${pick(random, CATEGORIES)}']` : `['${first}']`
}

/** Several lines when a quote is broken: what the torn one swallows is part of it. */
export function bookLine(mill: BookMill, book: Book, place: number): string {
  const { random, texts, dirt, isTorn } = mill
  const about = random.below(4) === 0 ? '' : `"${texts.review(3)}"`
  const id = `b${place}x${random.below(1_000_000_000)}`
  const link = `http://books.example/books?id=${id}`
  const count = random.below(2) === 0 ? '' : `${1 + random.below(90)}.0`
  const rest = [
    about,
    csvField(book.authors),
    `${link}&printsec=frontcover&img=1`,
    `${link}&dq=${id}`,
    csvField(book.publisher),
    csvField(book.date),
    link,
    csvField(book.categories),
    count,
  ].join(',')
  if (isTorn && happens(random, 4000 / dirt)) return tornLine(random, rest)
  return `${csvField(book.title)},${rest}`
}

function tornLine(random: Random, rest: string): string {
  return pick(random, [
    `"Half quoted" title,${rest}`,
    `A 5" disk,${rest}`,
    'Too few,fields',
    `Too many,${rest},9,9`,
  ])
}
