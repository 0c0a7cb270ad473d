/**
 * An undirected graph in compressed rows: the arcs of vertex v stand at starts[v] … starts[v + 1] − 1,
 * every edge twice, once from each end. No loops, no duplicates: `build.ts` sees to it.
 */

/** Whole numbers while their sum fits into 32 bits (fast and small), doubles otherwise. */
export type Weights = Int32Array | Float64Array

export interface Graph {
  vertices: number
  starts: Int32Array
  heads: Int32Array
  /** One per arc, the same on both arcs of an edge. */
  edgeWeights: Weights
  /** How many things are balanced at once; weights of a vertex stand side by side. */
  constraints: number
  vertexWeights: Weights
}

export const INT32_MAX = 2_147_483_647

/** An array for values whose sum, after any merging of vertices, is at most `total`. */
export function weightsFor(length: number, total: number, whole = true): Weights {
  return whole && total <= INT32_MAX ? new Int32Array(length) : new Float64Array(length)
}

export function sumOf(values: Weights): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return sum
}

/** What all vertices weigh together, constraint by constraint. */
export function totalWeights(graph: Graph): Float64Array {
  const { vertexWeights, constraints } = graph
  const totals = new Float64Array(constraints)
  for (let i = 0; i < vertexWeights.length; i++) totals[i % constraints]! += vertexWeights[i]!
  return totals
}

/** The weight of all edges whose ends lie in different parts. */
export function cutOf(graph: Graph, parts: Int32Array): number {
  const { vertices, starts, heads, edgeWeights } = graph
  let twice = 0
  for (let v = 0; v < vertices; v++) {
    const own = parts[v]!
    const end = starts[v + 1]!
    for (let a = starts[v]!; a < end; a++) if (parts[heads[a]!]! !== own) twice += edgeWeights[a]!
  }
  return twice / 2
}
