// Goal: row functions answer in order from their own thread, and one that misbehaves is named and ended.
// Method: the real thread with shipped functions and with modules in a temporary folder.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { RowValue, ValueKind } from './row-function.ts'
import { startRowFunctions } from './row-functions.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-rows-'))
const functions = startRowFunctions({ folder, timeLimitMs: 1_500 })
after(async () => {
  await functions.close()
  rmSync(folder, { recursive: true, force: true })
})

function ask(name: string, values: RowValue[], kind: ValueKind = 'integer'): Promise<RowValue[]> {
  const asked = { function: name, columns: [values], rows: values.length }
  return functions.map({ ...asked, kind, firstRow: 1_000 })
}

const write = (name: string, code: string): void => writeFileSync(path.join(folder, name), code)

test('shipped functions answer each row in its place, and nothing for nothing', async () => {
  assert.deepEqual(await ask('characters', ['abc', null, 'año 💧', '']), [3, null, 5, 0])
  const [good, bad, none] = await ask('sentiment', ['a wonderful book', 'a horrible book', null])
  assert.ok(Number(good) > 0 && Number(bad) < 0 && none === null)
})

test('many chunks at once are answered to whom they belong', async () => {
  const chunks = await Promise.all([1, 2, 3].map((n) => ask('characters', ['x'.repeat(n)])))
  assert.deepEqual(chunks, [[1], [2], [3]])
})

test("a module of the operator's is a function; several arguments and large numbers pass", async () => {
  write('add.mjs', 'export const rowFunction = (a, b) => a + b')
  const columns: RowValue[][] = [
    [2n ** 60n, 1n],
    [1n, 2n],
  ]
  const asked = { function: 'file:add', columns, rows: 2, kind: 'bigint' as const, firstRow: 0 }
  assert.deepEqual(await functions.map(asked), [2n ** 60n + 1n, 3n])
})

test('names that are no functions are refused, also those that lead out of the folder', async () => {
  write('empty.mjs', 'export const other = 1')
  for (const name of ['nobody', 'file:absent', 'file:../rows/add', 'file:/etc/passwd', 'file:']) {
    await assert.rejects(ask(name, ['x']), { code: 'MINGA_UNKNOWN_ROW_FUNCTION' }, name)
  }
  await assert.rejects(ask('file:empty', ['x']), { code: 'MINGA_ROW_FUNCTION_FAILED' })
})

test('a function that throws or gives another kind of value names itself and the row', async () => {
  write(
    'picky.mjs',
    `export const rowFunction = (x) => { if (x === 'b') throw new Error('no b'); return x }`,
  )
  await assert.rejects(ask('file:picky', ['a', 'b'], 'text'), {
    code: 'MINGA_ROW_FUNCTION_FAILED',
    retry: 'never',
    message: /"file:picky".* row 1002: no b/,
  })
  await assert.rejects(ask('file:picky', ['a'], 'integer'), {
    message: /row 1001: gave what is no integer/,
  })
  assert.deepEqual(await ask('file:picky', ['c'], 'text'), ['c'])
})

test('a function that never answers is ended, and the next one is answered', async () => {
  write('endless.mjs', 'export const rowFunction = () => { for (;;); }')
  await assert.rejects(ask('file:endless', ['a']), { message: /did not answer/ })
  assert.deepEqual(await ask('characters', ['abc']), [3])
})
