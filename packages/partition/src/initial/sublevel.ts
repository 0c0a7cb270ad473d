/** The part of a problem that lies on one side of a bisection. */
import type { Graph, Weights } from '../graph/graph.ts'
import type { Level } from '../level.ts'

export interface Range {
  side: number
  /** First part of the range, and the one after its last. */
  from: number
  to: number
}

export function sublevel(
  level: Level,
  sides: Int32Array,
  { side, from, to }: Range,
): { level: Level; members: Int32Array } {
  const members = membersOf(sides, side)
  const { constraints } = level.graph
  const k = to - from
  const inRange = (p: number): number => (p >= from && p < to ? p - from : -1)
  const { fixed, home, loyalty, costs } = level
  return {
    members,
    level: {
      graph: subgraph(level.graph, members),
      k,
      limits: level.limits.slice(from * constraints, to * constraints),
      fixed: fixed === null ? null : members.map((v) => inRange(fixed[v]!)),
      home: home === null ? null : members.map((v) => inRange(home[v]!)),
      loyalty: loyalty === null ? null : Float64Array.from(members, (v) => loyalty[v]!),
      costs: costs === null ? null : subcosts(costs, members, { from, to, k: level.k }),
    },
  }
}

function membersOf(sides: Int32Array, side: number): Int32Array {
  const members = new Int32Array(sides.length)
  let count = 0
  for (let v = 0; v < sides.length; v++) if (sides[v] === side) members[count++] = v
  return members.slice(0, count)
}

function subcosts(
  costs: Float64Array,
  members: Int32Array,
  { from, to, k }: { from: number; to: number; k: number },
): Float64Array {
  const width = to - from
  const rows = new Float64Array(members.length * width)
  for (let i = 0; i < members.length; i++) {
    const row = members[i]! * k
    rows.set(costs.subarray(row + from, row + to), i * width)
  }
  return rows
}

function subgraph(graph: Graph, members: Int32Array): Graph {
  const { starts, heads, edgeWeights, vertexWeights, constraints, vertices } = graph
  const numbers = new Int32Array(vertices).fill(-1)
  for (let i = 0; i < members.length; i++) numbers[members[i]!] = i
  const newStarts = new Int32Array(members.length + 1)
  const newHeads = new Int32Array(heads.length)
  const newWeights = alike(edgeWeights, heads.length)
  const weights = alike(vertexWeights, members.length * constraints)
  let written = 0
  for (let i = 0; i < members.length; i++) {
    const v = members[i]!
    for (let c = 0; c < constraints; c++)
      weights[i * constraints + c] = vertexWeights[v * constraints + c]!
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      const u = numbers[heads[a]!]!
      if (u < 0) continue
      newHeads[written] = u
      newWeights[written++] = edgeWeights[a]!
    }
    newStarts[i + 1] = written
  }
  return {
    vertices: members.length,
    constraints,
    starts: newStarts,
    heads: newHeads.slice(0, written),
    edgeWeights: newWeights.slice(0, written),
    vertexWeights: weights,
  }
}

function alike(weights: Weights, length: number): Weights {
  return weights instanceof Int32Array ? new Int32Array(length) : new Float64Array(length)
}
