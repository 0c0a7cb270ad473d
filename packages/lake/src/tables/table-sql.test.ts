// Goal: a table at a version is a SELECT with exactly its columns and types, whatever its files lack.
// Method: DuckDB runs it, over nothing, over old and new files, and from a folder with an awkward name.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Column } from '../model.ts'
import { selectOf } from './table-sql.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "minga [x]* it's a=b "))
after(() => fs.rmSync(folder, { recursive: true, force: true }))

const connection = await (await DuckDBInstance.create(':memory:')).connect()
const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()

const pathOf = (file: string): string => path.join(folder, file)
const literal = (file: string): string => `'${pathOf(file).replaceAll("'", "''")}'`

const COLUMNS: Column[] = [
  { name: 'a', type: 'BIGINT' },
  { name: 'order "by"', type: 'VARCHAR[]' },
  { name: 'new', type: 'DECIMAL(18,6)' },
]

const select = (...files: string[]): string => {
  const segments = files.map((file) => ({ file, rows: 1, bytes: 1 }))
  return selectOf({ table: 't', version: 1, columns: COLUMNS, segments }, pathOf)
}

const TYPES = COLUMNS.map(({ name, type }) => [name, type])

test('a table without segments has its columns and no rows', async () => {
  const described = await ask(`DESCRIBE ${select()}`)
  assert.deepEqual(
    described.map((row) => row.slice(0, 2)),
    TYPES,
  )
  assert.deepEqual(await ask(select()), [])
})

test('files that lack a column give NULL, and narrower types become the column’s own', async () => {
  await ask(`COPY (SELECT 1::INTEGER AS a) TO ${literal('1')} (FORMAT parquet)`)
  await ask(
    `COPY (SELECT ['x'] AS "order ""by""", 2::BIGINT AS a, 9 AS extra) TO ${literal('2')} (FORMAT parquet)`,
  )
  assert.deepEqual(await ask(select('2', '1')), [
    ['2', ['x'], null],
    ['1', null, null],
  ])
  const described = await ask(`DESCRIBE ${select('1')}`)
  assert.deepEqual(
    described.map((row) => row.slice(0, 2)),
    TYPES,
  )
})

test('only the columns that are asked for are read, and conditions reach the files', async () => {
  const sql = `EXPLAIN SELECT "order ""by""" FROM (${select('2', '1')}) WHERE a > 1`
  const plan = JSON.stringify(await ask(sql))
  assert.match(plan, /Filters: a>1/)
  assert.doesNotMatch(plan, /extra/)
})
