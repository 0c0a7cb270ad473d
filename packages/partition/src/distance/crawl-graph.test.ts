// Goal: no page, no link and no waiting is lost on the way from pages to the partitioner. Method: drawn crawls are
// coarsened step by step and at once, sent in batches twice, and their totals compared.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { cutOf } from '../graph/graph.ts'
import { partition } from '../partition.ts'
import { coarsenCrawl, hostGraph, linkGraph, pageGraph, type CrawlGraph } from './crawl-graph.ts'
import { BadDistanceInput } from './errors.ts'
import { CrawlCounts, GraphBatcher, type GraphBatch } from './graph-batches.ts'
import { affinityGraph, assignmentCosts, coarsenNearness, nearnessOf } from './nearness.ts'
import { World } from '../../test/distance/world-fixture.ts'
import { greatCircleKm } from './great-circle.ts'

const RUNS = { numRuns: 200, seed: 20_081_101 }
const [HOSTS, ADDRESSES, AGENTS] = [7, 3, 3]

interface Crawl {
  hostOf: number[]
  links: [number, number][]
  addressOf: number[]
}

const aCrawl: fc.Arbitrary<Crawl> = fc.integer({ min: 1, max: 40 }).chain((pages) => {
  const page = fc.integer({ min: 0, max: pages - 1 })
  const within = (count: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: count - 1 })
  return fc.record({
    hostOf: fc.array(within(HOSTS), { minLength: pages, maxLength: pages }),
    links: fc.array(fc.tuple(page, page), { maxLength: 120 }),
    addressOf: fc.array(within(ADDRESSES), { minLength: HOSTS, maxLength: HOSTS }),
  })
})

const sum = (values: Iterable<number>): number => [...values].reduce((total, x) => total + x, 0)
const totalsOf = ({ pages, insideLinks, links }: CrawlGraph): [number, number] => [
  sum(pages),
  sum(insideLinks) + sum(links),
]

function grainsOf({
  hostOf,
  links,
  addressOf,
}: Crawl): Record<'page' | 'host' | 'address', CrawlGraph> {
  const tails = Int32Array.from(links, ([from]) => from)
  const heads = Int32Array.from(links, ([, to]) => to)
  const page = pageGraph(hostOf.length, tails, heads)
  const host = coarsenCrawl(page, Int32Array.from(hostOf), HOSTS)
  return { page, host, address: coarsenCrawl(host, Int32Array.from(addressOf), ADDRESSES) }
}

test('Graph builders (link, RTT, geo): pages and links are conserved from pages to hosts to addresses', () => {
  fc.assert(
    fc.property(aCrawl, (crawl) => {
      const { page, host, address } = grainsOf(crawl)
      const expected = [crawl.hostOf.length, crawl.links.length]
      for (const grain of [page, host, address]) assert.deepEqual(totalsOf(grain), expected)
      const atOnce = coarsenCrawl(
        page,
        Int32Array.from(crawl.hostOf, (n) => crawl.addressOf[n]!),
        ADDRESSES,
      )
      assert.deepEqual(sortedArcs(atOnce), sortedArcs(address))
      assert.deepEqual(atOnce.insideLinks, address.insideLinks)
    }),
    RUNS,
  )
})

const sortedArcs = ({ tails, heads, links }: CrawlGraph): string[] =>
  [...tails.keys()].map((i) => `${tails[i]} ${heads[i]} ${links[i]}`).toSorted()

test('Graph builders (link, RTT, geo): what is cut between addresses is the same when counted in pages', () => {
  fc.assert(
    fc.property(
      aCrawl,
      fc.array(fc.nat({ max: 2 }), { minLength: 3, maxLength: 3 }),
      (crawl, parts) => {
        const { address } = grainsOf(crawl)
        const partOfPage = crawl.hostOf.map((host) => parts[crawl.addressOf[host]!]!)
        const cut = crawl.links.filter(([from, to]) => partOfPage[from] !== partOfPage[to]).length
        assert.equal(cutOf(linkGraph(address), Int32Array.from(parts)), cut)
      },
    ),
    RUNS,
  )
})

test('Graph builders (link, RTT, geo): waiting and distance are conserved for every agent', () => {
  const rows = fc.array(fc.integer({ min: 0, max: 300 }), {
    minLength: HOSTS * AGENTS,
    maxLength: HOSTS * AGENTS,
  })
  fc.assert(
    fc.property(aCrawl, rows, (crawl, values) => {
      const { host, address } = grainsOf(crawl)
      const fine = nearnessOf(
        { agents: AGENTS, vertices: HOSTS },
        (vertex, agent) => values[vertex * AGENTS + agent]!,
      )
      const grouping = { groupOf: Int32Array.from(crawl.addressOf), groups: ADDRESSES }
      const coarse = coarsenNearness(fine, host.pages, grouping)
      const [before, after] = [
        assignmentCosts(fine, host.pages),
        assignmentCosts(coarse, address.pages),
      ]
      for (let agent = 0; agent < AGENTS; agent++) {
        const of = (costs: Float64Array): number =>
          sum(costs.filter((_, at) => at % AGENTS === agent))
        assert.ok(Math.abs(of(before) - of(after)) <= 1e-9 * (1 + of(before)))
      }
    }),
    RUNS,
  )
})

