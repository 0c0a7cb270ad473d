// Goal: what a preview shows is what the import does. Method: files of every kind with every kind of dirt; what the
// preview says is compared with a task of the import over the same file.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { sampleArchive } from '../../../archive/test/sample-exchange.ts'
import { KernelBench } from '../../test/kernel/kernel-fixture.ts'
import type { InputRules } from '../model.ts'
import { planImport } from '../plan/plan-import.ts'
import { inferRules } from './infer-rules.ts'
import { inspectFile, type FileBinding } from './inspect-file.ts'
import { previewImport, type PreviewAsked, type PreviewedImport } from './preview-import.ts'

const bench = new KernelBench()
let folders = 0

const RULES: InputRules = {
  columns: {
    city: { from: 'name', type: 'text', isRequired: true },
    people: { type: 'integer', least: 0 },
    founded: { type: 'year', onFlaw: 'drop' },
    names: { type: 'list' },
  },
}

function write(name: string, content: string | Buffer): string {
  const at = path.join(bench.folder, name)
  fs.writeFileSync(at, content)
  return at
}

async function preview(
  at: string,
  rules: InputRules | null,
  more: Partial<PreviewAsked> = {},
): Promise<PreviewedImport> {
  const binding = await inspectFile({ path: at }, { rules })
  const folder = path.join(bench.folder, `preview-${++folders}`)
  fs.mkdirSync(folder)
  return previewImport({
    path: at,
    binding,
    rules: rules ?? (await inferRules(at, binding)),
    rows: 1_000,
    shown: 100,
    bytes: 1024 * 1024,
    memoryMb: 512,
    folder,
    signal: new AbortController().signal,
    ...more,
  })
}

/** What the import itself makes of the whole file. */
async function imported(at: string, rules: InputRules) {
  const binding = await inspectFile({ path: at }, { rules })
  const [stage] = planImport({ table: 't', rules, binding }).stages
  const [read] = stage!.reads
  const done = await bench.run({
    reads: [
      {
        as: read!.as,
        kind: 'range',
        file: binding.file,
        format: binding.format,
        ...(binding.compression && { compression: binding.compression }),
        header: binding.header,
        ...rangeOf(binding),
        unit: 0,
        rules,
        columns: Object.keys(rules.columns),
        withRow: false,
        rejectsAs: 'input_rejects',
      },
    ],
    outputs: stage!.outputs,
  })
  const { rejects, rowsRead } = done
  return { rows: await bench.rows(done, 'rows'), rejects, rowsRead }
}

function rangeOf({ units }: FileBinding): { from: number; to: number } {
  const [unit] = units
  assert.ok(unit?.kind === 'range')
  return { from: unit.from, to: unit.to }
}

const countsOf = ({ rejects }: PreviewedImport): Record<string, number> =>
  Object.fromEntries(rejects.map(({ reason, count }) => [reason, count]))

async function assertSame(at: string, rules: InputRules): Promise<PreviewedImport> {
  const [shown, real] = [await preview(at, rules), await imported(at, rules)]
  assert.deepEqual(shown.rows, real.rows)
  assert.deepEqual([shown.rowsRead, shown.rowsKept], [real.rowsRead, real.rows.length])
  assert.deepEqual(countsOf(shown), { ...real.rejects })
  assert.equal(shown.isWhole, true)
  return shown
}

const DIRTY = [
  'name,people,founded,names',
  'Quito,2000000,1534,"[\'San Francisco\', ""Carita""]"',
  '',
  '"Li\nma",-5,c. 1535,[]',
  ',5,1500,[]',
  'Cusco,many,1100,none',
  'Potosí,1,unknown,[]',
  'too,few',
  'one,2,1900,[],field,more',
  'stray "quote",3,1901,[]',
  'La Paz,7,1548,[]',
].join('\n')

