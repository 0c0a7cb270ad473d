// Goal: zero and negative zero are one number in every step, however the rows are cut. Method: joins on a
// column of floating point through the kernel, where one side writes zero as the other does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputRules } from '../model.ts'
import { count, defineQuery, scan } from './define-query.ts'
import { PlanBench, sent } from '../../test/plan/plan-fixture.ts'
import { planQueries } from './plan-queries.ts'

const bench = new PlanBench()
const numbers: InputRules = { columns: { n: { type: 'number' } } }
const inputs = { zeros: numbers, measures: numbers }

/** Both kinds side by side, none else: DuckDB then looks in the other side's file for one of them only. */
const ZEROS = ['-0', '0', '-0.0', '0.0']
/** Few values that repeat, so that a file holds them as a dictionary. */
const MEASURES = Array.from({ length: 5 }, () => ['0', '0.1', '1.5', '3']).flat()
const NEGATIVE = MEASURES.map((number) => (number === '0' ? '-0' : number))

const zeros = scan('zeros')
const measures = scan('measures').project({ m: 'n' })

const QUERIES = {
  broadcast: zeros.join(measures, [['n', 'm']]),
  shuffle: zeros.join(measures, [['n', 'm']], { how: 'shuffle' }),
  semi: measures.join(zeros, [['m', 'n']], { kind: 'semi', how: 'shuffle' }),
  'from-groups': scan('measures')
    .group(['n'], { rows: count() })
    .join(zeros.project({ zero: 'n' }), [['n', 'zero']], { how: 'shuffle' }),
}

const EXPECTED = { broadcast: 20, shuffle: 20, semi: 5, 'from-groups': 4 }

test('zero and negative zero meet in every join, for any number of tasks and partitions', async () => {
  const asked = Object.entries(QUERIES).map(([name, rows]) => ({
    query: sent(
      defineQuery({
        name,
        about: '',
        inputs,
        from: rows.group([], { rows: count() }),
        output: { columns: ['rows'], order: [] },
      }),
    ),
  }))
  const expected = Object.fromEntries(
    Object.entries(EXPECTED).map(([name, rows]) => [name, `rows\n${rows}\n`]),
  )
  for (const measured of [MEASURES, NEGATIVE]) {
    for (const [units, partitions] of [
      [1, 1],
      [3, 2],
    ] as const) {
      const bindings = {
        zeros: bench.csv('zeros', ['n'], ZEROS.map(one), units),
        measures: bench.csv('measures', ['n'], measured.map(one), units),
      }
      const plan = await planQueries(asked, bindings, { format: 'csv', partitions })
      assert.deepEqual(await bench.run(plan), expected)
    }
  }
})

const one = (number: string): string[] => [number]
