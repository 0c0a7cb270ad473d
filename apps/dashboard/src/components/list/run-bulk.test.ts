// Goal: an action on many rows can be watched and stopped, and its report is correct. Method: actions made manually.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../../api/call.ts'
import { failureKinds, runBulk } from './run-bulk.ts'

const ROWS = ['a', 'b', 'c', 'd', 'e']

test('rows are processed one after another, and each start is reported', async () => {
  const begun: number[] = []
  let underWay = 0
  const outcome = await runBulk(ROWS, {
    act: async () => {
      assert.equal(++underWay, 1)
      await Promise.resolve()
      underWay--
    },
    signal: new AbortController().signal,
    onBegun: (count) => begun.push(count),
  })
  assert.deepEqual(begun, [1, 2, 3, 4, 5])
  assert.deepEqual(outcome, { done: 5, failed: [], undone: [] })
})

test('stopping lets the row that is under way end, and names those that were not begun', async () => {
  const stopper = new AbortController()
  const acted: string[] = []
  const outcome = await runBulk(ROWS, {
    act: async (row) => {
      acted.push(row)
      if (row === 'b') stopper.abort()
    },
    signal: stopper.signal,
    onBegun: () => undefined,
  })
  assert.deepEqual(acted, ['a', 'b'])
  assert.deepEqual(outcome, { done: 2, failed: [], undone: ['c', 'd', 'e'] })
})

test('failures do not stop the rest and are reported by kind, the most frequent first', async () => {
  const outcome = await runBulk(ROWS, {
    act: async (row) => {
      if (row === 'a') throw new Error('Broken.')
      if ('bde'.includes(row)) throw new ApiFailure(404, 'MINGA_NO_SUCH_FLAG', `No ${row}.`)
    },
    signal: new AbortController().signal,
    onBegun: () => undefined,
  })
  assert.equal(outcome.done, 1)
  assert.deepEqual(
    failureKinds(outcome.failed, (row) => row),
    [
      { code: 'MINGA_NO_SUCH_FLAG', message: 'No b.', keys: ['b', 'd', 'e'] },
      { code: null, message: 'Broken.', keys: ['a'] },
    ],
  )
})