test('Batches add up to the same graph as single pages, and one that comes twice counts once', () => {
  fc.assert(
    fc.property(aCrawl, fc.integer({ min: 1, max: 30 }), (crawl, fullEntries) => {
      const name = (page: number): string => `h${crawl.hostOf[page]}`
      const batcher = new GraphBatcher('agent-1', { fullEntries })
      const batches: GraphBatch[] = []
      for (const page of crawl.hostOf.keys()) {
        const linked = crawl.links.filter(([from]) => from === page).map(([, to]) => name(to))
        batcher.addPage(name(page), linked)
        if (batcher.isFull) batches.push(batcher.take()!)
      }
      const rest = batcher.take()
      if (rest !== null) batches.push(rest)
      assert.equal(batcher.take(), null)
      const counts = new CrawlCounts()
      for (const batch of batches) {
        assert.ok(counts.apply(batch))
        assert.equal(counts.apply(batch), false)
      }
      const resumed = CrawlCounts.resume(counts.totals())
      assert.equal(resumed.apply(batches.at(-1)!), false)
      assert.deepEqual(resumed.totals(), counts.totals())
      assert.deepEqual(totalsOf(hostGraph(counts.totals())), totalsOf(grainsOf(crawl).host))
    }),
    RUNS,
  )
})

test('batches are far fewer than URLs', () => {
  const batcher = new GraphBatcher('agent-1', { fullEntries: 500 })
  let batches = 0
  for (let page = 0; page < 20_000; page++) {
    const host = `h${page % 40}`
    batcher.addPage(host, [host, `h${(page * 7) % 40}`])
    if (batcher.isFull && batcher.take() !== null) batches++
  }
  assert.ok(batches <= 1, `${batches} for 20,000 pages`)
})

test('a batch with a count that is none is refused whole', () => {
  const counts = new CrawlCounts()
  for (const count of [0, -1, 1.5, NaN]) {
    const batch: GraphBatch = {
      source: 'a',
      sequence: 1,
      pages: [['x', 1]],
      links: [['x', 'y', count]],
    }
    assert.throws(() => counts.apply(batch), BadDistanceInput)
  }
  const unnumbered: GraphBatch = { source: 'a', sequence: NaN, pages: [['x', 1]], links: [] }
  assert.throws(() => counts.apply(unnumbered), BadDistanceInput)
  assert.deepEqual(counts.totals(), { pages: [], links: [], sequences: [] })
})

test('groups that do not fit the graph and distances that are none are refused', () => {
  const graph = pageGraph(2, Int32Array.of(0), Int32Array.of(1))
  assert.throws(() => coarsenCrawl(graph, Int32Array.of(0), 1), BadDistanceInput)
  assert.throws(() => coarsenCrawl(graph, Int32Array.of(0, 2), 2), BadDistanceInput)
  assert.throws(() => nearnessOf({ agents: 1, vertices: 1 }, () => -1), BadDistanceInput)
})

test('pairs of which nothing is known stand at the median and groups without pages at the mean', () => {
  const fine = nearnessOf({ agents: 1, vertices: 4 }, (v) => (v === 3 ? null : 10 * (v + 1)))
  assert.deepEqual([...fine.values], [10, 20, 30, 20])
  assert.equal(fine.unknown, 1)
  const grouping = { groupOf: Int32Array.of(0, 0, 1, 1), groups: 3 }
  const coarse = coarsenNearness(fine, Float64Array.of(0, 0, 1, 3), grouping)
  assert.deepEqual([...coarse.values], [15, 22.5, 0])
  const unknown = nearnessOf({ agents: 2, vertices: 1 }, () => null)
  assert.deepEqual([...unknown.values], [0, 0])
})

test('with distances as costs a partitioner gives hosts to agents that are near', () => {
  const world = new World(3, 60, 21)
  const pages = new Float64Array(60).fill(5)
  const nearness = nearnessOf({ agents: 3, vertices: 60 }, (vertex, agent) =>
    greatCircleKm(world.hosts[vertex]!, world.agents[agent]!),
  )
  const graph = linkGraph({
    pages,
    insideLinks: new Float64Array(60),
    tails: Int32Array.from({ length: 59 }, (_, i) => i),
    heads: Int32Array.from({ length: 59 }, (_, i) => i + 1),
    links: new Float64Array(59).fill(1),
  })
  const costs = assignmentCosts(nearness, pages)
  const { parts } = partition(graph, { k: 3, costs, imbalance: 0.3 })
  const costWith = (partOf: (v: number) => number): number =>
    sum(Array.from({ length: 60 }, (_, v) => costs[v * 3 + partOf(v)]!))
  assert.ok(costWith((v) => parts[v]!) < 0.8 * costWith((v) => v % 3))
})

test('in the graph of affinities the nearest pair is tied most and agents weigh nothing', () => {
  const nearness = nearnessOf({ agents: 2, vertices: 2 }, (v, a) => [5, 40, 30, 100][v * 2 + a]!)
  const graph = affinityGraph(nearness, Float64Array.of(7, 9))
  assert.deepEqual([...graph.vertexWeights], [0, 0, 7, 9])
  // Host 0 is vertex 2; with agents 0 and 1 apart, each host best stays with agent 0, its nearer one.
  assert.equal(cutOf(graph, Int32Array.of(0, 1, 0, 0)), 60)
  assert.equal(cutOf(graph, Int32Array.of(0, 1, 1, 1)), 95 + 70)
})
