/** From the graph given to one small enough to be partitioned outright, level by level. */
import { totalWeights, type Graph } from '../graph/graph.ts'
import type { Level } from '../level.ts'
import type { Preset } from '../preset.ts'
import type { Random } from '../random.ts'
import { cluster, type ClusterRules } from './cluster.ts'
import { contract, numbered, type Clustering } from './contract.ts'

export interface Step {
  finer: Level
  clustering: Clustering
}

export interface Hierarchy {
  coarsest: Level
  /** From the finest to the coarsest. */
  steps: Step[]
  /** Classes of the coarsest vertices, when vertices had any. */
  classes: Int32Array | null
}

export interface CoarsenRules {
  preset: Preset
  /** Vertices at which coarsening ends. */
  enough: number
  classes: Int32Array | null
}

/** A level that shrinks by less than this is the last: what is left cannot be merged. */
const LEAST_SHRINK = 0.95

export function coarsen(level: Level, rules: CoarsenRules, random: Random): Hierarchy {
  const steps: Step[] = []
  const limits = clusterLimits(level, rules.enough)
  let coarsest = level
  let { classes } = rules
  while (coarsest.graph.vertices > rules.enough) {
    const { graph } = coarsest
    const clustering = merged(graph, limits, { ...rules, classes }, random)
    if (clustering.count > graph.vertices * LEAST_SHRINK) break
    steps.push({ finer: coarsest, clustering })
    if (classes !== null) classes = projectUp(classes, clustering)
    coarsest = contract(coarsest, clustering)
  }
  return { coarsest, steps, classes }
}

/**
 * Meshes keep their shape only when they shrink slowly and evenly, by pairs; where degrees differ
 * widely, pairs leave most vertices over and clusters are right.
 */
function merged(
  graph: Graph,
  limits: Float64Array,
  { preset, enough, classes }: CoarsenRules,
  random: Random,
): Clustering {
  if (isEven(graph)) {
    const pairs = match(graph, { maxWeights: limits, classes }, random)
    if (pairs.count < graph.vertices * 0.7) return pairs
  }
  const totals = totalWeights(graph)
  const maxWeights = limits.map((limit, c) =>
    Math.min(limit, (preset.growth * totals[c]!) / graph.vertices),
  )
  return cluster(graph, { maxWeights, classes, rounds: preset.clusterRounds, enough }, random)
}

/** No vertex has many more neighbours than the others. */
export function isEven({ vertices, starts, heads }: Graph): boolean {
  const limit = 8 * Math.max(1, heads.length / vertices)
  for (let v = 0; v < vertices; v++) if (starts[v + 1]! - starts[v]! > limit) return false
  return true
}

/** So light that a part is still made of many coarsest vertices. */
function clusterLimits({ graph, limits, k }: Level, enough: number): Float64Array {
  const totals = totalWeights(graph)
  return totals.map((total, c) => {
    let smallest = Infinity
    for (let p = 0; p < k; p++) smallest = Math.min(smallest, limits[p * graph.constraints + c]!)
    return Math.max(1, Math.min((1.5 * total) / Math.max(1, enough), smallest / 4))
  })
}

export function projectUp(values: Int32Array, { clusters, count }: Clustering): Int32Array {
  const coarse = new Int32Array(count)
  for (let v = 0; v < clusters.length; v++) coarse[clusters[v]!] = values[v]!
  return coarse
}

export function projectDown(values: Int32Array, { clusters }: Clustering): Int32Array {
  const fine = new Int32Array(clusters.length)
  for (let v = 0; v < clusters.length; v++) fine[v] = values[clusters[v]!]!
  return fine
}

/**
 * Heavy-edge matching: every vertex pairs with the free neighbour at the end of its heaviest edge,
 * light vertices first in ties, few-linked vertices choose first. Shrinks by half at most, which
 * keeps the shape of meshes level by level. (Karypis, Kumar, SIAM J. Sci. Comput. 1998.) O(arcs).
 */
export function match(
  graph: Graph,
  rules: Pick<ClusterRules, 'maxWeights' | 'classes'>,
  random: Random,
): Clustering {
  const { vertices } = graph
  const labels = new Int32Array(vertices).fill(-1)
  const order = byDegree(graph, random)
  for (let i = 0; i < vertices; i++) {
    const v = order[i]!
    if (labels[v]! >= 0) continue
    const partner = heaviestFree(graph, rules, labels, v)
    labels[v] = v
    if (partner >= 0) labels[partner] = v
  }
  return numbered(labels)
}

function heaviestFree(
  graph: Graph,
  { maxWeights, classes }: Pick<ClusterRules, 'maxWeights' | 'classes'>,
  labels: Int32Array,
  v: number,
): number {
  const { starts, heads, edgeWeights, vertexWeights, constraints } = graph
  const end = starts[v + 1]!
  let best = -1
  let bestWeight = 0
  let bestMass = Infinity
  for (let a = starts[v]!; a < end; a++) {
    const u = heads[a]!
    const weight = edgeWeights[a]!
    if (weight < bestWeight || labels[u]! >= 0) continue
    const mass = vertexWeights[u * constraints]!
    if (weight === bestWeight && mass >= bestMass) continue
    if (classes !== null && classes[u] !== classes[v]) continue
    if (!fitTogether(graph, maxWeights, u, v)) continue
    best = u
    bestWeight = weight
    bestMass = mass
  }
  return best
}

function fitTogether(
  { constraints, vertexWeights }: Graph,
  maxWeights: Float64Array,
  u: number,
  v: number,
): boolean {
  for (let c = 0; c < constraints; c++) {
    const sum = vertexWeights[u * constraints + c]! + vertexWeights[v * constraints + c]!
    if (sum > maxWeights[c]!) return false
  }
  return true
}

/** Above this degree vertices count as alike: only the few-linked ones must not be left over. */
const DEGREES = 64
/** Shuffled in blocks: random enough, and kind to the processor's cache. */
const BLOCK = 64

function byDegree({ vertices, starts }: Graph, random: Random): Int32Array {
  const blocks = Int32Array.from({ length: Math.ceil(vertices / BLOCK) }, (_, i) => i)
  random.shuffle(blocks)
  const firsts = new Int32Array(DEGREES + 2)
  const degreeOf = (v: number): number => Math.min(starts[v + 1]! - starts[v]!, DEGREES)
  for (let v = 0; v < vertices; v++) firsts[degreeOf(v) + 1]!++
  for (let d = 0; d <= DEGREES; d++) firsts[d + 1]! += firsts[d]!
  const order = new Int32Array(vertices)
  for (let b = 0; b < blocks.length; b++) {
    const from = blocks[b]! * BLOCK
    const to = Math.min(from + BLOCK, vertices)
    for (let v = from; v < to; v++) order[firsts[degreeOf(v)]!++] = v
  }
  return order
}
