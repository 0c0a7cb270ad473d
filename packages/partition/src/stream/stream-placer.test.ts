// Goal: hosts that were just found go where they belong and never overrun a part. Method: properties
// over drawn graphs with loads counted again, hand-made cases for each term of the score, and the
// cut of a web with planted communities against that of hashing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { drawnGraph, graphOf } from '../../test/graph-fixture.ts'
import { cutOf, sumOf, type Graph } from '../graph/graph.ts'
import { jumpOwner } from './hash-owner.ts'
import { arrivalOf, crawlOrder, partsOf, plantedWeb } from '../../test/stream/stream-fixture.ts'
import { StreamPlacer, type Arrival, type StreamOptions } from './stream-placer.ts'

const RUNS = { numRuns: 150, seed: 20_260_104 }
const SCORES = ['fennel', 'ldg'] as const

function placedBy(graph: Graph, options: StreamOptions): StreamPlacer {
  const placer = new StreamPlacer(options)
  for (let v = 0; v < graph.vertices; v++) placer.place(arrivalOf(graph, v))
  return placer
}

function host(number: number, rest: Partial<Arrival> = {}): Arrival {
  return { host: number, weight: 1, neighbours: [], linkWeights: null, costs: null, ...rest }
}

test('every host gets one part, and hosts of weight 1 never lift a part above its bound', () => {
  fc.assert(
    fc.property(
      drawnGraph(60),
      fc.constantFrom(...SCORES),
      fc.double({ min: 0, max: 0.5, noNaN: true }),
      ({ vertices, edges, k, seed }, score, imbalance) => {
        const graph = graphOf(vertices, edges)
        const placer = new StreamPlacer({ k, score, seed, imbalance })
        for (let v = 0; v < vertices; v++) {
          const part = placer.place(arrivalOf(graph, v))
          assert.equal(placer.partOf(v), part)
          const limit = (1 + imbalance) * Math.ceil((v + 1) / k)
          assert.ok(placer.loads.every((load) => load <= limit))
        }
        const loads = new Float64Array(k)
        for (const part of partsOf(placer, vertices)) loads[part]!++
        assert.deepEqual(placer.loads, loads)
        assert.equal(placer.overflows, 0)
      },
    ),
    RUNS,
  )
})

test('a host of any weight goes above a bound only when no part has room for it', () => {
  fc.assert(
    fc.property(drawnGraph(40, 9), fc.constantFrom(...SCORES), (drawn, score) => {
      const graph = graphOf(drawn.vertices, drawn.edges, drawn.weights)
      const expectedWeight = sumOf(graph.vertexWeights)
      const limit = 1.03 * Math.ceil(expectedWeight / drawn.k)
      const placer = new StreamPlacer({ k: drawn.k, score, expectedWeight })
      for (let v = 0; v < graph.vertices; v++) {
        const least = Math.min(...placer.loads)
        const before = placer.overflows
        const part = placer.place(arrivalOf(graph, v))
        const isOver = placer.loads[part]! > limit
        assert.equal(isOver, least + graph.vertexWeights[v]! > limit)
        assert.equal(placer.overflows - before, isOver ? 1 : 0)
      }
    }),
    RUNS,
  )
})

test('the same hosts in the same order with the same seed have the same parts', () => {
  const graph = plantedWeb({ hosts: 400, communities: 10, links: 4, inside: 80, seed: 5 })
  const parts = (seed: number): Int32Array =>
    partsOf(placedBy(graph, { k: 6, seed, expectedWeight: 400 }), 400)
  assert.deepEqual(parts(1), parts(1))
  assert.notDeepEqual(parts(1), parts(2))
})

test('a host goes where most of its links go', () => {
  for (const score of SCORES) {
    const placer = new StreamPlacer({ k: 3, score, expectedWeight: 30 })
    for (const [number, part] of [0, 1, 1, 2].entries()) placer.adopt(number, part, 1)
    assert.equal(placer.place(host(4, { neighbours: [0, 1, 2] })), 1)
    assert.equal(placer.place(host(5, { neighbours: [0, 1], linkWeights: [5, 1] })), 0)
  }
})

test('between equal links the emptier part wins, and a full one is not asked at all', () => {
  for (const score of SCORES) {
    const placer = new StreamPlacer({ k: 2, score, expectedWeight: 20, imbalance: 0 })
    for (let i = 0; i < 9; i++) placer.adopt(i, 0, 1)
    placer.adopt(9, 1, 1)
    assert.equal(placer.place(host(10, { neighbours: [0, 9] })), 1)
    placer.place(host(11, { neighbours: [0, 1, 2, 3, 4, 5, 6, 7, 8] }))
    assert.deepEqual([...placer.loads], [10, 2])
    assert.equal(placer.place(host(12, { neighbours: [0, 1, 2, 3, 4, 5, 6, 7, 8] })), 1)
  }
})

