// Goal: a file is known before anything runs, and what is wrong with it is said in words that help. Method: small
// files of every kind and with every mistake.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import type { InputRules } from '../model.ts'
import { inferRules, withTypes } from './infer-rules.ts'
import { inspectFile } from './inspect-file.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-bind-'))
after(() => fs.rmSync(folder, { recursive: true }))

function write(name: string, content: string | Buffer): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, content)
  return file
}

test('the header of a CSV file is no record, whatever marks and quotes it has', async () => {
  const head = '\ufeff"Title","review/score", text \r\n'
  const file = write('a.csv', `${head}"A",5.0,"x\r\ny"\r\n`)
  const bytes = fs.statSync(file).size
  const binding = await inspectFile({ path: file })
  assert.deepEqual(binding.header, ['Title', 'review/score', 'text'])
  assert.deepEqual(binding.units, [{ kind: 'range', from: Buffer.byteLength(head), to: bytes }])
  assert.deepEqual(binding.file, {
    at: 'outside',
    name: file,
    bytes,
    changedAtMs: fs.statSync(file).mtimeMs,
  })
  const kept = await inspectFile({ path: file, lakeName: 'inputs/1' })
  assert.deepEqual(kept.file, { at: 'lake', name: 'inputs/1', bytes })
})

test('the kind of a file is in its name, else in its first bytes', async () => {
  const texts: [name: string, content: string, format: string][] = [
    ['b.tsv', 'a,b\tc\n', 'tsv'],
    ['b.ndjson', '{"a":1}\n', 'jsonl'],
    ['b1', 'a,b\n', 'csv'],
    ['b2', 'a\tb\n', 'tsv'],
    ['b3', '{"a":1}\n', 'jsonl'],
    ['b4.csv', '{"a":1}\n', 'csv'],
  ]
  for (const [name, content, format] of texts) {
    assert.equal((await inspectFile({ path: write(name, content) })).format, format)
  }
  const asked = await inspectFile({ path: write('b5', 'a,b\n'), name: 'b.tsv' })
  assert.deepEqual(asked.header, ['a,b'])
  assert.equal((await inspectFile({ path: write('b6', 'WARC/1.1\r\n') })).format, 'warc')
})

test('a packed file is one unit behind its header', async () => {
  const file = write('c.csv.gz', gzipSync('a,b\n1,2\n'))
  const binding = await inspectFile({ path: file })
  assert.equal(binding.compression, 'gzip')
  assert.deepEqual(binding.units, [{ kind: 'range', from: 4, to: Number.MAX_SAFE_INTEGER }])
  assert.deepEqual((await inferRules(file, binding)).columns, {
    a: { type: 'integer' },
    b: { type: 'integer' },
  })
})

const RULES: InputRules = {
  columns: { title: { type: 'text' }, score: { from: 'review/score', type: 'decimal' } },
}

test('missing, nameless and repeated columns are refused by name', async () => {
  const look = (name: string, content: string) =>
    inspectFile({ path: write(name, content) }, { rules: RULES })
  await look('d0.csv', 'Title,review/score\n')
  await assert.rejects(look('d1.csv', 'Titles,review/score\n'), /"title"; near: Titles/)
  await assert.rejects(look('d2.csv', 'a,title,A\n'), /two columns "A"/)
  await assert.rejects(look('d3.csv', 'a,,b\n'), /Column 2 .* no name/)
  await assert.rejects(look('d4.csv', ''), /does not name its columns/)
  const wide = Buffer.from('title,review/score\n', 'utf16le').toString('latin1')
  await assert.rejects(look('d5.csv', wide), /column 1 of .* zero byte.* save it as UTF-8/)
  await assert.rejects(inspectFile({ path: path.join(folder, 'nowhere.csv') }), {
    code: 'MINGA_BAD_INPUT',
  })
  await assert.rejects(inspectFile({ path: folder }), /is not a file/)
})

test('a field that no object has yet is no mistake', async () => {
  const binding = await inspectFile(
    { path: write('e.jsonl', '{"Title":1}\nbroken\n{"b":2}\n') },
    { rules: RULES },
  )
  assert.deepEqual(binding.header, ['Title', 'b', 'review/score'])
})

test('a field of an object that SQL cannot name is no column', async () => {
  const file = write('e1.jsonl', '{"":1,"a\\u0000b":2,"c":3}\n')
  assert.deepEqual((await inspectFile({ path: file })).header, ['c'])
})

test('types are inferred from values, and the caller may override them', async () => {
  const rows = [
    'ISBN,review/score,n,when,day,ok,names,more,Price,empty',
    `0826414346,5.0,7,2020-01-01T10:00:00Z,2020-01-01,true,"['A', ""O'B""]","{""a"":1}",1e3,`,
    `,4,-8,2020-01-01 11:00:00+01:00,2020-01-02,FALSE,[],[1],2.5,`,
  ]
  const file = write('f.csv', `${rows.join('\n')}\n`)
  const rules = await inferRules(file, await inspectFile({ path: file }))
  assert.deepEqual(rules.columns, {
    isbn: { from: 'ISBN', type: 'text' },
    review_score: { from: 'review/score', type: 'decimal' },
    n: { type: 'integer' },
    when: { type: 'instant' },
    day: { type: 'date' },
    ok: { type: 'boolean' },
    names: { type: 'list' },
    more: { type: 'json' },
    price: { from: 'Price', type: 'number' },
    empty: { type: 'text' },
  })
  assert.equal(withTypes(rules, { n: 'text' }).columns['n']?.type, 'text')
  assert.equal(
    withTypes(rules, { 'review/score': 'number' }).columns['review_score']?.type,
    'number',
  )
  assert.throws(() => withTypes(rules, { scored: 'text' }), /near|there are/)
})

test('objects and Parquet files bring types of their own', async () => {
  const lines = write(
    'g.jsonl',
    '{"id":1,"tags":["a"],"deep":{"x":1},"t":"00"}\n{"id":2.5,"tags":null}\n',
  )
  assert.deepEqual((await inferRules(lines, await inspectFile({ path: lines }))).columns, {
    id: { type: 'decimal' },
    tags: { type: 'list' },
    deep: { type: 'json' },
    t: { type: 'text' },
  })
  const file = path.join(folder, 'h.parquet')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(
    `COPY (SELECT 1 AS id, 'x' AS "The Name", ['a'] AS tags, 1.5::DOUBLE AS n, now() AS seen) TO '${file}' (FORMAT parquet)`,
  )
  const binding = await inspectFile({ path: file, lakeName: 'inputs/h' })
  assert.deepEqual(binding.units, [{ kind: 'range', from: 0, to: fs.statSync(file).size }])
  assert.deepEqual((await inferRules(file, binding)).columns, {
    id: { type: 'integer' },
    the_name: { from: 'The Name', type: 'text' },
    tags: { type: 'list' },
    n: { type: 'number' },
    seen: { type: 'instant' },
  })
})
