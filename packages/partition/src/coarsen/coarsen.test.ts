// Goal: coarsening loses nothing and merges only what may be merged. Method: drawn graphs are clustered and
// contracted; weights, cuts of projected partitions and classes are compared with the finer graph's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { drawnGraph, graphOf } from '../../test/graph-fixture.ts'
import { cutOf, totalWeights, type Graph } from '../graph/graph.ts'
import { objectiveOf, type Level } from '../level.ts'
import { PRESETS } from '../preset.ts'
import { Random } from '../random.ts'
import { cluster } from './cluster.ts'
import { contract, type Clustering } from './contract.ts'
import { coarsen, match, projectDown, projectUp } from './hierarchy.ts'

const RUNS = { numRuns: 200, seed: 20_081_101 }

function levelOf(graph: Graph, k: number, seed: number): Level {
  const random = new Random(seed)
  const draw = (length: number): Float64Array =>
    Float64Array.from({ length }, () => random.below(9))
  return {
    graph,
    k,
    limits: new Float64Array(k).fill(Infinity),
    fixed: null,
    costs: draw(graph.vertices * k),
    home: Int32Array.from({ length: graph.vertices }, (_, v) => v % k),
    loyalty: draw(graph.vertices),
  }
}

test('Graph builders (link, RTT, geo): weight totals conserved under coarsening', () => {
  fc.assert(
    fc.property(drawnGraph(60), (drawn) => {
      const level = levelOf(
        graphOf(drawn.vertices, drawn.edges, drawn.weights),
        drawn.k,
        drawn.seed,
      )
      const rules = { preset: PRESETS.default, enough: 4, classes: level.home }
      const { coarsest, steps } = coarsen(level, rules, new Random(drawn.seed))
      assert.deepEqual(totalWeights(coarsest.graph), totalWeights(level.graph))
      // Any partition of the coarse graph costs the same as its projection to the fine one.
      const random = new Random(drawn.seed)
      const coarse = Int32Array.from({ length: coarsest.graph.vertices }, () =>
        random.below(drawn.k),
      )
      let fine: Int32Array = coarse
      for (const { clustering } of steps.toReversed()) fine = projectDown(fine, clustering)
      assert.equal(objectiveOf(coarsest, coarse), objectiveOf(level, fine))
    }),
    RUNS,
  )
})

function checkClustering(
  graph: Graph,
  { clusters, count }: Clustering,
  most: number,
  classes: Int32Array,
): void {
  const weights = new Float64Array(count)
  const sizes = new Int32Array(count)
  for (let v = 0; v < graph.vertices; v++) {
    weights[clusters[v]!]! += graph.vertexWeights[v]!
    sizes[clusters[v]!]!++
  }
  assert.ok(sizes.every((size) => size > 0))
  assert.ok(weights.every((weight, c) => weight <= most || sizes[c] === 1))
  const up = projectUp(classes, { clusters, count })
  assert.deepEqual(projectDown(up, { clusters, count }), classes)
}

test('clusters and pairs respect weight limits and classes', () => {
  fc.assert(
    fc.property(drawnGraph(60), fc.integer({ min: 1, max: 8 }), (drawn, most) => {
      const graph = graphOf(drawn.vertices, drawn.edges, drawn.weights)
      const classes = Int32Array.from({ length: drawn.vertices }, (_, v) => v % 3)
      const rules = { maxWeights: Float64Array.of(most), rounds: 3, enough: 1, classes }
      checkClustering(graph, cluster(graph, rules, new Random(drawn.seed)), most, classes)
      const pairs = match(graph, rules, new Random(drawn.seed))
      checkClustering(graph, pairs, most, classes)
      assert.ok(pairs.count >= drawn.vertices / 2)
    }),
    RUNS,
  )
})

test('leaves of a hub meet over two hops, and so do vertices without links', () => {
  const star = graphOf(
    101,
    Array.from({ length: 100 }, (_, leaf) => [100, leaf]),
  )
  const rules = { maxWeights: Float64Array.of(4), rounds: 3, enough: 1, classes: null }
  assert.ok(cluster(star, rules, new Random(1)).count <= 30)
  assert.ok(cluster(graphOf(100, []), rules, new Random(1)).count <= 25)
})

test('contracting a clustering keeps the weight of the edges between clusters', () => {
  const graph = graphOf(4, [
    [0, 1, 5],
    [1, 2, 2],
    [0, 3, 3],
    [2, 3, 7],
  ])
  const level = { ...levelOf(graph, 2, 1), costs: null, home: null, loyalty: null }
  const coarse = contract(level, { clusters: Int32Array.of(0, 0, 1, 1), count: 2 })
  assert.deepEqual([...coarse.graph.heads], [1, 0])
  assert.equal(cutOf(coarse.graph, Int32Array.of(0, 1)), 5)
})
