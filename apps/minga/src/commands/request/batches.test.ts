// Goal: a batch without a capture is not called complete. Method: totals as plain values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchOutcome } from './batches.ts'

test('a batch has failed when nothing was captured, and has errors when not all was', () => {
  assert.equal(batchOutcome({ captured: 3, total: 3 }), 'complete')
  assert.equal(batchOutcome({ captured: 2, total: 3 }), 'with-errors')
  assert.equal(batchOutcome({ captured: 0, total: 3 }), 'failed')
})
