/**
 * A data set of books and their reviews with the columns, the sizes and the dirt of the public one: by seed, of any
 * size, written as fast as a disk takes it. Questions about it have answers with edges (see `planted.ts`).
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { Random } from '@minga/partition/random'
import { BOOKS_HEADER, bookLine, madeUpBook, madeUpTitles, type BookMill } from './book-rows.ts'
import { csvField } from './csv-field.ts'
import { plantedBooks, type Book, type Opinion } from './planted.ts'
import { opinionLine, reviewLine, REVIEWS_HEADER, type ReviewMill } from './review-rows.ts'
import { TextMill } from './text-mill.ts'

export interface BooksOptions {
  folder: string
  seed: number
  /** How many reviews, or how many bytes of them; never fewer than the planted ones. */
  reviews?: number
  reviewBytes?: number
  /** One for 14 reviews when left out, as in the public set. */
  books?: number
  /** 1: about as dirty as the public set; 0: no dirt but what is planted. */
  dirt?: number
  /** Broken quotes and torn lines; with dirt there are some. */
  isTorn?: boolean
  /** How many reviews the questions call many: 500, or fewer for small sets. */
  popular?: number
  lineEnd?: '\n' | '\r\n'
  /** Breaks inside texts, as people write them. Without: a file that other readers can split anywhere. */
  hasBreaks?: boolean
  /** Some bytes that are no UTF-8. */
  hasBrokenBytes?: boolean
}

export interface BooksFacts {
  booksPath: string
  reviewsPath: string
  books: number
  reviews: number
  bookBytes: number
  reviewBytes: number
}

const POPULAR = 500
const REVIEWS_PER_BOOK = 14
/** A synthetic review with its other fields, in the mean. */
const REVIEW_BYTES = 870
const LEAST_BOOKS = 200
/** Of book rows: every so many repeats an earlier title. */
const REPEATED = 50
const BLOCK_BYTES = 1024 * 1024
/** No synthetic line comes near it. */
const LONGEST_LINE_BYTES = 256 * 1024

export async function writeBooks(options: BooksOptions): Promise<BooksFacts> {
  const { folder, seed, dirt = 1, lineEnd = '\n', hasBreaks = true } = options
  const isTorn = options.isTorn ?? dirt > 0
  const random = new Random(seed)
  const planted = plantedBooks(options.popular ?? POPULAR)
  const titles = madeUpTitles(random.fork(), bookCount(options))
  const mill = (): BookMill => {
    const own = random.fork()
    return { random: own, texts: new TextMill(own.fork(), hasBreaks), dirt, isTorn }
  }
  await fs.mkdir(folder, { recursive: true })
  const booksPath = path.join(folder, 'books_data.csv')
  const books = await writeLines(
    booksPath,
    bookFile(mill(), { titles, lineEnd, planted: planted.books }),
  )
  const reviewsPath = path.join(folder, 'Books_rating.csv')
  const fields = titles.map(csvField)
  const lines = reviewFile({ ...mill(), titles, fields, lineEnd }, planted.opinions, options)
  const reviews = await writeLines(reviewsPath, lines, options.hasBrokenBytes)
  return {
    booksPath,
    reviewsPath,
    books: books.lines,
    reviews: reviews.lines,
    bookBytes: books.bytes,
    reviewBytes: reviews.bytes,
  }
}

function bookCount({ books, reviews, reviewBytes = 0 }: BooksOptions): number {
  const wanted = reviews ?? reviewBytes / REVIEW_BYTES
  return Math.max(LEAST_BOOKS, Math.ceil(books ?? wanted / REVIEWS_PER_BOOK))
}

function* bookFile(
  mill: BookMill,
  {
    titles,
    lineEnd,
    planted,
  }: { titles: readonly string[]; lineEnd: string; planted: readonly Book[] },
): Generator<string> {
  yield `${BOOKS_HEADER}${lineEnd}`
  const whole = { ...mill, isTorn: false }
  const standing = planted.map((book, place) => `${bookLine(whole, book, place)}${lineEnd}`)
  yield* spread(standing, titles.length, (place) => {
    const isRepeated = mill.dirt > 0 && place % REPEATED === REPEATED - 1
    const title = titles[isRepeated ? mill.random.below(place) : place]!
    return `${bookLine(mill, madeUpBook(mill, title, place), place)}${lineEnd}`
  })
}

function* reviewFile(
  mill: ReviewMill,
  planted: readonly Opinion[],
  { reviews, reviewBytes = 0 }: BooksOptions,
): Generator<string> {
  yield `${REVIEWS_HEADER}${mill.lineEnd}`
  const standing = shuffled(mill.random, planted).map((opinion) => opinionLine(mill, opinion))
  const plantedBytes = standing.reduce((sum, line) => sum + line.length, 0)
  const rest =
    reviews === undefined ? (reviewBytes - plantedBytes) / REVIEW_BYTES : reviews - planted.length
  yield* spread(standing, Math.max(0, Math.ceil(rest)), () => reviewLine(mill))
}

/** Lines that must be there, in their order, evenly among `count` synthetic ones. */
function* spread(
  standing: readonly string[],
  count: number,
  madeUp: (place: number) => string,
): Generator<string> {
  let written = 0
  for (let place = 0; place < count; place += 1) {
    for (; written < (standing.length * place) / count; written += 1) yield standing[written]!
    yield madeUp(place)
  }
  yield* standing.slice(written)
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const order = Int32Array.from(items.keys())
  random.shuffle(order)
  return [...order].map((place) => items[place]!)
}

async function writeLines(
  file: string,
  lines: Iterable<string>,
  hasBrokenBytes = false,
): Promise<{ lines: number; bytes: number }> {
  const handle = await fs.open(file, 'w')
  const written = { lines: -1, bytes: 0 }
  const block = Buffer.allocUnsafe(BLOCK_BYTES + LONGEST_LINE_BYTES)
  let filled = 0
  const flush = async () => {
    const bytes = block.subarray(0, filled)
    filled = 0
    if (hasBrokenBytes) breakBytes(bytes)
    written.bytes += (await handle.write(bytes)).bytesWritten
  }
  try {
    for (const line of lines) {
      filled += block.write(line, filled)
      written.lines += 1
      if (filled > BLOCK_BYTES) await flush()
    }
    await flush()
  } finally {
    await handle.close()
  }
  return written
}

/** In a word that stands only in texts, so that no title is hurt. */
function breakBytes(bytes: Buffer): void {
  const word = bytes.indexOf('harbour and its clerks')
  if (word >= 0) bytes[word] = 0xff
}
