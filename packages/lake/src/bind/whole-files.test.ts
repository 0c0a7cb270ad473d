// Goal: files that have a form of their own, Parquet and WARC, are cleaned and counted like all others. Method: small
// files of both kinds are bound, given rules, and read by a task.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { sampleArchive } from '../../../archive/test/sample-exchange.ts'
import { KernelBench, parquetOutput } from '../../test/kernel/kernel-fixture.ts'
import type { InputRules } from '../model.ts'
import { inferRules } from './infer-rules.ts'
import { inspectFile } from './inspect-file.ts'

const bench = new KernelBench()

/** Rows of the file by these rules, or by its own, and what was dropped or emptied. */
async function readFile(file: string, given?: InputRules) {
  const { kind: _, units, ...binding } = await inspectFile({ path: file })
  const [unit] = units
  assert.ok(unit?.kind === 'range' && units.length === 1)
  const rules = given ?? (await inferRules(file, { kind: 'file', units, ...binding }))
  const columns = Object.keys(rules.columns)
  const read = { ...binding, ...unit, as: 'input', unit: 0, rules, columns, withRow: false }
  const done = await bench.run({ reads: [read], outputs: [parquetOutput('input')] })
  return { rows: await bench.rows(done), rejects: done.rejects, rowsRead: done.rowsRead }
}

test('a Parquet file is imported by its own types, under names that SQL takes', async () => {
  const file = path.join(bench.folder, 'own.parquet')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (SELECT 7 AS id, ' a ' AS "The Name", ['x, y', 'it''s', '"'] AS tags, 1e300 AS n,
      12345678.123456::DECIMAL(18,6) AS price, TIMESTAMPTZ '2020-01-01 10:00:00.5+02' AS seen,
      DATE '2020-02-29' AS day, true AS ok, {'deep': [1]} AS more
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) TO '${file}' (FORMAT parquet)`)
  const { rows, rejects, rowsRead } = await readFile(file)
  assert.deepEqual(rows, [
    [
      '7',
      'a',
      ['x, y', `it's`, '"'],
      1e300,
      '12345678.123456',
      '2020-01-01 08:00:00.5',
      '2020-02-29',
      true,
      '{"deep":[1]}',
    ],
    [null, null, [], null, null, null, null, null, null],
  ])
  assert.deepEqual(rejects, {})
  assert.equal(rowsRead, 2)
})

test('given rules hold for a Parquet file as well', async () => {
  const file = path.join(bench.folder, 'given.parquet')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(
    `COPY (SELECT * FROM (VALUES (' A ', 9), ('', 3), ('B', 5)) AS t("Title", score)) TO '${file}' (FORMAT parquet)`,
  )
  const rules: InputRules = {
    columns: {
      title: { from: 'Title', type: 'text', isRequired: true },
      score: { type: 'decimal', most: 5 },
    },
  }
  assert.deepEqual(await readFile(file, rules), {
    rows: [
      ['A', null],
      ['B', '5.000000'],
    ],
    rejects: { 'score:out-of-range': 1, 'title:missing': 1 },
    rowsRead: 3,
  })
})

test('captures of a WARC file are rows, and a damaged record is counted', async () => {
  const file = path.join(bench.folder, 'sample.warc.gz')
  const archive = sampleArchive([Buffer.from('one'), Buffer.from('two'), Buffer.from('three')])
  fs.writeFileSync(file, archive)
  const { rows, rejects } = await readFile(file)
  const shown = rows.map(([url, at, status, mime]) => [url, at, status, mime])
  const row = (place: number) => [
    `http://example.org/${place}`,
    '2026-05-06 07:08:09.123',
    '200',
    'text/html',
  ]
  assert.deepEqual(shown, [0, 1, 2].map(row))
  assert.deepEqual(rejects, {})
  const cut = path.join(bench.folder, 'cut.warc.gz')
  fs.writeFileSync(cut, archive.subarray(0, archive.length - 40))
  const whole = await readFile(cut)
  assert.deepEqual(whole.rejects, { 'url:missing': 1 })
  assert.equal(whole.rows.length, 3)
})
