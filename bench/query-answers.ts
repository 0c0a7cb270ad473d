/** The five answers from books and folded reviews that are in memory: what is left to do when a peer has read the files. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BooksQuery } from './query-statements.ts'

export interface Book {
  title: string
  authors: string[]
  publisher: string
  year: number | null
  categories: string[]
}

/** The reviews of a title: sums of scores in millionths and of characters, and how many there are of each. */
export interface Folded {
  title: string
  score: bigint
  scores: bigint
  length: bigint
  lengths: bigint
}

interface Mean {
  title: string
  sum: bigint
  count: bigint
}

export type Answers = Record<BooksQuery, string[][]>

const MANY = 500n
const BEST = 10
const DECADES = 10

const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

/** As fractions: a/b and c/d compare as ad and cb do. */
function compareMeans(one: Mean, other: Mean): number {
  const [left, right] = [one.sum * other.count, other.sum * one.count]
  return left < right ? -1 : left > right ? 1 : 0
}

export function answerBooks(books: readonly Book[], reviews: readonly Folded[]): Answers {
  const inOrder = books.toSorted((one, other) => byBytes(one.title, other.title))
  const popular = popularOf(inOrder, reviews)
  const best = popular.toSorted((one, other) => compareMeans(other.mean, one.mean)).slice(0, BEST)
  return {
    'books-1': inOrder
      .filter(isDistributed)
      .map(({ title, authors, publisher }) => [title, joined(authors), publisher]),
    'books-2': oldHands(books).map((author) => [author]),
    'books-3': popular.map(({ title, authors }) => [title, joined(authors)]),
    'books-4': best.map(({ mean }) => [mean.title, meanText(mean, 6)]),
    'books-5': upperTenth(inOrder, reviews).map((mean) => [mean.title, meanText(mean, 4)]),
  }
}

const joined = (authors: readonly string[]): string => authors.join('; ')

const isDistributed = ({ title, year, categories }: Book): boolean =>
  categories.includes('Computers') &&
  year !== null &&
  year >= 2000 &&
  year <= 2023 &&
  title.toLowerCase().includes('distributed')

function oldHands(books: readonly Book[]): string[] {
  const decades = new Map<string, Set<number>>()
  for (const { authors, year } of books) {
    if (year === null) continue
    for (const author of authors) {
      const seen = decades.get(author) ?? new Set()
      decades.set(author, seen.add(Math.floor(year / 10)))
    }
  }
  const many = [...decades].filter(([, seen]) => seen.size >= DECADES)
  return many.map(([author]) => author).toSorted(byBytes)
}

function popularOf(
  books: readonly Book[],
  reviews: readonly Folded[],
): { title: string; authors: string[]; mean: Mean }[] {
  const many = new Map(
    reviews.filter(({ scores }) => scores >= MANY).map((one) => [one.title, one]),
  )
  return books.flatMap(({ title, authors, year }) => {
    const folded = many.get(title)
    if (folded === undefined || year === null || Math.floor(year / 10) !== 199) return []
    return [{ title, authors, mean: { title, sum: folded.score, count: folded.scores } }]
  })
}

/** Nearest rank, among novels. */
function upperTenth(books: readonly Book[], reviews: readonly Folded[]): Mean[] {
  const read = new Map(reviews.map((one) => [one.title, one]))
  const means = books.flatMap(({ title, categories }): Mean[] => {
    const folded = categories.includes('Fiction') ? read.get(title) : undefined
    if (folded === undefined || folded.lengths === 0n) return []
    return [{ title, sum: folded.length, count: folded.lengths }]
  })
  const edge = means.toSorted(compareMeans)[Math.ceil((9 * means.length) / 10) - 1]
  return edge === undefined ? [] : means.filter((one) => compareMeans(one, edge) >= 0)
}

/** Six decimals, half to even, of a sum of units of 10^-scale. */
export function meanText({ sum, count }: Pick<Mean, 'sum' | 'count'>, scale: number): string {
  const upper = sum * 10n ** BigInt(6 - scale)
  const twice = 2n * (upper % count)
  const isUp = twice > count || (twice === count && (upper / count) % 2n === 1n)
  const digits = String(upper / count + (isUp ? 1n : 0n)).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

const HEADERS: Record<BooksQuery, string> = {
  'books-1': 'title,authors,publisher',
  'books-2': 'author',
  'books-3': 'title,authors',
  'books-4': 'title,rating',
  'books-5': 'title,sentiment',
}

export function writeAnswers(out: string, answers: Answers): void {
  for (const [name, rows] of Object.entries(answers) as [BooksQuery, string[][]][]) {
    const lines = rows.map((row) => row.map(field).join(','))
    writeFileSync(join(out, `${name}.csv`), [HEADERS[name], ...lines, ''].join('\n'))
  }
}

const field = (text: string): string =>
  /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
