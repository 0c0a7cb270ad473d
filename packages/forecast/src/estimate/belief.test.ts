// Goal: the default estimator is right where it can be checked by hand, calibrated, quick to follow
// a page that changes its ways, and unmoved by nonsense. Method: exact sums over the grid for single
// observations; seeded pages with known rates for the rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  chanceOfChange,
  isBursting,
  newBelief,
  observeChanges,
  observeVisit,
  rateOf,
  type Belief,
} from './belief.ts'
import { BROAD, DAY_MS, FASTEST_PER_DAY, RATES, SLOWEST_PER_DAY } from './grid.ts'
import { maximumLikelihood } from './likelihood.ts'
import {
  beliefFrom,
  exponentialDays,
  mean,
  MONDAY,
  normal,
  randomOf,
  rootMeanSquare,
  watch,
} from '../../test/estimate/pages-fixture.ts'

/** Posterior mean after one observation, by the definition. */
function meanAfter(likelihood: (rate: number) => number): number {
  let [sum, weighted] = [0, 0]
  for (const [i, rate] of RATES.entries()) {
    const weight = BROAD[i]! * likelihood(rate)
    sum += weight
    weighted += weight * rate
  }
  return weighted / sum
}

function near(got: number, wanted: number, share: number): void {
  assert.ok(Math.abs(got / wanted - 1) < share, `${got} is not within ${share} of ${wanted}`)
}

test('one visit is weighed by Bayes’s rule with the chance of what it found', () => {
  const visit = { at: MONDAY, sinceMs: 2 * DAY_MS }
  const changed = beliefFrom([{ ...visit, changed: true }])
  near(
    rateOf(changed).perDay,
    meanAfter((rate) => 1 - Math.exp(-rate * 2)),
    1e-5,
  )
  const unchanged = beliefFrom([{ ...visit, changed: false }])
  near(
    rateOf(unchanged).perDay,
    meanAfter((rate) => Math.exp(-rate * 2)),
    1e-5,
  )
})

test('an exact observation is weighed by the chance of its number of changes', () => {
  const belief = newBelief()
  observeChanges(belief, { at: MONDAY, count: 1, spanMs: 3 * DAY_MS })
  near(
    rateOf(belief).perDay,
    meanAfter((rate) => rate * Math.exp(-3 * rate)),
    1e-5,
  )
  assert.equal(belief.changes, 1)
})

test('visits and exact observations meet in one posterior', () => {
  const random = randomOf(3)
  const belief = beliefFrom(watch(random, { perDay: 2, visits: 20 }))
  const vague = rateOf(belief)
  for (let n = 1; n <= 20; n++) {
    observeChanges(belief, { at: belief.lastSeenAt + DAY_MS, count: 2, spanMs: DAY_MS })
  }
  const sharp = rateOf(belief)
  assert.ok(sharp.high / sharp.low < vague.high / vague.low)
  near(sharp.perDay, 2, 0.25)
})

test('a span that is zero, negative or no number changes nothing', () => {
  const belief = beliefFrom(watch(randomOf(1), { visits: 10 }))
  const before = structuredClone(belief)
  for (const sinceMs of [0, -DAY_MS, NaN]) {
    for (const changed of [true, false]) observeVisit(belief, { at: MONDAY, sinceMs, changed })
    observeChanges(belief, { at: MONDAY, count: 5, spanMs: sinceMs })
  }
  observeVisit(belief, { at: NaN, sinceMs: DAY_MS, changed: true })
  observeChanges(belief, { at: MONDAY, count: NaN, spanMs: DAY_MS })
  observeChanges(belief, { at: MONDAY, count: -1, spanMs: DAY_MS })
  assert.deepEqual(belief, before)
})

test('a page that always changes and one that never does stay on the grid with finite intervals', () => {
  for (const changed of [true, false]) {
    const belief = newBelief()
    for (let n = 1; n <= 2000; n++) {
      observeVisit(belief, { at: MONDAY + n * DAY_MS, sinceMs: DAY_MS, changed })
    }
    const { perDay, low, high } = rateOf(belief)
    assert.ok(low < perDay && low < high)
    assert.ok(changed ? low > 2 : high < 0.03, `${low} ${perDay} ${high}`)
  }
})

