// Goal: no capability of the original collaborative fleet is left without a proof. Method: each row of its
// checklist must begin the name of at least one test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTest, workspaceFiles } from './workspace.ts'

const ROWS = [
  'Client credentials',
  'User registration, token',
  'Multi-device ownership',
  'Connect, valid/invalid token',
  'Graceful disconnect',
  'Silent death',
  'Hanging client call',
  'Long-poll cap',
  'Jittered retry',
  'Block creation, limit',
  'Robots grouping',
  'Robots via worker',
  'Disallow for bot and `*`',
  'Crawl delay',
  'Local threshold',
  'Global threshold',
  'Parallel groups',
  'Compressed upload',
  'Three-stage worker',
  'Refill/flush at x/2',
  'democratic',
  'less_busy + steal',
  'geography + steal',
  'Slow-worker reassign',
  'Cache hit/expiry',
  'Config variables',
  'save_data, summaries',
  'IP history',
  'Device facts',
  'Internal API isolated',
  'Credits, 30/70 split',
  'Client anonymity',
  'Distrust probes',
  'Eject/temporary block',
  'Client complaint',
  'Abuse heuristics',
  'Verified load test',
  'Neutrality monitor',
  'Component independence',
  'Portability',
  'Adaptive site maximum',
  'FIFO per worker',
  'Run-time strategy switch',
  'Device not overloaded',
  'Experiments',
]

test('every row of the checklist of the fleet has a test that is named after it', () => {
  const tests = workspaceFiles().filter(({ path }) => isTest(path))
  const names = tests.flatMap(({ text }) => [...text.matchAll(/\btest\(\s*'([^']*)'/g)])
  const without = ROWS.filter((row) => !names.some(([, name]) => name!.startsWith(`${row}: `)))
  assert.deepEqual(without, [])
})
