// Goal: steps in any order and nesting mean the same however they are cut, and whichever others are
// planned with them. Method: random trees of steps over two inputs, all with the columns page,
// place and n; each alone in single tasks is the reference for all together over several units and
// partitions, byte for byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Binding, InputRules, Query } from '../model.ts'
import { count, defineQuery, max, scan, sum } from './define-query.ts'
import { PlanBench } from '../../test/plan/plan-fixture.ts'
import { planQueries } from './plan-queries.ts'

type Rows = ReturnType<typeof scan>

/** Rows and whether they still know their place in the input. */
interface Tree {
  rows: Rows
  hasPlace: boolean
}

const rules: InputRules = {
  columns: { page: { type: 'text' }, place: { type: 'text' }, n: { type: 'integer' } },
}
const inputs = { visits: rules, links: rules }

type Grow = (tree: Tree, other: Tree) => Tree

const alike =
  (grow: (rows: Rows) => Rows): Grow =>
  ({ rows, hasPlace }) => ({ rows: grow(rows), hasPlace })

const shuffled =
  (grow: (rows: Rows) => Rows): Grow =>
  ({ rows }) => ({ rows: grow(rows), hasPlace: false })

const joined = (kind: 'inner' | 'left' | 'semi' | 'anti', how: 'broadcast' | 'shuffle'): Grow => {
  const isOneSided = kind === 'semi' || kind === 'anti'
  return ({ rows, hasPlace }, other) => {
    // One row for each page, so that rows do not multiply from join to join.
    const right = other.rows.group(['page'], { m: count() })
    const both = rows.join(right, ['page'], { kind, how })
    return {
      rows: isOneSided
        ? both
        : both.project({ page: 'page', place: 'place', n: 'n + coalesce(m, 0)' }),
      hasPlace,
    }
  }
}

const GROWTHS: Grow[] = [
  alike((rows) => rows.filter('n % 3 <> 0')),
  alike((rows) => rows.filter("page > 'b' OR place IS NULL")),
  alike((rows) => rows.project({ page: 'place', place: 'page', n: 'n + 1' })),
  alike((rows) => rows.project({ page: 'page', place: 'upper(page)', n: 'n' })),
  alike((rows) => rows.project({ page: "unnest([page, page || 'x'])", place: 'place', n: 'n' })),
  alike((rows) => rows.atLeastQuantile('n', '0.3')),
  alike((rows) => rows.belowQuantile('n * 2', '0.8')),
  alike((rows) =>
    rows
      .rowFunction('characters', ['page'], { name: 'letters', type: 'BIGINT' })
      .project({ page: 'page', place: 'place', n: 'n + coalesce(letters, 0)' }),
  ),
  ({ rows, hasPlace }) => ({ rows: hasPlace ? rows.first(['page']) : rows, hasPlace }),
  ({ rows, hasPlace }) => ({ rows: hasPlace ? rows.first(['place', 'page']) : rows, hasPlace }),
  shuffled((rows) => rows.group(['page'], { place: max('place'), n: count() })),
  shuffled((rows) =>
    rows
      .group(['place', 'page'], { n: sum('n') })
      .project({ page: 'page', place: 'place', n: 'CAST(n AS BIGINT)' }),
  ),
  shuffled((rows) => rows.top(12, [{ column: 'n', descending: true }])),
  ...(['inner', 'left', 'semi', 'anti'] as const).flatMap((kind) => [
    joined(kind, 'broadcast'),
    joined(kind, 'shuffle'),
  ]),
]

const trees = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('visits', 'links').map((input) => ({ rows: scan(input), hasPlace: true })),
    fc
      .tuple(
        tie('tree'),
        tie('tree'),
        fc.array(fc.constantFrom(...GROWTHS), { minLength: 1, maxLength: 3 }),
      )
      .map(([tree, other, growths]) =>
        growths.reduce((grown, growth) => growth(grown, other), tree),
      ),
  ),
})).tree

const queryOf = ({ rows }: Tree, place: number): Query =>
  defineQuery({
    name: `tree-${place}`,
    about: '',
    inputs,
    from: rows,
    output: { columns: ['page', 'place', 'n'], order: [{ column: 'n' }] },
  })

const rowsOf = (seed: number): string[][] =>
  Array.from({ length: 25 }, (_, row) => [
    ['a', 'b', 'cc', 'd', ''][(row * seed) % 5]!,
    ['b', 'e', ''][(row + seed) % 3]!,
    row % 7 === 0 ? '' : String((row * row * seed) % 11),
  ])

const bench = new PlanBench()
const header = ['page', 'place', 'n']

const bindingsOf = (units: number): Record<string, Binding> => ({
  visits: bench.csv('visits', header, rowsOf(3), units),
  links: bench.csv('links', header, rowsOf(8), Math.ceil(units / 2)),
})

test('Any operator at any parallelism, **counting included**: random trees of steps, planned together and cut, give what each gives alone', async () => {
  const whole = bindingsOf(1)
  await fc.assert(
    fc.asyncProperty(
      fc.array(trees, { minLength: 2, maxLength: 3 }),
      fc.integer({ min: 2, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (forest, units, partitions) => {
        const asked = forest.map((tree, place) => ({ query: queryOf(tree, place) }))
        const together = await planQueries(asked, bindingsOf(units), { format: 'csv', partitions })
        const answers = await bench.run(together)
        for (const one of asked) {
          const alone = await planQueries([one], whole, { format: 'csv', partitions: 1 })
          const { name } = one.query
          assert.equal(
            answers[name],
            (await bench.run(alone))[name],
            JSON.stringify(one.query.from),
          )
        }
      },
    ),
    { numRuns: process.env['MINGA_LONG'] ? 100 : 2, seed: 3 },
  )
})
