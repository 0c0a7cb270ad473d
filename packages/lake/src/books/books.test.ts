// Goal: the synthetic data set is the same for the same seed, as dirty as it says, and its answers
// are edge cases; and the lake's reader (units, repair, cleaning) finds in it what plain code
// finds. Method: small sets.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { inspectFile } from '../bind/inspect-file.ts'
import { cleanSql } from '../clean/clean-sql.ts'
import type { InputRules } from '../model.ts'
import { repairCsv, noRepairs } from '../split/repair-csv.ts'
import { askBooksOracle, loadBookTables } from '../../test/books/books-oracle.ts'
import { writeBooks, type BooksOptions } from './write-books.ts'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-books-'))
after(() => fs.rmSync(home, { recursive: true }))

const make = (name: string, options: Partial<BooksOptions>) =>
  writeBooks({ folder: path.join(home, name), seed: 1, popular: 8, ...options })

test('the same seed makes the same files, another seed others', async () => {
  const small = { reviews: 800, books: 200 }
  const [one, same, other] = [
    await make('one', small),
    await make('same', small),
    await make('other', { ...small, seed: 2 }),
  ]
  const bytes = [one, same, other].map(({ reviewsPath }) => fs.readFileSync(reviewsPath))
  assert.ok(bytes[0]!.equals(bytes[1]!))
  assert.ok(!bytes[0]!.equals(bytes[2]!))
  assert.equal(one.reviewBytes, bytes[0]!.length)
  assert.equal(one.reviews, 800)
})

test('a set can be asked for by its size in bytes', async () => {
  const { reviewBytes } = await make('sized', { reviewBytes: 3_000_000 })
  assert.ok(Math.abs(reviewBytes - 3_000_000) < 400_000, `${reviewBytes} bytes`)
})

test('without breaks in texts every line of the reviews is a record', async () => {
  const { reviewsPath, reviews } = await make('unbroken', {
    reviews: 800,
    books: 200,
    isTorn: false,
    hasBreaks: false,
  })
  const starts = fs.readFileSync(reviewsPath, 'utf8').trimEnd().split('\n')
  // The header, and the one planted text that is nothing but white space.
  const inside = starts.length - 1 - reviews
  assert.ok(inside >= 0 && inside <= 2, `${inside} breaks inside`)
})

const lines = (csv: string): string[] => csv.trimEnd().split('\n').slice(1)

test('answers stand on the edges that the questions have', async () => {
  const facts = await make('edges', { reviews: 11_000, books: 400, popular: 500 })
  const answers = await askBooksOracle({ ...facts, sentiment: (text) => text.length })
  assert.deepEqual(lines(answers['books-1']), [
    'Distributed Systems for Everyone,Ana Abbott,Harbour House',
    'Distributed Thrice,The First,Harbour House',
    '"The Art of DISTRIBUTED Locks, Second Edition",Ana Abbott,Harbour House',
    '"Undistributed ""Wealth"" of Nodes",Ana Abbott,Harbour House',
    `zero-copy distributed logs,"Flann O'Hara; Bo, Jr.",Harbour House`,
    'Éternel: distributed at last,,',
  ])
  assert.deepEqual(lines(answers['books-2']), ['Ada Tenfold', `Dee O'Many`, 'Zoë Elevenfold'])
  const popular = answers['books-3']
  assert.match(popular, /Exactly enough reviews/)
  assert.doesNotMatch(popular, /One review short|One bad score|Just (?:before|after)/)
  const best = lines(answers['books-4'])
  assert.equal(best.length, 10)
  assert.deepEqual(best.slice(0, 2), [
    '"Loved by all, once",5.000000',
    '"Loved by all, twice",5.000000',
  ])
  assert.equal(best.at(-1), 'Tied at the edge E,4.500000')
  assert.ok(lines(popular).includes('Tied at the edge F,Tie 3; Ana Abbott'))
  const fiction = lines(answers['books-5'])
  assert.ok(fiction.some((line) => line.startsWith('Above all the others')))
  const means = fiction.map((line) => Number(line.split(',').at(-1)))
  const atTheEdge = means.filter((mean) => mean === Math.min(...means)).length
  assert.ok(atTheEdge > 5 && atTheEdge < means.length, `${atTheEdge} of ${means.length}`)
  assert.doesNotMatch(answers['books-5'], /of a child|No opinion|white space|without a score|Never/)
})

test('the ends of lines and broken bytes in texts change no answer', async () => {
  const small = { reviews: 1200, books: 250 }
  const plain = await make('plain', small)
  const windows = await make('windows', { ...small, lineEnd: '\r\n', hasBrokenBytes: true })
  const asked = { leastReviews: 8, sentiment: (text: string) => text.length }
  assert.deepEqual(
    await askBooksOracle({ ...windows, ...asked }),
    await askBooksOracle({ ...plain, ...asked }),
  )
})

