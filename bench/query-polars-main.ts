/**
 * Polars for Node, in a process of its own: it reads both files and folds the reviews to one row a title; lists of
 * names, which it has no reader for, and the few rows that are left are the work of plain code.
 *   node bench/query-polars-main.ts BOOKS REVIEWS OUT MODULE
 */
import { createRequire } from 'node:module'
import { pythonList, trimmed } from '@minga/lake'
import { answerBooks, writeAnswers, type Book, type Folded } from './query-answers.ts'

/** What of its interface is used here; it is installed outside the repository. */
interface Expr {
  str: { strip(): Expr; contains(pattern: string): Expr; lengths(): Expr }
  cast(type: unknown): Expr
  mul(other: number): Expr
  round(digits: number): Expr
  gtEq(other: number): Expr
  ltEq(other: number): Expr
  neq(other: Expr): Expr
  sum(): Expr
  count(): Expr
  alias(name: string): Expr
}
interface Frame {
  select(...columns: Expr[]): Frame
  filter(condition: Expr): Frame
  withColumns(...columns: Expr[]): Frame
  groupBy(column: string): { agg(...columns: Expr[]): Frame }
  collect(): Promise<{ toRecords(): Record<string, unknown>[] }>
}
interface Polars {
  scanCSV(path: string, options: object): Frame
  col(name: string): Expr
  when(condition: Expr): { then(value: Expr): { otherwise(value: Expr): Expr } }
  lit(value: unknown): Expr
  Float64: unknown
  Int64: unknown
}

const [booksPath = '', reviewsPath = '', out = '', module = ''] = process.argv.slice(2)
const polars = (createRequire(import.meta.url)(module) as { default: Polars }).default
const col = (name: string): Expr => polars.col(name)
const NUMBER = String.raw`^[+-]?\d*\.?\d*$`
const MICROS = 1_000_000
/** Nothing is guessed: every column is text. */
const AS_TEXT = { inferSchemaLength: 0 }

async function readBooks(): Promise<Book[]> {
  const wanted = ['Title', 'authors', 'publisher', 'publishedDate', 'categories'].map(col)
  const frame = await polars
    .scanCSV(booksPath, AS_TEXT)
    .select(...wanted)
    .collect()
  const seen = new Set<string>()
  const books: Book[] = []
  for (const row of frame.toRecords() as Record<string, string | null>[]) {
    const title = trimmed(row['Title'] ?? '')
    if (title === '' || seen.has(title)) continue
    seen.add(title)
    const year = /[0-9]{4}/.exec(row['publishedDate'] ?? '')?.[0]
    books.push({
      title,
      authors: pythonList(row['authors'] ?? '') ?? [],
      publisher: trimmed(row['publisher'] ?? ''),
      year: year === undefined ? null : Number(year),
      categories: pythonList(row['categories'] ?? '') ?? [],
    })
  }
  return books
}

async function foldReviews(): Promise<Folded[]> {
  const score = col('review/score').str.strip()
  const text = col('review/text')
  const frame = await polars
    .scanCSV(reviewsPath, AS_TEXT)
    .select(col('Title').str.strip().alias('title'), score.alias('score'), text.alias('text'))
    .filter(col('score').str.contains(NUMBER))
    .withColumns(
      col('score').cast(polars.Float64).mul(MICROS).round(0).cast(polars.Int64).alias('score'),
    )
    .filter(col('score').gtEq(MICROS))
    .filter(col('score').ltEq(5 * MICROS))
    .filter(col('title').neq(polars.lit('')))
    .withColumns(
      polars
        .when(col('text').neq(polars.lit('')))
        .then(col('text').str.lengths().cast(polars.Int64))
        .otherwise(polars.lit(null))
        .alias('length'),
    )
    .groupBy('title')
    .agg(
      col('score').sum().alias('score'),
      col('score').count().alias('scores'),
      col('length').sum().alias('length'),
      col('length').count().alias('lengths'),
    )
    .collect()
  return (frame.toRecords() as Record<string, string | number | bigint>[]).map((row) => ({
    title: String(row['title']),
    score: BigInt(row['score']!),
    scores: BigInt(row['scores']!),
    length: BigInt(row['length'] ?? 0),
    lengths: BigInt(row['lengths']!),
  }))
}

writeAnswers(out, answerBooks(await readBooks(), await foldReviews()))
