/**
 * Makes every cluster one vertex. Weights, costs and loyalty add up; edges inside a cluster vanish,
 * parallel ones merge. O(arcs), one counting sort and one pass with a slot per cluster.
 */
import type { Graph, Weights } from '../graph/graph.ts'
import type { Level } from '../level.ts'

export interface Clustering {
  /** Cluster of each vertex, numbered 0 … count − 1. */
  clusters: Int32Array
  count: number
}

/**
 * Labels are any vertices. Clusters are numbered in the order of their first member, so that what was near
 * each other in memory stays so level by level.
 */
export function numbered(labels: Int32Array): Clustering {
  const numbers = new Int32Array(labels.length).fill(-1)
  const clusters = new Int32Array(labels.length)
  let count = 0
  for (let v = 0; v < labels.length; v++) {
    const label = labels[v]!
    if (numbers[label]! < 0) numbers[label] = count++
    clusters[v] = numbers[label]!
  }
  return { clusters, count }
}

export function contract(level: Level, clustering: Clustering): Level {
  const graph = contractGraph(level.graph, clustering)
  return { ...level, graph, ...contractOptions(level, clustering) }
}

function contractGraph(graph: Graph, clustering: Clustering): Graph {
  const { count } = clustering
  const { constraints } = graph
  return {
    vertices: count,
    constraints,
    vertexWeights: contractWeights(graph, clustering),
    ...contractArcs(graph, clustering),
  }
}

function contractWeights(graph: Graph, { clusters, count }: Clustering): Weights {
  const { constraints, vertexWeights, vertices } = graph
  const length = count * constraints
  const sums =
    vertexWeights instanceof Int32Array ? new Int32Array(length) : new Float64Array(length)
  for (let v = 0; v < vertices; v++) {
    const at = clusters[v]! * constraints
    for (let c = 0; c < constraints; c++) sums[at + c]! += vertexWeights[v * constraints + c]!
  }
  return sums
}

/** Vertices in the order of their clusters: those of cluster c stand from firsts[c]. */
function membersByCluster({ clusters, count }: Clustering): {
  firsts: Int32Array
  members: Int32Array
} {
  const firsts = new Int32Array(count + 1)
  for (let v = 0; v < clusters.length; v++) firsts[clusters[v]! + 1]!++
  for (let c = 0; c < count; c++) firsts[c + 1]! += firsts[c]!
  const next = firsts.slice(0, count)
  const members = new Int32Array(clusters.length)
  for (let v = 0; v < clusters.length; v++) members[next[clusters[v]!]!++] = v
  return { firsts, members }
}

function contractArcs(
  graph: Graph,
  clustering: Clustering,
): Pick<Graph, 'starts' | 'heads' | 'edgeWeights'> {
  const { clusters, count } = clustering
  const { starts, heads, edgeWeights } = graph
  const { firsts, members } = membersByCluster(clustering)
  const newStarts = new Int32Array(count + 1)
  const newHeads = new Int32Array(heads.length)
  const whole = edgeWeights instanceof Int32Array
  const newWeights: Weights = whole ? new Int32Array(heads.length) : new Float64Array(heads.length)
  // Where the arc to a cluster stands, valid when it belongs to the row that is being written.
  const slots = new Int32Array(count).fill(-1)
  let written = 0
  for (let c = 0; c < count; c++) {
    const rowStart = written
    newStarts[c] = rowStart
    const last = firsts[c + 1]!
    for (let m = firsts[c]!; m < last; m++) {
      const v = members[m]!
      const end = starts[v + 1]!
      for (let a = starts[v]!; a < end; a++) {
        const d = clusters[heads[a]!]!
        if (d === c) continue
        const slot = slots[d]!
        if (slot >= rowStart) newWeights[slot]! += edgeWeights[a]!
        else {
          slots[d] = written
          newHeads[written] = d
          newWeights[written++] = edgeWeights[a]!
        }
      }
    }
  }
  newStarts[count] = written
  return {
    starts: newStarts,
    heads: newHeads.slice(0, written),
    edgeWeights: newWeights.slice(0, written),
  }
}

function contractOptions(
  { fixed, costs, home, loyalty, k }: Level,
  { clusters, count }: Clustering,
): Pick<Level, 'fixed' | 'costs' | 'home' | 'loyalty'> {
  const one = {
    fixed: fixed === null ? null : new Int32Array(count),
    costs: costs === null ? null : new Float64Array(count * k),
    home: home === null ? null : new Int32Array(count),
    loyalty: loyalty === null ? null : new Float64Array(count),
  }
  for (let v = 0; v < clusters.length; v++) {
    const c = clusters[v]!
    // Only vertices of one class are ever merged, so any member speaks for all.
    if (one.fixed !== null) one.fixed[c] = fixed![v]!
    if (one.home !== null) one.home[c] = home![v]!
    if (one.loyalty !== null) one.loyalty[c]! += loyalty![v]!
    if (one.costs !== null) for (let p = 0; p < k; p++) one.costs[c * k + p]! += costs![v * k + p]!
  }
  return one
}
