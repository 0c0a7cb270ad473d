// Goal: budgets of visits and of bytes and the caps of hosts are all kept to, none is left unused
// that matters, and the large pay for their size. Method: synthetic pages; what the gaps at the
// prices spend is summed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packedBeliefs, setWeightsAt } from '../estimate/packed.ts'
import { newBelief, observeVisit } from '../estimate/belief.ts'
import { DAY_MS } from '../estimate/grid.ts'
import { mingaFreshness, mingaVersions } from './minga.ts'
import { lambdaCrawlPolicy } from './priced.ts'
import type { RateSet } from './policy.ts'
import { isBulkPolicy, scarcePrices, withBytes, type ScarcePrices } from './scarce.ts'

const POLICIES = [mingaVersions, mingaFreshness, lambdaCrawlPolicy].filter(isBulkPolicy)
const COUNT = 200

/** Pages that changed at every third daily visit. */
function pages(): RateSet {
  const belief = newBelief()
  for (let day = 1; day <= 30; day++) {
    observeVisit(belief, { at: day * DAY_MS, sinceMs: DAY_MS, changed: day % 3 === 0 })
  }
  const posteriors = packedBeliefs(COUNT)
  for (let i = 0; i < COUNT; i++) setWeightsAt(posteriors, i, belief.weights)
  return {
    count: COUNT,
    rates: new Float32Array(COUNT).fill(0.4),
    weights: new Float32Array(COUNT).fill(1),
    costs: new Float32Array(COUNT).fill(1),
    floors: new Float32Array(COUNT),
    ceilings: new Float32Array(COUNT).fill(Infinity),
    posteriors,
  }
}

/** Every second is fifty times as large. */
const BYTES = Float32Array.from({ length: COUNT }, (_, i) => (i % 2 === 0 ? 500_000 : 10_000))

function visitsAt(
  policy: (typeof POLICIES)[number],
  { price, byHost }: ScarcePrices,
  hostOf?: Int32Array,
): number[] {
  const set = withBytes(pages(), BYTES, price.visitsPerByte ?? 0)
  const common = policy.gapDays(set, price)
  return Array.from(common, (days, i) => {
    const own = byHost.get(hostOf?.[i] ?? -1)
    return own === undefined ? 1 / days : 1 / policy.gapDays(set, { ...price, perCost: own })[i]!
  })
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0)

test('a large and a small page of equal worth: where bytes are scarce the large is visited more rarely', () => {
  for (const policy of POLICIES) {
    const budget = { visitsPerDay: 100, bytesPerDay: 5_000_000 }
    const found = scarcePrices(policy, pages(), { ...budget, bytes: BYTES, hosts: null })
    const visits = visitsAt(policy, found)
    assert.ok(visits[1]! > 2 * visits[0]!, `${policy.name}: ${visits[1]} against ${visits[0]}`)
    const bytes = sum(visits.map((each, i) => each * BYTES[i]!))
    assert.ok(bytes < 1.05 * budget.bytesPerDay, `${policy.name}: ${bytes} bytes`)
    assert.ok(sum(visits) < 1.05 * budget.visitsPerDay, `${policy.name}: ${sum(visits)} visits`)
    assert.ok(sum(visits) > 0.9 * budget.visitsPerDay, `${policy.name}: ${sum(visits)} visits used`)
  }
})

test('bytes that suffice cost nothing, and without visits to spare they alone set the price', () => {
  for (const policy of POLICIES) {
    const scarce = { visitsPerDay: 100, bytesPerDay: 1e12, bytes: BYTES, hosts: null }
    const rich = scarcePrices(policy, pages(), scarce)
    assert.deepEqual(rich.price, policy.price(pages(), 100))
    const poor = scarcePrices(policy, pages(), { ...scarce, visitsPerDay: 1e6, bytesPerDay: 5e6 })
    const bytes = sum(visitsAt(policy, poor).map((each, i) => each * BYTES[i]!))
    assert.ok(bytes < 5.3e6 && bytes > 4.5e6, `${policy.name}: ${bytes} bytes`)
  }
})

test('a host with a delay of an hour has its own price, and leaves the rest to the others', () => {
  for (const policy of POLICIES) {
    const hostOf = Int32Array.from({ length: COUNT }, (_, i) => (i < 50 ? 0 : 1))
    const hosts = { hostOf, perDay: Float32Array.of(24, Infinity) }
    const budget = { visitsPerDay: 200, bytesPerDay: null, bytes: BYTES }
    const found = scarcePrices(policy, pages(), { ...budget, hosts })
    const visits = visitsAt(policy, found, hostOf)
    assert.ok(Math.abs(sum(visits.slice(0, 50)) - 24) < 0.5, `${sum(visits.slice(0, 50))} visits`)
    const others = sum(visits.slice(50))
    assert.ok(Math.abs(others / 176 - 1) < 0.05, `${policy.name}: ${others} for the others`)
    assert.ok(found.byHost.get(0)! > found.price.perCost)
  }
})
