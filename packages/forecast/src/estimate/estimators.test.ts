// Goal: every classical estimator does what its paper says and has a rule for every bad input.
// Method: closed forms by hand, known biases on seeded pages, and lists of nonsense.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { choRatio, completeObservation, naive } from './counting.ts'
import { DAY_MS, FASTEST_PER_DAY, SLOWEST_PER_DAY } from './grid.ts'
import { lastModified } from './last-modified.ts'
import { maximumLikelihood, momentMatching } from './likelihood.ts'
import { lawOfLargeNumbers, stochasticApproximation } from './online.ts'
import {
  exponentialDays,
  mean,
  randomOf,
  watch,
  type Random,
} from '../../test/estimate/pages-fixture.ts'
import type { RateEstimate, Visit } from './visits.ts'

const ESTIMATORS: Record<string, (visits: readonly Visit[]) => RateEstimate> = {
  naive,
  choRatio,
  maximumLikelihood,
  smoothed: (visits) => maximumLikelihood(visits, { smoothed: true }),
  momentMatching,
  lawOfLargeNumbers,
  stochasticApproximation,
  momentum: (visits) => stochasticApproximation(visits, { momentum: true }),
  lastModified,
}

const daily = (outcomes: string): Visit[] =>
  Array.from(outcomes, (letter) => ({ sinceMs: DAY_MS, changed: letter === 'c' }))

function near(got: number, wanted: number, by = 1e-6): void {
  assert.ok(Math.abs(got - wanted) < by, `${got} instead of ${wanted}`)
}

test('daily visits of which half found a change give the closed forms', () => {
  const visits = daily('ccuucucu')
  near(naive(visits).perDay, 4 / 8)
  near(choRatio(visits).perDay, -Math.log(4.5 / 8.5))
  near(maximumLikelihood(visits).perDay, Math.LN2)
  near(momentMatching(visits).perDay, Math.LN2)
  near(lawOfLargeNumbers(visits).perDay, 4 / 5)
  near(lawOfLargeNumbers(visits, { visitsPerDay: 2 }).perDay, 8 / 5)
})

test('maximum likelihood solves its equation for unequal intervals', () => {
  const visits: Visit[] = [
    { sinceMs: 0.5 * DAY_MS, changed: true },
    { sinceMs: 3 * DAY_MS, changed: true },
    { sinceMs: 1 * DAY_MS, changed: false },
    { sinceMs: 0.2 * DAY_MS, changed: false },
  ]
  const { perDay } = maximumLikelihood(visits)
  near(0.5 / Math.expm1(0.5 * perDay) + 3 / Math.expm1(3 * perDay), 1.2)
  const matched = momentMatching(visits).perDay
  const expected = [0.5, 3, 1, 0.2].reduce((sum, days) => sum - Math.expm1(-matched * days), 0)
  near(expected, 2)
})

test('smoothing adds one changed and one unchanged visit of half a day', () => {
  const imaginary = [true, false].map((changed) => ({ sinceMs: DAY_MS / 2, changed }))
  const visits = daily('cucc')
  const smoothed = maximumLikelihood(visits, { smoothed: true }).perDay
  near(smoothed, maximumLikelihood([...visits, ...imaginary]).perDay)
})

test('stochastic approximation takes the steps of its recurrence', () => {
  near(stochasticApproximation(daily('c')).perDay, 2)
  near(stochasticApproximation(daily('cu')).perDay, 2 - 2 * 2 ** -0.75)
  const pushed = stochasticApproximation(daily('cu'), { momentum: true }).perDay
  near(pushed, 2 - 2 * 2 ** -0.75 + (0.5 / Math.SQRT2) * (2 - 1))
})

test('complete observation adds half a change in half a day', () => {
  near(completeObservation(7, 10 * DAY_MS).perDay, 7.5 / 10.5)
  assert.equal(completeObservation(0, DAY_MS).grounds, 'none-changed')
  near(completeObservation(-3, -DAY_MS).perDay, 1)
  assert.equal(completeObservation(5, 0).grounds, 'no-visits')
})

/** Each change is drawn, so that the last one's moment is known. */
function datedVisits(random: Random, perDay: number, visits: number): Visit[] {
  return Array.from({ length: visits }, () => {
    const days = exponentialDays(random, 1)
    let last = NaN
    for (let at = exponentialDays(random, perDay); at < days;) {
      last = at
      at += exponentialDays(random, perDay)
    }
    const sinceMs = days * DAY_MS
    return Number.isNaN(last)
      ? { sinceMs, changed: false }
      : { sinceMs, changed: true, lastModifiedAgoMs: (days - last) * DAY_MS }
  })
}

