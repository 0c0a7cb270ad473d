// Goal: percentiles and means are what is written, independent of arrival and cut. Method: groups
// whose means lie on, next to and between the numbers of 6 decimals, run through the kernel and
// compared with whole-number arithmetic; quantiles of every size of input, against a sort.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { avg, count, defineQuery, scan, sum } from './define-query.ts'
import { PlanBench, sent } from '../../test/plan/plan-fixture.ts'
import { planQueries } from './plan-queries.ts'

const bench = new PlanBench()
const inputs = {
  rows: { columns: { g: { type: 'text' as const }, n: { type: 'integer' as const } } },
}

/** Sum and count of each group; printed with 6 decimals. */
const MEANS: [sum: bigint, count: number, printed: string][] = [
  [1n, 2_000, '0.000500'],
  // Exactly between two numbers of 6 decimals: to the even one, upwards or downwards.
  [1n, 64, '0.015625'],
  [1n, 128, '0.007812'],
  [3n, 128, '0.023438'],
  [-1n, 128, '-0.007812'],
  [-3n, 128, '-0.023438'],
  [1n, 3, '0.333333'],
  [2n, 3, '0.666667'],
  [-2n, 3, '-0.666667'],
  [0n, 7, '0.000000'],
  [999_999_999_999_999n, 1, '999999999999999.000000'],
  [900_719_925_474_099_300n, 7, '128674275067728471.428571'],
]

test('Percentile and rounding: means are exact and printed half to even, above and below zero', async () => {
  const rows = MEANS.flatMap(([total, size], group) =>
    Array.from({ length: size }, (_, row) => [`g${10 + group}`, row === 0 ? String(total) : '0']),
  )
  const query = defineQuery({
    name: 'means',
    about: '',
    inputs,
    from: scan('rows').group(['g'], { mean: avg('n'), total: sum('n'), rows: count() }),
    output: { columns: ['g', 'mean', 'total', 'rows'], order: [{ column: 'g' }] },
  })
  for (const [units, partitions] of [
    [1, 1],
    [3, 2],
  ]) {
    const plan = await planQueries(
      [{ query: sent(query) }],
      { rows: bench.csv('rows', ['g', 'n'], rows, units!) },
      { format: 'csv', partitions: partitions! },
    )
    const { means } = await bench.run(plan)
    const expected = MEANS.map(
      ([total, size, printed], group) => `g${10 + group},${printed},${total},${size}`,
    )
    assert.deepEqual(means?.trim().split('\n').slice(1), expected)
  }
})

test('Percentile and rounding: means that print alike are still distinguished, and equal ones are not', async () => {
  // Thirds in millionths: exactly (a, c), a hair above (b) and a hair below (d); all print as 0.333333.
  const group = (name: string, first: number[], size: number) =>
    Array.from({ length: size }, (_, row) => [name, String(first[row] ?? 0)])
  const rows = [
    ...group('a', [1_000_000], 3),
    ...group('d', [9_999_999], 30),
    ...group('c', [1_000_000, 1_000_000], 6),
    ...group('b', [10_000_001], 30),
  ]
  const query = defineQuery({
    name: 'best',
    about: '',
    inputs,
    from: scan('rows')
      .group(['g'], { mean: avg('n * 0.000001') })
      .top(3, [{ column: 'mean', descending: true }, { column: 'g' }]),
    output: {
      columns: ['g', 'mean'],
      order: [{ column: 'mean', descending: true }, { column: 'g' }],
    },
  })
  const plan = await planQueries(
    [{ query: sent(query) }],
    { rows: bench.csv('rows', ['g', 'n'], rows, 2) },
    { format: 'csv', partitions: 2 },
  )
  const { best } = await bench.run(plan)
  assert.equal(best, 'g,mean\nb,0.333333\na,0.333333\nc,0.333333\n')
})

test('Percentile and rounding: the nearest rank is the ceiling of q times n, of any n', async () => {
  const queries = ['0.9', '0.5', '1', '0.001'].map((q, place) =>
    defineQuery({
      name: `rank-${place}`,
      about: '',
      inputs,
      from: scan('rows')
        .atLeastQuantile('n', q)
        .group([], { least: count(), n: sum('n') }),
      output: { columns: ['least'], order: [] },
    }),
  )
  const ranks = [
    [9n, 10n],
    [1n, 2n],
    [1n, 1n],
    [1n, 1000n],
  ] as const
  for (const size of [1, 10, 11]) {
    const rows = Array.from({ length: size }, (_, row) => ['x', String((row * 7) % size)])
    const plan = await planQueries(
      queries.map((query) => ({ query: sent(query) })),
      { rows: bench.csv('rows', ['g', 'n'], rows, 3) },
      { format: 'csv', partitions: 2 },
    )
    const answers = await bench.run(plan)
    ranks.forEach(([top, bottom], place) => {
      const rank = (BigInt(size) * top + bottom - 1n) / bottom
      assert.equal(answers[`rank-${place}`], `least\n${BigInt(size) - rank + 1n}\n`, `${size} rows`)
    })
  }
})
