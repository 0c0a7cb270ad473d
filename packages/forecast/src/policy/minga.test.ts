// Goal: Minga's policy visits when a visit is worth its price, and is not fooled. Method: pages of known
// behaviour, and plans under changed weights, prices and promises.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newBelief, observeVisit, rateOf } from '../estimate/belief.ts'
import { DAY_MS, GRID_POINTS, RATES } from '../estimate/grid.ts'
import { mingaFreshness, mingaVersions } from './minga.ts'
import { versionsAt } from './objectives.ts'
import type { Known, RateSet } from './policy.ts'
import { live, MONDAY, someContext, someKnown } from '../../test/policy/policy-fixture.ts'

/** Seen so often at its rate that little doubt is left. */
function wellKnown(perDay: number, over: Partial<Known> = {}): Known {
  const known = someKnown(over)
  const gapMs = DAY_MS / perDay
  // Of three visits one gap of an average change apart, two find something: 1 − 1/e.
  for (let visit = 1; visit <= 300; visit++) {
    const changed = Math.floor(visit * 0.632) > Math.floor((visit - 1) * 0.632)
    observeVisit(known.belief, { at: MONDAY + visit * gapMs, sinceMs: gapMs, changed })
  }
  return { ...known, visits: 300 }
}

const gapDays = (known: Known, perCost: number, policy = mingaVersions): number =>
  (policy.replan!(known, known.lastVisitAt, someContext({ price: { perCost } })).at -
    known.lastVisitAt) /
  DAY_MS

test('a well-known page is visited at the gap that the known rate would ask for', () => {
  for (const perDay of [0.1, 1, 5]) {
    const gap = gapDays(wellKnown(perDay), 0.3)
    const ideal = 1 / versionsAt(perDay, 1, 0.3)
    assert.ok(Math.abs(gap / ideal - 1) < 0.15, `rate ${perDay}: ${gap} days, ideal ${ideal}`)
  }
})

test('importance and large changes bring visits forward, a higher price puts them off', () => {
  const gap = gapDays(wellKnown(1), 0.3)
  assert.ok(gapDays(wellKnown(1, { weight: 3 }), 0.3) < gap)
  assert.ok(gapDays(wellKnown(1, { meanMagnitude: 0.5 }), 0.3) > gap)
  assert.ok(gapDays(wellKnown(1), 0.6) > gap)
  assert.ok(gapDays(wellKnown(1), 2) > 3_000, 'a version that is worth less than its price is left')
  const promised = wellKnown(1, { floorMs: 7 * DAY_MS })
  assert.equal(gapDays(promised, 2), 7, 'but a promise holds')
})

test('freshness leaves pages that change too fast, versions do not', () => {
  assert.ok(gapDays(wellKnown(20), 0.2, mingaFreshness) > 100)
  assert.ok(gapDays(wellKnown(20), 0.2, mingaVersions) < 0.1)
  assert.ok(gapDays(wellKnown(0.5), 0.2, mingaFreshness) < 3)
})

test('a page that changes on every fetch is soon visited rarely, yet tested after each visit', () => {
  const { plans } = live(mingaVersions, 60, () => true)
  const late = plans.slice(-20).map(({ at }, i) => at - (plans.at(-21 + i) ?? plans[0]!).at)
  const tests = late.filter((gap) => gap <= 3_600_000).length
  assert.ok(tests >= 8 && tests <= 12, `${tests} of 20 were tests`)
  const rests = late.filter((gap) => gap > 3_600_000)
  assert.ok(
    rests.every((gap) => gap >= 5 * DAY_MS),
    'the others are far apart',
  )
  assert.match(plans.at(-1)!.why.rule, /every fetch/)
})

