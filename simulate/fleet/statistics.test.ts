// Goal: the numbers behind the experiments are right. Method: values known by hand or from the thesis's
// Table 5.2, whose S and p are consistent with each other, and properties on random rankings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { estimate, kendall, pValueOf, quantile } from './statistics.ts'
import { distanceKm, TABLE_5_1, TABLE_5_2, THESIS_AGENTS } from './thesis-tables.ts'

const near = (got: number, wanted: number, share: number): void =>
  assert.ok(Math.abs(got - wanted) <= share * Math.abs(wanted), `${got} is not near ${wanted}`)

test('the p-value of each S of Table 5.2 is the printed one', () => {
  for (const [agent, { s, p }] of Object.entries(TABLE_5_2)) {
    // Twenty countries without ties: 20·19·45/18 = 950; Singapore's column holds one tie.
    near(pValueOf(s, agent === 'SG' ? 949 : 950), p, 0.001)
  }
})

test('a tie lowers the variance of S and raises τ-b as in the column of Singapore', () => {
  const column = THESIS_AGENTS.findIndex(({ name }) => name === 'SG')
  const times = TABLE_5_1.map(({ meanS }) => meanS[column]!)
  const { variance } = kendall(
    times,
    TABLE_5_1.map((_, i) => i),
  )
  assert.equal(variance, 949)
  near(69 / Math.sqrt(189 * 190), TABLE_5_2['SG']!.tau, 0.001)
})

test('distances between the middles of countries give the printed τ of three agents and nearly of three more', () => {
  const taus = THESIS_AGENTS.map(({ name, country }, column) => {
    const { tauB } = kendall(
      TABLE_5_1.map(({ meanS }) => meanS[column]!),
      TABLE_5_1.map((site) => distanceKm(country, site.country)),
    )
    return { name, apart: Math.abs(tauB - TABLE_5_2[name]!.tau) }
  })
  const exact = taus.filter(({ apart }) => apart < 0.0006).map(({ name }) => name)
  assert.deepEqual(exact, ['US', 'NL', 'UK'])
  const far = taus.filter(({ apart }) => apart > 0.011).map(({ name }) => name)
  assert.deepEqual(far, ['SG'])
})

test('the same order has τ-b 1, the opposite −1, and no order 0', () => {
  const up = [1, 2, 3, 4, 5]
  assert.equal(kendall(up, up).tauB, 1)
  assert.equal(kendall(up, up.toReversed()).tauB, -1)
  assert.equal(kendall([1, 2, 3], [2, 2, 2]).s, 0)
})

test('τ-b lies in [−1, 1], does not depend on the order of pairs, and changes sign with one side', () => {
  const pairs = fc.array(fc.tuple(fc.integer({ max: 9, min: 0 }), fc.integer({ max: 9, min: 0 })), {
    minLength: 3,
    maxLength: 30,
  })
  fc.assert(
    fc.property(pairs, (list) => {
      const tau = (some: [number, number][]): number =>
        kendall(
          some.map(([x]) => x),
          some.map(([, y]) => y),
        ).tauB
      const value = tau(list)
      if (Number.isNaN(value)) return
      assert.ok(Math.abs(value) <= 1 + 1e-12)
      assert.ok(Math.abs(tau(list.toReversed()) - value) < 1e-12)
      assert.ok(Math.abs(tau(list.map(([x, y]) => [x, -y])) + value) < 1e-12)
    }),
  )
})

test("five seeds have Student's interval and one has none", () => {
  const { mean, halfWidth, n } = estimate([1, 2, 3, 4, 5])
  assert.deepEqual([mean, n], [3, 5])
  near(halfWidth, 2.776 * Math.sqrt(2.5 / 5), 1e-9)
  assert.ok(Number.isNaN(estimate([7]).halfWidth))
})

test('quantiles are values that occurred', () => {
  assert.deepEqual(
    [0, 0.5, 0.95, 1].map((q) => quantile([10, 20, 30, 40], q)),
    [10, 20, 40, 40],
  )
})
