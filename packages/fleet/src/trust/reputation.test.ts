// Goal: trust is earned by audited agreement only and audits never end. Method: the bound against
// a numeric integral of the Beta density, and properties over many reputations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  AUDIT_FLOOR,
  auditProbability,
  canaryProbability,
  honestyBound,
  isProven,
  PROVEN_BOUND,
  type Reputation,
} from './reputation.ts'
import { auditDraw, auditId, canaryDraw } from './selection.ts'

const of = (agreements: number, lies = 0): Reputation => ({ agreements, lies, isTrusted: false })

/** P(Beta(a, b) ≤ x) by the midpoint rule. */
function integral(x: number, a: number, b: number): number {
  const steps = 20_000
  const density = (y: number): number => y ** (a - 1) * (1 - y) ** (b - 1)
  let [below, all] = [0, 0]
  for (let i = 0; i < steps; i++) {
    const y = (i + 0.5) / steps
    all += density(y)
    if (y <= x) below += density(y)
  }
  return below / all
}

test('the bound leaves five percent of the belief below it', () => {
  for (const [agreements, lies] of [
    [0, 0],
    [5, 0],
    [40, 0],
    [12, 1],
    [60, 2],
    [0, 3],
  ] as const) {
    const below = integral(honestyBound(of(agreements, lies)), agreements + 1, lies + 1)
    assert.ok(Math.abs(below - 0.05) < 0.005, `${agreements} ${lies}: ${below}`)
  }
})

test('more agreements raise the bound, more lies lower it, whatever the numbers', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.nat(6), (agreements, lies) => {
      const bound = honestyBound(of(agreements, lies))
      assert.ok(bound >= 0 && bound <= 1)
      assert.ok(honestyBound(of(agreements + 1, lies)) >= bound)
      assert.ok(honestyBound(of(agreements, lies + 1)) <= bound)
    }),
  )
})

test('a newcomer is audited every time, a proven device seldom, only trusted devices never', () => {
  for (let agreements = 0; agreements < 10; agreements++) {
    assert.equal(auditProbability(of(agreements)), 1)
  }
  assert.ok(auditProbability(of(98)) < 0.15)
  assert.equal(auditProbability(of(100_000)), AUDIT_FLOOR)
  assert.equal(auditProbability({ ...of(0), isTrusted: true }), 0)
})

test('a device is proven after 98 agreements, and later if it lied before', () => {
  assert.equal(isProven(of(97)), false)
  assert.equal(isProven(of(98)), true)
  assert.ok(honestyBound(of(98)) >= PROVEN_BOUND)
  assert.equal(isProven(of(98, 1)), false)
  assert.equal(isProven(of(200, 1)), true)
})

test('open complaints raise the audit probability up to a bound', () => {
  const calm = auditProbability(of(1_000))
  assert.ok(auditProbability(of(1_000), { openComplaints: 1 }) > calm)
  assert.equal(auditProbability(of(1_000), { openComplaints: 1_000 }), calm + 0.5)
})

test('draws are uniform, repeatable and different under another secret', () => {
  const count = 20_000
  let [below, same] = [0, 0]
  for (let i = 0; i < count; i++) {
    const name = { fence: i >> 6, hostId: i % 7, hash: i }
    const draw = auditDraw('secret', name)
    assert.equal(draw, auditDraw('secret', name))
    if (draw < 0.1) below++
    if (draw < 0.1 && auditDraw('another', name) < 0.1) same++
  }
  assert.ok(Math.abs(below / count - 0.1) < 0.01)
  assert.ok(Math.abs(same / count - 0.01) < 0.004)
})

test('the id of an audit tells results apart and says nothing of the draw', () => {
  const ids = new Set(
    Array.from({ length: 1_000 }, (_, hash) => auditId('secret', { fence: 1, hostId: 2, hash })),
  )
  assert.equal(ids.size, 1_000)
  assert.notEqual(
    auditId('secret', { fence: 1, hostId: 23, hash: 4 }),
    auditId('secret', { fence: 1, hostId: 2, hash: 34 }),
  )
})

test('canaries grow rare with trust and never cease; where no device may audit they stand in for audits', () => {
  assert.equal(canaryProbability(of(0), false), 1)
  assert.equal(canaryProbability(of(0), true), 0.2)
  fc.assert(
    fc.property(fc.nat(2_000), fc.nat(3), (agreements, lies) => {
      const reputation = of(agreements, lies)
      const rare = canaryProbability(reputation, true)
      assert.ok(rare >= 0.2 * AUDIT_FLOOR)
      assert.ok(rare >= canaryProbability(of(agreements + 1, lies), true))
      assert.equal(canaryProbability(reputation, false), auditProbability(reputation))
    }),
  )
  assert.equal(canaryProbability(of(100_000), true), 0.2 * AUDIT_FLOOR)
  assert.equal(canaryProbability({ ...of(0), isTrusted: true }, false), 0)
})

test('whether a result is audited says nothing of whether a canary follows it', () => {
  const names = Array.from({ length: 4_000 }, (_, i) => ({ fence: i, hostId: 1, hash: 2 }))
  const audited = names.filter((name) => auditDraw('secret', name) < 0.5)
  const both = audited.filter((name) => canaryDraw('secret', name) < 0.5)
  assert.ok(Math.abs(both.length / audited.length - 0.5) < 0.05)
})
