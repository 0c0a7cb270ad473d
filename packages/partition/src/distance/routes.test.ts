// Goal: routes in files become estimates whose error is known. Method: traces of a made network are
// written as text and read again; shortest paths are compared with a simple method; lines of nonsense.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseHopLists } from './hop-lists.ts'
import { medianOf } from './median.ts'
import { routesOf, summariseDeltas, type RouteGraph } from './route-graph.ts'
import { RouteEstimates, shortestPathsMs } from './distances.ts'
import { makeNetwork } from '../../test/distance/traces-fixture.ts'

const RUNS = { numRuns: 200, seed: 20_081_101 }

const routesOfText = (...lines: string[]): ReturnType<typeof routesOf> =>
  routesOf(parseHopLists('traces', lines).traces)

function weightBetween({ index, starts, heads, weightsMs }: RouteGraph, a: string, b: string) {
  const tail = index.get(a)!
  for (let at = starts[tail]!; at < starts[tail + 1]!; at++) {
    if (heads[at] === index.get(b)) return weightsMs[at]
  }
  return undefined
}

test('RTT graph, shortest path: δ is near zero for at least 90 % of replayed traces', () => {
  for (const seed of [1, 2, 3]) {
    const { lines } = makeNetwork(6, 100, seed)
    const { traces, faultyLines } = parseHopLists('made', lines)
    assert.equal(faultyLines, 0)
    const { reached } = routesOf(traces)
    assert.equal(reached.length, 6 * 100 * 3)
    const summary = summariseDeltas(reached)
    assert.ok(summary.nearZeroShare >= 0.9, JSON.stringify(summary))
    assert.ok(summary.mostMs > 5, 'late routers are among them, or the test shows nothing')
  }
})

test('RTT graph, shortest path: estimates of pairs that no trace joins are near the truth', () => {
  const { lines, hosts, trueRttMs } = makeNetwork(12, 60, 5)
  const estimates = new RouteEstimates(routesOf(parseHopLists('made', lines).traces))
  const errors: number[] = []
  let covered = 0
  for (const [i, a] of hosts.entries()) {
    for (const b of hosts.slice(i + 1)) {
      const { rttMs, uncertaintyMs } = estimates.estimate(a, b)!
      errors.push(Math.abs(rttMs - trueRttMs(a, b)) / trueRttMs(a, b))
      if (Math.abs(rttMs - trueRttMs(a, b)) <= 2 * uncertaintyMs) covered++
    }
  }
  assert.ok(medianOf(errors) < 0.1, `${medianOf(errors)}`)
  assert.ok(covered / errors.length > 0.9, `${covered} of ${errors.length}`)
})

test('hop times are averaged per trace, the median is taken over traces, and less than nothing is nothing', () => {
  const { graph, reached } = routesOfText(
    's t r1=2,4 r2=9 t=12,14',
    's t r1=5 r2=1 t=13',
    's t r1=100 r2=8 t=11',
  )
  // Means 3, 5, 100 → 5; 9, 1, 8 → 8; 13, 13, 11 → 13.
  assert.equal(weightBetween(graph, 's', 'r1'), 5)
  assert.equal(weightBetween(graph, 'r1', 'r2'), 3)
  assert.equal(weightBetween(graph, 't', 'r2'), 5)
  assert.deepEqual(reached[0], { source: 's', target: 't', rttMs: 13, deltaMs: 0 })
})

test('a router that answers late makes δ negative, unless hops are lowered to those behind them', () => {
  const { traces } = parseHopLists('traces', ['s t r1=4 late=30 r2=8 t=10'])
  assert.equal(routesOf(traces).reached[0]!.deltaMs, -22)
  assert.equal(routesOf(traces, 'monotone').reached[0]!.deltaMs, 0)
})

