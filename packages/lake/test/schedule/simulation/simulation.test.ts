// Goal: no order of deaths, pauses, lost, late and doubled messages makes the scheduler wrong. Method: many seeds of
// the simulation. `node packages/lake/test/schedule/simulation/simulation.test.ts SEED` runs one of them again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSeeds, runSeedsInThread } from './seeds-fixture.ts'

const SEEDS = process.env['MINGA_LONG'] ? 20_000 : 150
const given = process.argv[2] === undefined ? null : Number(process.argv[2])

test('whatever dies, sleeps or gets lost: every query ends, once, with the result of a plain run, and nothing is left', async (t) => {
  const answer =
    given === null
      ? await runSeedsInThread({ from: 1, to: SEEDS })
      : await runSeeds({ from: given, to: given })
  if ('problem' in answer) {
    const command = `node packages/lake/test/schedule/simulation/simulation.test.ts ${answer.seed}`
    assert.fail(`Seed ${answer.seed} went wrong (again: ${command})\n${answer.problem}`)
  }
  const { figures, seconds } = answer
  t.diagnostic(
    `${(SEEDS / seconds).toFixed(0)} seeds a second, ${figures.operations} operations, ${JSON.stringify(figures.ended)}`,
  )
  assert.ok(given !== null || figures.ended['done']! > SEEDS, 'hardly a query came to its end')
})

test('the same seed is the same run', async () => {
  const [first, second] = [await runSeeds({ from: 3, to: 5 }), await runSeeds({ from: 3, to: 5 })]
  assert.ok('figures' in first && 'figures' in second)
  assert.deepEqual(first.figures, second.figures)
})
