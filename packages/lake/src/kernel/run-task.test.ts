// Goal: a task gives the rows it should, whatever the file holds, and nothing outside its own files is open to it.
// Method: real DuckDB on small files; what was written is read back by another DuckDB.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { InputRules } from '../model.ts'
import { KernelBench, parquetOutput, rangeRead } from '../../test/kernel/kernel-fixture.ts'

const bench = new KernelBench()

const RULES: InputRules = {
  columns: {
    title: { from: 'Title', type: 'text', isRequired: true },
    score: { from: 'Score', type: 'decimal', least: 1, most: 5, onFlaw: 'drop' },
    text: { from: 'Text', type: 'text' },
  },
}
const HEADER = ['Title', 'Score', 'Text']
const HEADER_LINE = 'Title,Score,Text\n'

const csvRead = (name: string, records: string | Buffer) => {
  const content = Buffer.concat([Buffer.from(HEADER_LINE), Buffer.from(records)])
  const file = bench.outside(name, content)
  return rangeRead(file, { rules: RULES, header: HEADER, from: HEADER_LINE.length })
}

test('Dirty input: broken records are kept or dropped as the rules say, and every one is counted', async () => {
  const records = [
    'A,5,fine',
    '  ,4,no title',
    'B,6,too good',
    'C,x,no number',
    'D,3',
    'E,3,too,many',
    'F,2,"closed" then more',
    'G "g",1,stray',
    '',
    '"H, with ""quotes""\r\nand lines",4.5,"x"',
  ].join('\n')
  const bad = Buffer.concat([
    Buffer.from(`${records}\nI`),
    Buffer.from([0xff]),
    Buffer.from(',1,z\n'),
  ])
  const done = await bench.run({
    reads: [csvRead('dirty.csv', bad)],
    outputs: [parquetOutput('input')],
  })
  assert.deepEqual(await bench.rows(done), [
    ['A', '5.000000', 'fine'],
    ['F', '2.000000', 'closed then more'],
    ['G "g"', '1.000000', 'stray'],
    ['H, with "quotes"\r\nand lines', '4.500000', 'x'],
    ['I\ufffd', '1.000000', 'z'],
  ])
  assert.deepEqual(done.rejects, {
    'title:missing': 1,
    'score:out-of-range': 1,
    'score:not-a-number': 1,
    'row:fields': 2,
    'row:quotes': 2,
    'row:not-utf8': 1,
  })
  assert.equal(done.rowsRead, 10)
})

test('rows are numbered by unit and by their order in the file, also behind dropped ones', async () => {
  const read = { ...csvRead('rows.csv', 'A,1,x\n,1,y\nC,1,z\n'), unit: 3, withRow: true }
  const outputs = [parquetOutput('input', { columns: ['title', '_row'] })]
  const done = await bench.run({ reads: [read], outputs })
  const unit = 3n * 2n ** 32n
  assert.deepEqual(await bench.rows(done), [
    ['A', String(unit)],
    ['C', String(unit + 2n)],
  ])
})

test('a range reads its own records and no others, and only the columns that are asked for', async () => {
  const records = 'A,1,x\nB,2,y\nC,3,z\n'
  const read = csvRead('range.csv', records)
  const middle = { from: read.from + 6, to: read.from + 12, columns: ['title'] }
  const done = await bench.run({
    reads: [{ ...read, ...middle }],
    outputs: [parquetOutput('input')],
  })
  assert.deepEqual(await bench.rows(done), [['B']])
  assert.equal(done.bytesRead, 6)
})

test('lines of JSON become the same rows; lines that are no objects are counted', async () => {
  const lines = [
    '{"Title":"A","Score":5,"Text":"x"}',
    '{broken',
    '[1]',
    '{"Title":"B","Score":"2","Text":["y","z"]}',
  ].join('\n')
  const file = bench.outside('lines.jsonl', lines)
  const read = {
    ...rangeRead(file, { rules: RULES, header: HEADER, from: 0 }),
    format: 'jsonl' as const,
  }
  const done = await bench.run({ reads: [read], outputs: [parquetOutput('input')] })
  assert.deepEqual(await bench.rows(done), [
    ['A', '5.000000', 'x'],
    ['B', '2.000000', '["y","z"]'],
  ])
  assert.deepEqual(done.rejects, { 'row:not-json': 2 })
})

