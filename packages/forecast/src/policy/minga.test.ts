// Goal: Minga's policy visits when a visit is worth its price, and is not fooled. Method: pages of known
// behaviour, and plans under changed weights, prices and promises.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { observeVisit } from '../estimate/belief.ts'
import { DAY_MS, GRID_POINTS } from '../estimate/grid.ts'
import { mingaFreshness, mingaVersions } from './minga.ts'
import { versionsAt } from './objectives.ts'
import type { Known, RateSet } from './policy.ts'
import { live, MONDAY, someContext, someKnown } from './policy-fixture.ts'

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
  const posteriors = new Float32Array(pages.length * GRID_POINTS)
  pages.forEach(({ belief }, i) => posteriors.set(belief.weights, i * GRID_POINTS))
  const set: RateSet = {
    count: pages.length,
    rates: new Float32Array(pages.length).fill(1),
    weights: Float32Array.from(pages, ({ weight }) => weight),
    costs: new Float32Array(pages.length).fill(1),
    floors: new Float32Array(pages.length),
    ceilings: new Float32Array(pages.length).fill(Infinity),
    posteriors,
  }
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

test('a notice is followed while a version is worth its price', () => {
  const known = wellKnown(1, { isNotified: true })
  assert.equal(mingaVersions.notice!(known, MONDAY, someContext())!.at, MONDAY)
  assert.equal(mingaVersions.notice!(known, MONDAY, someContext({ price: { perCost: 2 } })), null)
  assert.equal(gapDays(known, 0.3), 30, 'without one it waits, and checks the silence')
})
