// Goal: money is taken as typed, to the last micro-unit, or not at all. Method: plain examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitIn, microsIn } from './amount.ts'

test('an amount is exact to six digits, with a comma or a point', () => {
  assert.equal(microsIn('12.5'), 12_500_000)
  assert.equal(microsIn(' 0,000001 '), 1)
  assert.equal(microsIn('0.29'), 290_000)
})

test('what is no amount above zero is refused', () => {
  for (const text of ['', '0', '-1', '1.0000001', '1e3', 'ten', '99999999999999999']) {
    assert.equal(microsIn(text), null, text)
  }
})

test('an empty limit is none, and a wrong one is not taken for it', () => {
  assert.equal(limitIn(' '), null)
  assert.equal(limitIn('0'), 0)
  assert.equal(limitIn('1.5'), undefined)
  assert.equal(limitIn('-3'), undefined)
})
