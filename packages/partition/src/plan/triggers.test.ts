// Goal: every reason to replan fires when it applies, once, and not at every fluctuation. Method:
// hand-made observations on a manual clock, and plans whose costs and gains are known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakEven, passesWithin } from './break-even.ts'
import { communitiesOf, partsNamed } from '../../test/plan/plan-fixture.ts'
import { planPlacement } from './plan.ts'
import { Triggers, type Observation } from './triggers.ts'

const RULES = {
  pauseMs: 10_000,
  settledMs: 5_000,
  everyMs: 1_000_000,
  imbalanceDrift: 0.2,
  exchangeDrift: 0.25,
  latencyDrift: 0.25,
  newHostShare: 0.2,
  rearm: 0.5,
}

const QUIET: Omit<Observation, 'now'> = {
  members: ['a', 'b', 'c'],
  hosts: 1_000,
  newHosts: 0,
  imbalance: 0.03,
  exchangeShare: 0.1,
  latencyMs: 40,
}

/** A fleet that was planned at 0. */
class Watched {
  readonly triggers = new Triggers(RULES)
  now = 0

  constructor() {
    this.triggers.planned({ ...QUIET, now: 0 })
  }

  after(ms: number, change: Partial<Observation> = {}): string | null {
    this.now += ms
    return this.triggers.look({ ...QUIET, now: this.now, ...change }).trigger
  }
}

test('Repartition triggers: nothing is planned while nothing changes, and the first plan at once', () => {
  const fleet = new Watched()
  for (let i = 0; i < 50; i++) assert.equal(fleet.after(10_000), null)
  const fresh = new Triggers(RULES)
  assert.equal(fresh.look({ ...QUIET, now: 0, members: [] }).trigger, null)
  assert.equal(fresh.look({ ...QUIET, now: 0 }).trigger, 'members')
})

test('Repartition triggers: a member that joined and stayed is a reason, one that blinked is none', () => {
  const fleet = new Watched()
  const members = ['a', 'b', 'c', 'd']
  assert.equal(fleet.after(20_000, { members }), null)
  assert.equal(fleet.after(4_000, { members }), null)
  assert.equal(fleet.after(500), null, 'it is gone again')
  assert.equal(fleet.after(500, { members }), null)
  assert.equal(fleet.after(4_999, { members }), null)
  assert.equal(fleet.after(1, { members }), 'members')
})

test('Repartition triggers: a member that left for good is a reason, and is named in it', () => {
  const fleet = new Watched()
  const members = ['a', 'c']
  fleet.after(20_000, { members })
  const decision = fleet.triggers.look({ ...QUIET, now: 30_000, members })
  assert.deepEqual(decision, { trigger: 'members', why: 'b left.' })
})

test('Repartition triggers: elapsed time is a reason of its own', () => {
  const fleet = new Watched()
  assert.equal(fleet.after(999_999), null)
  assert.equal(fleet.after(1), 'time')
  assert.equal(fleet.after(999_999), null)
  assert.equal(fleet.after(1), 'time')
})

test('Repartition triggers: drift of imbalance against what the plan promised', () => {
  const fleet = new Watched()
  assert.equal(fleet.after(20_000, { imbalance: 0.22 }), null)
  assert.equal(fleet.after(1_000, { imbalance: 0.24 }), 'imbalance')
  // One host is denser than a part: the plan itself promises no better, so there is no second one.
  fleet.triggers.planned({ ...QUIET, now: fleet.now, imbalance: 0.24 })
  assert.equal(fleet.after(100_000, { imbalance: 0.24 }), null)
})

test('Repartition triggers: drift of the exchange rate', () => {
  const fleet = new Watched()
  assert.equal(fleet.after(20_000, { exchangeShare: 0.124 }), null)
  assert.equal(fleet.after(1_000, { exchangeShare: 0.126 }), 'exchange')
})

test('Repartition triggers: drift of latency', () => {
  const fleet = new Watched()
  assert.equal(fleet.after(20_000, { latencyMs: 49 }), null)
  assert.equal(fleet.after(1_000, { latencyMs: 51 }), 'latency')
  assert.equal(fleet.after(60_000, { latencyMs: null }), null, 'the unknown is no drift')
})

