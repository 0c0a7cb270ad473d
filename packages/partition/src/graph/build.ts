/**
 * Makes a clean graph of whatever edges there are. Loops are dropped, duplicates merged by adding
 * their weights, one-way arcs get their way back; each of it is counted, none is an error.
 */
import { INT32_MAX, sumOf, weightsFor, type Graph, type Weights } from './graph.ts'

/** Arcs or edges as they were read, one per index. */
export interface EdgeColumns {
  tails: Int32Array
  heads: Int32Array
  /** Null: all weigh 1. */
  weights: Float64Array | Int32Array | null
}

export interface Repairs {
  loops: number
  duplicates: number
  /** Pairs that were there in one direction only, or with another weight in each. */
  asymmetric: number
  /** Edges without weight: they bind nothing. */
  weightless: number
}

export interface BuiltGraph {
  graph: Graph
  repairs: Repairs
}

export interface VertexColumns {
  vertices: number
  constraints?: number
  /** Null: all weigh 1. */
  weights?: Float64Array | Int32Array | null
}

interface Rows {
  starts: Int32Array
  heads: Int32Array
  weights: Float64Array | Int32Array
}

/** Every index is an undirected edge; `1 2` and `2 1` are the same one, so their weights add up. */
export function graphOfEdges(columns: VertexColumns, edges: EdgeColumns): BuiltGraph {
  const repairs = { loops: 0, duplicates: 0, asymmetric: 0, weightless: 0 }
  const rows = mergedRows(bothWays(columns.vertices, edges, repairs), repairs)
  repairs.duplicates /= 2
  repairs.weightless /= 2
  return { graph: assembled(columns, rows), repairs }
}

/** Every index is an arc, and the graph has each edge as two of them. */
export function graphOfArcs(columns: VertexColumns, arcs: EdgeColumns): BuiltGraph {
  const repairs = { loops: 0, duplicates: 0, asymmetric: 0, weightless: 0 }
  // Turned round twice, the arcs of every row are sorted by their heads.
  const back = transposed(columns.vertices, rowsOf(columns.vertices, arcs, repairs))
  const there = mergedRows(transposed(columns.vertices, back), repairs)
  const againBack = transposed(columns.vertices, there)
  const rows = isSame(there, againBack) ? there : united(there, againBack, repairs)
  repairs.asymmetric /= 2
  return { graph: assembled(columns, rows), repairs }
}

function assembled({ vertices, constraints = 1, weights }: VertexColumns, rows: Rows): Graph {
  const edgeWeights = narrowed(rows.weights, 2)
  return {
    vertices,
    constraints,
    starts: rows.starts,
    heads: rows.heads,
    edgeWeights,
    vertexWeights: weights == null ? new Int32Array(vertices).fill(1) : narrowed(weights, 1),
  }
}

/** 32 bits if all are whole and their sum, each counted `times`, fits. */
function narrowed(values: Float64Array | Int32Array, times: number): Weights {
  const whole = values instanceof Int32Array || values.every((value) => Number.isInteger(value))
  const narrow = weightsFor(0, sumOf(values) / times, whole)
  if (narrow instanceof Int32Array)
    return values instanceof Int32Array ? values : Int32Array.from(values)
  return values instanceof Float64Array ? values : Float64Array.from(values)
}

function bothWays(vertices: number, edges: EdgeColumns, repairs: Repairs): Rows {
  const { tails, heads, weights } = edges
  const starts = new Int32Array(vertices + 1)
  for (let i = 0; i < tails.length; i++) {
    if (tails[i] === heads[i]) repairs.loops++
    else {
      starts[tails[i]! + 1]!++
      starts[heads[i]! + 1]!++
    }
  }
  for (let v = 0; v < vertices; v++) starts[v + 1]! += starts[v]!
  const next = starts.slice(0, vertices)
  const rowHeads = new Int32Array(starts[vertices]!)
  const rowWeights = columnLike(weights, rowHeads.length)
  for (let i = 0; i < tails.length; i++) {
    const tail = tails[i]!
    const head = heads[i]!
    if (tail === head) continue
    const weight = weights === null ? 1 : weights[i]!
    const there = next[tail]!++
    const back = next[head]!++
    rowHeads[there] = head
    rowHeads[back] = tail
    rowWeights[there] = weight
    rowWeights[back] = weight
  }
  return { starts, heads: rowHeads, weights: rowWeights }
}

/** Doubles for doubles; counted edges stay small. */
function columnLike(weights: EdgeColumns['weights'], length: number): Float64Array | Int32Array {
  return weights === null || weights instanceof Int32Array
    ? new Int32Array(length)
    : new Float64Array(length)
}

