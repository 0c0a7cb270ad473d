// Goal: whatever a file of a worker does to what reads its rows, the station lives and the next page is read. Method:
// whole files, broken ones and files outside of the lake; the process is killed as a crash of native code would.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { systemClock } from '@minga/protocol'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { ownRunner } from '../duckdb/runner.ts'
import { RowsReader } from './rows-reader.ts'

const root = temporaryFolder()
const closing = new AbortController()
after(() => closing.abort())
const newReader = (): RowsReader =>
  new RowsReader({
    files: { root },
    runner: ownRunner,
    clock: systemClock,
    closing: closing.signal,
  })
const page = { columns: ['word', 'times'], skip: 1, most: 2 }
const ROWS = [
  ['b', 1],
  ['c', 2],
]

async function writeParquet(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const values = `(VALUES ('a', 0::BIGINT), ('b', 1), ('c', 2), ('d', 3)) AS v(word, times)`
  await connection.run(`COPY (FROM ${values}) TO '${path}' (FORMAT parquet)`)
  connection.closeSync()
}

const whole = join(root, 'whole.parquet')
await writeParquet(whole)

test('one process reads page after page, and another takes its place when it dies', async () => {
  const reader = newReader()
  assert.deepEqual((await reader.ofFile(whole, page)).rows, ROWS)
  const { pid } = reader
  assert.ok(pid !== null && pid !== process.pid)
  assert.deepEqual((await reader.ofFile(whole, page)).rows, ROWS)
  assert.equal(reader.pid, pid)
  process.kill(pid, 'SIGKILL')
  assert.deepEqual((await reader.ofFile(whole, page)).rows, ROWS)
  assert.notEqual(reader.pid, pid)
})

test('a file that breaks its reader is refused, and the next page is read', async () => {
  const reader = newReader()
  await reader.ofFile(whole, page)
  const killed = new Set<number>()
  const killing = setInterval(() => {
    const { pid } = reader
    if (pid === null || killed.has(pid)) return
    killed.add(pid)
    process.kill(pid, 'SIGKILL')
  }, 5)
  const many = `SELECT count(*) FROM range(1000000000) AS a(x), range(1000) AS b(y) WHERE x % 7 = y % 3`
  await assert.rejects(reader.ofSelect(many, { skip: 0, most: 1, files: [] }), {
    code: 'MINGA_BAD_INPUT',
    message: /crashed its reader/,
  })
  clearInterval(killing)
  assert.deepEqual((await reader.ofFile(whole, page)).rows, ROWS)
})

test('files that are no Parquet are refused without the paths of the machine, and nothing outside of the lake is read', async () => {
  const reader = newReader()
  const bytes = readFileSync(whole)
  const cut = join(root, 'cut.parquet')
  writeFileSync(cut, bytes.subarray(0, bytes.length - 40))
  const scrambled = join(root, 'scrambled.parquet')
  writeFileSync(
    scrambled,
    bytes.map((byte, at) => (at > bytes.length - 120 && at < bytes.length - 8 ? 255 : byte)),
  )
  const outside = join(temporaryFolder(), 'outside.parquet')
  await writeParquet(outside)
  for (const path of [cut, scrambled, outside]) {
    const error = await reader.ofFile(path, page).catch((caught: Error) => caught)
    assert.ok(error instanceof Error)
    assert.match(error.message, /cannot be read. Check that it is complete/)
    assert.ok(!error.message.includes(root))
  }
  assert.deepEqual((await reader.ofFile(whole, page)).rows, ROWS)
})
