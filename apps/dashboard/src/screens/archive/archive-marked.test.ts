// Goal: every letter of a marked text is shown once, in order, and marks are where the station says. Method: texts
// with good and impossible places.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOf } from './archive-marked.ts'

const written = (text: string, ...marks: [number, number][]): string =>
  piecesOf({ text, marks })
    .map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text))
    .join('')

test('marks divide a text without losing a letter', () => {
  assert.equal(written('one two three', [4, 7]), 'one [two] three')
  assert.equal(written('one two three', [0, 3], [8, 13]), '[one] two [three]')
  assert.equal(written('one two three'), 'one two three')
  assert.equal(written(''), '')
})

test('marks that overlap, turn back or reach beyond the end are passed over', () => {
  assert.equal(written('abcdef', [1, 3], [2, 4], [5, 5], [4, 99]), 'a[bc]def')
})
