// Goal: visits, changes and causes mean the same wherever they are shown. Method: plain examples of each rule.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeOf, learningOf, learningText } from './visit-definitions.ts'

test('before three visits a watch is learning, and says how far it is', () => {
  assert.deepEqual(learningOf(0), { visits: 0, of: 3 })
  assert.equal(learningText(learningOf(1)!), 'learning, 1 of 3 visits')
  assert.deepEqual(learningOf(2), { visits: 2, of: 3 })
  assert.equal(learningOf(3), null)
})

test('a visit has one cause: a person before a notice, a notice before a period, a period before the plan', () => {
  const none = { isFirst: false, notice: null, isAsked: false, hasPeriod: false }
  assert.equal(causeOf(none), 'plan')
  assert.equal(causeOf({ ...none, hasPeriod: true }), 'period')
  assert.equal(causeOf({ ...none, hasPeriod: true, notice: 'feed' }), 'feed')
  assert.equal(causeOf({ ...none, notice: 'websub', isAsked: true }), 'manual')
  assert.equal(causeOf({ ...none, isFirst: true, isAsked: true }), 'first')
})
