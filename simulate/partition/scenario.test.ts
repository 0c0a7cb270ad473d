// Goal: a scenario says what is simulated, and what cannot be is refused in a sentence. Method: files as parsed JSON,
// and one tiny scenario through the door of the folder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALLOCATORS } from './allocators.ts'
import { keyOf } from './cells.ts'
import { LATENCY_SOURCES } from './latency.ts'
import { partitionSimulation } from './partition-main.ts'
import { POLITENESS } from './pause.ts'
import { scenarioOf } from './scenario.ts'

const OPTIONS = { seed: 7, isFull: false }

test('DES simulator: the full scenario holds every allocator, pause, source and number of robots with ten seeds', () => {
  const { cells, seeds, scale } = scenarioOf({}, { seed: 7, isFull: true })
  assert.deepEqual([scale, seeds.length, seeds[0]], [1, 10, 7])
  const keys = new Set(cells.map(keyOf))
  assert.equal(keys.size, cells.length)
  for (const allocator of ALLOCATORS) {
    for (const politeness of POLITENESS) {
      for (const source of LATENCY_SOURCES) {
        for (const k of [2, 5, 10, 15, 20, 25, 30]) {
          const cell = { allocator, politeness, source, k, unit: 'host', weather: 'calm' } as const
          assert.ok(keys.has(keyOf(cell)), keyOf(cell))
        }
      }
    }
  }
})

test('a scenario chooses what is run, and without trends only its own table', () => {
  const { cells, placements } = scenarioOf(
    {
      allocators: ['minga'],
      politeness: ['tenfold'],
      k: [3, 4],
      weathers: [],
      trends: [],
      seeds: 2,
    },
    OPTIONS,
  )
  assert.deepEqual(cells.map(keyOf), [
    'minga tenfold rtt 3 host calm',
    'minga tenfold rtt 4 host calm',
  ])
  assert.deepEqual(placements, [])
})

test('what cannot be simulated is refused with what could be', () => {
  for (const [file, message] of [
    [[], /a JSON object such as/],
    [{ robots: [3] }, /key "robots" must be one of scale, seeds/],
    [{ scale: 2 }, /scale must be a number from 0.01 to 1/],
    [{ seeds: 1 }, /seeds must be a whole number from 2/],
    [{ k: [1] }, /k must be a list of whole numbers from 2 to 99/],
    [{ allocators: ['mingo'] }, /allocators must be a list of some of hash-url/],
    [{ weathers: ['rain'] }, /weathers must be a list of some of calm/],
  ] as const) {
    assert.throws(() => scenarioOf(file, OPTIONS), { code: 'MINGA_BAD_SCENARIO', message })
  }
})

test('DES simulator: the same seed gives the same report, with rows, trends, tables and drawings', async () => {
  const scenario = JSON.stringify({
    scale: 0.01,
    seeds: 2,
    k: [2],
    allocators: ['hash-host', 'minga'],
    politeness: ['adjusted'],
    weathers: ['churn'],
    trends: [2, 5],
  })
  const output = await partitionSimulation(scenario, OPTIONS)
  assert.deepEqual(await partitionSimulation(scenario, OPTIONS), output)
  assert.match(output.text, /^12,461 pages, 2 seeds/)
  assert.match(output.text, /No server was asked before its pause was over/)
  assert.match(output.text, /T1 +must +(holds|MISSED)/)
  assert.deepEqual(
    output.files.map(({ name }) => name),
    [
      'partition.csv',
      'placements.csv',
      'makespan-adjusted.svg',
      'makespan-constant-15.svg',
      'makespan-constant-4.45.svg',
      'makespan-tenfold.svg',
      'exchange.svg',
      'formula-download.svg',
      'formula-redistribution.svg',
      'moved.svg',
    ],
  )
  const { rows } = JSON.parse(output.json) as { rows: { makespanDays: { n: number } }[] }
  assert.ok(rows.every(({ makespanDays }) => makespanDays.n === 2))
})
