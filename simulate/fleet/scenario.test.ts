// Goal: a scenario file says what is run and a bad one is refused in a sentence. Method: good and bad
// files as parsed JSON.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf } from './experiments.ts'
import { scenarioOf } from './scenario.ts'

const OPTIONS = { seed: 10, scale: null, perAgentDelay: false }

test('without a file all experiments of the thesis are run with five seeds', () => {
  const scenario = scenarioOf({}, OPTIONS)
  assert.deepEqual(scenario.seeds, [10, 11, 12, 13, 14])
  const cells = cellsOf(scenario)
  const counts = Object.entries(Object.groupBy(cells, ({ experiment }) => experiment))
  assert.deepEqual(
    counts.map(([name, list]) => [name, list.length]),
    [
      ['threads', 2 * 8],
      ['blocks', 2 * 7],
      ['agents', 3 * 8],
      ['strategies', 3 * 2 * 4],
      ['countries', 7],
    ],
  )
  assert.equal(
    cells.some(({ run }) => run.perAgentDelay),
    false,
  )
})

test('a scale of one is as large as the thesis, and wins over the sizes of a file', () => {
  const { urls } = scenarioOf({ urls: { D2: 7 } }, { ...OPTIONS, scale: 1 })
  assert.deepEqual(urls, { D1: 2_000, D2: 10_000, D3: 10_000 })
  assert.equal(scenarioOf({ urls: { D2: 7 } }, OPTIONS).urls.D2, 7)
})

test('the delay of each agent alone is added only when asked for, and only to D1', () => {
  const cells = cellsOf(
    scenarioOf({ experiments: ['agents'] }, { ...OPTIONS, perAgentDelay: true }),
  )
  const labelled = cells.filter(({ run }) => run.perAgentDelay)
  assert.equal(labelled.length, 8)
  assert.ok(labelled.every(({ run, series }) => run.dataSet === 'D1' && /its own/.test(series)))
})

for (const [what, file] of Object.entries({
  'a list': [],
  'an unknown key': { speed: 3 },
  'an unknown experiment': { experiments: ['fast'] },
  'no experiment at all': { experiments: [] },
  'one seed': { seeds: 1 },
  'half a thread': { threads: [0.5] },
  'eight agents': { agents: [8] },
  'a size that is no number': { urls: { D1: 'many' } },
  'an unknown data set': { urls: { D9: 5 } },
  'an unknown strategy': { strategies: ['random'] },
})) {
  test(`a scenario with ${what} is refused with its reason`, () => {
    assert.throws(() => scenarioOf(file, OPTIONS), {
      code: 'MINGA_BAD_SCENARIO',
      message: /^The scenario's .* must be .*\.$/,
    })
  })
}

test('the strategy that goes by a map is run only when asked for', () => {
  const { strategies } = scenarioOf({ strategies: ['partitioned', 'nearest'] }, OPTIONS)
  assert.deepEqual(strategies, ['partitioned', 'nearest'])
  assert.ok(!scenarioOf({}, OPTIONS).strategies.includes('partitioned'))
})
