// Goal: the price uses the budget, and no other sharing of the visits is better. Method: random sets, compared
// with small moves of visits between URLs; caps and floors checked by summing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { gain, inverseGain } from './gain.ts'
import { azarAt, freshnessAt, lambdaCrawlAt, versionsAt, type VisitsAt } from './objectives.ts'
import type { RateSet } from './policy.ts'
import { solveHostPrices, solvePrice, visitsOf } from './solve.ts'

const page = fc.record({
  rate: fc.double({ min: 0.01, max: 20, noNaN: true }),
  weight: fc.double({ min: 0.2, max: 10, noNaN: true }),
  cost: fc.double({ min: 0.5, max: 4, noNaN: true }),
})
type Page = { rate: number; weight: number; cost: number }

function setOf(pages: readonly Page[], over: Partial<RateSet> = {}): RateSet {
  return {
    count: pages.length,
    rates: Float32Array.from(pages, ({ rate }) => rate),
    weights: Float32Array.from(pages, ({ weight }) => weight),
    costs: Float32Array.from(pages, ({ cost }) => cost),
    floors: new Float32Array(pages.length),
    ceilings: new Float32Array(pages.length).fill(Infinity),
    ...over,
  }
}

function shared(set: RateSet, price: number, visitsAt: VisitsAt): number[] {
  return Array.from({ length: set.count }, (_, i) => visitsOf(set, i, price, visitsAt))
}

function costOf(set: RateSet, visits: readonly number[]): number {
  return visits.reduce((sum, each, i) => sum + each * set.costs[i]!, 0)
}

test('the inverse of the gain is exact to two thousandths over its whole range', () => {
  for (let x = 0.001; x < 5_000; x *= 1.07) {
    assert.ok(Math.abs(inverseGain(gain(x)) / x - 1) < 2e-3, `at ${x}: ${inverseGain(gain(x))}`)
  }
  assert.equal(inverseGain(1), Infinity)
  assert.equal(inverseGain(0), 0)
})

const OBJECTIVES: [string, VisitsAt, (rate: number, visits: number) => number][] = [
  ['versions', versionsAt, (rate, visits) => visits * -Math.expm1(-rate / visits)],
  ['freshness', freshnessAt, (rate, visits) => (visits * -Math.expm1(-rate / visits)) / rate],
  ['azar', azarAt, (rate, visits) => visits / (visits + rate)],
  ['lambda-crawl', lambdaCrawlAt, (rate, visits) => Math.log(visits / (visits + rate))],
]

test('the price uses the budget, and no small move of visits between two URLs gains anything', () => {
  for (const [name, visitsAt, value] of OBJECTIVES) {
    fc.assert(
      fc.property(fc.array(page, { minLength: 2, maxLength: 12 }), (pages) => {
        const set = setOf(pages)
        const budget = pages.length * 0.4
        const visits = shared(set, solvePrice(set, budget, visitsAt).perCost, visitsAt)
        assert.ok(Math.abs(costOf(set, visits) / budget - 1) < 5e-3, `${name} spends its budget`)
        const worth = (i: number, each: number): number =>
          each > 0 ? set.weights[i]! * value(set.rates[i]!, each) : 0
        const step = 1e-3
        for (let i = 1; i < visits.length; i++) {
          const [from, to] = visits[i]! > visits[i - 1]! ? [i, i - 1] : [i - 1, i]
          if (visits[from]! < 10 * step || visits[to] === 0) continue
          const moved =
            worth(from, visits[from]! - step / set.costs[from]!) +
            worth(to, visits[to]! + step / set.costs[to]!)
          const kept = worth(from, visits[from]!) + worth(to, visits[to]!)
          assert.ok(moved <= kept + 5e-4, `${name} can be bettered`)
        }
      }),
      { seed: 11, numRuns: 60 },
    )
  }
})

test('a large set is priced from a sample first and still uses its budget', () => {
  const pages = Array.from({ length: 50_001 }, (_, i) => ({
    rate: 0.01 * (1 + (i % 97)),
    weight: 1 + (i % 5),
    cost: 1,
  }))
  pages[7] = { rate: 5_000, weight: 100, cost: 1 }
  const set = setOf(pages)
  const visits = shared(set, solvePrice(set, 20_000, versionsAt).perCost, versionsAt)
  assert.ok(Math.abs(costOf(set, visits) / 20_000 - 1) < 1e-3, String(costOf(set, visits)))
})

test('floors and ceilings hold, and the rest shares what they leave', () => {
  const pages = Array.from({ length: 10 }, () => ({ rate: 1, weight: 1, cost: 1 }))
  const floors = new Float32Array(10)
  const ceilings = new Float32Array(10).fill(Infinity)
  floors[0] = 2
  ceilings[1] = 0.1
  const set = setOf(pages, { floors, ceilings })
  const visits = shared(set, solvePrice(set, 6, versionsAt).perCost, versionsAt)
  assert.deepEqual([visits[0], Number(visits[1]!.toFixed(3))], [2, 0.1])
  assert.ok(Math.abs(costOf(set, visits) - 6) < 0.01)
  assert.ok(visits.slice(2).every((each) => Math.abs(each - 3.9 / 8) < 0.01))
})

test('a host is visited no more than its delay allows, and others take what it cannot', () => {
  const pages = Array.from({ length: 40 }, () => ({ rate: 2, weight: 1, cost: 1 }))
  const hostOf = Int32Array.from(pages, (_, i) => (i < 20 ? 0 : 1))
  const caps = { hostOf, perDay: Float32Array.of(4, 1_000) }
  const set = setOf(pages)
  const { perCost, byHost } = solveHostPrices(set, 30, versionsAt, caps)
  const visits = pages.map((_, i) => visitsOf(set, i, byHost[hostOf[i]!]!, versionsAt))
  const sum = (from: number, to: number): number =>
    visits.slice(from, to).reduce((total, each) => total + each, 0)
  assert.ok(Math.abs(sum(0, 20) - 4) < 0.01, `capped host gets ${sum(0, 20)}`)
  assert.ok(Math.abs(sum(20, 40) - 26) < 0.05, `the other gets ${sum(20, 40)}`)
  assert.ok(byHost[0]! > perCost)
  assert.equal(byHost[1], perCost)
})

test('freshness starves pages that change too fast, versions and LambdaCrawl do not', () => {
  const set = setOf([
    { rate: 100, weight: 1, cost: 1 },
    { rate: 0.5, weight: 1, cost: 1 },
  ])
  const fast = (visitsAt: VisitsAt): number =>
    shared(set, solvePrice(set, 0.6, visitsAt).perCost, visitsAt)[0]!
  assert.equal(fast(freshnessAt), 0)
  assert.equal(fast(azarAt), 0)
  assert.ok(fast(lambdaCrawlAt) > 0)
  assert.ok(fast(versionsAt) > 0.4)
})