test('Dirty input: dropped records can be stored next to the rows, with their reason', async () => {
  const read = {
    ...csvRead('kept.csv', 'A,5,fine\n,4,"no ""title"""\nC\nD,9,x\n'),
    rejectsAs: 'bad',
  }
  const outputs = [
    parquetOutput('input', { columns: ['title'] }),
    parquetOutput('bad', { name: 'bad' }),
  ]
  const done = await bench.run({ reads: [{ ...read, unit: 1 }], outputs })
  assert.deepEqual(await bench.rows(done), [['A']])
  const first = 2n ** 32n
  assert.deepEqual(await bench.rows(done, 'bad'), [
    [String(first + 1n), 'title:missing', '{"Title":null,"Score":"4","Text":"no \\"title\\""}'],
    [String(first + 2n), 'score:out-of-range', '{"Title":"D","Score":"9","Text":"x"}'],
    [null, 'row:fields', 'C'],
  ])
})

test('Dirty input: a record that is too long to be read is stored next to the rows as well', async () => {
  const long = 'x'.repeat(17 * 1024 * 1024)
  const outputs = [
    parquetOutput('input', { columns: ['title'] }),
    parquetOutput('bad', { name: 'bad' }),
  ]
  const csv = csvRead('long.csv', `A,5,fine\nB,4,"${long}"\n`)
  const file = bench.outside('long.jsonl', `{"Title":"A","Score":5}\n{"Title":"${long}"}\n`)
  const rest = { rules: RULES, header: HEADER, from: 0 }
  for (const read of [csv, { ...rangeRead(file, rest), format: 'jsonl' as const }]) {
    const done = await bench.run({ reads: [{ ...read, rejectsAs: 'bad' }], outputs })
    assert.deepEqual(done.rejects, { 'row:too-long': 1 })
    assert.deepEqual(await bench.rows(done), [['A']])
    assert.deepEqual(await bench.rows(done, 'bad'), [[null, 'row:too-long', null]])
  }
})