test('what a host costs in a part weighs against its links', () => {
  for (const score of SCORES) {
    const placer = new StreamPlacer({ k: 2, score, expectedWeight: 100 })
    for (const number of [0, 1, 2]) placer.adopt(number, 0, 1)
    for (const number of [3, 4, 5]) placer.adopt(number, 1, 1)
    const neighbours = [0, 1, 2]
    assert.equal(placer.place(host(6, { neighbours, costs: [2, 0] })), 0)
    assert.equal(placer.place(host(7, { neighbours, costs: [9, 0] })), 1)
    assert.equal(placer.place(host(8, { costs: [40, 90] })), 0)
  }
})

test('capacities are kept, what small parts cannot carry goes to the others', () => {
  const placer = new StreamPlacer({ k: 3, capacities: [5, Infinity, 0], imbalance: 0 })
  for (let i = 0; i < 40; i++) placer.place(host(i))
  assert.deepEqual([...placer.loads], [5, 35, 0])
  assert.deepEqual([...placer.limits], [5, 35, 0])
  placer.place(host(40, { weight: 0 }))
  assert.notEqual(placer.partOf(40), 2)
})

test('when all capacities are used up hosts still get a part, and are counted', () => {
  const placer = new StreamPlacer({ k: 2, capacities: [2, 4] })
  for (let i = 0; i < 9; i++) placer.place(host(i))
  assert.deepEqual([...placer.loads], [3, 6])
  assert.equal(placer.overflows, 3)
})

test('fennel chooses by its formula, computed here from its paper', () => {
  const [k, weight, links] = [4, 200, 800]
  const placer = new StreamPlacer({
    k,
    expectedWeight: weight,
    expectedLinks: links,
    imbalance: 0,
  })
  const loads = [30, 20, 10, 5]
  let number = 0
  for (const [part, load] of loads.entries()) {
    for (let i = 0; i < load; i++) placer.adopt(number++, part, 1)
  }
  const alpha = (Math.sqrt(k) * links) / weight ** 1.5
  for (const counts of [
    [4, 3, 0, 0],
    [5, 3, 0, 0],
    [6, 3, 0, 0],
    [4, 3, 2, 0],
    [5, 4, 2, 1],
  ]) {
    const neighbours = counts.flatMap((count, part) =>
      Array.from({ length: count }, (_, i) => loads.slice(0, part).reduce((a, b) => a + b, 0) + i),
    )
    const scores = counts.map((count, p) => count - alpha * 1.5 * Math.sqrt(loads[p]!))
    const expected = scores.indexOf(Math.max(...scores))
    assert.equal(placer.place(host(number, { neighbours })), expected, `links ${counts.join(' ')}`)
    placer.leave(number)
  }
})

test('streaming cuts far fewer links than hashing does', () => {
  const hosts = 3_000
  const graph = plantedWeb({ hosts, communities: 50, links: 8, inside: 85, seed: 11 })
  const hashed = Int32Array.from({ length: hosts }, (_, v) => jumpOwner(`host${v}.example`, 8))
  for (const score of SCORES) {
    const placer = new StreamPlacer({ k: 8, score, expectedWeight: hosts })
    for (const v of crawlOrder(graph)) placer.place(arrivalOf(graph, v))
    const cut = cutOf(graph, partsOf(placer, hosts))
    assert.ok(cut < 0.6 * cutOf(graph, hashed), `${score}: ${cut} of ${cutOf(graph, hashed)}`)
  }
})

test('what is invalid is refused', () => {
  const refused = { code: 'MINGA_BAD_PARTITION_INPUT' }
  const options: StreamOptions[] = [
    { k: 0 },
    { k: 1.5 },
    { k: 2, imbalance: -1 },
    { k: 2, imbalance: Number.NaN },
    { k: 2, capacities: [1] },
    { k: 2, capacities: [0, 0] },
    { k: 2, capacities: [1, -1] },
    { k: 2, expectedWeight: Infinity },
  ]
  for (const bad of options) assert.throws(() => new StreamPlacer(bad), refused)
  const placer = new StreamPlacer({ k: 2 })
  placer.place(host(0))
  assert.throws(() => placer.place(host(0)), refused)
  assert.throws(() => placer.place(host(-1)), refused)
  assert.throws(() => placer.place(host(1, { weight: Number.NaN })), refused)
  assert.throws(() => placer.place(host(1, { costs: [1] })), refused)
  assert.throws(() => placer.place(host(1, { costs: [1, Infinity] })), refused)
  assert.throws(() => placer.adopt(1, 2, 1), refused)
  assert.throws(() => placer.leave(7), refused)
  assert.deepEqual([placer.partOf(1), placer.loads[0]! + placer.loads[1]!], [-1, 1])
})
