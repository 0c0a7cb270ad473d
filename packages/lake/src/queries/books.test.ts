// Goal: the five questions about books mean what is written, ties, repeats and bounds included, however they are run.
// Method: small dirty files from a seed, and a reference in plain JavaScript with whole numbers only, written from the
// questions' words; every run must give its texts byte for byte.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { inspectFile } from '../bind/inspect-file.ts'
import { askBooksOracle } from '../../test/books/books-oracle.ts'
import { writeBooks } from '../books/write-books.ts'
import type { Binding } from '../model.ts'
import { field, PlanBench, sent } from '../../test/plan/plan-fixture.ts'
import { planQueries, type QueryRequest } from '../plan/plan-queries.ts'
import { shippedQueries } from '../plan/query-files.ts'
import { scorerOf } from '../sentiment/scorers.ts'

interface Book {
  title: string
  authors: string[]
  publisher: string
  date: string
  year: number | null
  categories: string[]
}

interface Review {
  title: string
  /** In thousandths; null: the file has something that is no score. */
  score: number | null
  text: string
}

interface Shelf {
  books: Book[]
  reviews: Review[]
}

/** Few titles, so that they repeat; scores and texts with equal means. */
const TITLES = [
  'Distributed Systems',
  'distributed, "twice"',
  'Café',
  'café',
  'Zebra',
  'A',
  'b',
  'Ünder',
  'Undistributed joy',
  'Ten',
  'DISTRIBUTED',
]
const AUTHORS = ["Pat O'Neil", 'Ana "A" Paz', 'Li, Wei', 'Zoë']
const TEXTS = [
  'I love it!',
  'I hate it.',
  'A book, with\nlines',
  '',
  '   ',
  'good good good',
  'bad',
]
const DATES: [string, number | null][] = [
  ...[1989, 1990, 1995, 1999, 2000, 2010, 2023, 2024].map((year): [string, number] => [
    `${year}`,
    year,
  ]),
  ['1996-03-01', 1996],
  ['c. 1993*', 1993],
  ['19', null],
  ['', null],
  ['soon', null],
]

const shelves: fc.Arbitrary<Shelf> = fc.record({
  books: fc.array(
    fc
      .record({
        title: fc.constantFrom(...TITLES, ''),
        authors: fc.uniqueArray(fc.constantFrom(...AUTHORS), { maxLength: 3 }),
        publisher: fc.constantFrom('', 'Sol', 'Luna & Co'),
        date: fc.constantFrom(...DATES),
        categories: fc.uniqueArray(fc.constantFrom('Computers', 'Fiction', 'Fictions')),
      })
      .map(({ date: [date, year], ...book }): Book => ({ ...book, date, year })),
    { minLength: 5, maxLength: 25 },
  ),
  reviews: fc.array(
    fc.record({
      title: fc.constantFrom(...TITLES, 'Nobody’s', ''),
      score: fc.constantFrom(1000, 2000, 4000, 5000, 4500, null),
      text: fc.constantFrom(...TEXTS),
    }),
    { minLength: 10, maxLength: 60 },
  ),
})

