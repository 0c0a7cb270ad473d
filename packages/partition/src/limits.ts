/** How much every part may carry, and why it may be impossible to keep to it. */
import { totalWeights, type Graph } from './graph/graph.ts'
import type { Level } from './level.ts'

export interface LimitOptions {
  k: number
  imbalance: number
  /** The most each part may ever carry, constraint by constraint in each part. */
  capacities?: ArrayLike<number> | undefined
}

/**
 * Without capacities (1 + imbalance) · ⌈total / k⌉ for every part. With them, what small parts cannot carry is
 * shared evenly by the others, and the capacity caps the tolerance as well.
 */
export function limitsOf(graph: Graph, { k, imbalance, capacities }: LimitOptions): Float64Array {
  const { constraints } = graph
  const limits = new Float64Array(k * constraints)
  const totals = totalWeights(graph)
  for (let c = 0; c < constraints; c++) {
    const caps = Array.from({ length: k }, (_, p) => capacities?.[p * constraints + c] ?? Infinity)
    const level = waterLevel(totals[c]!, caps)
    for (let p = 0; p < k; p++) {
      limits[p * constraints + c] = Math.min(caps[p]!, (1 + imbalance) * Math.ceil(level))
    }
  }
  return limits
}

/** The height at which `total` stands in vessels of these capacities; Infinity when it overflows them. */
function waterLevel(total: number, caps: readonly number[]): number {
  const sorted = caps.toSorted((a, b) => a - b)
  let left = total
  for (const [filled, cap] of sorted.entries()) {
    const share = left / (sorted.length - filled)
    if (cap >= share) return share
    left -= cap
  }
  return Infinity
}

/** What makes it impossible to keep to the limits, in sentences; empty if nothing obvious does. */
export function obstacles({ graph, limits, fixed, k }: Level): string[] {
  const { constraints } = graph
  const found: string[] = []
  const totals = totalWeights(graph)
  for (let c = 0; c < constraints; c++) {
    const of = constraints === 1 ? '' : ` of constraint ${c + 1}`
    const rooms = Array.from({ length: k }, (_, p) => limits[p * constraints + c]!)
    const room = rooms.reduce((sum, limit) => sum + limit, 0)
    const roomiest = rooms.reduce((most, limit) => Math.max(most, limit), 0)
    if (room < totals[c]!) {
      found.push(
        `All parts together hold ${show(room)}${of}, but the vertices weigh ${show(totals[c]!)}`,
      )
    }
    const heavy = heaviest(graph, c)
    if (heavy.weight > roomiest) {
      found.push(
        `Vertex ${heavy.vertex} weighs ${show(heavy.weight)}${of}, more than the ${show(roomiest)} that the roomiest part holds`,
      )
    }
    if (fixed !== null) found.push(...crowdedBy(fixed, graph, c, rooms))
  }
  return found
}

function crowdedBy(fixed: Int32Array, graph: Graph, c: number, rooms: readonly number[]): string[] {
  const bound = new Float64Array(rooms.length)
  for (let v = 0; v < graph.vertices; v++) {
    if (fixed[v]! >= 0) bound[fixed[v]!]! += graph.vertexWeights[v * graph.constraints + c]!
  }
  return rooms.flatMap((room, p) =>
    bound[p]! <= room
      ? []
      : [
          `The vertices fixed to part ${p} weigh ${show(bound[p]!)}, more than the ${show(room)} that it holds`,
        ],
  )
}

function heaviest(
  { vertices, vertexWeights, constraints }: Graph,
  c: number,
): { vertex: number; weight: number } {
  let vertex = 0
  for (let v = 1; v < vertices; v++) {
    if (vertexWeights[v * constraints + c]! > vertexWeights[vertex * constraints + c]!) vertex = v
  }
  return { vertex, weight: vertexWeights[vertex * constraints + c] ?? 0 }
}

function show(value: number): string {
  return String(Math.round(value * 100) / 100)
}
