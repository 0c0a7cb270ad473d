/**
 * What can be had of several objectives at once: one partition per choice of factors, and which of them no
 * other beats in every respect. Objectives are first brought to one scale, each by the value it reaches
 * when it is alone, so that factors are preferences and not units.
 */
import type { Graph } from '../graph/graph.ts'
import { partition, type PartitionOptions } from '../partition.ts'
import { combine, valueOf, type Objective } from './objective.ts'

export interface ParetoPoint {
  factors: number[]
  /** One per objective, in their own units. */
  values: number[]
  parts: Int32Array
  balanced: boolean
  /** No other point is at least as good in all objectives and better in one. */
  efficient: boolean
}

export type SweepOptions = Omit<PartitionOptions, 'costs'>

export function paretoSweep(
  vertices: Graph,
  objectives: readonly Objective[],
  factorSets: readonly (readonly number[])[],
  options: SweepOptions,
): ParetoPoint[] {
  const alone = objectives.map((objective, i) => {
    const only = objectives.map((_, j) => (i === j ? 1 : 0))
    const { parts } = solve(vertices, objectives, only, options)
    return Math.abs(valueOf(objective, parts, options.k)) || 1
  })
  const points = factorSets.map((factors) => {
    const scaled = factors.map((factor, i) => factor / alone[i]!)
    const { parts, balanced } = solve(vertices, objectives, scaled, options)
    const values = objectives.map((objective) => valueOf(objective, parts, options.k))
    return { factors: [...factors], values, parts, balanced, efficient: true }
  })
  for (const point of points) {
    point.efficient = !points.some((other) => dominates(other.values, point.values))
  }
  return points
}

function solve(
  vertices: Graph,
  objectives: readonly Objective[],
  factors: readonly number[],
  options: SweepOptions,
): { parts: Int32Array; balanced: boolean } {
  const { graph, costs } = combine(vertices, objectives, factors, options.k)
  return partition(graph, { ...options, costs })
}

function dominates(one: readonly number[], other: readonly number[]): boolean {
  return one.every((value, i) => value <= other[i]!) && one.some((value, i) => value < other[i]!)
}
