/**
 * Clusters by size-constrained label propagation: every vertex joins the neighbouring cluster it is
 * linked to most heavily, if there is room. Finds communities where matching sees only pairs, so
 * power-law graphs shrink fast. (Meyerhenke, Sanders, Schulz, "Partitioning complex networks via
 * size-constrained clustering", SEA 2014.)
 *
 * Leaves of a hub whose cluster is full find no partner: they meet over two hops, by the cluster
 * they would have liked best. Vertices without links are packed together. O(rounds · arcs).
 */
import type { Graph } from '../graph/graph.ts'
import type { Random } from '../random.ts'
import { numbered, type Clustering } from './contract.ts'

export interface ClusterRules {
  /** Largest weight of a cluster, constraint by constraint. */
  maxWeights: Float64Array
  rounds: number
  /** Clusters below which it is not worth going on. */
  enough: number
  /** Only vertices of the same class are merged. */
  classes: Int32Array | null
}

/** Vertices are visited in shuffled blocks: random enough, and kind to the processor's cache. */
const BLOCK = 64

interface Clusters {
  labels: Int32Array
  weights: Float64Array
  sizes: Int32Array
  /** The cluster a vertex would have joined if there had been room; −1 without links. */
  favourites: Int32Array
  count: number
}

export function cluster(graph: Graph, rules: ClusterRules, random: Random): Clustering {
  const { vertices } = graph
  const clusters: Clusters = {
    labels: Int32Array.from({ length: vertices }, (_, v) => v),
    weights: Float64Array.from(graph.vertexWeights),
    sizes: new Int32Array(vertices).fill(1),
    favourites: new Int32Array(vertices).fill(-1),
    count: vertices,
  }
  for (let round = 0; round < rules.rounds && clusters.count > rules.enough; round++) {
    const before = clusters.count
    propagate(graph, rules, clusters, random)
    if (before - clusters.count < vertices / 100) break
  }
  if (clusters.count > rules.enough) mergeTwoHops(graph, rules, clusters)
  return numbered(clusters.labels)
}

function propagate(graph: Graph, rules: ClusterRules, clusters: Clusters, random: Random): void {
  const { vertices, starts, heads, edgeWeights } = graph
  const { labels, sizes, favourites } = clusters
  const { classes, enough } = rules
  const ratings = new Float64Array(vertices)
  const seen = new Int32Array(vertices)
  const blocks = Math.ceil(vertices / BLOCK)
  const order = Int32Array.from({ length: blocks }, (_, i) => i)
  random.shuffle(order)
  for (let b = 0; b < blocks; b++) {
    const from = order[b]! * BLOCK
    const to = Math.min(from + BLOCK, vertices)
    for (let v = from; v < to; v++) {
      const own = labels[v]!
      const start = starts[v]!
      const end = starts[v + 1]!
      let count = 0
      for (let a = start; a < end; a++) {
        const u = heads[a]!
        if (classes !== null && classes[u] !== classes[v]) continue
        const label = labels[u]!
        if (ratings[label] === 0) seen[count++] = label
        ratings[label]! += edgeWeights[a]!
      }
      const target = bestCluster(
        v,
        { own, count, seen, ratings },
        { graph, rules, clusters, random },
      )
      for (let i = 0; i < count; i++) ratings[seen[i]!] = 0
      if (target === own) continue
      favourites[v] = -1
      labels[v] = target
      sizes[target]!++
      if (--sizes[own]! === 0) clusters.count--
      moveWeight(graph, clusters.weights, v, { from: own, to: target })
    }
    if (clusters.count <= enough) return
  }
}

interface Rated {
  own: number
  count: number
  seen: Int32Array
  ratings: Float64Array
}

interface Scene {
  graph: Graph
  rules: ClusterRules
  clusters: Clusters
  random: Random
}

function bestCluster(v: number, rated: Rated, scene: Scene): number {
  const { own, count, seen, ratings } = rated
  const { clusters, random } = scene
  let best = own
  let bestRating = ratings[own]!
  let favourite = -1
  let favouriteRating = 0
  let ties = 1
  for (let i = 0; i < count; i++) {
    const label = seen[i]!
    const rating = ratings[label]!
    if (rating > favouriteRating) {
      favourite = label
      favouriteRating = rating
    }
    if (rating < bestRating || label === own) continue
    if (!hasRoom(scene, v, label)) continue
    if (rating > bestRating) ties = 1
    else if (random.below(++ties) !== 0) continue
    best = label
    bestRating = rating
  }
  if (best === own) clusters.favourites[v] = favourite
  return best
}

function hasRoom({ graph, rules, clusters }: Scene, v: number, label: number): boolean {
  const { constraints, vertexWeights } = graph
  const { weights } = clusters
  const { maxWeights } = rules
  if (constraints === 1) return weights[label]! + vertexWeights[v]! <= maxWeights[0]!
  for (let c = 0; c < constraints; c++) {
    const sum = weights[label * constraints + c]! + vertexWeights[v * constraints + c]!
    if (sum > maxWeights[c]!) return false
  }
  return true
}

function moveWeight(
  { constraints, vertexWeights }: Graph,
  weights: Float64Array,
  v: number,
  { from, to }: { from: number; to: number },
): void {
  for (let c = 0; c < constraints; c++) {
    const weight = vertexWeights[v * constraints + c]!
    weights[from * constraints + c]! -= weight
    weights[to * constraints + c]! += weight
  }
}

/** Lonely vertices with the same favourite share a cluster until it is full; so do those with none. */
function mergeTwoHops(graph: Graph, rules: ClusterRules, clusters: Clusters): void {
  const { vertices } = graph
  const { labels, sizes, favourites } = clusters
  const { classes } = rules
  const scene = { graph, rules, clusters } as Scene
  const waiting = new Int32Array(vertices + 1).fill(-1)
  for (let v = 0; v < vertices && clusters.count > rules.enough; v++) {
    if (labels[v] !== v || sizes[v] !== 1) continue
    const favourite = favourites[v]!
    const slot = favourite < 0 ? vertices : favourite
    const host = waiting[slot]!
    if (
      host < 0 ||
      (classes !== null && classes[host] !== classes[v]) ||
      !hasRoom(scene, v, host)
    ) {
      waiting[slot] = v
      continue
    }
    labels[v] = host
    sizes[host]!++
    sizes[v] = 0
    clusters.count--
    moveWeight(graph, clusters.weights, v, { from: v, to: host })
  }
}
