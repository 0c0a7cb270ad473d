// Goal: a plan becomes the right tasks with the right reads. Method: small plans by hand through the pure parts:
// shape, parts of inputs, reads of a task, rests, remaining time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Binding } from '../model.ts'
import { fileOf, plan, SMALL } from '../../test/schedule/plan-fixture.ts'
import { bytesOf, shapeOf } from './plan-shape.ts'
import { remainingMs } from './query-status.ts'
import { resolveTask, type LeasedTask } from './resolve-task.ts'
import { restAfterDeath, restAfterFailure } from './lose-lease.ts'

function tableOf(bytes: number[]): Binding {
  const segments = bytes.map((size, i) => ({ file: `tables/t/${i}`, rows: 1, bytes: size }))
  const columns = [{ name: 'a', type: 'VARCHAR' }]
  return { kind: 'table', manifest: { table: 't', version: 1, columns, segments } }
}

function scanOf(binding: Binding) {
  const scan = { id: 'scan', tasks: { over: 'input' as const, input: 'books' } }
  return plan({ inputs: { books: binding }, stages: [scan] })
}

function leased(stage: string, index = 0): LeasedTask {
  const limits = { memoryMb: 100, threads: 1 }
  return { query: 'id', stage, index, fence: 1, attempt: 1, limits, files: [] }
}

test('a stage has as many tasks as its input has parts, or partitions, or one', () => {
  const shapes = shapeOf(SMALL)
  assert.deepEqual(
    shapes.map(({ total, waits, follows }) => ({ total, waits, follows })),
    [
      { total: 3, waits: 0, follows: [1] },
      { total: 2, waits: 1, follows: [2] },
      { total: 1, waits: 1, follows: [] },
    ],
  )
  assert.deepEqual(shapes[1]?.shows, [{ output: 'count', query: 'q' }])
  assert.equal(bytesOf(SMALL), 310)
})

test('small neighbouring segments are read together, and each knows its place in the table', () => {
  const mb = 1024 * 1024
  const scan = scanOf(tableOf([mb, mb, 40 * mb, mb, 31 * mb, mb]))
  assert.equal(shapeOf(scan)[0]?.total, 4)
  const reads = [0, 1, 2, 3].map((index) => resolveTask(scan, leased('scan', index), 1).reads[0]!)
  assert.deepEqual(
    reads.map((read) => read.kind === 'parquet' && [read.unit, read.files.length]),
    [
      [0, 2],
      [2, 1],
      [3, 2],
      [5, 1],
    ],
  )
})

test('an input without anything in it is one task that reads nothing but knows its columns', () => {
  const table = scanOf(tableOf([]))
  assert.equal(shapeOf(table)[0]?.total, 1)
  assert.deepEqual(resolveTask(table, leased('scan'), 1).reads, [
    {
      as: 'books',
      kind: 'parquet',
      files: [],
      columns: ['a'],
      withRow: false,
      types: [{ name: 'a', type: 'VARCHAR' }],
      unit: 0,
    },
  ])
  const [read] = resolveTask(scanOf(fileOf(0)), leased('scan'), 1).reads
  assert.ok(read?.kind === 'range' && read.from === read.to)
})

test('a stage of one task reads all of its input', () => {
  const one = plan({ inputs: { books: tableOf([1, 2]) }, stages: [{ id: 'all' }] })
  one.stages[0]!.reads = [
    { as: 'b', from: 'input', input: 'books', columns: ['a'], withRow: false },
  ]
  const [read] = resolveTask(one, leased('all'), 1).reads
  assert.equal(read?.kind === 'parquet' && read.files.length, 2)
  one.inputs['books'] = { ...one.inputs['books']!, rules: { columns: {} }, binding: fileOf(3) }
  const [range] = resolveTask(one, leased('all'), 1).reads
  assert.deepEqual(range?.kind === 'range' && [range.from, range.to], [10, 310])
})

test('plans that cannot be run are refused in words', () => {
  const wrong = [
    { of: plan({ stages: [{ id: 'a' }] }), change: { stages: [] }, says: /no stages/ },
    {
      of: plan({ stages: [{ id: 'a' }, { id: 'a' }] }),
      change: {},
      says: /one name/,
    },
    { of: plan({ stages: [{ id: 'a', reads: ['*b'] }] }), change: {}, says: /no stage "b"/ },
    { of: scanOf(fileOf(1)), change: { inputs: {} }, says: /no input "books"/ },
  ]
  for (const { of, change, says } of wrong) {
    assert.throws(() => shapeOf({ ...of, ...change }), { code: 'MINGA_BAD_QUERY', message: says })
  }
})

test('a task rests longer after each failure, and is given up after its budget', () => {
  const budget = { attemptsMost: 4, deathsMost: 10 }
  const failed = (attempts: number) => restAfterFailure({ attempts, deaths: 0 }, 'later', budget)
  assert.deepEqual([1, 2, 3, 4].map(failed), [500, 1_000, 2_000, null])
  assert.equal(restAfterFailure({ attempts: 1, deaths: 0 }, 'never', budget), null)
  assert.equal(restAfterFailure({ attempts: 1, deaths: 0 }, 'now', budget), 0)
  const died = (deaths: number) => restAfterDeath({ attempts: 0, deaths }, budget)
  assert.deepEqual([1, 2, 3, 9, 10].map(died), [0, 0, 500, 30_000, null])
})

test('what is left takes as long as what was done, by as many as are at it', () => {
  const stage = { total: 10, running: 0, done: 0, spentMs: 0 }
  assert.equal(remainingMs([stage]), null)
  const half = { ...stage, running: 2, done: 4, spentMs: 400 }
  assert.equal(remainingMs([half]), 250)
  assert.equal(remainingMs([half, stage]), 750)
})
