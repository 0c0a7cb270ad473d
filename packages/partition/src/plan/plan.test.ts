// Goal: a plan is balanced, keeps together what belongs together, costs what it says, and moves only what
// pays. Method: small crawls whose best placement is known or found by trying all, and changes of the fleet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BadPartitionInput } from '../errors.ts'
import { addressGroups } from './address-groups.ts'
import {
  communitiesOf,
  crawlOf,
  latencyOf,
  nameOf,
  partsNamed,
  placementOf,
} from '../../test/plan/plan-fixture.ts'
import { planPlacement, type Plan } from './plan.ts'
import type { PlanInput } from './plan-input.ts'
import { cheapestAssignment } from './relabel.ts'

const FOUR = partsNamed('a', 'b', 'c', 'd')

test('hosts that link to each other come into one part, and all parts carry alike', () => {
  const graph = communitiesOf(400, 4)
  const plan = planPlacement({ graph, parts: FOUR })
  assert.ok(plan.isBalanced && plan.imbalance <= 0.05, `${plan.imbalance}`)
  assert.ok(plan.exchangeShare < 0.09, `${plan.exchangeShare}`)
  assert.equal(plan.way, 'scratch')
  assert.deepEqual([plan.movedHosts, plan.newHosts], [0, 400])
})

test('figures are those of the crawl: recounted links, pages and waiting', () => {
  const graph = crawlOf({ a: 3, b: 5, c: 0 }, [
    ['a', 'b', 2],
    ['b', 'a', 1],
    ['b', 'c', 4],
    ['b', 'b', 9],
  ])
  const latency = latencyOf([
    [10, 90],
    [90, 10],
    [90, 10],
  ])
  const plan = planPlacement({ graph, latency, parts: partsNamed('x', 'y'), imbalance: 1 })
  // All in y: 3 · 90 + 5 · 10 + 1 · 10 = 330 ms. With a in x: 3 · 10 + 60 = 90 ms, and 3 links at 100 ms.
  assert.deepEqual([...plan.partOf], [1, 1, 1])
  assert.equal(plan.latencyMs, 330)
  assert.equal(plan.runningMs, 330)
  const cheap = { exchangeMs: 50 }
  const split = planPlacement({
    graph,
    latency,
    parts: partsNamed('x', 'y'),
    imbalance: 1,
    weights: cheap,
  })
  assert.deepEqual([...split.partOf], [0, 1, 1])
  assert.deepEqual([split.latencyMs, split.cut, split.exchangeShare], [90, 3, 3 / 16])
  assert.equal(split.runningMs, 90 + 150)
  assert.deepEqual([...split.pages], [3, 6])
})

test('no other placement within the limits costs less where all can be tried', () => {
  const small = fc.record({
    pages: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 6 }),
    links: fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.integer({ min: 1, max: 9 })), {
      maxLength: 12,
    }),
    waits: fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 18, maxLength: 18 }),
    k: fc.integer({ min: 2, max: 3 }),
  })
  fc.assert(
    fc.property(small, ({ pages, links, waits, k }) => {
      const n = pages.length
      const counted = Object.fromEntries(pages.map((count, host) => [nameOf(host), count]))
      const graph = crawlOf(
        counted,
        links.map(([from, to, count]) => [nameOf(from % n), nameOf(to % n), count] as const),
      )
      const latency = latencyOf(pages.map((_, host) => waits.slice(host * k, host * k + k)))
      const parts = FOUR.slice(0, k)
      const plan = planPlacement({ graph, parts, latency, imbalance: 0.5 })
      const limit = 1.5 * Math.ceil(pages.reduce((sum, count) => sum + count) / k)
      if (!plan.isBalanced) return
      for (let code = 0; code < k ** n; code++) {
        const other = Int32Array.from(pages, (_, host) => Math.floor(code / k ** host) % k)
        if (!isWithin(other, pages, { k, limit })) continue
        assert.ok(costOf({ graph, latency, parts }, other) >= plan.runningMs - 1e-6)
      }
    }),
    { numRuns: 60, seed: 7 },
  )
})

function isWithin(
  parts: Int32Array,
  pages: readonly number[],
  { k, limit }: { k: number; limit: number },
): boolean {
  const loads = new Float64Array(k)
  for (const [host, part] of parts.entries()) loads[part]! += pages[host]!
  return loads.every((load) => load <= limit)
}

