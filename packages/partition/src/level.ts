/**
 * What is to be partitioned at one level of coarseness, and how well a partition of it does.
 *
 *   minimise  Σ weight of cut edges + Σ cost(v, part of v) + Σ loyalty(v) where v left its home
 *   subject to  load of every part ≤ its limit, in every constraint; fixed vertices stay
 *
 * Costs and loyalty are linear in single vertices, so all three are one table of affinities
 * between vertices and parts: a move gains affinity(new) − affinity(old).
 */
import { cutOf, type Graph } from './graph/graph.ts'

export interface Level {
  graph: Graph
  k: number
  /** Largest load: part by part, in each part constraint by constraint. */
  limits: Float64Array
  /** The part a vertex must be in, or −1. */
  fixed: Int32Array | null
  /** Row by row what a vertex costs in each part. */
  costs: Float64Array | null
  /** The part a vertex comes from, or −1, and what leaving it costs. */
  home: Int32Array | null
  loyalty: Float64Array | null
}

/** A partition under way: `loads` always match `parts`. */
export interface Assignment {
  level: Level
  parts: Int32Array
  loads: Float64Array
}

export function assignmentOf(level: Level, parts: Int32Array): Assignment {
  return { level, parts, loads: loadsOf(level.graph, parts, level.k) }
}

export function loadsOf(graph: Graph, parts: Int32Array, k: number): Float64Array {
  const { constraints, vertexWeights, vertices } = graph
  const loads = new Float64Array(k * constraints)
  for (let v = 0; v < vertices; v++) {
    for (let c = 0; c < constraints; c++) {
      loads[parts[v]! * constraints + c]! += vertexWeights[v * constraints + c]!
    }
  }
  return loads
}

/** How much better part p suits v than no part at all, links apart. */
export function pull(level: Level, v: number, p: number): number {
  const { costs, home, loyalty, k } = level
  let sum = costs === null ? 0 : -costs[v * k + p]!
  if (home !== null && loyalty !== null && home[v] === p) sum += loyalty[v]!
  return sum
}

export function objectiveOf(level: Level, parts: Int32Array): number {
  return cutOf(level.graph, parts) + costOf(level, parts) + migrationOf(level, parts)
}

export function costOf({ costs, graph, k }: Level, parts: Int32Array): number {
  if (costs === null) return 0
  let sum = 0
  for (let v = 0; v < graph.vertices; v++) sum += costs[v * k + parts[v]!]!
  return sum
}

export function migrationOf({ home, loyalty, graph }: Level, parts: Int32Array): number {
  if (home === null || loyalty === null) return 0
  let sum = 0
  for (let v = 0; v < graph.vertices; v++) {
    if (home[v]! >= 0 && home[v] !== parts[v]) sum += loyalty[v]!
  }
  return sum
}

export function fits({ level, loads }: Assignment, v: number, p: number): boolean {
  const { constraints, vertexWeights } = level.graph
  const { limits } = level
  if (constraints === 1) return loads[p]! + vertexWeights[v]! <= limits[p]!
  for (let c = 0; c < constraints; c++) {
    const at = p * constraints + c
    if (loads[at]! + vertexWeights[v * constraints + c]! > limits[at]!) return false
  }
  return true
}

export function shift({ level, loads }: Assignment, v: number, from: number, to: number): void {
  const { constraints, vertexWeights } = level.graph
  for (let c = 0; c < constraints; c++) {
    const weight = vertexWeights[v * constraints + c]!
    loads[from * constraints + c]! -= weight
    loads[to * constraints + c]! += weight
  }
}

/**
 * How far the loads are above their limits: 0 for a valid partition. Each constraint is measured by
 * what all parts may carry of it together, so that bytes do not outshout pages.
 */
export function overloadOf({ level, loads }: Assignment): number {
  const { constraints } = level.graph
  let sum = 0
  for (let c = 0; c < constraints; c++) {
    let room = 0
    let above = 0
    for (let at = c; at < loads.length; at += constraints) {
      room += level.limits[at]!
      above += Math.max(0, loads[at]! - level.limits[at]!)
    }
    if (above > 0) sum += above / Math.max(room, Number.MIN_VALUE)
  }
  return sum
}

export function isFree(level: Level, v: number): boolean {
  return level.fixed === null || level.fixed[v]! < 0
}

/** Some neighbour of v is in another part. */
export function isOnBoundary({ level, parts }: Assignment, v: number): boolean {
  const { starts, heads } = level.graph
  const end = starts[v + 1]!
  for (let a = starts[v]!; a < end; a++) if (parts[heads[a]!] !== parts[v]) return true
  return false
}

/**
 * Coarse vertices are boulders: under strict limits none could move between full parts. While they are
 * coarse, limits give way by the heaviest of them; the finest level is strict again.
 */
export function relaxed(level: Level): Level {
  const { vertices, constraints, vertexWeights } = level.graph
  const heaviest = new Float64Array(constraints)
  for (let i = 0; i < vertices * constraints; i++) {
    const c = i % constraints
    if (vertexWeights[i]! > heaviest[c]!) heaviest[c] = vertexWeights[i]!
  }
  const limits = level.limits.map(
    (limit, at) => limit + Math.min(heaviest[at % constraints]!, MOST_RELAXED * limit),
  )
  return { ...level, limits }
}

const MOST_RELAXED = 0.1
