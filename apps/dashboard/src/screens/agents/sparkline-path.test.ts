// Goal: small lines show what happened and rates do not jump when a minute begins. Method: figures by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linePath, perSecond } from './sparkline-path.ts'

const BOX = { width: 100, height: 20 }

test('a line goes from edge to edge, with the highest figure at the top', () => {
  assert.equal(linePath([0, 10, 5], BOX), 'M0 19L50 1L100 10')
  assert.equal(linePath([0, 0], BOX), 'M0 19L100 19')
  assert.equal(linePath([], BOX), '')
})

test('a rate counts the last whole minute and what has passed of the one that runs', () => {
  const rates = { from: 0 }
  assert.equal(perSecond([600, 0], rates, 60_000), 10)
  assert.equal(perSecond([600, 300], rates, 90_000), 10)
  assert.equal(perSecond([0, 0], rates, 90_000), 0)
  assert.equal(perSecond([], rates, 90_000), 0)
})
