// Goal: `minga query run` keeps its contract with scripts. Method: the command as a process on made-up
// books with all their dirt; its files are judged by an oracle that parses byte by byte, and by eyes on the folder
// while it runs.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeBooks, type BooksFacts } from '@minga/lake'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { askBooksOracle, type BookAnswers } from '../../packages/lake/test/books/books-oracle.ts'
import { scorerOf } from '../../packages/lake/src/sentiment/scorers.ts'
import { MINGA, mingaOutput, runMinga } from './run-minga.ts'
import { startStation } from './station-process.ts'

const NAMES = ['books-1', 'books-2', 'books-3', 'books-4', 'books-5'] as const
const REVIEWS = 6_000
/** In place of the 500 of the public set, so that some books have enough. */
const POPULAR = 40

/** Two work in the first test, and four in the one that looks at rows while they come. */
const WORKERS = process.env['MINGA_LONG'] === '1' ? ['1', '2', '4', '8'] : ['1']

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-query-'))
let books: BooksFacts
let expected: BookAnswers
/** Of the first run of all queries. */
let rejects: Record<string, number> = {}

before(async () => {
  books = await writeBooks({ folder, seed: 81, reviews: REVIEWS, popular: POPULAR })
  const { booksPath, reviewsPath } = books
  const sentiment = scorerOf('en')
  expected = await askBooksOracle({ booksPath, reviewsPath, sentiment, leastReviews: POPULAR })
})
after(async () => {
  await endAllProcesses()
  fs.rmSync(folder, { recursive: true, force: true })
})

const inputs = (): string[] => [
  '--input',
  `books=${books.booksPath}`,
  '--input',
  `reviews=${books.reviewsPath}`,
]
const asked = (names: readonly string[]): string[] => [
  'query',
  'run',
  ...names,
  ...inputs(),
  ...(names.some((name) => /[34]$/.test(name)) ? ['--param', `least=${POPULAR}`] : []),
]

function assertAnswers(out: string, names: readonly (keyof BookAnswers)[]): void {
  assert.deepEqual(
    fs.readdirSync(out).toSorted(),
    names.map((name) => `${name}.csv`),
  )
  for (const name of names) {
    assert.equal(fs.readFileSync(path.join(out, `${name}.csv`), 'utf8'), expected[name], name)
  }
}