test('silent routers are stepped over, loops count once, and what was not reached has no δ', () => {
  const { graph, reached } = routesOfText('s t r1=1 * r2=4 r1=5 r3=9', 's u r1=1')
  assert.deepEqual(graph.names, ['s', 'r1', 'r2', 'r3'])
  assert.equal(weightBetween(graph, 'r1', 'r2'), 3)
  assert.equal(weightBetween(graph, 'r2', 'r3'), 5)
  assert.deepEqual(reached, [])
  assert.deepEqual(summariseDeltas(reached).nearZeroShare, 1)
})

test('an edge that several sources crossed weighs the median of what they saw', () => {
  const { graph } = routesOfText('s1 t r=1 t=3', 's2 t r=5 t=9', 's3 t r=5 t=15')
  assert.equal(weightBetween(graph, 'r', 't'), 4)
})

test('what no route joins has no estimate, and traced pairs are surer than others', () => {
  const estimates = new RouteEstimates(
    routesOfText('s t r=1 t=3', 's u r=1 u=5', 'far away island=7 away=9'),
  )
  assert.equal(estimates.estimate('s', 'away'), null)
  assert.equal(estimates.estimate('s', 'nowhere'), null)
  assert.equal(estimates.estimate('s', 's'), null)
  assert.equal(estimates.estimate('s', 't')!.rttMs, 3)
  const untraced = estimates.estimate('t', 'u')!
  assert.equal(untraced.rttMs, 6)
  assert.ok(untraced.uncertaintyMs / 6 > estimates.estimate('s', 't')!.uncertaintyMs / 3)
})

test('shortest paths equal those of trying all edges again and again', () => {
  const edges = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }), fc.nat({ max: 20 })),
    { minLength: 1, maxLength: 40 },
  )
  fc.assert(
    fc.property(edges, (drawn) => {
      const { graph } = routesOfText(...drawn.map(([a, b, ms]) => `n${a} n${b} n${b}=${ms}`))
      const { starts, heads, weightsMs, names } = graph
      const plain = names.map((_, v) => (v === 0 ? 0 : Infinity))
      for (let round = 0; round < names.length; round++) {
        for (const v of names.keys()) {
          for (let a = starts[v]!; a < starts[v + 1]!; a++) {
            plain[heads[a]!] = Math.min(plain[heads[a]!]!, plain[v]! + weightsMs[a]!)
          }
        }
      }
      assert.deepEqual([...shortestPathsMs(graph, 0)], plain)
    }),
    RUNS,
  )
})

test('an invalid line is reported with its number, and the others count', () => {
  const { traces, faults, faultyLines } = parseHopLists('routes.txt', [
    '# source target hops',
    '',
    'a b c=1 b=2',
    'a b',
    'a b c=x',
    'a b c',
    'a=1 b c=1',
    'a b c=1,,2',
    'a b c=-1',
    'a b c=1=2',
    '  d e  * e=0.5  ',
  ])
  assert.equal(traces.length, 2)
  assert.equal(faultyLines, 7)
  assert.deepEqual(
    faults.map(({ message }) => message.split(':')[0]),
    [4, 5, 6, 7, 8, 9, 10].map((line) => `routes.txt, line ${line}`),
  )
  assert.ok(faults.every(({ code }) => code === 'MINGA_BAD_HOP_LIST'))
  assert.match(faults[1]!.message, /"x" is no time in ms/)
})

test('any text at all is read without an exception, and faults have an end', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 })), (lines) => {
      const { traces } = parseHopLists('noise', lines)
      for (const { hops } of traces) {
        for (const hop of hops) assert.ok(hop === null || hop.timesMs.every((ms) => ms >= 0))
      }
    }),
    RUNS,
  )
  const binary = parseHopLists(
    'noise',
    Array.from({ length: 5_000 }, () => '\0\u{1}ÿ'),
  )
  assert.equal(binary.faults.length, 100)
  assert.equal(binary.faultyLines, 5_000)
  assert.equal(parseHopLists('long', [`a b ${'c=1 '.repeat(300)}`]).faultyLines, 1)
})