test('a page wrongly taken for one that changes on every fetch clears itself', () => {
  const { known } = live(mingaVersions, 60, () => true)
  const context = someContext()
  let at = known.lastVisitAt
  let gapMs = 0
  for (let visit = 0; visit < 30; visit++) {
    const plan = mingaVersions.replan!(known, at, context)
    gapMs = plan.at - known.lastVisitAt
    at = plan.at
    const changed = gapMs > DAY_MS / 4
    observeVisit(known.belief, { at, sinceMs: gapMs, changed })
    known.lastVisitAt = at
    known.state = mingaVersions.next(
      known,
      { at, sinceMs: gapMs, changed, magnitude: 1 },
      context,
    ).state
  }
  assert.ok(gapMs < DAY_MS, `after all it is visited every ${gapMs / 3_600_000} h`)
})

test('a page that is suspected between two visits is tested before it rests', () => {
  const known = someKnown()
  const at = MONDAY + 10_000
  observeVisit(known.belief, { at, sinceMs: 10_000, changed: true })
  known.lastVisitAt = at
  // Others of the set that do change on every fetch make it likely of this one.
  const population = RATES.map((rate) => (rate > 50 ? 100 : 1))
  const context = someContext({ price: { perCost: 5, population } })
  const plan = mingaVersions.replan!(known, at, context)
  assert.match(plan.why.rule, /every fetch/)
  assert.equal((plan.at - at) / 3_600_000, 1)
  const tested = { ...known, state: plan.state, lastVisitAt: plan.at }
  const seen = { at: plan.at, sinceMs: plan.at - at, changed: true, magnitude: 1 }
  observeVisit(tested.belief, seen)
  const rest = mingaVersions.next(tested, seen, context)
  const again = mingaVersions.replan!({ ...tested, state: rest.state }, plan.at, context)
  assert.deepEqual([rest.at, again.at], [plan.at + 10 * DAY_MS, plan.at + 10 * DAY_MS])
})

function setOf(pages: readonly Known[]): RateSet {
  const count = pages.length
  const posteriors = new Float32Array(count * GRID_POINTS)
  pages.forEach(({ belief }, i) => posteriors.set(belief.weights, i * GRID_POINTS))
  return {
    count,
    rates: new Float32Array(count).fill(1),
    weights: Float32Array.from(pages, ({ weight }) => weight),
    costs: new Float32Array(count).fill(1),
    floors: Float32Array.from(pages, ({ floorMs }) => (floorMs === null ? 0 : DAY_MS / floorMs)),
    ceilings: new Float32Array(count).fill(Infinity),
    notified: Uint8Array.from(pages, ({ isNotified }) => (isNotified ? 1 : 0)),
    posteriors,
  }
}

test('the price fits the plans: at it they spend the budget', () => {
  const pages = Array.from({ length: 300 }, (_, i) => {
    const known = someKnown({ weight: 1 + (i % 7) })
    const gapMs = DAY_MS * (1 + (i % 5))
    for (let visit = 1; visit <= i % 9; visit++) {
      observeVisit(known.belief, {
        at: MONDAY + visit * gapMs,
        sinceMs: gapMs,
        changed: (visit * i) % 3 === 0,
      })
    }
    return known
  })
  const set = setOf(pages)
  for (const policy of [mingaVersions, mingaFreshness]) {
    const price = policy.price!(set, 100)
    const spent = pages.reduce((sum, known) => {
      const plan = policy.replan!(known, known.lastVisitAt, someContext({ price }))
      return sum + DAY_MS / (plan.at - known.lastVisitAt)
    }, 0)
    assert.ok(Math.abs(spent - 100) < 5, `${policy.name} spends ${spent} of 100`)
    const gaps = policy.gapDays!(set, price)
    for (const [i, known] of pages.entries()) {
      const plan = policy.replan!(known, known.lastVisitAt, someContext({ price }))
      const days = Math.min((plan.at - known.lastVisitAt) / DAY_MS, 3_000)
      assert.ok(Math.abs(Math.min(gaps[i]!, 3_000) / days - 1) < 1e-3, 'in bulk as one by one')
    }
  }
})

