// Goal: tables stay few files without being written again and again, and merging changes no row and no order.
// Method: the plan as a pure function under random sizes and long runs of crumbs; then real Parquet files, merged by
// the task that a worker would run, and read by DuckDB before and after.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import * as fc from 'fast-check'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { KernelBench } from '../../test/kernel/kernel-fixture.ts'
import type { Column, Segment } from '../model.ts'
import { TASK_SEGMENT_BYTES } from '../schedule/input-units.ts'
import { resolveTask } from '../schedule/resolve-task.ts'
import { compactionPlan, planCompaction } from './compaction.ts'
import { LakeFiles } from '../files/lake-files.ts'
import { lakesOn } from '../../test/tables/tables-fixture.ts'
import { selectOf } from './table-sql.ts'

const segment = (bytes: number, index: number): Segment => ({ file: `f${index}`, rows: 1, bytes })

const bytesOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { bytes }) => sum + bytes, 0)

test('groups are neighbours, no larger than the target, and none outweighs the rest', () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 150 })),
  )
  const limits = { targetBytes: 100, segmentsLeast: 3 }
  fc.assert(
    fc.property(sizes, (all) => {
      const segments = all.map(segment)
      const groups = planCompaction({ segments }, limits)
      const places = groups.map((group) => segments.indexOf(group[0]!))
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      )
      groups.forEach((group, index) => {
        const from = places[index]!
        assert.deepEqual(group, segments.slice(from, from + group.length))
        assert.ok(group.length >= 3)
        const total = bytesOf(group)
        assert.ok(total <= 100 && group.every(({ bytes }) => 2 * bytes <= total))
      })
    }),
    { seed: 11 },
  )
})

test('a crumb a minute for a month stays fewer than two hundred files and is written a few times', () => {
  const target = TASK_SEGMENT_BYTES
  let segments: Segment[] = []
  let written = 0
  let most = 0
  const minutes = 30 * 24 * 60
  for (let minute = 0; minute < minutes; minute++) {
    segments.push(segment(20_000, minute))
    if (minute % 10 > 0) continue
    for (const group of planCompaction({ segments })) {
      const from = segments.indexOf(group[0]!)
      segments = segments.toSpliced(from, group.length, segment(bytesOf(group), 0))
      written += bytesOf(group)
    }
    most = Math.max(most, segments.length)
  }
  assert.equal(bytesOf(segments), minutes * 20_000)
  assert.ok(most < 200, `${most} files`)
  const times = written / bytesOf(segments)
  assert.ok(times < Math.log2(target / 20_000), `every byte was written ${times} times`)
})

test('merging keeps every row, in its order, and fills columns that came later', async (t) => {
  const lakes = await lakesOn(ENGINES[0]!)
  t.after(() => lakes.close())
  const { tables } = await lakes.fresh()
  const bench = new KernelBench()
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
  const lakeFiles = new LakeFiles(bench.folder)
  const narrow: Column[] = [{ name: 'n', type: 'BIGINT' }]
  const wide: Column[] = [...narrow, { name: 'say "hi"', type: 'VARCHAR[]' }]
  await tables.create({ name: 't', columns: narrow, owner: null, kind: 'own' })
  await lakeFiles.makeFolder('tables/t/w')
  for (let index = 0; index < 9; index++) {
    const file = `tables/t/w/${index}.parquet`
    const extra = index < 5 ? '' : `, ['x', NULL, 'y${index}'] AS "say ""hi"""`
    const rows = `SELECT (range * 7919) % 1000 AS n${extra} FROM range(${1000 * (index + 1)})`
    await ask(`COPY (${rows}) TO '${lakeFiles.at(file)}' (FORMAT parquet)`)
    const bytes = (await lakeFiles.size(file))!
    const add = [{ file, rows: 1000 * (index + 1), bytes }]
    await tables.change({ table: 't', columns: index < 5 ? narrow : wide, add, why: 'test' })
  }
  const before = await tables.manifest('t')
  const everything = async () => {
    const manifest = await tables.manifest('t')
    return ask(selectOf(manifest, (file) => path.join(bench.folder, file)))
  }
  const rows = await everything()
  const [group] = planCompaction(before, { segmentsLeast: 3 })
  assert.equal(group!.length, 9)
  const middle = group!.slice(2, 7)
  const plan = compactionPlan(before, middle)
  const lease = { query: 'c1', stage: 'merge', index: 0, fence: 1, attempt: 1, files: [] }
  const limits = { memoryMb: 256, threads: 2 }
  const done = await bench.run(resolveTask(plan, { ...lease, limits }, 1_000))
  const [{ table, columns, replaces }] = plan.segments as [NonNullable<typeof plan.segments>[0]]
  const add = done.outputs.map(({ file, rows: count, bytes }) => ({ file, rows: count, bytes }))
  await tables.change({ table, columns, add, replaces: replaces!, why: 'compaction' })
  const after = await tables.manifest('t')
  assert.equal(after.segments.length, 5)
  assert.equal(after.segments[2]!.rows, 25_000)
  assert.deepEqual(await everything(), rows)
})
