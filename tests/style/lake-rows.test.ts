// Goal: no capability of the original book analyser is left without a proof. Method: each row of its checklist must
// begin the name of at least one test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTest, workspaceFiles } from './workspace.ts'

const ROWS = [
  'Five queries, together or selected',
  'A new query is one small file reusing the operators',
  'Dirty input',
  'Any operator at any parallelism, **counting included**',
  'Several clients at once, isolated',
  'Kill anything at any time',
  'Supervision',
  'Results while it runs',
  'Bounded memory',
  'Percentile and rounding',
]

const names = workspaceFiles()
  .filter(({ path }) => isTest(path))
  .flatMap(({ text }) =>
    [...text.matchAll(/\btest\(\s*['`]([^'`]*)['`]/g)].map(([, name]) => name!),
  )

test('every row of the checklist of queries has a test that is named after it', () => {
  const without = ROWS.filter((row) => !names.some((name) => name.startsWith(`${row}: `)))
  assert.deepEqual(without, [])
})
