// Goal: what takes long is begun first, and the list of it stays true. Method: made-up names, and the files that there are.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../commands.ts'
import { SLOW_TESTS, slowFirst } from './slow-tests.ts'

test('slow files come first, the slowest of them before all, and the rest by name', () => {
  const [slowest, second] = SLOW_TESTS
  const files = ['b.test.ts', second!, 'a.test.ts', slowest!]
  assert.deepEqual(slowFirst(files), [slowest, second, 'a.test.ts', 'b.test.ts'])
})

test('every file that is named as slow is there, once', () => {
  const gone = SLOW_TESTS.filter((file) => !existsSync(path.join(ROOT, file)))
  assert.deepEqual(gone, [])
  assert.equal(new Set(SLOW_TESTS).size, SLOW_TESTS.length)
})
