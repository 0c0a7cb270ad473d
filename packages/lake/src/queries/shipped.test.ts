// Goal: every shipped query answers, and a new one is a file and nothing else. Method: the queries
// over small tables with the columns of the real ones, against answers counted manually; a sixth
// query about books written into a folder, found there and run together with the five.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Binding } from '../model.ts'
import { PlanBench } from '../../test/plan/plan-fixture.ts'
import { planQueries } from '../plan/plan-queries.ts'
import { readQueries, shippedQueries } from '../plan/query-files.ts'

const bench = new PlanBench()

async function answer(name: string, bindings: Record<string, Binding>): Promise<string[]> {
  const query = (await shippedQueries()).get(name)
  assert.ok(query, name)
  const plan = await planQueries([{ query }], bindings, { format: 'csv' })
  const answers = await bench.run(plan)
  return answers[name]!.trim().split('\n')
}

const captures = () =>
  bench.table(
    'captures',
    `SELECT host || '/' || path AS url, host, domain, country, status, CAST(bytes AS BIGINT) AS bytes FROM (VALUES
     ('a.example.org', 'x', 'example.org', 'UY', 200, 100), ('a.example.org', 'x', 'example.org', 'UY', 200, 50),
     ('b.example.org', 'y', 'example.org', NULL, 404, 10), ('other.net', 'z', 'other.net', 'DE', 500, 1000)
     ) t(host, path, domain, country, status, bytes)`,
  )

const revisions = () =>
  bench.table(
    'revisions',
    `SELECT 'es' AS wiki, CAST(page AS BIGINT) AS page_id, CAST(moment AS TIMESTAMP) AS "at", editor FROM (VALUES
     (1, '2024-01-01 10:30:00', 'Ana'), (1, '2024-01-08 10:59:59', 'Ana'), (2, '2024-01-02 00:00:00', 'Ana'),
     (2, '2024-01-07 23:00:00', 'Beto'), (2, '2024-01-07 23:01:00', NULL)) t(page, moment, editor)`,
  )

test('captures are counted by host and country, with their errors and bytes', async () => {
  assert.deepEqual(await answer('captures-by-host', { captures: await captures() }), [
    'host,country,captures,errors,bytes',
    'other.net,DE,1,1,1000',
    'a.example.org,UY,2,0,150',
    'b.example.org,,1,1,10',
  ])
})

test('the busiest domains are those with the most captures', async () => {
  assert.deepEqual(await answer('busiest-domains', { captures: await captures() }), [
    'domain,captures,addresses,bytes',
    'example.org,3,2,160',
    'other.net,1,1,1000',
  ])
})

test('the most volatile pages come first, by changes that count', async () => {
  const changes = await bench.table(
    'changes',
    `SELECT url, CAST(moment AS TIMESTAMP) AS "at", CAST(content AS DOUBLE) AS content, is_counted FROM (VALUES
     ('/a', '2024-01-01', 0.1, true), ('/a', '2024-01-03', 0.2, true), ('/a', '2024-01-04', 1, false),
     ('/b', '2024-01-02', 0.5, true), ('/c', '2024-01-02', 0.7, true)) t(url, moment, content, is_counted)`,
  )
  assert.deepEqual(await answer('most-volatile', { changes }), [
    'url,changes,content,lastAt',
    '/a,2,0.150000,2024-01-03 00:00:00',
    '/c,1,0.700000,2024-01-02 00:00:00',
    '/b,1,0.500000,2024-01-02 00:00:00',
  ])
})

test('editors are counted by wiki with their pages, first and last edit', async () => {
  assert.deepEqual(await answer('top-editors', { revisions: await revisions() }), [
    'wiki,editor,edits,pages,firstAt,lastAt',
    'es,Ana,3,2,2024-01-01 10:30:00,2024-01-08 10:59:59',
    'es,Beto,1,1,2024-01-07 23:00:00,2024-01-07 23:00:00',
  ])
})

test('edits are counted by weekday and hour', async () => {
  assert.deepEqual(await answer('edits-by-hour', { revisions: await revisions() }), [
    'wiki,weekday,hour,edits,editors',
    'es,1,10,2,1',
    'es,2,0,1,1',
    'es,7,23,2,1',
  ])
})

test('a table without any segment gives files with a header and nothing below it', async () => {
  const full = await captures()
  assert.ok(full.kind === 'table')
  const empty: Binding = { ...full, manifest: { ...full.manifest, segments: [] } }
  assert.deepEqual(await answer('busiest-domains', { captures: empty }), [
    'domain,captures,addresses,bytes',
  ])
})

const source = (file: string): string => pathToFileURL(path.join(import.meta.dirname, file)).href

/** As docs/queries.md shows it; only where it imports from is another folder's. */
const SIXTH = `
import { count, defineQuery, max } from '${source('../plan/define-query.ts')}'
import { books, distinctBooks } from '${source('parts/books.ts')}'

export const query = defineQuery({
  name: 'books-6',
  about: 'Publishers with the most books since a year',
  inputs: { books },
  parameters: { since: { type: 'integer', default: 2000, about: 'First year of publication' } },
  from: distinctBooks
    .filter('publisher IS NOT NULL AND year >= $since')
    .group(['publisher'], { books: count(), latest: max('year') }),
  output: {
    columns: ['publisher', 'books', 'latest'],
    order: [{ column: 'books', descending: true }, { column: 'publisher' }],
  },
})
`

test('A new query is one small file reusing the operators: a sixth is found in its folder and runs together with a shipped one', async () => {
  const folder = path.join(bench.folder, 'new')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'books-6.ts'), SIXTH)
  const sixth = (await readQueries(folder)).get('books-6')
  const second = (await shippedQueries()).get('books-2')
  assert.ok(sixth && second)
  const rows = [
    ['One', "['A']", 'Sol', '2001'],
    ['One', "['A']", 'Luna', '2002'],
    ['Two', "['A']", 'Sol', '2020-05'],
    ['Three', "['B']", 'Luna', '2000'],
    ['Four', "['B']", 'Luna', '1999'],
    ['Five', "['B']", '', '2005'],
  ]
  const header = ['Title', 'authors', 'publisher', 'publishedDate']
  const plan = await planQueries(
    [{ query: sixth }, { query: second, parameters: { decades: 2 } }],
    {
      books: bench.csv(
        'books',
        [...header, 'categories'],
        rows.map((row) => [...row, '[]']),
        3,
      ),
    },
    { format: 'csv', partitions: 2 },
  )
  assert.deepEqual(await bench.run(plan), {
    'books-6': 'publisher,books,latest\nSol,2,2020\nLuna,1,2000\n',
    'books-2': 'author\nA\nB\n',
  })
})

test('a file whose name is not that of its query, or that holds none, is refused by its name', async () => {
  const folder = path.join(bench.folder, 'wrong')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'seven.ts'), SIXTH)
  await assert.rejects(readQueries(folder), /seven\.ts holds the query "books-6"/u)
  const other = path.join(bench.folder, 'empty')
  mkdirSync(other)
  writeFileSync(path.join(other, 'none.ts'), 'export const nothing = 1\n')
  await assert.rejects(readQueries(other), /none\.ts exports no query/u)
})
