// Goal: every name leads to a working policy, a wrong one to a helpful message, and every plan can be said
// in a sentence. Method: all names live through a few visits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from './explain.ts'
import { exponentialGap } from './exponential-gap.ts'
import { POLICY_NAMES, policyNamed } from './names.ts'
import { DAY_MS } from '../estimate/grid.ts'
import { gapsH, live, MONDAY } from '../../test/policy/policy-fixture.ts'

test('every policy lives through twenty visits, remembers in JSON, and explains each of its plans', () => {
  for (const name of POLICY_NAMES) {
    const policy = policyNamed(name)
    assert.equal(policy.name, name)
    const { plans } = live(policy, 20, (visit) => visit % 3 === 0)
    for (const plan of plans) {
      assert.match(explain(plan), /^next visit \w{3} \d{4}-\d\d-\d\d \d\d:\d\d: .+ \(.+\)$/)
    }
  }
})

test('a name that is none is refused with the list of those that are', () => {
  for (const name of [
    '',
    'fixed:0',
    'fixed:',
    'fixed:-3',
    'mingo',
    'volume:0.2',
    'simple+volume:2',
  ]) {
    assert.throws(() => policyNamed(name), {
      code: 'MINGA_UNKNOWN_POLICY',
      message: /lambda-crawl/,
    })
  }
})

test('a plan of minga says chance, rate with interval and price', () => {
  const { plans } = live(policyNamed('minga'), 12, (visit) => visit % 2 === 0)
  const text = explain(plans.at(-1)!, plans.at(-1)!.at - DAY_MS)
  assert.match(
    text,
    /^next visit \w{3} \d\d:\d\d: \d+ % likely changed by then; rate [\d.]+\/day \[[\d.]+–[\d.]+\]; budget price 0.30; /,
  )
})

test('fixed, nutch, uniform and random keep their own time', () => {
  assert.deepEqual(gapsH(live(policyNamed('fixed:12'), 3, () => true).plans), [12, 12, 12])
  assert.equal(policyNamed('fixed:12').firstVisitAfterMs, DAY_MS / 2)
  const nutch = gapsH(live(policyNamed('nutch'), 3, (visit) => visit === 2).plans)
  assert.deepEqual(
    nutch.map((gap) => gap.toFixed(2)),
    ['24.00', '33.60', '26.88'],
  )
  const context = { budgetPerUrlPerDay: 0.5 }
  assert.deepEqual(gapsH(live(policyNamed('uniform'), 2, () => true, { context }).plans), [48, 48])
  const { plans } = live(policyNamed('random'), 50, () => true, { context })
  plans.forEach(({ at }, i) => {
    const period = Math.floor((at - MONDAY) / (2 * DAY_MS))
    assert.equal(period, i + 1, 'one visit in every period')
  })
})

test('the exponential gap gives 12 h for case A and 2.31 h for case B', () => {
  const history = (count: number, n: number, days: number): number[] => {
    const older = Array.from({ length: count - n }, (_, i) => i)
    const from = 1_000 * DAY_MS
    return [...older, ...Array.from({ length: n }, (_, i) => from + (i * days * DAY_MS) / (n - 1))]
  }
  const a = exponentialGap(history(280, 28, 14))!
  assert.deepEqual(
    [a.n, a.perDay.toFixed(3), (a.gapMs / 3_600_000).toFixed(3)],
    [28, '2.000', '12.000'],
  )
  const b = exponentialGap(history(1_350, 135, 13))!
  assert.deepEqual(
    [b.n, b.perDay.toFixed(2), (b.gapMs / 3_600_000).toFixed(2)],
    [135, '10.38', '2.31'],
  )
  assert.equal(exponentialGap([5]), null)
  assert.equal(exponentialGap([]), null)
  assert.equal(exponentialGap(Array.from({ length: 12 }, (_, i) => i * DAY_MS))!.n, 12)
})
