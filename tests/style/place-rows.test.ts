// Goal: no capability of the original system of partitioned crawling is left without a proof. Method: each
// row of its checklist must begin the name of at least one test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTest, workspaceFiles } from './workspace.ts'

const ROWS = [
  'Entity tree, join/propagate',
  'Representatives, failover',
  'CIDR merge + exceptions',
  'Hop routing',
  'Admin filters override',
  'Batched exchange, graph updates',
  'Unknown-URL fallback',
  'Repartition triggers',
  'Hash baselines (URL/host/IP)',
  'Graph builders (link, RTT, geo)',
  'Fixed-vertex k-way FM',
  'Multi-objective combine',
  'Multilevel',
  'Hierarchical split',
  'RTT graph, shortest path',
  'Median-of-7 probes',
  'Sample-size formulas',
  'Geolocation fusion',
  'Politeness 3 modes',
  'Algebraic evaluator',
  'DES simulator',
  'Seen set, fingerprints, DNS cache, robots.txt',
  'Distributed graph/set/map + iterators',
]

const names = workspaceFiles()
  .filter(({ path }) => isTest(path))
  .flatMap(({ text }) => [...text.matchAll(/\btest\(\s*'([^']*)'/g)].map(([, name]) => name!))

test('every row of the checklist of partitioned crawling has a test that is named after it', () => {
  const without = ROWS.filter((row) => !names.some((name) => name.startsWith(`${row}: `)))
  assert.deepEqual(without, [])
})