test('in bulk as one by one: suspects, promises, notified pages; and no gap within the asked days is left out', () => {
  const suspect = live(mingaVersions, 60, () => true).known.belief
  const calm = live(mingaVersions, 8, (visit) => visit % 3 === 0).known.belief
  const pages = Array.from({ length: 240 }, (_, i) => {
    const learnt = i % 4 === 0 ? suspect : i % 4 === 1 ? calm : wellKnown(0.02 * 1.05 ** i).belief
    const belief = { ...learnt, season: newBelief().season }
    const floorMs = i % 7 === 0 ? (1 + (i % 40)) * DAY_MS : null
    // In bulk no memory is read: what is suspected rests, as it does most of the time.
    const state = 'rest'
    return someKnown({ belief, weight: 0.2 + (i % 9), floorMs, isNotified: i % 11 === 0, state })
  })
  const set = setOf(pages)
  for (const perCost of [0.05, 0.4, 1.5]) {
    const gaps = mingaVersions.gapDays!(set, { perCost })
    const alone = pages.map((known) => gapDays(known, perCost))
    for (const [i, gap] of gaps.entries()) {
      assert.ok(Math.abs(Math.min(gap, 3_000) / Math.min(alone[i]!, 3_000) - 1) < 1e-3, `page ${i}`)
    }
    for (const days of [0.005, 0.3, 2, 9.9, 10.1, 29, 31, 500]) {
      const within = mingaVersions.gapDays!(set, { perCost }, new Float32Array(240).fill(days))
      for (const [i, gap] of gaps.entries()) {
        if (gap < days * 0.999) assert.equal(within[i], gap, `page ${i} within ${days} days`)
        if (gap > days * 1.001) assert.ok(within[i] === Infinity || within[i] === gap)
      }
      const told = within.filter((gap) => gap < Infinity).length
      const sooner = gaps.filter((gap) => gap <= days * 1.001).length
      assert.ok(told <= sooner + 60, `${told} signalled, ${sooner} within ${days} days`)
    }
  }
})

test('no page is visited that shows less than the least, whatever its belief and the set', () => {
  const beliefs = [
    live(mingaVersions, 60, () => true).known.belief,
    newBelief(),
    ...Array.from({ length: 60 }, (_, i) => wellKnown(0.01 * 1.2 ** i).belief),
  ].map((belief) => ({ ...belief, season: newBelief().season }))
  // Almost surely slow, and perhaps very fast: the mean says least of what a visit gains.
  const torn = newBelief()
  torn.weights.fill(1e-9).set([0.97], 3)
  torn.weights.set([0.03], 40)
  const pages = [...beliefs, torn].map((belief, i) => someKnown({ belief, weight: 0.3 + (i % 5) }))
  const set = setOf(pages)
  let least = Infinity
  for (const slope of [-2, 0, 0.5, 3]) {
    const population = Float64Array.from({ length: GRID_POINTS }, (_, i) =>
      Math.exp((slope * i) / 20),
    )
    for (const perCost of [0.01, 0.3, 1.2]) {
      const { expected, rate } = mingaVersions.leastShown!({ perCost, population })
      for (const [i, days] of mingaVersions.gapDays!(set, { perCost, population }).entries()) {
        if (days === Infinity) continue
        const { perDay } = rateOf(pages[i]!.belief)
        const shown = (pages[i]!.weight * perDay * days) / expected
        assert.ok(
          shown >= 0.999 || perDay >= rate,
          `page ${i} at ${perCost}: ${shown} of the least`,
        )
        least = Math.min(least, shown)
      }
    }
  }
  assert.ok(least < 3, `the bound is of use: ${least}`)
})

test('a notice is followed while a version is worth its price', () => {
  const known = wellKnown(1, { isNotified: true })
  assert.equal(mingaVersions.notice!(known, MONDAY, someContext())!.at, MONDAY)
  assert.equal(mingaVersions.notice!(known, MONDAY, someContext({ price: { perCost: 2 } })), null)
  assert.equal(gapDays(known, 0.3), 30, 'without one it waits, and checks the silence')
})
