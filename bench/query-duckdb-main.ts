/**
 * DuckDB alone, in a process of its own: statements from a file of JSON, one after another.
 *   node bench/query-duckdb-main.ts STATEMENTS.json SPILL_FOLDER
 */
import { readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'

const THREADS = '2'

const [file = '', spill = ''] = process.argv.slice(2)
const statements = JSON.parse(readFileSync(file, 'utf8')) as string[]
const instance = await DuckDBInstance.create(':memory:', {
  threads: THREADS,
  temp_directory: spill,
  default_null_order: 'nulls_last',
})
const connection = await instance.connect()
for (const sql of statements) await connection.run(sql)
connection.closeSync()
instance.closeSync()