const pythonText = (text: string): string =>
  text.includes("'") ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`
const pythonList = (texts: string[]): string => `[${texts.map(pythonText).join(', ')}]`

const BOOK_HEADER = ['Title', 'description', 'authors', 'publisher', 'publishedDate', 'categories']
const REVIEW_HEADER = ['Id', 'Title', 'review/score', 'review/text']

const bench = new PlanBench()

function bindingsOf({ books, reviews }: Shelf, units: number): Record<string, Binding> {
  const bookRows = books.map(({ title, authors, publisher, date, categories }, row) => [
    row % 3 === 0 ? ` ${title}\t` : title,
    'words, "and"\nlines',
    authors.length === 0 && row % 2 === 0 ? '' : pythonList(authors),
    publisher,
    date,
    pythonList(categories),
  ])
  const reviewRows = reviews.map(({ title, score, text }, row) => [
    String(row),
    row % 4 === 0 ? `\u00a0${title} ` : title,
    score === null ? ['0', '6', 'five', ''][row % 4]! : String(score / 1000),
    text,
  ])
  return {
    books: bench.csv('books', BOOK_HEADER, bookRows, units),
    reviews: bench.csv('reviews', REVIEW_HEADER, reviewRows, units + 1),
  }
}

const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

const csv = (header: string, rows: string[][]): string =>
  [header, ...rows.map((row) => row.map(field).join(','))].map((line) => `${line}\n`).join('')

/** sum / count with 6 decimals, half to even; the sum counts parts of `unit`. */
function meanText(sum: bigint, count: bigint, unit: bigint): string {
  const [top, bottom] = [(sum < 0n ? -sum : sum) * 1_000_000n, count * unit]
  const [whole, rest] = [top / bottom, top % bottom]
  const isUp = rest * 2n > bottom || (rest * 2n === bottom && whole % 2n === 1n)
  const digits = String(isUp ? whole + 1n : whole).padStart(7, '0')
  const sign = sum < 0n && digits !== '0000000' ? '-' : ''
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

interface Mean {
  title: string
  sum: bigint
  count: bigint
}

function meansOf(values: { title: string; value: number }[]): Mean[] {
  const means = new Map<string, Mean>()
  for (const { title, value } of values) {
    const mean = means.get(title) ?? { title, sum: 0n, count: 0n }
    means.set(title, { title, sum: mean.sum + BigInt(value), count: mean.count + 1n })
  }
  return [...means.values()]
}

/** Exactly: a/b against c/d by a·d against c·b. */
const compareMeans = (one: Mean, other: Mean): number => {
  const difference = one.sum * other.count - other.sum * one.count
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function reference({ books: all, reviews: written }: Shelf): Record<string, string> {
  const books = all.filter(
    ({ title }, row) => title !== '' && all.findIndex((book) => book.title === title) === row,
  )
  const reviews = written.flatMap(({ title, score, text }) =>
    title === '' || score === null ? [] : [{ title, score, text }],
  )
  const isIn = (titles: Book[]) => (review: { title: string }) =>
    titles.some(({ title }) => title === review.title)
  const authorsOf = (title: string) =>
    books.find((book) => book.title === title)?.authors.join('; ') ?? ''

  const first = books.filter(
    ({ title, year, categories }) =>
      categories.includes('Computers') &&
      year !== null &&
      year >= 2000 &&
      year <= 2023 &&
      title.toLowerCase().includes('distributed'),
  )
  const second = AUTHORS.filter((author) => {
    const years = books.flatMap(({ authors, year }) =>
      authors.includes(author) && year !== null ? [Math.floor(year / 10)] : [],
    )
    return new Set(years).size >= 3
  })
  const nineties = books.filter(({ year }) => year !== null && Math.floor(year / 10) === 199)
  const popular = meansOf(
    reviews.filter(isIn(nineties)).map(({ title, score }) => ({ title, value: score })),
  ).filter(({ count }) => count >= 2n)
  const best = popular
    .toSorted((one, other) => compareMeans(other, one) || byBytes(one.title, other.title))
    .slice(0, 3)
  const fiction = books.filter(({ categories }) => categories.includes('Fiction'))
  const moods = meansOf(
    reviews
      .filter(isIn(fiction))
      .filter(({ text }) => text !== '')
      .map(({ title, text }) => ({ title, value: scorerOf('en')(text) })),
  )
  const ranked = moods.toSorted(compareMeans)
  const bar = ranked[Math.ceil(ranked.length * 0.75) - 1]
  const happy = moods.filter((mean) => bar !== undefined && compareMeans(mean, bar) >= 0)
  const sorted = (rows: string[][]) => rows.toSorted(([a = ''], [b = '']) => byBytes(a, b))
  return {
    'books-1': csv(
      'title,authors,publisher',
      sorted(first.map(({ title, publisher }) => [title, authorsOf(title), publisher])),
    ),
    'books-2': csv('author', sorted(second.map((author) => [author]))),
    'books-3': csv('title,authors', sorted(popular.map(({ title }) => [title, authorsOf(title)]))),
    'books-4': csv(
      'title,rating',
      best.map(({ title, sum, count }) => [title, meanText(sum, count, 1000n)]),
    ),
    'books-5': csv(
      'title,sentiment',
      sorted(happy.map(({ title, sum, count }) => [title, meanText(sum, count, 10_000n)])),
    ),
  }
}

const PARAMETERS: Record<string, QueryRequest['parameters']> = {
  'books-2': { decades: 3 },
  'books-3': { least: 2 },
  'books-4': { least: 2, top: 3 },
  'books-5': { percentile: 75 },
}

const shipped = await shippedQueries()

const asked = (names: string[]): QueryRequest[] =>
  names.map((name) => {
    const parameters = PARAMETERS[name]
    return { query: sent(shipped.get(name)!), ...(parameters ? { parameters } : {}) }
  })

const ALL = ['books-1', 'books-2', 'books-3', 'books-4', 'books-5']

test('Five queries, together or selected: any of them, on files cut anyhow, answer as the reference does', async () => {
  const answered = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      shelves,
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(undefined, 1, 2, 3),
      fc.oneof(
        { arbitrary: fc.constant(ALL), weight: 2 },
        { arbitrary: fc.shuffledSubarray(ALL, { minLength: 1 }), weight: 1 },
      ),
      async (shelf, units, partitions, names) => {
        const plan = await planQueries(asked(names), bindingsOf(shelf, units), {
          format: 'csv',
          ...(partitions === undefined ? {} : { partitions }),
        })
        const answers = await bench.run(plan)
        const expected = reference(shelf)
        for (const name of names) {
          assert.equal(answers[name], expected[name], name)
          if (expected[name]!.split('\n').length > 2) answered.add(name)
        }
      },
    ),
    { numRuns: process.env['MINGA_LONG'] ? 200 : 4, seed: 7 },
  )
  assert.deepEqual([...answered].toSorted(), ALL, 'each had rows at least once')
})

test('Five queries, together or selected: on generated files with all their dirt they answer as an independent engine does', async () => {
  const options = { seed: 11, reviews: 2500, books: 300, popular: 8, hasBrokenBytes: true }
  const facts = await writeBooks({ folder: path.join(bench.folder, 'generated'), ...options })
  const expected = await askBooksOracle({
    ...facts,
    sentiment: scorerOf('en'),
    leastReviews: options.popular,
  })
  const bindings = {
    books: await inspectFile({ path: facts.booksPath }, { unitBytes: 100_000 }),
    reviews: await inspectFile({ path: facts.reviewsPath }, { unitBytes: 700_000 }),
  }
  assert.ok(bindings.reviews.units.length > 1, 'several tasks')
  const queries = ALL.map((name) => ({
    query: shipped.get(name)!,
    parameters: 'least' in (shipped.get(name)!.parameters ?? {}) ? { least: options.popular } : {},
  }))
  const plan = await planQueries(queries, bindings, { format: 'csv', partitions: 2 })
  assert.deepEqual(await bench.run(plan), expected)
})