function rowsOf(vertices: number, { tails, heads, weights }: EdgeColumns, repairs: Repairs): Rows {
  const starts = new Int32Array(vertices + 1)
  for (let i = 0; i < tails.length; i++) {
    if (tails[i] === heads[i]) repairs.loops++
    else starts[tails[i]! + 1]!++
  }
  for (let v = 0; v < vertices; v++) starts[v + 1]! += starts[v]!
  const next = starts.slice(0, vertices)
  const rowHeads = new Int32Array(starts[vertices]!)
  const rowWeights = columnLike(weights, rowHeads.length)
  for (let i = 0; i < tails.length; i++) {
    if (tails[i] === heads[i]) continue
    const at = next[tails[i]!]!++
    rowHeads[at] = heads[i]!
    rowWeights[at] = weights === null ? 1 : weights[i]!
  }
  return { starts, heads: rowHeads, weights: rowWeights }
}

function transposed(vertices: number, { starts, heads, weights }: Rows): Rows {
  const turned = new Int32Array(vertices + 1)
  for (let a = 0; a < heads.length; a++) turned[heads[a]! + 1]!++
  for (let v = 0; v < vertices; v++) turned[v + 1]! += turned[v]!
  const next = turned.slice(0, vertices)
  const newHeads = new Int32Array(heads.length)
  const newWeights = columnLike(weights, heads.length)
  for (let v = 0; v < vertices; v++) {
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      const at = next[heads[a]!]!++
      newHeads[at] = v
      newWeights[at] = weights[a]!
    }
  }
  return { starts: turned, heads: newHeads, weights: newWeights }
}

/** Parallel arcs become one with the sum of their weights; arcs of no weight go. In place. */
function mergedRows({ starts, heads, weights }: Rows, repairs: Repairs): Rows {
  const vertices = starts.length - 1
  // A sum can leave 32 bits even if no summand does.
  const sums =
    weights instanceof Int32Array && sumOf(weights) > INT32_MAX
      ? Float64Array.from(weights)
      : weights
  const slots = new Int32Array(vertices).fill(-1)
  let written = 0
  let start = 0
  for (let v = 0; v < vertices; v++) {
    const rowStart = written
    const end = starts[v + 1]!
    for (let a = start; a < end; a++) {
      const head = heads[a]!
      const weight = sums[a]!
      if (weight === 0) {
        repairs.weightless++
        continue
      }
      const slot = slots[head]!
      if (slot >= rowStart) {
        repairs.duplicates++
        sums[slot]! += weight
        continue
      }
      slots[head] = written
      heads[written] = head
      sums[written++] = weight
    }
    start = end
    starts[v + 1] = written
  }
  return { starts, heads: heads.slice(0, written), weights: sums.slice(0, written) }
}

function isSame(one: Rows, other: Rows): boolean {
  if (one.heads.length !== other.heads.length) return false
  for (let v = 0; v < one.starts.length; v++) if (one.starts[v] !== other.starts[v]) return false
  for (let a = 0; a < one.heads.length; a++) {
    if (one.heads[a] !== other.heads[a] || one.weights[a] !== other.weights[a]) return false
  }
  return true
}

/** Rows of both, sorted as they are; where both have an arc, the larger weight is believed. */
function united(one: Rows, other: Rows, repairs: Repairs): Rows {
  const vertices = one.starts.length - 1
  const starts = new Int32Array(vertices + 1)
  const most = one.heads.length + other.heads.length
  const heads = new Int32Array(most)
  const weights = new Float64Array(most)
  let written = 0
  for (let v = 0; v < vertices; v++) {
    let a = one.starts[v]!
    let b = other.starts[v]!
    const aEnd = one.starts[v + 1]!
    const bEnd = other.starts[v + 1]!
    while (a < aEnd || b < bEnd) {
      const headA = a < aEnd ? one.heads[a]! : Infinity
      const headB = b < bEnd ? other.heads[b]! : Infinity
      const weightA = headA <= headB ? one.weights[a]! : 0
      const weightB = headB <= headA ? other.weights[b]! : 0
      if (weightA !== weightB) repairs.asymmetric++
      heads[written] = Math.min(headA, headB)
      weights[written++] = Math.max(weightA, weightB)
      if (headA <= headB) a++
      if (headB <= headA) b++
    }
    starts[v + 1] = written
  }
  return { starts, heads: heads.slice(0, written), weights: weights.slice(0, written) }
}
