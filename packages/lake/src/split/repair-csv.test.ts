// Goal: repaired records are read by DuckDB's strict reader exactly as the dialect says, and
// well-formed ones are not touched. Method: random broken files in random chunks, read by DuckDB
// and by a plain parser.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import * as fc from 'fast-check'
import { RECORD_LIMIT_BYTES, type Delimiter } from './dialect.ts'
import { repairCsv, noRepairs } from './repair-csv.ts'
import { plainRows } from '../../test/split/records-fixture.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-repair-'))
const file = path.join(folder, 'repaired.csv')
after(() => fs.rmSync(folder, { recursive: true }))

const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
const connection = await instance.connect()

async function repair(bytes: Buffer, chunkBytes: number, delimiter: Delimiter = ',') {
  const counts = noRepairs()
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const repaired = repairCsv(chunks(), { delimiter, fields: 2 }, counts)
  const pieces = await Array.fromAsync(repaired, (piece) => Buffer.from(piece))
  return { repaired: Buffer.concat(pieces), counts }
}

async function readStrictly(
  bytes: Buffer,
  delimiter: Delimiter,
  columns = '*',
): Promise<(string | null)[][]> {
  fs.writeFileSync(file, bytes)
  const reader = await connection.runAndReadAll(
    `SELECT ${columns} FROM read_csv('${file}', auto_detect=false, header=false, delim='${delimiter}', quote='"', escape='"',
      strict_mode=true, null_padding=false, ignore_errors=true, new_line='\\n',
      columns={'a': 'VARCHAR', 'b': 'VARCHAR'})`,
  )
  return reader.getRows() as (string | null)[][]
}

const PARTS = [
  '"',
  '""',
  ',',
  '\n',
  '\r\n',
  '\r',
  'a',
  'text',
  ' ',
  ',"',
  '",',
  '"\n',
  '"\r\n',
  '\t',
  'é',
  '\xff',
]
const dirty = fc
  .array(fc.constantFrom(...PARTS), { maxLength: 60 })
  .map((parts) =>
    Buffer.concat(parts.map((part) => Buffer.from(part, part === '\xff' ? 'latin1' : 'utf8'))),
  )

test('Dirty input: the strict reader finds in repaired bytes what the dialect says of the broken ones', async () => {
  const property = fc.asyncProperty(
    dirty,
    fc.integer({ min: 1, max: 80 }),
    fc.constantFrom(',' as const, '\t' as const),
    async (bytes, chunkBytes, delimiter) => {
      const { repaired } = await repair(bytes, chunkBytes, delimiter)
      const rows = plainRows(bytes, delimiter, 2)
      assert.deepEqual(await readStrictly(repaired, delimiter), rows)
      // With fewer columns it takes other ways.
      const second = rows.map(([, b]) => [b ?? null])
      assert.deepEqual(await readStrictly(repaired, delimiter, 'b'), second)
    },
  )
  await fc.assert(property, { seed: 11, numRuns: 800 })
})

test('well-formed records pass byte for byte', async () => {
  const bytes = Buffer.from('a,"b ""c"", d\ne"\n"",\n"x",y\n\nz,"w"')
  for (const chunkBytes of [1, 3, 1000]) {
    const { repaired, counts } = await repair(bytes, chunkBytes)
    assert.equal(repaired.toString(), bytes.toString())
    assert.deepEqual({ ...counts, longest: 0 }, noRepairs())
  }
})

test('repaired records are counted', async () => {
  const bytes = Buffer.concat([
    Buffer.from('"a"b,c\nd,e "f" g\nok,ok\n'),
    Buffer.from('h\xff,i\n', 'latin1'),
  ])
  const { counts } = await repair(bytes, 5)
  assert.deepEqual({ ...counts, longest: 0 }, { ...noRepairs(), repaired: 2, notUtf8: 1 })
})

test('a record without an end is dropped once it is too long, and the next one is read', async () => {
  const long = 'x'.repeat(RECORD_LIMIT_BYTES)
  const bytes = Buffer.from(`a,b\n"${long}\n",c\nd,e\n"f,${long}`)
  for (const chunkBytes of [4_000_000, bytes.length]) {
    const { repaired, counts } = await repair(bytes, chunkBytes)
    assert.equal(repaired.toString(), 'a,b\nd,e\n')
    assert.equal(counts.tooLong, 2)
  }
})

test('Dirty input: a field too many is seen whatever is in it and whichever columns are asked for', async () => {
  const bytes = Buffer.from('a,b,"x ""y"""\nc,d\n"e","f",,"""",\ng,"h",""\n"i ""j""",k\n')
  const { repaired, counts } = await repair(bytes, 7)
  assert.equal(counts.repaired, 0)
  for (const columns of ['a', 'b', 'a, b']) {
    const rows = await readStrictly(repaired, ',', columns)
    assert.equal(rows.length, 3, columns)
  }
})