test('whatever is observed, weights stay positive and sum to one and chances stay between 0 and 1', () => {
  const observation = fc.record({
    days: fc.oneof(fc.double({ min: -1, max: 5000, noNaN: true }), fc.constant(1e-9)),
    changed: fc.boolean(),
    count: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: null }),
  })
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 60 }), (observations) => {
      const belief = newBelief()
      let at = MONDAY
      for (const { days, changed, count } of observations) {
        const span = days * DAY_MS
        at += span
        if (count === null) observeVisit(belief, { at, sinceMs: span, changed })
        else observeChanges(belief, { at, count, spanMs: span })
      }
      const sum = belief.weights.reduce((total, weight) => total + weight, 0)
      assert.ok(Math.abs(sum - 1) < 1e-4, `${sum}`)
      assert.ok(belief.weights.every((weight) => weight > 0))
      const { perDay, low, high } = rateOf(belief)
      assert.ok(perDay > SLOWEST_PER_DAY * 0.99 && perDay < FASTEST_PER_DAY * 1.01)
      assert.ok(low <= high)
      const [soon, later] = [1, 10].map((days) => chanceOfChange(belief, at, at + days * DAY_MS))
      assert.ok(0 <= soon! && soon! <= later! && later! <= 1)
    }),
    { seed: 4, numRuns: 200 },
  )
})

test('the chance of a change is the posterior’s average and nothing between a moment and itself', () => {
  const belief = newBelief()
  const wanted = RATES.reduce((sum, rate, i) => sum + BROAD[i]! * -Math.expm1(-rate * 5), 0)
  near(chanceOfChange(belief, MONDAY, MONDAY + 5 * DAY_MS), wanted, 1e-4)
  assert.equal(chanceOfChange(belief, MONDAY, MONDAY), 0)
  assert.equal(chanceOfChange(belief, MONDAY, MONDAY - DAY_MS), 0)
})

test('of 90 % intervals between 85 and 95 % hold the true rate, after few visits and after many', () => {
  for (const visits of [5, 20, 60, 250]) {
    const random = randomOf(100 + visits)
    let held = 0
    const pages = 500
    for (let page = 0; page < pages; page++) {
      const perDay = Math.exp(Math.log(0.1) + 2.3 * normal(random))
      const { low, high } = rateOf(beliefFrom(watch(random, { perDay, visits })))
      if (low <= perDay && perDay <= high) held += 1
    }
    const share = held / pages
    assert.ok(share >= 0.85 && share <= 0.95, `${visits} visits: ${share}`)
  }
})

test('a tenfold jump is followed to within a factor of two in 50 visits by nine pages in ten', () => {
  for (const [from, to] of [
    [0.1, 1],
    [1, 0.1],
    [0.5, 5],
    [5, 0.5],
  ] as const) {
    const random = randomOf(11)
    let followed = 0
    for (let page = 0; page < 200; page++) {
      const belief = beliefFrom(watch(random, { perDay: from, visits: 120 }))
      for (const visit of watch(random, { perDay: to, visits: 50, from: belief.lastSeenAt })) {
        observeVisit(belief, visit)
        if (Math.abs(Math.log(rateOf(belief).perDay / to)) > Math.LN2) continue
        followed += 1
        break
      }
    }
    assert.ok(followed >= 180, `${from} to ${to}: ${followed}`)
  }
})

test('a slow tenfold drift over 300 visits is followed without losing the page', () => {
  const random = randomOf(12)
  const offs: number[] = []
  for (let page = 0; page < 60; page++) {
    const days = 300
    const rateAt = (at: number): number => 0.3 * 10 ** ((at - MONDAY) / (days * DAY_MS))
    const belief = beliefFrom(watch(random, { rateAt, visits: days, spacing: 'fixed' }))
    offs.push(Math.log(rateOf(belief).perDay / 3))
  }
  assert.ok(rootMeanSquare(offs) < 0.5, `${rootMeanSquare(offs)}`)
  assert.ok(Math.abs(mean(offs)) < 0.4, `${mean(offs)}`)
})

test('a steady page loses little precision to forgetting', () => {
  for (const perDay of [0.3, 1, 3]) {
    const random = randomOf(13)
    const [ours, best]: [number[], number[]] = [[], []]
    for (let page = 0; page < 300; page++) {
      const visits = watch(random, { perDay, visits: 100 })
      ours.push(Math.log(rateOf(beliefFrom(visits)).perDay / perDay))
      best.push(Math.log(maximumLikelihood(visits).perDay / perDay))
    }
    const ratio = rootMeanSquare(ours) / rootMeanSquare(best)
    assert.ok(ratio < 1.3, `rate ${perDay}: ${ratio}`)
  }
})