function costOf({ graph, latency }: PlanInput, parts: Int32Array): number {
  let ms = 0
  for (const [i, tail] of graph.tails.entries()) {
    if (parts[tail] !== parts[graph.heads[i]!]) ms += 100 * graph.links[i]!
  }
  for (const [host, part] of parts.entries()) {
    ms += graph.pages[host]! * latency!.values[host * latency!.agents + part]!
  }
  return ms
}

test('hosts on one address stay together, but not those of a distribution network', () => {
  const hosts = Array.from({ length: 130 }, (_, i) => `www.site${i}.example`)
  const addressOf = (host: number): string | null => {
    if (host < 60) return '203.0.113.1'
    return host < 70 ? '203.0.113.2' : null
  }
  const groups = addressGroups(hosts, addressOf, (host) => host.slice(4))
  assert.deepEqual(new Set(groups.subarray(0, 60)), new Set([-1]), 'sixty domains on one address')
  assert.equal(new Set(groups.subarray(60, 70)).size, 1)
  assert.ok(groups[60]! >= 0)
  assert.ok(groups.subarray(70).every((group) => group === -1))
  const ofOne = addressGroups(hosts, addressOf, () => 'example')
  assert.equal(new Set(ofOne.subarray(0, 60)).size, 1, 'sixty hosts of one domain')

  const graph = communitiesOf(400, 4)
  const mixed = Int32Array.from({ length: 400 }, (_, host) => (host < 40 ? host % 5 : -1))
  const plan = planPlacement({ graph, parts: FOUR, groups: mixed })
  for (let host = 0; host < 40; host++) assert.equal(plan.partOf[host], plan.partOf[host % 5])
  assert.ok(plan.isBalanced)
})

test('a part carries in the measure of its capacity, and nothing without any', () => {
  const graph = communitiesOf(600, 12)
  const parts = [
    { name: 'a', capacity: 4 },
    { name: 'b', capacity: 1 },
    { name: 'c', capacity: 1 },
    { name: 'gone', capacity: 0 },
  ]
  const plan = planPlacement({ graph, parts })
  assert.ok(plan.isBalanced)
  for (const [i, share] of [4_000, 1_000, 1_000, 0].entries()) {
    assert.ok(plan.pages[i]! <= 1.05 * share, plan.pages.join(', '))
  }
})

test('parts are even in polite time too, where some hosts ask for long pauses', () => {
  const graph = communitiesOf(400, 4)
  // All of one community: pages alone would give them to one part.
  const pausesMs = Float64Array.from(graph.names, (_, host) => (host % 4 === 0 ? 15_000 : 1_000))
  const times = (plan: Plan): number[] => {
    const sums = [0, 0, 0, 0]
    for (const [host, part] of plan.partOf.entries()) sums[part]! += 10 * pausesMs[host]!
    return sums
  }
  const blind = times(planPlacement({ graph, parts: FOUR }))
  assert.ok(Math.max(...blind) > 3 * Math.min(...blind), 'otherwise this tests nothing')
  const plan = planPlacement({ graph, parts: FOUR, pausesMs })
  const fair = (times(plan).reduce((sum, ms) => sum + ms) / 4) * 1.05
  assert.ok(plan.isBalanced && Math.max(...times(plan)) <= fair + 1, times(plan).join(', '))
})

test('where nothing has changed, nothing moves', () => {
  const graph = communitiesOf(400, 4)
  const first = planPlacement({ graph, parts: FOUR })
  const again = planPlacement({ graph, parts: FOUR, previous: placementOf(graph, first), seed: 9 })
  assert.deepEqual([again.movedPages, again.newHosts], [0, 0])
  assert.deepEqual(again.partOf, first.partOf)
})

test('a fifth part takes about a fifth, and at most twice that moves', () => {
  const graph = communitiesOf(1_000, 50)
  const first = planPlacement({ graph, parts: FOUR })
  const five = [...FOUR, { name: 'e', capacity: 1 }]
  const plan = planPlacement({ graph, parts: five, previous: placementOf(graph, first) })
  assert.ok(plan.isBalanced)
  const ideal = 10_000 / 5
  assert.ok(plan.movedPages >= 0.9 * ideal && plan.movedPages <= 2 * ideal, `${plan.movedPages}`)
  assert.ok(plan.exchangeShare < 1.3 * first.exchangeShare + 0.02, `${plan.exchangeShare}`)
})

