// Goal: the predictors composed of types and a volume decide as documented. Method: pages of known
// behaviour, visit by visit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { policyNamed } from './names.ts'
import { DAY_MS } from '../estimate/grid.ts'
import { gapsH, live, MONDAY, someContext, someKnown } from '../../test/policy/policy-fixture.ts'

const simple = policyNamed('simple')
const never = (): boolean => false
const always = (): boolean => true

test('Simple predictor: a day more after every visit without change up to thirty, back to one at a change', () => {
  const gaps = gapsH(live(simple, 31, never).plans)
  assert.deepEqual(gaps.slice(0, 4), [48, 72, 96, 120])
  assert.deepEqual(gaps.slice(-2), [720, 720])
  assert.deepEqual(gapsH(live(simple, 5, always).plans), [24, 24, 24, 24, 24])
  assert.equal(gapsH(live(simple, 9, (visit) => visit === 8).plans).at(-1), 24)
})

test('Simple predictor: its gap is always from 24 to 720 hours', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 80 }), (changes) => {
      const gaps = gapsH(live(simple, changes.length, (visit) => changes[visit]!).plans)
      return gaps.every((gap) => gap >= 24 && gap <= 720)
    }),
    { seed: 4, numRuns: 200 },
  )
})

test('Notification variant: notices count only while the gap is above 360 hours, and bring the page back to 24', () => {
  const policy = policyNamed('notification')
  const early = live(policy, 14, never)
  assert.equal(gapsH(early.plans).at(-1), 360)
  assert.equal(policy.notice!(early.known, MONDAY, someContext()), null)
  const late = live(policy, 15, never)
  assert.equal(gapsH(late.plans).at(-1), 384)
  const told = policy.notice!(late.known, MONDAY, someContext())!
  assert.equal(told.at, MONDAY)
  const known = { ...late.known, state: told.state }
  const seen = { at: MONDAY, sinceMs: DAY_MS, changed: true, magnitude: 1 }
  assert.equal(policy.next(known, seen, someContext()).at - MONDAY, DAY_MS)
  assert.ok(!('notice' in simple))
})

test('History variant: no change in the window gives 144 hours, a change at every visit 24', () => {
  const policy = policyNamed('history')
  assert.deepEqual(new Set(gapsH(live(policy, 10, never).plans)), new Set([144]))
  assert.deepEqual(new Set(gapsH(live(policy, 10, always).plans)), new Set([24]))
  const half = gapsH(live(policy, 40, (visit) => visit % 2 === 0).plans).slice(8)
  assert.ok(
    half.every((gap) => gap === 48),
    `half of the days changed, gaps ${half.join(' ')}`,
  )
})

test('History variant: what is older than the window is forgotten', () => {
  const policy = policyNamed('history')
  const gaps = gapsH(live(policy, 30, (visit) => visit < 5).plans)
  assert.ok(gaps.slice(0, 5).every((gap) => gap === 24))
  assert.equal(gaps.at(-1), 144)
})

test('Type × volume composition: a pipeline of types works, and the volume hides small changes', () => {
  const loud = policyNamed('simple+notification+volume:0.2')
  assert.deepEqual(gapsH(live(loud, 3, always, { magnitude: 0.3 }).plans), [24, 24, 24])
  const quiet = gapsH(live(loud, 3, always, { magnitude: 0.1 }).plans)
  assert.deepEqual(quiet, [48, 72, 96])
  assert.ok('notice' in loud)
  const seasonal = policyNamed('history+day-type')
  assert.equal(seasonal.usesBudget, false)
  assert.ok(!('notice' in seasonal))
  assert.equal(live(seasonal, 40, always).plans.length, 40)
})

test('day types keep to the budget and move visits to the days on which the page changes', () => {
  const policy = policyNamed('day-type')
  const isWeekday = (at: number): boolean => Math.floor((at - MONDAY) / DAY_MS) % 7 < 5
  let at = MONDAY
  const known = someKnown()
  const visits: number[] = []
  for (let visit = 0; visit < 200; visit++) {
    const sinceMs = visit === 0 ? null : at - known.lastVisitAt
    const changed = isWeekday(at - 1)
    known.lastVisitAt = at
    const plan = policy.next(known, { at, sinceMs, changed, magnitude: 1 }, someContext())
    known.state = plan.state
    visits.push(at)
    at = plan.at
  }
  assert.ok(Math.abs((at - MONDAY) / DAY_MS - 200) < 8, 'one visit a day in the mean')
  const onWeekends = visits.slice(50).filter((visit) => !isWeekday(visit)).length
  assert.ok(
    onWeekends < 150 * 0.2,
    `${onWeekends} of 150 visits on weekends, 43 if nothing were learnt`,
  )
})