test('steady pages raise fewer than one false alarm in two thousand visits', () => {
  const random = randomOf(14)
  let alarms = 0
  for (const perDay of [0.1, 0.5, 1, 3]) {
    for (let page = 0; page < 40; page++) {
      alarms += beliefFrom(watch(random, { perDay, visits: 300 })).regimes
    }
  }
  assert.ok(alarms <= (4 * 40 * 300) / 2000, `${alarms}`)
})

test('a burst widens the belief, is reported, and is over when the page calms down', () => {
  const random = randomOf(15)
  let [noticed, calmed, widened] = [0, 0, 0]
  for (let page = 0; page < 40; page++) {
    const belief = beliefFrom(watch(random, { perDay: 0.1, visits: 100 }))
    const width = ({ low, high } = rateOf(belief)): number => high / low
    let narrowest = width()
    for (const visit of watch(random, { perDay: 4, visits: 15, from: belief.lastSeenAt })) {
      observeVisit(belief, visit)
      if (belief.visitsInRegime === 1 && isBursting(belief)) {
        noticed += 1
        if (width() > narrowest) widened += 1
      }
      narrowest = Math.min(narrowest, width())
    }
    beliefFrom(watch(random, { perDay: 0.1, visits: 60, from: belief.lastSeenAt }), belief)
    if (!isBursting(belief)) calmed += 1
  }
  assert.ok(noticed >= 36, `noticed ${noticed}`)
  assert.ok(widened >= 30, `widened ${widened}`)
  assert.ok(calmed >= 38, `calmed ${calmed}`)
})

test('a long list of exact changes counts like the same changes one by one', () => {
  const random = randomOf(16)
  const times: number[] = []
  for (let at = MONDAY; times.length < 400;) {
    at += exponentialDays(random, 2) * DAY_MS
    times.push(at)
  }
  const [one, many] = [newBelief(), newBelief()]
  let before = MONDAY
  for (const at of times) {
    observeChanges(one, { at, count: 1, spanMs: at - before })
    before = at
  }
  observeChanges(many, { at: before, count: times.length, spanMs: before - MONDAY })
  near(rateOf(many).perDay, rateOf(one).perDay, 0.15)
  near(many.evidence, one.evidence, 0.4)
  assert.equal(many.changes, one.changes)
})

/**
 * A page whose changes are signalled at once and visited some minutes later, as a coordinator does.
 */
function toldPage(
  random: () => number,
  perDay: number,
  learn: (belief: Belief, visit: { at: number; sinceMs: number; told: number }) => void,
): Belief {
  const belief = newBelief()
  let visitedAt = MONDAY
  for (let visit = 0; visit < 25; visit++) {
    const told = visitedAt + exponentialDays(random, perDay) * DAY_MS
    const at = told + 600_000
    learn(belief, { at, sinceMs: at - visitedAt, told })
    visitedAt = at
  }
  return belief
}

test('a page with signals of its changes is known with far less error by their times', () => {
  const errorOf = (learn: Parameters<typeof toldPage>[2]): number =>
    rootMeanSquare(
      [0.05, 0.3, 2].flatMap((perDay) =>
        Array.from({ length: 20 }, (_, i) =>
          Math.log(rateOf(toldPage(randomOf(70 + i), perDay, learn)).perDay / perDay),
        ),
      ),
    )
  const exact = errorOf((belief, { at, sinceMs, told }) =>
    observeChanges(belief, { at, count: 1, spanMs: sinceMs, times: [told], isVisit: true }),
  )
  // Every visit that follows a notice finds a change: by visits alone the rate has no upper bound.
  const censored = errorOf((belief, { at, sinceMs }) =>
    observeVisit(belief, { at, sinceMs, changed: true }),
  )
  assert.ok(exact < 0.3, `off by a factor of ${Math.exp(exact).toFixed(2)} with moments`)
  assert.ok(censored > 3 * exact, `and of ${Math.exp(censored).toFixed(2)} without`)
})

test('of a list that shows the latest change only, what lies before it is left open', () => {
  const span = { at: MONDAY, spanMs: 4 * DAY_MS, count: 1, times: [MONDAY - DAY_MS] }
  const belief = newBelief()
  observeChanges(belief, { ...span, unsureMs: 2 * DAY_MS, isVisit: true })
  near(
    rateOf(belief).perDay,
    meanAfter((rate) => rate * Math.exp(-rate * 2)),
    1e-5,
  )
  assert.equal(belief.visits, 1)
  assert.equal(belief.changes, 1)
})
