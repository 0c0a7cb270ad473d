/**
 * SQLite as Node has it, in a process of its own: the files are read in plain code, as its shell would read them, and
 * become tables; then five statements.
 *   node bench/query-sqlite-main.ts BOOKS REVIEWS OUT
 */
import { createReadStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pythonList, trimmed } from '@minga/lake'
import { meanText, writeAnswers, type Answers } from './query-answers.ts'

const [booksPath = '', reviewsPath = '', out = ''] = process.argv.slice(2)

const SCHEMA = `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA temp_store = MEMORY;
  CREATE TABLE books (title TEXT PRIMARY KEY, authors TEXT, publisher TEXT, year INTEGER) WITHOUT ROWID;
  CREATE TABLE authors (title TEXT, author TEXT);
  CREATE TABLE categories (title TEXT, category TEXT);
  CREATE TABLE reviews (title TEXT, score INTEGER, characters INTEGER);`

const POPULAR = `SELECT title, authors, sum(score) AS total, count(*) AS n FROM reviews JOIN books USING (title)
  WHERE year BETWEEN 1990 AND 1999 GROUP BY title HAVING count(*) >= 500`
const MOODS = `SELECT title, sum(characters) AS total, count(*) AS n FROM reviews
  WHERE characters IS NOT NULL AND title IN (SELECT title FROM categories WHERE category = 'Fiction') GROUP BY title`

type Row = Record<string, string | number | null>

/** Records of a file that is written with care: a line ends where quotes are even. */
async function* records(path: string): AsyncGenerator<string[]> {
  let rest = ''
  let isFirst = true
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    let open = ''
    for (const line of lines) {
      const text = open === '' ? line : `${open}\n${line}`
      const isEven = (text.split('"').length - 1) % 2 === 0
      open = isEven ? '' : text
      if (!isEven) continue
      if (!isFirst && text !== '') yield fieldsOf(text)
      isFirst = false
    }
    if (open !== '') rest = `${open}\n${rest}`
  }
  if (rest !== '') yield fieldsOf(rest)
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/gy

function fieldsOf(text: string): string[] {
  if (!text.includes('"')) return text.split(',')
  const fields = Array.from(text.matchAll(FIELD), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  )
  // The end of the text matches once more, as an empty field.
  return text.endsWith(',') ? fields : fields.slice(0, -1)
}

async function loadBooks(database: DatabaseSync): Promise<void> {
  const book = database.prepare('INSERT OR IGNORE INTO books VALUES (?, ?, ?, ?)')
  const author = database.prepare('INSERT INTO authors VALUES (?, ?)')
  const category = database.prepare('INSERT INTO categories VALUES (?, ?)')
  for await (const fields of records(booksPath)) {
    const title = trimmed(fields[0] ?? '')
    if (title === '') continue
    const authors = pythonList(fields[2] ?? '') ?? []
    const year = /[0-9]{4}/.exec(fields[6] ?? '')?.[0]
    const values = [authors.join('; ') || null, trimmed(fields[5] ?? '') || null]
    const { changes } = book.run(title, ...values, year === undefined ? null : Number(year))
    if (changes === 0) continue
    for (const one of authors) author.run(title, one)
    for (const one of pythonList(fields[8] ?? '') ?? []) category.run(title, one)
  }
}

async function loadReviews(database: DatabaseSync): Promise<void> {
  const review = database.prepare('INSERT INTO reviews VALUES (?, ?, ?)')
  for await (const fields of records(reviewsPath)) {
    const [title, written] = [trimmed(fields[1] ?? ''), trimmed(fields[6] ?? '')]
    const score = /^[+-]?\d*\.?\d*$/.test(written) ? Math.round(Number(written) * 1e6) : 0
    if (title === '' || score < 1_000_000 || score > 5_000_000) continue
    const text = fields[9] ?? ''
    review.run(title, score, text === '' ? null : Array.from(text).length)
  }
}

const textRow = (row: Row): string[] => Object.values(row).map((value) => String(value ?? ''))

const meanRow =
  (scale: number) =>
  ({ title, total, n }: Row): string[] => {
    const mean = { sum: BigInt(total ?? 0), count: BigInt(n ?? 0) }
    return [String(title), meanText(mean, scale)]
  }

function answers(database: DatabaseSync): Answers {
  const all = (sql: string): Row[] => database.prepare(sql).all() as Row[]
  const edge = `SELECT rank FROM ranked ORDER BY rank LIMIT 1 OFFSET (SELECT (9 * count(*) + 9) / 10 - 1 FROM ranked)`
  return {
    'books-1': all(`SELECT title, authors, publisher FROM books JOIN categories USING (title)
      WHERE category = 'Computers' AND year BETWEEN 2000 AND 2023 AND instr(lower(title), 'distributed') > 0
      GROUP BY title ORDER BY title`).map(textRow),
    'books-2': all(`SELECT author FROM authors JOIN books USING (title) WHERE year IS NOT NULL
      GROUP BY author HAVING count(DISTINCT year / 10) >= 10 ORDER BY author`).map(textRow),
    'books-3': all(`SELECT title, authors FROM (${POPULAR}) ORDER BY title`).map(textRow),
    'books-4': all(`SELECT * FROM (${POPULAR}) ORDER BY total * 1.0 / n DESC, title LIMIT 10`).map(
      meanRow(6),
    ),
    'books-5': all(`WITH ranked AS MATERIALIZED (SELECT *, total * 1.0 / n AS rank FROM (${MOODS}))
      SELECT title, total, n FROM ranked WHERE rank >= (${edge}) ORDER BY title`).map(meanRow(4)),
  }
}

const file = join(out, 'books.sqlite')
const database = new DatabaseSync(file)
database.exec(SCHEMA)
database.exec('BEGIN')
await loadBooks(database)
await loadReviews(database)
database.exec('COMMIT; CREATE INDEX by_title ON reviews (title)')
writeAnswers(out, answers(database))
database.close()
rmSync(file)
