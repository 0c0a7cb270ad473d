/**
 * Heavy-edge matching: every vertex pairs with the free neighbour at the end of its heaviest edge,
 * light vertices first in ties, few-linked vertices choose first. Shrinks by half at most, which
 * keeps the shape of meshes level by level. (Karypis, Kumar, SIAM J. Sci. Comput. 1998.) O(arcs).
 */
import type { Graph } from '../graph/graph.ts'
import type { Random } from '../random.ts'
import type { ClusterRules } from './cluster.ts'
import { numbered, type Clustering } from './contract.ts'

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