describe('a preview of an import', () => {
  test('keeps, drops and empties what the import does, whatever is wrong with a CSV file', async () => {
    const { rejects, columns } = await assertSame(write('dirty.csv', DIRTY), RULES)
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['VARCHAR', 'BIGINT', 'INTEGER', 'VARCHAR[]'],
    )
    const of = (reason: string) => rejects.find((one) => one.reason === reason)
    assert.deepEqual(of('people:out-of-range'), {
      reason: 'people:out-of-range',
      count: 1,
      field: 'people',
      outcome: 'emptied',
      examples: [{ line: 4, text: '-5' }],
    })
    assert.deepEqual(of('city:missing')?.examples, [{ line: 6, text: '' }])
    assert.deepEqual(of('people:not-a-number')?.examples, [{ line: 7, text: 'many' }])
    assert.deepEqual(of('names:not-a-list')?.examples, [{ line: 7, text: 'none' }])
    assert.deepEqual(of('founded:no-year')?.outcome, 'dropped')
    assert.deepEqual(of('row:fields'), {
      reason: 'row:fields',
      count: 2,
      field: null,
      outcome: 'dropped',
      examples: [
        { line: 9, text: 'too,few' },
        { line: 10, text: 'one,2,1900,[],field,more' },
      ],
    })
  })

  test('is the same for packed files, tabs, carriage returns and bytes that are no UTF-8', async () => {
    await assertSame(write('dirty.csv.gz', gzipSync(DIRTY)), RULES)
    const windows = Buffer.from(DIRTY.replaceAll('\n', '\r\n'))
    await assertSame(write('windows.csv', windows), RULES)
    const latin = Buffer.concat([Buffer.from(DIRTY), Buffer.from('\nA\xf1o,1,1900,[]\n', 'latin1')])
    await assertSame(write('latin.csv', latin), RULES)
    const tabs = 'name\tpeople\tfounded\tnames\n\t\t\t\nQuito\t5\t1534\t[]\nLima\tx\n'
    await assertSame(write('tabs.tsv', tabs), RULES)
    const one: InputRules = { columns: { word: { type: 'integer', isRequired: true } } }
    await assertSame(write('one.csv', 'word\n1\n\n""\n"two"\n\n" "\n'), one)
  })

  test('names the lines of JSON that are none, and fields that hold something else', async () => {
    const text = [
      '{"name":"Quito","people":2,"founded":"1534","names":["a","b"]}',
      '',
      'no json, and a line that goes on and on for far more than the eighty characters that are shown',
      '  ',
      '{"name":"Lima","people":{"a":1},"founded":1535,"names":"[]"}',
      '[1]',
    ].join('\n')
    const { rejects } = await assertSame(write('lines.jsonl', text), RULES)
    const broken = rejects.find(({ reason }) => reason === 'row:not-json')
    assert.ok(broken)
    assert.deepEqual(
      broken.examples.map(({ line }) => line),
      [3, 6],
    )
    assert.equal(broken.examples[0]?.text.length, 80)
    const flawed = rejects.find(({ reason }) => reason === 'people:not-a-number')
    assert.deepEqual(flawed?.examples, [{ line: 5, text: '{"a":1}' }])
  })

  test('reads so many rows and bytes and no more, and says that there are more', async () => {
    const many = Array.from({ length: 5_000 }, (_, i) => `${i},row ${i}`)
    const at = write('many.csv', `n,text\n${many.join('\n')}\n`)
    const rules: InputRules = { columns: { n: { type: 'integer' }, text: { type: 'text' } } }
    const few = await preview(at, rules, { rows: 10, shown: 3 })
    assert.deepEqual(few.rows, [
      ['0', 'row 0'],
      ['1', 'row 1'],
      ['2', 'row 2'],
    ])
    assert.deepEqual([few.rowsRead, few.rowsKept, few.isWhole], [10, 10, false])
    const small = await preview(at, rules, { bytes: 100 })
    assert.deepEqual([small.rowsRead, small.isWhole], [12, false])
    assert.deepEqual(small.rejects, [])
  })

  test('a Parquet file is previewed by its first rows', async () => {
    const at = path.join(bench.folder, 'rows.parquet')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(
      `COPY (SELECT i AS people, CASE WHEN i > 2 THEN 'city ' || i END AS name FROM range(5000) t(i)) TO '${at}' (FORMAT parquet)`,
    )
    connection.closeSync()
    const rules: InputRules = {
      columns: { name: { type: 'text', isRequired: true }, people: { type: 'integer' } },
    }
    const { rejects, rowsKept, isWhole } = await preview(at, rules, { rows: 100 })
    assert.deepEqual([rowsKept, isWhole], [97, false])
    assert.deepEqual(
      rejects.map(({ reason, count, examples }) => [reason, count, examples[0]?.line]),
      [['name:missing', 3, 1]],
    )
  })

  test('captures at the beginning of a WARC file are rows, and a cut through one is no damage', async () => {
    const archive = sampleArchive([Buffer.from('one'), Buffer.from('two'), Buffer.from('three')])
    const rules: InputRules = {
      columns: { url: { type: 'text', isRequired: true }, status: { type: 'integer' } },
    }
    await assertSame(write('whole.warc.gz', archive), rules)
    const damaged = write('damaged.warc.gz', archive.subarray(0, archive.length - 40))
    const { rejects } = await assertSame(damaged, rules)
    assert.deepEqual(
      rejects.map(({ reason, examples }) => [reason, examples]),
      [['url:missing', [{ line: 4, text: '' }]]],
    )
    const begun = await preview(write('begun.warc.gz', archive), rules, {
      bytes: archive.length - 40,
    })
    assert.deepEqual([begun.rejects, begun.isWhole, begun.rowsKept > 0], [[], false, true])
  })

  test('a file that is none of what it says is a bad input', async () => {
    const at = write('torn.parquet', 'PAR1 and nothing else')
    await assert.rejects(preview(at, null), { code: 'MINGA_BAD_INPUT' })
  })
})
