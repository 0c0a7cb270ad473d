// Goal: every request is on record, newest first, within the room that its owner gives. Method: a log
// in a folder, filled, cut short, opened again, read in pages.
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import type { ActivityLine } from '../control.ts'
import { ActivityLog, linesBackwards } from './activity-log.ts'

const MIB = 1024 * 1024

function folder(t: TestContext): string {
  const data = mkdtempSync(join(tmpdir(), 'minga-activity-'))
  t.after(() => rmSync(data, { recursive: true }))
  return data
}

function lineOf(number: number, host = 'h.test'): Omit<ActivityLine, 'no'> {
  const url = `http://${host}/${number}`
  return { at: 1_000 + number, url, status: 200, code: null, bytes: 10, ms: 5 }
}

const nos = (lines: ActivityLine[]): number[] => lines.map(({ no }) => no)
const bytesIn = (data: string): number =>
  readdirSync(data).reduce((sum, file) => sum + statSync(join(data, file)).size, 0)

test('what was added is read newest first, in pages, and by host', async (t) => {
  const log = await ActivityLog.open(folder(t), MIB)
  for (let i = 1; i <= 10; i++) log.add(lineOf(i, i % 2 === 0 ? 'even.test' : 'odd.test'))
  assert.deepEqual(nos(await log.read({ limit: 3 })), [10, 9, 8], 'also what is not written yet')
  assert.deepEqual(nos(await log.read({ limit: 3, before: 8 })), [7, 6, 5])
  assert.deepEqual(nos(await log.read({ limit: 3, before: 2 })), [1])
  assert.deepEqual(nos(await log.read({ limit: 3, host: 'odd.test' })), [9, 7, 5])
  assert.deepEqual(await log.read({ limit: 1 }), [{ no: 10, ...lineOf(10, 'even.test') }])
})

test('numbers go on after a restart, also after a line that a crash cut short', async (t) => {
  const data = folder(t)
  const log = await ActivityLog.open(data, MIB)
  log.add(lineOf(1))
  log.add(lineOf(2))
  await log.flush()
  appendFileSync(join(data, 'activity.jsonl'), '{"no":3,"at":17,"url":"http://h.te')
  const reopened = await ActivityLog.open(data, MIB)
  reopened.add(lineOf(3))
  assert.deepEqual(nos(await reopened.read({ limit: 10 })), [3, 2, 1])
})

test('the log stays within its room, whatever is written, and the newest stays in it', async (t) => {
  const data = folder(t)
  const log = await ActivityLog.open(data, MIB)
  for (let i = 1; i <= 30_000; i++) {
    log.add(lineOf(i))
    if (i % 7_000 !== 0) continue
    await log.flush()
    assert.ok(bytesIn(data) <= MIB, `${bytesIn(data)} bytes after ${i}`)
  }
  const lines = await log.read({ limit: 100_000 })
  assert.equal(lines[0]?.no, 30_000)
  assert.deepEqual(
    nos(lines),
    Array.from(lines, (_, i) => 30_000 - i),
    'without a gap',
  )
  assert.ok(lines.length > 3_000, `${lines.length} lines`)
  assert.ok(bytesIn(data) <= MIB)
})

test('a lowered limit holds from the next writing on', async (t) => {
  const data = folder(t)
  const log = await ActivityLog.open(data, 20 * MIB)
  for (let i = 1; i <= 30_000; i++) log.add(lineOf(i))
  await log.flush()
  assert.ok(bytesIn(data) > 2 * MIB)
  log.setDisk(MIB)
  await log.flush()
  assert.ok(bytesIn(data) <= MIB)
})

test('adding touches no file: the writing comes later, in one piece', async (t) => {
  const data = folder(t)
  const log = await ActivityLog.open(data, MIB)
  const startedMs = performance.now()
  for (let i = 1; i <= 100_000; i++) log.add(lineOf(i))
  const perLineUs = ((performance.now() - startedMs) * 1_000) / 100_000
  assert.ok(perLineUs < 20, `${perLineUs} µs a line`)
  assert.deepEqual(readdirSync(data), [])
})

test('lines that are no lines of a log are passed over', async (t) => {
  const data = folder(t)
  writeFileSync(
    join(data, 'activity.jsonl'),
    'x\n[]\nnull\n{"no":"1"}\n\n{"no":5,"url":"http://h.test/"}\n{}\n',
  )
  const log = await ActivityLog.open(data, MIB)
  assert.deepEqual(nos(await log.read({ limit: 10 })), [5])
})

test('any file is read backwards as it is read forwards', async (t) => {
  const file = join(folder(t), 'lines')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string(), fc.string({ minLength: 30_000, maxLength: 70_000 })), {
        maxLength: 8,
      }),
      async (texts) => {
        const lines = texts.map((text) => text.toWellFormed().replaceAll('\n', 'ü'))
        writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
        const read: string[] = []
        for await (const line of linesBackwards(file)) read.push(line)
        assert.deepEqual(read.toReversed(), lines)
      },
    ),
    { numRuns: 100 },
  )
})

test('a file that is not there has no lines', async (t) => {
  for await (const line of linesBackwards(join(folder(t), 'none'))) assert.fail(line)
})
