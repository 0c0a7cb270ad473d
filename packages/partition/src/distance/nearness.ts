/**
 * How far every vertex is from every agent, as a table: round trips in ms, or distances in km. For a
 * partitioner it becomes a cost per (vertex, agent), pages times what each page pays; k·n edges of it
 * are made only to compare with the older method, and then of affinities: cut edges of raw distances would
 * drive a host away from the agent next to it.
 */
import { graphOfEdges } from '../graph/build.ts'
import type { Graph } from '../graph/graph.ts'
import { checkGroups } from './crawl-graph.ts'
import { BadDistanceInput } from './errors.ts'

export interface Nearness {
  agents: number
  vertices: number
  /** Row by row: of vertex v and agent a at v · agents + a. Finite, at least 0. */
  values: Float64Array
  /**
   * How many were not known when the table was made. They are at the median of the others, which
   * pulls no host anywhere.
   */
  unknown: number
}

/** `valueOf` answers null where nothing is known, not even an estimate. */
export function nearnessOf(
  { agents, vertices }: { agents: number; vertices: number },
  valueOf: (vertex: number, agent: number) => number | null,
): Nearness {
  const values = new Float64Array(agents * vertices)
  let unknown = 0
  for (let at = 0; at < values.length; at++) {
    const value = valueOf(Math.floor(at / agents), at % agents)
    if (value !== null && !(value >= 0 && value < Infinity)) {
      throw new BadDistanceInput(`${value} is no distance`)
    }
    values[at] = value ?? NaN
    if (value === null) unknown++
  }
  if (unknown > 0) fillUnknown(values, unknown)
  return { agents, vertices, values, unknown }
}

function fillUnknown(values: Float64Array, unknown: number): void {
  const known = values.length - unknown
  // Sorted, all NaN stand last.
  const middle = known === 0 ? 0 : values.toSorted()[known >>> 1]!
  for (let at = 0; at < values.length; at++) if (Number.isNaN(values[at]!)) values[at] = middle
}

/** Means weighted by pages, so that Σ pages · value stays for every agent. */
export function coarsenNearness(
  { agents, vertices, values, unknown }: Nearness,
  pages: Float64Array,
  { groupOf, groups }: { groupOf: Int32Array; groups: number },
): Nearness {
  checkGroups(groupOf, { vertices, groups })
  const sums = new Float64Array(groups * agents)
  const weights = new Float64Array(groups)
  const empty = isEmptyGroup(pages, groupOf, groups)
  for (let v = 0; v < vertices; v++) {
    const group = groupOf[v]!
    // Groups without pages have no totals to keep; their members count alike.
    const weight = empty[group] === 1 ? 1 : pages[v]!
    weights[group]! += weight
    for (let a = 0; a < agents; a++) {
      sums[group * agents + a]! += weight * values[v * agents + a]!
    }
  }
  for (let at = 0; at < sums.length; at++) {
    const weight = weights[Math.floor(at / agents)]!
    sums[at] = weight === 0 ? 0 : sums[at]! / weight
  }
  return { agents, vertices: groups, values: sums, unknown }
}

function isEmptyGroup(pages: Float64Array, groupOf: Int32Array, groups: number): Uint8Array {
  const empty = new Uint8Array(groups).fill(1)
  for (const [v, count] of pages.entries()) if (count > 0) empty[groupOf[v]!] = 0
  return empty
}

/** What each vertex costs with each agent, as `partition` takes it: every page pays once. */
export function assignmentCosts({ agents, values }: Nearness, pages: Float64Array): Float64Array {
  return values.map((value, at) => value * pages[Math.floor(at / agents)]!)
}

/**
 * Every agent joined to every vertex, agents first and weightless; the nearer, the heavier the edge. The
 * farthest pair has none.
 */
export function affinityGraph(nearness: Nearness, pages: Float64Array): Graph {
  const { agents, vertices, values } = nearness
  const farthest = values.reduce((most, value) => Math.max(most, value), 0)
  const weights = new Float64Array(agents + vertices)
  weights.set(pages, agents)
  return graphOfEdges(
    { vertices: agents + vertices, weights },
    {
      tails: Int32Array.from(values.keys(), (at) => at % agents),
      heads: Int32Array.from(values.keys(), (at) => agents + Math.floor(at / agents)),
      weights: values.map((value) => farthest - value),
    },
  ).graph
}