const BOOKS: InputRules = {
  columns: {
    title: { from: 'Title', type: 'text', isRequired: true },
    authors: { type: 'list' },
    publisher: { type: 'text' },
    year: { from: 'publishedDate', type: 'year' },
    categories: { type: 'list' },
  },
}
const REVIEWS: InputRules = {
  columns: {
    title: { from: 'Title', type: 'text', isRequired: true },
    score: { from: 'review/score', type: 'decimal', isRequired: true, least: 1, most: 5 },
    text: { from: 'review/text', type: 'text', isTrimmed: false },
  },
}

/** All units, one after another, as tasks read them; what was dropped or emptied, by reason. */
async function readAll(
  connection: DuckDBConnection,
  table: string,
  { file, rules, unitBytes }: { file: string; rules: InputRules; unitBytes: number },
): Promise<Set<string>> {
  const { units, header } = await inspectFile({ path: file }, { rules, unitBytes })
  const { macros, select } = cleanSql({
    rules,
    header,
    wanted: Object.keys(rules.columns),
    raw: 'raw',
  })
  for (const macro of macros) await connection.run(macro)
  const counts = noRepairs()
  for (const [place, unit] of units.entries()) {
    assert.ok(unit.kind === 'range')
    const chunks = fs.createReadStream(file, { start: unit.from, end: unit.to - 1 })
    const slice = path.join(home, 'slice.csv')
    const pieces = repairCsv(chunks, { delimiter: ',', fields: header.length }, counts)
    fs.writeFileSync(
      slice,
      Buffer.concat(await Array.fromAsync(pieces, (piece) => Buffer.from(piece))),
    )
    await connection.run(`CREATE OR REPLACE VIEW raw AS SELECT * FROM read_csv('${slice}', auto_detect=false,
      header=false, delim=',', quote='"', escape='"', strict_mode=true, ignore_errors=true, null_padding=false,
      new_line='\\n', columns={${header.map((name) => `'${name}': 'VARCHAR'`).join(', ')}})`)
    await connection.run(
      place === 0 ? `CREATE TABLE ${table} AS ${select}` : `INSERT INTO ${table} ${select}`,
    )
  }
  assert.ok(units.length > 3 && counts.repaired > 0 && counts.tooLong === 0)
  const reasons = await connection.runAndReadAll(
    `SELECT DISTINCT unnest(coalesce(_flaws, [_reject])) FROM ${table} WHERE coalesce(_reject, _flaws[1]) IS NOT NULL`,
  )
  return new Set(reasons.getColumns().flat() as string[])
}

test('Dirty input: units, repair and cleaning find what plain code finds, and count the rest by reason', async () => {
  const facts = await make('dirty', {
    reviews: 3000,
    books: 1500,
    dirt: 20,
    hasBrokenBytes: true,
    lineEnd: '\r\n',
  })
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await loadBookTables(connection, facts)
  const bookFile = { file: facts.booksPath, rules: BOOKS, unitBytes: 150_000 }
  const bookReasons = await readAll(connection, 'cleaned_books', bookFile)
  assert.deepEqual(
    bookReasons,
    new Set(['title:missing', 'authors:not-a-list', 'categories:not-a-list', 'year:no-year']),
  )
  const reviewFile = { file: facts.reviewsPath, rules: REVIEWS, unitBytes: 400_000 }
  const reviewReasons = await readAll(connection, 'cleaned_reviews', reviewFile)
  assert.deepEqual(
    reviewReasons,
    new Set(['title:missing', 'score:missing', 'score:not-a-number', 'score:out-of-range']),
  )
  const pairs = [
    ['title, authors, publisher, year, categories', 'books', 'cleaned_books'],
    [
      'title, score',
      '(SELECT title, (score / 1000000)::DECIMAL(18,6) AS score FROM reviews)',
      'cleaned_reviews',
    ],
    ['title, sentiment', 'reviews', '(SELECT *, length(text) AS sentiment FROM cleaned_reviews)'],
  ]
  for (const [columns, plain, cleaned] of pairs) {
    const kept = `SELECT ${columns} FROM ${cleaned} WHERE _reject IS NULL`
    for (const difference of [
      `SELECT ${columns} FROM ${plain} EXCEPT ALL ${kept}`,
      `${kept} EXCEPT ALL SELECT ${columns} FROM ${plain}`,
    ]) {
      assert.deepEqual((await connection.runAndReadAll(difference)).getRowsJson(), [], difference)
    }
  }
})