test('naive counting is too low by what theory says and the others are right on average', () => {
  const random = randomOf(21)
  const runs = Array.from({ length: 200 }, () => datedVisits(random, 2, 100))
  const average = (estimator: (visits: readonly Visit[]) => RateEstimate): number =>
    mean(runs.map((visits) => estimator(visits).perDay))
  near(average(naive), 2 / 3, 0.03)
  for (const name of ['maximumLikelihood', 'momentMatching', 'lawOfLargeNumbers'] as const) {
    near(average(ESTIMATORS[name]!), 2, 0.12)
  }
  near(average(stochasticApproximation), 2, 0.2)
  near(average(lastModified), 2, 0.08)
})

test('the ratio estimator is right on average where intervals are equal', () => {
  const random = randomOf(22)
  const rates = Array.from({ length: 300 }, () => {
    return choRatio(watch(random, { perDay: 1, spacing: 'fixed', visits: 100 })).perDay
  })
  near(mean(rates), 1, 0.03)
})

test('known dates of change sharpen the estimate', () => {
  const random = randomOf(23)
  const runs = Array.from({ length: 200 }, () => datedVisits(random, 3, 50))
  const spread = (estimator: (visits: readonly Visit[]) => RateEstimate): number =>
    mean(runs.map((visits) => (estimator(visits).perDay - 3) ** 2))
  assert.ok(spread(lastModified) < 0.6 * spread(maximumLikelihood))
})

for (const [name, estimator] of Object.entries(ESTIMATORS)) {
  test(`${name} without visits says so and gives the rate zero`, () => {
    const nothing = { perDay: 0, visits: 0, changes: 0, grounds: 'no-visits' }
    assert.deepEqual(estimator([]), nothing)
    const unusable = [0, -DAY_MS, NaN, Infinity].map((sinceMs) => ({ sinceMs, changed: true }))
    assert.deepEqual(estimator(unusable), nothing)
  })

  test(`${name} stays finite and says so when every visit or none found a change`, () => {
    const all = estimator(daily('cccccccc'))
    assert.equal(all.grounds, 'all-changed')
    assert.ok(all.perDay >= 0.8 && all.perDay <= FASTEST_PER_DAY, `${all.perDay}`)
    const none = estimator(daily('uuuuuuuu'))
    assert.equal(none.grounds, 'none-changed')
    assert.ok(none.perDay >= 0 && none.perDay < 0.2, `${none.perDay}`)
  })

  test(`${name} leaves out spans of no length and clocks that went back`, () => {
    const visits = daily('cuucucuu')
    const disturbed = visits.flatMap((visit) => [
      visit,
      { sinceMs: 0, changed: true },
      { sinceMs: -5 * DAY_MS, changed: false },
    ])
    assert.deepEqual(estimator(disturbed), estimator(visits))
  })

  test(`${name} gives a finite rate that is not negative for any visits at all`, () => {
    const visit = fc.record(
      { sinceMs: fc.double(), changed: fc.boolean(), lastModifiedAgoMs: fc.double() },
      { requiredKeys: ['sinceMs', 'changed'] },
    )
    fc.assert(
      fc.property(fc.array(visit), (visits) => {
        const { perDay } = estimator(visits)
        assert.ok(perDay >= 0 && Number.isFinite(perDay), `${perDay}`)
      }),
      { seed: 5 },
    )
  })
}

test('a Last-Modified in the future, before the visit before, or without a change is left out', () => {
  const dated = (lastModifiedAgoMs: number, changed = true): Visit[] => [
    { sinceMs: DAY_MS, changed, lastModifiedAgoMs },
    ...daily('ucu'),
  ]
  const undated = lastModified(daily('cucu'))
  assert.deepEqual(lastModified(dated(-DAY_MS)), undated)
  assert.deepEqual(lastModified(dated(2 * DAY_MS)), undated)
  assert.deepEqual(lastModified(dated(NaN)), undated)
  assert.deepEqual(lastModified(dated(DAY_MS / 10, false)), lastModified(daily('uucu')))
  assert.notDeepEqual(lastModified(dated(DAY_MS / 10)), undated)
})

test('a server that dates every answer with the moment it is sent is not believed', () => {
  const visits = daily('cccc').map((visit) => ({ ...visit, lastModifiedAgoMs: 0 }))
  near(lastModified(visits).perDay, 3 / 4)
})

test('rates found by bisection end at the ends of the grid', () => {
  near(maximumLikelihood(daily('ccc')).perDay, FASTEST_PER_DAY, 0.01)
  near(maximumLikelihood(daily('uuu')).perDay, SLOWEST_PER_DAY, 1e-6)
})