test('Repartition triggers: what a plan could not promise drifts from where it was first measured', () => {
  const fleet = new Watched()
  fleet.triggers.planned({ ...QUIET, now: 0, exchangeShare: null, latencyMs: null })
  assert.equal(fleet.after(20_000, { exchangeShare: null, latencyMs: null }), null)
  assert.equal(fleet.after(20_000, { exchangeShare: 0.4, latencyMs: 200 }), null)
  assert.equal(fleet.after(20_000, { exchangeShare: 0.49, latencyMs: 240 }), null)
  assert.equal(fleet.after(20_000, { exchangeShare: 0.51, latencyMs: 240 }), 'exchange')
})

test('Repartition triggers: volume of new hosts', () => {
  const fleet = new Watched()
  assert.equal(fleet.after(20_000, { hosts: 1_190, newHosts: 190 }), null)
  const decision = fleet.triggers.look({ ...QUIET, now: 30_000, hosts: 1_200, newHosts: 200 })
  assert.equal(decision.trigger, 'new-hosts')
  assert.equal(decision.why, '200 hosts are new, 20 % of those that were planned.')
})

test('Repartition triggers: hysteresis, a reason that spoke is silent until it was below half its threshold', () => {
  const fleet = new Watched()
  const drifted = (exchangeShare: number): string | null => fleet.after(20_000, { exchangeShare })
  assert.equal(drifted(0.13), 'exchange')
  // The plan was not worth it, so the drift stays: repeating it would help no one.
  assert.equal(drifted(0.13), null)
  assert.equal(drifted(0.118), null)
  assert.equal(drifted(0.13), null, 'it was never below the lower threshold')
  assert.equal(drifted(0.11), null)
  assert.equal(drifted(0.13), 'exchange')
})

test('Repartition triggers: hysteresis, between two plans lies the least time, and then the reason still holds', () => {
  const fleet = new Watched()
  assert.equal(fleet.after(9_999, { latencyMs: 80 }), null)
  const { why } = fleet.triggers.look({ ...QUIET, now: 9_999, latencyMs: 80 })
  assert.match(why, /^A page takes 80 ms, after 40 ms\. It waits 1 s/)
  assert.equal(fleet.after(1, { latencyMs: 80 }), 'latency')
  assert.equal(fleet.after(9_999, { imbalance: 0.9 }), null)
  assert.equal(fleet.after(1, { imbalance: 0.9 }), 'imbalance')
})

test('Repartition triggers: hysteresis, the same member leaving twice is a reason twice', () => {
  const fleet = new Watched()
  for (let i = 0; i < 2; i++) {
    assert.equal(fleet.after(20_000, { members: ['a', 'b'] }), null)
    assert.equal(fleet.after(5_000, { members: ['a', 'b'] }), 'members')
    assert.equal(fleet.after(50_000, { members: ['a', 'b'] }), null, 'it was answered')
    fleet.triggers.planned({ ...QUIET, now: fleet.now })
  }
})

test('Repartition triggers: break-even, what is saved over the horizon must exceed what moving costs', () => {
  const graph = communitiesOf(400, 4)
  const parts = partsNamed('a', 'b', 'c', 'd')
  const previous = new Map(
    graph.names.map((name, host) => [name, parts[Math.floor(host / 4) % 4]!.name]),
  )
  const weights = { exchangeMs: 1, migrationMs: 10 }
  const planFor = (passes: number) => planPlacement({ graph, parts, previous, weights, passes })
  const once = planFor(1)
  const dear = breakEven(once)
  assert.deepEqual([dear.pays, once.way], [false, 'kept'])
  assert.match(dear.why, /^Moving more would not pay: \d/)
  // A thousand pages a second, 4,000 pages: in 100 s each is fetched 25 times.
  const passes = passesWithin(100_000, { pagesPerSecond: 1_000, pages: 4_000 })
  assert.equal(passes, 25)
  const often = planFor(passes)
  const cheap = breakEven(often)
  assert.ok(cheap.pays && cheap.savedMs > cheap.migrationMs && often.way !== 'kept')
  assert.match(cheap.why, /^Moving pays: /)
  assert.equal(passesWithin(1_000, { pagesPerSecond: 0, pages: 10 }), 1)
})