test('eight times the columns take about eight times the work, and not the square of it', async () => {
  const cpuOf = async (width: number): Promise<number> => {
    const header = Array.from({ length: width }, (_, place) => `c${place}`)
    const rules = { columns: Object.fromEntries(header.map((name) => [name, { type: 'text' }])) }
    const file = bench.outside(`wide-${width}.csv`, `${header.map(() => 'x').join(',')}\n`)
    const read = rangeRead(file, { rules: rules as InputRules, header, from: 0 })
    const before = process.cpuUsage()
    await bench.run({ reads: [read], outputs: [parquetOutput('input')] })
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await cpuOf(10)
  const narrow = await cpuOf(100)
  const wide = await cpuOf(800)
  assert.ok(wide < 25 * narrow, `${wide} µs for 800 columns, ${narrow} µs for 100`)
})

test('packed files are read from behind their header, and a range without records has no rows', async () => {
  const packed = bench.outside('packed.csv.gz', gzipSync(`${HEADER_LINE}A,1,x\nB,2,y\n`))
  const rest = { rules: RULES, header: HEADER, from: HEADER_LINE.length }
  const read = { ...rangeRead(packed, rest), to: Number.MAX_SAFE_INTEGER, columns: ['title'] }
  const outputs = [parquetOutput('input')]
  const done = await bench.run({ reads: [{ ...read, compression: 'gzip' }], outputs })
  assert.deepEqual(await bench.rows(done), [['A'], ['B']])
  const empty = csvRead('empty.csv', '')
  assert.deepEqual(await bench.rows(await bench.run({ reads: [empty], outputs })), [])
})

test('a file that was changed since the query began is an error, never an answer', async () => {
  const read = csvRead('changed.csv', 'A,1,x\n')
  utimesSync(read.file.name, new Date(), new Date(Date.now() + 5_000))
  const work = bench.run({ reads: [read], outputs: [parquetOutput('input')] })
  await assert.rejects(work, { code: 'MINGA_INPUT_CHANGED', retry: 'never' })
})

test('partitions hold every row once, equal keys meet, and workers agree on where', async () => {
  const records = Array.from({ length: 500 }, (_, n) => `T${n % 40},${(n % 5) + 1},x\n`).join('')
  const output = parquetOutput('input', { partitionBy: ['title'], partitions: 4 })
  const done = await bench.run({ reads: [csvRead('parts.csv', records)], outputs: [output] })
  const again = await bench.run({
    reads: [csvRead('parts-again.csv', records)],
    outputs: [output],
    limits: { memoryMb: 512, threads: 2 },
  })
  assert.equal(done.outputs.length, 4)
  const places = new Map<unknown, number>()
  let rows = 0
  for (const partition of [0, 1, 2, 3]) {
    const here = await bench.rows(done, 'out', partition)
    rows += here.length
    for (const [title] of here) {
      assert.equal(places.get(title) ?? partition, partition)
      places.set(title, partition)
    }
    const there = await bench.rows(again, 'out', partition)
    assert.deepEqual(there.map(String).toSorted(), here.map(String).toSorted())
  }
  assert.equal(rows, 500)
  assert.ok(new Set(places.values()).size > 1)
})

test('what a task wrote is read by the next, missing columns of old segments are NULL, and rows keep their order', async () => {
  const first = await bench.run({
    program: [{ op: 'table', as: 't', sql: 'SELECT i::BIGINT AS a FROM range(3) r(i)' }],
    outputs: [parquetOutput('t')],
  })
  const second = await bench.run({
    program: [{ op: 'table', as: 't', sql: "SELECT 9::BIGINT AS a, 'new' AS b" }],
    outputs: [parquetOutput('t')],
  })
  const files = [...first.outputs, ...second.outputs].map(({ file, bytes }) => ({
    at: 'lake' as const,
    name: file,
    bytes,
  }))
  const types = [
    { name: 'a', type: 'BIGINT' },
    { name: 'b', type: 'VARCHAR' },
    { name: 'c', type: 'DOUBLE' },
  ]
  const read = {
    as: 't',
    kind: 'parquet' as const,
    files,
    columns: null,
    withRow: true,
    types,
    unit: 2,
  }
  const done = await bench.run({ reads: [read], outputs: [parquetOutput('t')] })
  const row = (file: bigint, at: bigint): string => String((2n + file) * 2n ** 32n + at)
  assert.deepEqual(await bench.rows(done), [
    ['0', null, null, row(0n, 0n)],
    ['1', null, null, row(0n, 1n)],
    ['2', null, null, row(0n, 2n)],
    ['9', 'new', null, row(1n, 0n)],
  ])
  const empty = await bench.run({
    reads: [{ ...read, files: [], columns: ['b'] }],
    outputs: [parquetOutput('t')],
  })
  assert.deepEqual(await bench.rows(empty), [])
})

test('results are written in the order and form that was asked for', async () => {
  const program = [
    {
      op: 'view' as const,
      as: 'v',
      sql: `SELECT * FROM (VALUES ('b, c', 1), ('é', 2), ('a', 2)) t(name, n)`,
    },
  ]
  const order = [{ column: 'n', descending: true }, { column: 'name' }]
  const done = await bench.run({
    program,
    outputs: [
      { name: 'csv', from: 'v', format: 'csv', columns: ['name'], order },
      { name: 'jsonl', from: 'v', format: 'jsonl', order },
    ],
  })
  const [csv, jsonl] = done.outputs.map(({ file }) =>
    readFileSync(path.join(bench.folder, file), 'utf8'),
  )
  assert.equal(csv, 'name\na\né\n"b, c"\n')
  assert.equal(jsonl, '{"name":"a","n":2}\n{"name":"é","n":2}\n{"name":"b, c","n":1}\n')
  const [{ rows, bytes, file }] = done.outputs as [(typeof done.outputs)[number]]
  assert.deepEqual([rows, bytes], [3, statSync(path.join(bench.folder, file)).size])
})

test('a task sees its own files only: not the system, not another query, not its own settings', async () => {
  const other = await bench.run({
    folder: 'queries/other/s1',
    program: [{ op: 'table', as: 't', sql: 'SELECT 1 AS secret' }],
    outputs: [parquetOutput('t')],
  })
  const secret = path.join(bench.folder, other.outputs[0]!.file)
  for (const sql of [
    `SELECT * FROM read_csv('/etc/passwd')`,
    `SELECT * FROM read_parquet('${secret}')`,
    `SELECT * FROM '${secret}'`,
    `SELECT * FROM read_text('${bench.folder}/*')`,
    `SELECT getenv('HOME')`,
    `SELECT 1; SET enable_external_access = true`,
    `SELECT 1; COPY (SELECT 1) TO '${bench.folder}/escaped.csv'`,
  ]) {
    const work = bench.run({
      program: [{ op: 'table', as: 't', sql }],
      outputs: [parquetOutput('t')],
    })
    await assert.rejects(work, { code: 'MINGA_TASK_REFUSED', retry: 'never' }, sql)
  }
  assert.ok(!readdirSync(bench.folder).includes('escaped.csv'))
})

test('a statement that DuckDB refuses fails for good and is shown', async () => {
  const sql = 'SELECT nothing FROM nowhere'
  const work = bench.run({ program: [{ op: 'view', as: 'v', sql }] })
  await assert.rejects(work, (error: { code: string; sql: string }) => {
    assert.equal(error.code, 'MINGA_TASK_REFUSED')
    assert.match(error.sql, /nowhere/)
    return true
  })
})

test('a file of the lake that is gone or cut short is tried again later', async () => {
  const files = [{ at: 'lake' as const, name: 'queries/q/s0/gone.parquet', bytes: 10 }]
  const read = { as: 'r', kind: 'parquet' as const, files, columns: null, withRow: false }
  await assert.rejects(bench.run({ reads: [read], outputs: [parquetOutput('r')] }), {
    code: 'MINGA_TASK_FILE_MISSING',
    retry: 'later',
  })
})

test('an aborted task stops at once and leaves nothing behind', async () => {
  const stop = new AbortController()
  const sql = 'SELECT count(*) AS n FROM range(100000000000) r(i) WHERE hash(i) = 7'
  const folder = 'queries/aborted/s1'
  const work = bench.run(
    { folder, program: [{ op: 'table', as: 't', sql }], outputs: [parquetOutput('t')] },
    stop.signal,
  )
  setTimeout(() => stop.abort(new Error('enough')), 100)
  const began = performance.now()
  await assert.rejects(work, { message: 'enough' })
  assert.ok(performance.now() - began < 3_000)
  assert.deepEqual(readdirSync(path.join(bench.folder, folder)), [])
})

test('what does not fit in memory goes to the disk, and is gone afterwards', async () => {
  // 160 MB of texts that must all be held before the first can be written, in 96 MB.
  const sql = `SELECT md5(i::VARCHAR) || repeat('x', 100) AS t FROM range(1200000) r(i)`
  const done = await bench.run({
    folder: 'queries/large/s1',
    limits: { memoryMb: 200, threads: 1 },
    program: [{ op: 'view', as: 'v', sql }],
    outputs: [parquetOutput('v', { order: [{ column: 't' }] })],
  })
  assert.equal(done.outputs[0]?.rows, 1_200_000)
  assert.equal(readdirSync(path.join(bench.folder, 'queries/large/s1')).length, 1)
})

test('row functions answer every row in its place, and columns that pass through stay as they are', async () => {
  const done = await bench.run({
    program: [
      {
        op: 'table',
        as: 't',
        sql: `SELECT i, repeat('é', i % 7) AS text, [i] AS list FROM range(5000) r(i)`,
      },
      {
        op: 'rowFunction',
        as: 'scored',
        from: 't',
        function: 'characters',
        of: ['text'],
        column: { name: 'length', type: 'INTEGER' },
        keep: ['i', 'list'],
      },
    ],
    outputs: [parquetOutput('scored')],
  })
  const rows = await bench.rows(done)
  assert.equal(rows.length, 5_000)
  rows.forEach((row, n) => assert.deepEqual(row, [String(n), [String(n)], n % 7]))
})

test('a row function that fails names itself and the row', async () => {
  mkdirSync(path.join(bench.folder, 'functions'))
  const code =
    'export const rowFunction = (n) => { if (n === 2500n) throw new Error("no"); return 1 }'
  writeFileSync(path.join(bench.folder, 'functions/picky.mjs'), code)
  const program = [
    { op: 'table' as const, as: 't', sql: 'SELECT i FROM range(3000) r(i)' },
    {
      op: 'rowFunction' as const,
      as: 'f',
      from: 't',
      function: 'file:picky',
      of: ['i'],
      column: { name: 'v', type: 'INTEGER' },
      keep: [],
    },
  ]
  await assert.rejects(bench.run({ program, outputs: [parquetOutput('f')] }), {
    code: 'MINGA_ROW_FUNCTION_FAILED',
    retry: 'never',
    message: /"file:picky" failed at row 2501: no/,
  })
})
