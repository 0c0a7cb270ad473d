// Goal: both texts can be read from the rows of a difference, line by line, and lines that belong together stand
// side by side. Method: differences written manually.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffRows, textOfLine, withoutStretches, type DiffKind, type DiffRow } from './diff-rows.ts'

const parts = (...given: [DiffKind, string][]) => given.map(([kind, text]) => ({ kind, text }))

const shown = (rows: DiffRow[]) =>
  rows.map(({ kind, before, after }) => [
    kind,
    before && textOfLine(before),
    after && textOfLine(after),
  ])

test('a changed word leaves both lines side by side', () => {
  const rows = diffRows(
    parts(['same', 'one\nold '], ['removed', 'bad'], ['added', 'good'], ['same', ' end\nlast']),
  )
  assert.deepEqual(shown(rows), [
    ['same', 'one', 'one'],
    ['changed', 'old bad end', 'old good end'],
    ['same', 'last', 'last'],
  ])
  assert.deepEqual(
    rows.map(({ before, after }) => [before?.number, after?.number]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  )
})

test('a new line stands alone, before and behind what stayed', () => {
  assert.deepEqual(shown(diffRows(parts(['added', 'new\n'], ['same', 'x\n']))), [
    ['added', null, 'new'],
    ['same', 'x', 'x'],
  ])
  assert.deepEqual(shown(diffRows(parts(['same', 'x\n'], ['added', 'new\n\n']))), [
    ['same', 'x', 'x'],
    ['added', null, 'new'],
    ['added', null, ''],
  ])
})

test('joined lines keep the one that ends with the rest next to it', () => {
  assert.deepEqual(shown(diffRows(parts(['removed', 'a\nb'], ['same', ' c\n']))), [
    ['removed', 'a', null],
    ['changed', 'b c', ' c'],
  ])
})

test('what moved is gone in one place and there in another', () => {
  const rows = diffRows(parts(['moved-from', 'm\n'], ['same', 'x\n'], ['moved-to', 'm\n']))
  assert.deepEqual(shown(rows), [
    ['removed', 'm', null],
    ['same', 'x', 'x'],
    ['added', null, 'm'],
  ])
})

test('texts without an end of line, and empty ones, lose nothing', () => {
  assert.deepEqual(shown(diffRows(parts(['removed', 'all'], ['added', 'else']))), [
    ['changed', 'all', 'else'],
  ])
  assert.deepEqual(diffRows([]), [])
})

test('a line that comes behind the last one leaves that one as it was', () => {
  assert.deepEqual(shown(diffRows(parts(['same', 'a\nb'], ['added', '\nc']))), [
    ['same', 'a', 'a'],
    ['same', 'b', 'b'],
    ['added', null, 'c'],
  ])
})

test('of a long text only what is near a change is shown', () => {
  const before = Array.from({ length: 20 }, (_, i) => `${i}\n`).join('')
  const rows = diffRows(parts(['same', before], ['added', 'new\n'], ['same', before]))
  const kinds = withoutStretches(rows).map((row) => (row.kind === 'skipped' ? row.count : row.kind))
  assert.deepEqual(kinds, [17, 'same', 'same', 'same', 'added', 'same', 'same', 'same', 17])
})
