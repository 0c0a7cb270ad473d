// Goal: the figures of the fleet's tables are the ones that were measured. Method: made-up runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataSets } from './fleet-overhead.ts'
import { loadTable, overheadTable } from './fleet-report.ts'
import { quantile } from './report.ts'

test('a quantile is the least value that so many are at or below', () => {
  const values = [5, 1, 4, 2, 3]
  assert.equal(quantile(values, 0.5), 3)
  assert.equal(quantile(values, 0.99), 5)
  assert.equal(quantile([7], 0.01), 7)
  assert.ok(Number.isNaN(quantile([], 0.5)))
})

test('reading records again is added to the time of a request', () => {
  const run = {
    asks: [{ at: 0, ms: 8 }],
    uploads: [
      { at: 0, accepted: 100, stale: 0 },
      { at: 0, accepted: 200, stale: 0 },
    ],
    memberBytes: 4_000,
    checkSecondsPerResult: 0.00005,
    cpuMicrosPerRequest: 100,
    requestsPerSecond: 9_000,
  }
  const cells = loadTable([run])
    .split('\n')
    .map((line) => line.split('|')[2]?.trim())
  assert.deepEqual(cells.slice(2), ['100', '150', '9,000', '8', '8', '150', '4,000'])
})

test('ratios are of the direct loop on the same list', () => {
  const [d1] = dataSets(40)
  const table = overheadTable(new Map([[d1!, [{ direct: 10, minga: [9, 10, 20] }]]]))
  assert.match(table, /10 \| +9 \(0\.900×\) \| +10 \(1×\) \| +20 \(2×\) \|$/)
})

test('every country of the table has as many hosts in the third list', () => {
  const { hosts, behaviours } = dataSets(40)[2]!.spec
  const slow = behaviours!.flatMap(({ on }) => (Array.isArray(on) ? on : []))
  assert.equal(hosts, 40)
  assert.deepEqual(
    slow.toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, i) => i),
  )
})