describe('minga query run', () => {
  test('Five queries, together or selected: answers equal those of an independent parser and plain SQL', async () => {
    const out = path.join(folder, 'together')
    const data = path.join(folder, 'one')
    const told = JSON.parse(
      await mingaOutput(...asked(NAMES), '--out', out, '--workers', '2', '--data', data, '--json'),
    ) as { queries: { name: string; rows: number }[]; rejects: Record<string, number> }
    assertAnswers(out, NAMES)
    rejects = told.rejects
    for (const { name, rows } of told.queries) assert.ok(rows > 0, name)

    const some = path.join(folder, 'some')
    await mingaOutput(...asked(['books-4', 'books-1']), '--out', some, '--data', data)
    assertAnswers(some, ['books-1', 'books-4'])
  })

  test('Dirty input: what was dropped and what was emptied is counted by reason', () => {
    for (const reason of [
      'title:missing',
      'score:not-a-number',
      'authors:not-a-list',
      'year:no-year',
    ]) {
      assert.ok((rejects[reason] ?? 0) > 0, `${reason} in ${JSON.stringify(rejects)}`)
    }
  })

  test('Any operator at any parallelism, **counting included**: however many workers there are, they write the same bytes', async () => {
    for (const workers of WORKERS) {
      const out = path.join(folder, `by-${workers}`)
      const data = path.join(folder, `data-${workers}`)
      await mingaOutput(...asked(NAMES), '--out', out, '--workers', workers, '--data', data)
      assertAnswers(out, NAMES)
    }
  })

  test('Results while it runs: rows are there before the answer is, and the answer is never there in part', async () => {
    const out = path.join(folder, 'watched')
    const data = path.join(folder, 'watched-data')
    const run = await startProcess(process.execPath, [
      MINGA,
      ...asked(NAMES),
      '--out',
      out,
      '--workers',
      '4',
      '--data',
      data,
    ])
    let seen = 0
    while (run.exit() === undefined) {
      for (const name of NAMES) {
        const answer = read(path.join(out, `${name}.csv`))
        assert.ok(answer === null || answer === expected[name], `${name}.csv is whole`)
        const rows = read(path.join(out, '.partial', `${name}.jsonl`))
        if (rows !== null && rows !== '' && answer === null) seen++
      }
      await sleep(5)
    }
    assert.ok(seen > 0, 'rows came before the answers')
    assertAnswers(out, NAMES)
  })

  test('killed −9, the same command goes on with the same query and ends with the same answers', async () => {
    const out = path.join(folder, 'killed')
    const data = path.join(folder, 'killed-data')
    const command = [...asked(NAMES), '--out', out, '--data', data]
    // Each worker stands still with its first task, written and not committed: the query has begun and cannot end
    // before the kill. There are so few tasks that not every worker gets a second one.
    const env = { MINGA_FAULTS: 'delay:10000@task:after-write#1' }
    const run = await startProcess(process.execPath, [MINGA, ...command], { env })
    const begun = path.join(out, '.partial', 'query.json')
    while (read(begun) === null) await sleep(10)
    await sleep(1_500)
    run.kill9()
    await run.waitExit(10_000)
    const { id } = JSON.parse(read(begun)!) as { id: string }
    const told = JSON.parse(await mingaOutput(...command, '--json')) as { id: string }
    assert.equal(told.id, id)
    assertAnswers(out, NAMES)
  })

  test('tables that were imported by the rules of a query answer as the files do, also in SQL', async () => {
    const data = path.join(folder, 'tables')
    const importing = async (file: string, table: string): Promise<string> =>
      mingaOutput(
        'table',
        'import',
        file,
        '--as',
        table,
        '--like',
        `books-3.${table}`,
        '--data',
        data,
      )
    await importing(books.booksPath, 'books')
    await importing(books.reviewsPath, 'reviews')
    const out = path.join(folder, 'from-tables')
    const tables = [
      '--table',
      'books=books',
      '--table',
      'reviews=reviews',
      '--param',
      `least=${POPULAR}`,
    ]
    await mingaOutput('query', 'run', 'books-3', 'books-4', ...tables, '--out', out, '--data', data)
    assertAnswers(out, ['books-3', 'books-4'])
    const counted = await mingaOutput(
      'sql',
      'SELECT count(*) AS n FROM reviews',
      '--data',
      data,
      '--json',
    )
    assert.ok((JSON.parse(counted) as { rows: number[][] }).rows[0]![0]! > REVIEWS / 2)
  })

  test('through a station elsewhere the files go up, its workers work and the answers come back', async () => {
    const station = await startStation(path.join(folder, 'station'), { workers: 1 })
    const out = path.join(folder, 'remote')
    const there = ['--station', station.url, '--key', station.apiKey]
    await mingaOutput(
      ...asked(['books-2', 'books-3']),
      '--out',
      out,
      ...there,
      '--data',
      path.join(folder, 'none'),
    )
    assertAnswers(out, ['books-2', 'books-3'])
    assert.equal(fs.existsSync(path.join(folder, 'none')), false)
  })
})

describe('what is wrong with a question', () => {
  const wrong = async (...args: string[]): Promise<{ code: number | null; err: string }> => {
    const { code, stderr: err } = await runMinga(...args, '--data', path.join(folder, 'wrong'))
    return { code, err }
  }

  test('a query, an input or a column that is not there is named, before anything runs', async () => {
    const unknown = await wrong('query', 'run', 'books-9', ...inputs())
    assert.equal(unknown.code, 2)
    assert.match(unknown.err, /books-9/)
    const missing = await wrong('query', 'run', 'books-1')
    assert.match(missing.err, /books/)
    assert.equal(missing.code, 2)
    const file = await wrong('query', 'run', 'books-1', '--input', 'books=/nowhere/at/all.csv')
    assert.deepEqual([file.code, /all\.csv cannot be read/.test(file.err)], [2, true])
    const swapped = await wrong('query', 'run', 'books-1', '--input', `books=${books.reviewsPath}`)
    assert.equal(swapped.code, 2)
    assert.match(swapped.err, /authors/)
  })
})

function read(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
