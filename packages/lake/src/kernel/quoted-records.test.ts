// Goal: a text whose lines look like records stays one text, wherever a reader cuts its buffers. Method: a file larger
// than the buffers, made of such texts, read by a task with one thread and with several.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputRules } from '../model.ts'
import { KernelBench, parquetOutput, rangeRead } from '../../test/kernel/kernel-fixture.ts'

const bench = new KernelBench()

const RULES: InputRules = {
  columns: { id: { type: 'integer', isRequired: true }, last: { type: 'text' } },
}
const HEADER = ['id', 'text', 'last']

test('Dirty input: lines of a quoted text are no records, however much they look like some', async () => {
  const text = '1,2,3\n'.repeat(6000)
  const records = Array.from({ length: 600 }, (_, id) => `${id},"${text}",t${id}\n`)
  const file = bench.outside('quoted.csv', records.join(''))
  for (const threads of [1, 4]) {
    const read = rangeRead(file, { rules: RULES, header: HEADER, from: 0 })
    const limits = { memoryMb: 512, threads }
    const done = await bench.run({ reads: [read], outputs: [parquetOutput('input')], limits })
    assert.deepEqual(done.rejects, {})
    const rows = await bench.rows(done)
    assert.deepEqual(
      rows,
      records.map((_, id) => [`${id}`, `t${id}`]),
    )
  }
})
