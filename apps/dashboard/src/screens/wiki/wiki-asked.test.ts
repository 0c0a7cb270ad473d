// Goal: a shared address shows what its sender saw, and a garbled one shows something sensible.
// Method: words as they stand behind a question mark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberAsked, pagesAsked, placeAsked, spanAsked, viewAsked } from './wiki-asked.ts'

test('a span has the ends that are days', () => {
  assert.deepEqual(spanAsked({ from: '2004-06-22', until: 'never' }), { from: '2004-06-22' })
  assert.deepEqual(spanAsked({}), {})
})

test('numbers are whole and not negative', () => {
  assert.deepEqual(['7', 8, '-1', '1.5', 'x', undefined].map(numberAsked), [
    7,
    8,
    null,
    null,
    null,
    null,
  ])
})

test('each page to compare is listed once, and not more than can be distinguished', () => {
  assert.deepEqual(pagesAsked('3,4,,3,x,5'), [3, 4, 5])
  assert.deepEqual(pagesAsked('1,2,3,4,5,6,7'), [1, 2, 3, 4, 5])
  assert.deepEqual(pagesAsked(undefined), [])
})

test('the newest revision is shown unless another one that is there is named', () => {
  assert.equal(placeAsked([10, 20, 30], '20'), 1)
  assert.equal(placeAsked([10, 20, 30], '99'), 2)
  assert.equal(placeAsked([10, 20, 30], undefined), 2)
  assert.equal(viewAsked('authors'), 'authors')
  assert.equal(viewAsked('<b>'), 'text')
})
