// Goal: no capability of the original history store of wikis is left without a proof. Method: each row of its
// checklist must begin the name of at least one test. Two rows are about many machines and wait for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTest, workspaceFiles } from './workspace.ts'

const ROWS = [
  'Extract by title/url/locale',
  'Async task + progress',
  'Incremental resume',
  'Idempotent upsert',
  'Courtesy delay',
  'Article/revision listing',
  'Count/avg/mode + filters',
  'Half-open date defaults',
  'Whitelist',
  'Custom aggregation',
  'Revisit',
  'Daily schedule',
  'Sharding',
  'Monitoring',
  'Reproducible deploy',
  'Oracles',
]

/** They belong to running several stations' databases and API servers side by side. */
const LATER = ['Load balancing', 'Failover']

const names = workspaceFiles()
  .filter(({ path }) => isTest(path))
  .flatMap(({ text }) => [...text.matchAll(/\btest\(\s*'([^']*)'/g)].map(([, name]) => name!))

test('every row of the checklist of wiki histories has a test that is named after it', () => {
  const without = ROWS.filter((row) => !names.some((name) => name.startsWith(`${row}: `)))
  assert.deepEqual(without, [])
  const early = LATER.filter((row) => names.some((name) => name.startsWith(`${row}: `)))
  assert.deepEqual(early, [], 'has a test by now: move it to the rows')
})
