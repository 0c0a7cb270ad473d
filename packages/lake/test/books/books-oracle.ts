/**
 * The five answers once more, for tests: files are parsed byte by byte, fields cleaned in plain code, sums and joins
 * left to plain statements of DuckDB, and means compared as fractions. Slow, and independent of the lake's own ways.
 */
import fs from 'node:fs/promises'
import { DuckDBInstance, LIST, listValue, VARCHAR, type DuckDBConnection } from '@duckdb/node-api'
import { pythonList } from '../../src/clean/python-list.ts'
import { trimmed } from '../../src/clean/white-space.ts'
import { plainRows } from '../split/records-fixture.ts'
import { csvField } from '../../src/books/csv-field.ts'

export interface OracleInput {
  booksPath: string
  reviewsPath: string
  /** Whole ten-thousandths for a text; its length in characters when left out. */
  sentiment?: (text: string) => number
  /** How many reviews are many. */
  leastReviews?: number
}

export type BookAnswers = Record<'books-1' | 'books-2' | 'books-3' | 'books-4' | 'books-5', string>

export async function askBooksOracle(input: OracleInput): Promise<BookAnswers> {
  const { leastReviews = 500 } = input
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    await loadBookTables(connection, input)
    const rated = await means(connection, RATINGS.replace('LEAST', `${leastReviews}`))
    return {
      'books-1': await table(connection, 'title,authors,publisher', DISTRIBUTED),
      'books-2': await table(connection, 'author', TEN_DECADES),
      'books-3': await table(
        connection,
        'title,authors',
        POPULAR.replace('LEAST', `${leastReviews}`),
      ),
      'books-4': csv('title,rating', rated.toSorted(byMeanThenTitle).slice(0, 10).map(meanRow(6))),
      'books-5': csv(
        'title,sentiment',
        atOrAbove90(await means(connection, SENTIMENTS)).map(meanRow(4)),
      ),
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Tables `books` and `reviews` with what is left of the files when they are cleaned. */
export async function loadBookTables(
  connection: DuckDBConnection,
  { booksPath, reviewsPath, sentiment = (text) => Array.from(text).length }: OracleInput,
): Promise<void> {
  await loadBooks(connection, await fs.readFile(booksPath))
  await loadReviews(connection, await fs.readFile(reviewsPath), sentiment)
}

const FIRST = `(SELECT * FROM books QUALIFY row_number() OVER (PARTITION BY title ORDER BY place) = 1)`
const NINETIES = `(SELECT * FROM ${FIRST} WHERE year BETWEEN 1990 AND 1999)`

const DISTRIBUTED = `SELECT title, array_to_string(authors, '; '), publisher FROM ${FIRST}
  WHERE list_contains(categories, 'Computers') AND year BETWEEN 2000 AND 2023 AND contains(lower(title), 'distributed')
  ORDER BY title`
const TEN_DECADES = `SELECT author FROM (SELECT unnest(authors) AS author, year // 10 AS decade FROM ${FIRST} WHERE year IS NOT NULL)
  GROUP BY author HAVING count(DISTINCT decade) >= 10 ORDER BY author`
const POPULAR = `SELECT title, array_to_string(authors, '; ') FROM ${NINETIES}
  WHERE title IN (SELECT title FROM reviews GROUP BY title HAVING count(*) >= LEAST) ORDER BY title`
const RATINGS = `SELECT title, sum(score), count(*) FROM reviews WHERE title IN (SELECT title FROM ${NINETIES})
  GROUP BY title HAVING count(*) >= LEAST`
const SENTIMENTS = `SELECT title, sum(sentiment), count(*) FROM reviews
  WHERE sentiment IS NOT NULL AND title IN (SELECT title FROM ${FIRST} WHERE list_contains(categories, 'Fiction'))
  GROUP BY title`

async function loadBooks(connection: DuckDBConnection, bytes: Buffer): Promise<void> {
  await connection.run(
    'CREATE TABLE books (place INTEGER, title VARCHAR, authors VARCHAR[], publisher VARCHAR, year INTEGER, categories VARCHAR[])',
  )
  const appender = await connection.createAppender('books')
  for (const [place, row] of withoutHeader(bytes).entries()) {
    const title = trimmed(row[0] ?? '')
    if (title === '') continue
    const publisher = trimmed(row[5] ?? '')
    const year = /[0-9]{4}/.exec(row[6] ?? '')?.[0]
    appender.appendInteger(place)
    appender.appendVarchar(title)
    appender.appendList(listValue(pythonList(row[2] ?? '') ?? []), LIST(VARCHAR))
    if (publisher === '') appender.appendNull()
    else appender.appendVarchar(publisher)
    if (year === undefined) appender.appendNull()
    else appender.appendInteger(Number(year))
    appender.appendList(listValue(pythonList(row[8] ?? '') ?? []), LIST(VARCHAR))
    appender.endRow()
  }
  appender.closeSync()
}

async function loadReviews(
  connection: DuckDBConnection,
  bytes: Buffer,
  sentiment: (text: string) => number,
): Promise<void> {
  await connection.run('CREATE TABLE reviews (title VARCHAR, score BIGINT, sentiment BIGINT)')
  const appender = await connection.createAppender('reviews')
  for (const row of withoutHeader(bytes)) {
    const title = trimmed(row[1] ?? '')
    const score = millionths(trimmed(row[6] ?? ''))
    const text = row[9] ?? ''
    if (title === '' || score === null || score < 1_000_000n || score > 5_000_000n) continue
    appender.appendVarchar(title)
    appender.appendBigInt(score)
    if (text === '') appender.appendNull()
    else appender.appendBigInt(BigInt(sentiment(text)))
    appender.endRow()
  }
  appender.closeSync()
}

const withoutHeader = (bytes: Buffer): (string | null)[][] => plainRows(bytes, ',', 10).slice(1)

/** A decimal number; those that are made up have no more than six decimals. */
function millionths(text: string): bigint | null {
  const found = /^([+-]?)([0-9]*)(?:\.([0-9]*))?$/.exec(text)
  if (found === null || !/[0-9]/.test(text)) return null
  const [, sign = '', whole = '', decimals = ''] = found
  if (/[1-9]/.test(decimals.slice(6))) return null
  const size = BigInt(`${whole || '0'}${decimals.slice(0, 6).padEnd(6, '0')}`)
  return sign === '-' ? -size : size
}

interface Mean {
  title: string
  sum: bigint
  count: bigint
}

async function means(connection: DuckDBConnection, sql: string): Promise<Mean[]> {
  const reader = await connection.runAndReadAll(sql)
  const rows = reader.getRows() as [string, bigint, bigint][]
  return rows.map(([title, sum, count]) => ({ title, sum, count }))
}

/** As fractions: a/b and c/d compare as ad and cb do. */
function compareMeans(one: Mean, other: Mean): number {
  const [left, right] = [one.sum * other.count, other.sum * one.count]
  return left < right ? -1 : left > right ? 1 : 0
}

const byTitle = (one: Mean, other: Mean): number =>
  Buffer.compare(Buffer.from(one.title), Buffer.from(other.title))

const byMeanThenTitle = (one: Mean, other: Mean): number =>
  compareMeans(other, one) || byTitle(one, other)

/** Nearest rank: the ⌈0.9·n⌉-th smallest, counted in whole numbers. */
function atOrAbove90(all: Mean[]): Mean[] {
  const sorted = all.toSorted(compareMeans)
  const edge = sorted[Math.ceil((9 * sorted.length) / 10) - 1]
  if (edge === undefined) return []
  return all.filter((one) => compareMeans(one, edge) >= 0).toSorted(byTitle)
}

/** Six decimals, half to even, of a sum whose units are 10^-scale. */
const meanRow =
  (scale: number) =>
  ({ title, sum, count }: Mean): (string | null)[] => {
    const upper = (sum < 0n ? -sum : sum) * 10n ** BigInt(6 - scale)
    const twice = 2n * (upper % count)
    const isUp = twice > count || (twice === count && (upper / count) % 2n === 1n)
    const digits = (upper / count + (isUp ? 1n : 0n)).toString().padStart(7, '0')
    const sign = sum < 0n && /[1-9]/.test(digits) ? '-' : ''
    return [title, `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`]
  }

async function table(connection: DuckDBConnection, header: string, sql: string): Promise<string> {
  const reader = await connection.runAndReadAll(sql)
  const rows = reader.getRows() as (string | null)[][]
  return csv(header, rows)
}

const csv = (header: string, rows: (string | null)[][]): string =>
  [header, ...rows.map((row) => row.map((value) => csvField(value ?? '')).join(','))]
    .map((line) => `${line}\n`)
    .join('')