test('the hosts of a part that left are spread, and few others move', () => {
  const graph = communitiesOf(1_000, 50)
  const first = planPlacement({ graph, parts: FOUR })
  const three = FOUR.slice(0, 3)
  const plan = planPlacement({ graph, parts: three, previous: placementOf(graph, first) })
  assert.ok(plan.isBalanced)
  assert.equal(plan.newHosts, first.hosts[3])
  assert.ok(plan.movedPages <= 1_000, `${plan.movedPages} of 10,000 moved without need`)
})

test('a better placement is taken when it breaks even: not before a dear move, but for many passes', () => {
  const graph = communitiesOf(400, 4)
  // As bad as can be: every community is spread over all parts.
  const previous = new Map(
    graph.names.map((name, host) => [name, FOUR[Math.floor(host / 4) % 4]!.name]),
  )
  const dear = { exchangeMs: 1, migrationMs: 1_000 }
  const kept = planPlacement({ graph, parts: FOUR, previous, weights: dear })
  assert.deepEqual([kept.way, kept.movedPages], ['kept', 0])
  const often = planPlacement({ graph, parts: FOUR, previous, weights: dear, passes: 1_000 })
  assert.ok(often.exchangeShare < 0.3 * kept.exchangeShare, `${often.exchangeShare}`)
  assert.ok(often.migrationMs < 1_000 * kept.runningMs - often.runningMs)
  assert.equal(often.migrationMs, 1_000 * often.movedPages)
})

test('no more moves than may', () => {
  const graph = communitiesOf(400, 4)
  const previous = new Map(
    graph.names.map((name, host) => [name, FOUR[Math.floor(host / 4) % 4]!.name]),
  )
  const input = { graph, parts: FOUR, previous, weights: { migrationMs: 0 } }
  const free = planPlacement(input)
  assert.ok(free.movedPages > 2_000)
  const bound = planPlacement({ ...input, mostMovedPages: 500 })
  assert.ok(bound.movedPages > 0 && bound.movedPages <= 500, `${bound.movedPages}`)
})

test('names are given so that the assignment of sets is the cheapest of all', () => {
  const table = fc
    .integer({ min: 1, max: 5 })
    .chain((k) =>
      fc.array(fc.integer({ min: -50, max: 50 }), { minLength: k * k, maxLength: k * k }),
    )
  fc.assert(
    fc.property(table, (values) => {
      const k = Math.sqrt(values.length)
      const prices = Float64Array.from(values)
      const sum = (columns: readonly number[]): number =>
        columns.reduce((total, column, row) => total + prices[row * k + column]!, 0)
      const found = [...cheapestAssignment(prices, k)]
      assert.equal(new Set(found).size, k)
      assert.equal(sum(found), Math.min(...permutations(k).map(sum)))
    }),
    { numRuns: 300, seed: 3 },
  )
})

function permutations(k: number): number[][] {
  if (k === 0) return [[]]
  return permutations(k - 1).flatMap((shorter) =>
    Array.from({ length: k }, (_, at) => [...shorter.slice(0, at), k - 1, ...shorter.slice(at)]),
  )
}

test('the same input gives the same plan', () => {
  const graph = communitiesOf(300, 7)
  const plans = [1, 2].map(() => planPlacement({ graph, parts: FOUR, seed: 5 }))
  assert.deepEqual(plans[0], plans[1])
})

test('a crawl without hosts, and one with fewer hosts than parts, can be planned', () => {
  assert.equal(planPlacement({ graph: crawlOf({}, []), parts: FOUR }).partOf.length, 0)
  const two = planPlacement({ graph: crawlOf({ a: 5, b: 5 }, []), parts: FOUR })
  assert.equal(new Set(two.partOf).size, 2)
})

test('what cannot be planned is refused in words', () => {
  const graph = crawlOf({ a: 1 }, [])
  const latency = latencyOf([[1, 2, 3]])
  const wrong: [Partial<PlanInput>, RegExp][] = [
    [{ parts: [] }, /no part with any capacity/],
    [{ parts: partsNamed('a', 'a') }, /same name/],
    [{ parts: [{ name: 'a', capacity: -1 }] }, /Part a has the capacity -1/],
    [{ groups: new Int32Array(3) }, /3 groups; 1 are needed/],
    [{ latency }, /3 columns of latencies; 4 are needed/],
    [{ weights: { exchangeMs: -1 } }, /exchangeMs is -1/],
    [{ passes: NaN }, /passes is NaN/],
  ]
  for (const [change, message] of wrong) {
    assert.throws(
      () => planPlacement({ graph, parts: FOUR, ...change }),
      (error) => error instanceof BadPartitionInput && message.test(error.message),
    )
  }
})
