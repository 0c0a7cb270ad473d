// Goal: a Parquet or WARC file that several tasks read gives the rows, rejects and numbers that one task gives. Method:
// the same file as one unit and as many, through the real plan of an import, task by task.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { KernelBench } from '../../test/kernel/kernel-fixture.ts'
import type { InputRules, TaskDone } from '../model.ts'
import { planImport } from '../plan/plan-import.ts'
import { resolveTask } from '../schedule/resolve-task.ts'
import { inspectFile } from './inspect-file.ts'

const bench = new KernelBench()
let queries = 0

/** What an import of the file leaves, in units of about that size. */
async function imported(at: string, rules: InputRules, unitBytes: number) {
  const binding = await inspectFile({ path: at }, { rules, unitBytes })
  const plan = planImport({ table: 't', rules, binding })
  const query = `q${++queries}`
  const done: TaskDone[] = []
  for (const stage of plan.stages) {
    for (
      let index = 0;
      index < (stage.tasks.over === 'input' ? binding.units.length : 1);
      index++
    ) {
      const files = ['rejects', 'count'].map((output) => ({
        stage: 0,
        output,
        part: 'whole' as const,
        files: filesOf(done, output),
      }))
      const limits = { memoryMb: 512, threads: 1 }
      const leased = { query, stage: stage.id, index, fence: 1, attempt: 1, limits, files }
      done.push(await bench.run(resolveTask(plan, leased, 6_000)))
    }
  }
  const rejected = plan.segments![1]!.of.stage === 's2' ? done.slice(-1) : done
  return {
    units: binding.units.length,
    rows: await rowsOf(done, 'rows'),
    rejects: await rowsOf(rejected, 'rejects'),
  }
}

const filesOf = (done: readonly TaskDone[], output: string) =>
  done
    .flatMap(({ outputs }) => outputs.filter((one) => one.output === output))
    .map(({ file, bytes }) => ({ at: 'lake' as const, name: file, bytes }))

const rowsOf = (done: readonly TaskDone[], output: string): Promise<unknown[][]> =>
  bench.rows({ ...done[0]!, outputs: done.flatMap(({ outputs }) => outputs) }, output)

async function assertSame(at: string, rules: InputRules, unitBytes: number): Promise<number> {
  const [one, many] = [await imported(at, rules, 1e9), await imported(at, rules, unitBytes)]
  assert.equal(one.units, 1)
  assert.ok(many.units > 1)
  assert.deepEqual(many.rows, one.rows)
  assert.deepEqual(many.rejects, one.rejects)
  return many.units
}

test('a Parquet file of several row groups is several units, and what was dropped keeps its number', async () => {
  const at = path.join(bench.folder, 'groups.parquet')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (SELECT i AS id, CASE WHEN i % 1000 = 7 THEN NULL ELSE md5(i::VARCHAR) END AS name
    FROM range(20000) t(i)) TO '${at}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`)
  const rules: InputRules = {
    columns: { id: { type: 'integer' }, name: { type: 'text', isRequired: true } },
  }
  assert.ok((await assertSame(at, rules, 100_000)) > 3)
  const { rejects } = await imported(at, rules, 100_000)
  assert.deepEqual(
    rejects.map(([row, reason]) => `${String(row)} ${String(reason)}`),
    Array.from({ length: 20 }, (_, place) => `${place * 1000 + 7} name:missing`),
  )
})

const WARC_RULES: InputRules = {
  columns: {
    url: { type: 'text', isRequired: true },
    status: { type: 'integer' },
    bytes: { type: 'integer' },
    offset: { type: 'integer' },
    damage: { type: 'text' },
  },
}

function record(place: number, body: Buffer): Buffer {
  const http = Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'),
    body,
  ])
  const head = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-05-06T07:08:09Z\r\nWARC-Target-URI: http://a.example/${place}\r\nContent-Type: application/http\r\nContent-Length: ${http.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), http, Buffer.from('\r\n\r\n')])
}

/** Records of bytes that do not pack; some hold an archive of their own, as a crawler of archives would find. */
function records(pack: (bytes: Buffer) => Buffer): Buffer[] {
  const inner = Buffer.concat(
    Array.from({ length: 400 }, (_, place) => pack(record(90_000 + place, randomBytes(900)))),
  )
  return Array.from({ length: 60 }, (_, place) =>
    pack(record(place, place % 10 === 5 ? inner : randomBytes(20_000))),
  )
}

for (const [ending, pack] of [
  ['warc', (bytes: Buffer) => bytes],
  ['warc.gz', (bytes: Buffer) => gzipSync(bytes)],
] as const) {
  test(`a .${ending} file is cut between records, never inside one that holds an archive`, async () => {
    const at = path.join(bench.folder, `many.${ending}`)
    const all = records(pack)
    fs.writeFileSync(at, Buffer.concat(all))
    await assertSame(at, WARC_RULES, 300_000)
    const { rows } = await imported(at, WARC_RULES, 300_000)
    assert.equal(rows.length, 60)
    // Damage costs one record wherever it is.
    for (const place of [3, 17, 41]) all[place]!.fill(0x21, 40, 60)
    const damaged = path.join(bench.folder, `damaged.${ending}`)
    fs.writeFileSync(damaged, Buffer.concat(all))
    await assertSame(damaged, WARC_RULES, 300_000)
  })
}

test('a gzip WARC file that is a single member is one unit', async () => {
  const at = path.join(bench.folder, 'single.warc.gz')
  fs.writeFileSync(at, gzipSync(Buffer.concat(records((bytes) => bytes))))
  const { units, rows } = await imported(at, WARC_RULES, 300_000)
  assert.deepEqual([units, rows.length], [1, 60])
})
