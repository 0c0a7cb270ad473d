// Goal: a shared address shows what its sender saw, and a garbled one shows something sensible.
// Method: words as they stand behind a question mark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNumber, parsePages, parseRevisionIndex, parseSpan, parseView } from './wiki-params.ts'

test('a span has the ends that are days', () => {
  assert.deepEqual(parseSpan({ from: '2004-06-22', until: 'never' }), { from: '2004-06-22' })
  assert.deepEqual(parseSpan({}), {})
})

test('numbers are whole and not negative', () => {
  assert.deepEqual(['7', 8, '-1', '1.5', 'x', undefined].map(parseNumber), [
    7,
    8,
    null,
    null,
    null,
    null,
  ])
})

test('each page to compare is listed once, and not more than can be distinguished', () => {
  assert.deepEqual(parsePages('3,4,,3,x,5'), [3, 4, 5])
  assert.deepEqual(parsePages('1,2,3,4,5,6,7'), [1, 2, 3, 4, 5])
  assert.deepEqual(parsePages(undefined), [])
})

test('the newest revision is shown unless another one that is there is named', () => {
  assert.equal(parseRevisionIndex([10, 20, 30], '20'), 1)
  assert.equal(parseRevisionIndex([10, 20, 30], '99'), 2)
  assert.equal(parseRevisionIndex([10, 20, 30], undefined), 2)
  assert.equal(parseView('authors'), 'authors')
  assert.equal(parseView('<b>'), 'text')
})
