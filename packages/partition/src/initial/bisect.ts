/**
 * k parts by halving: split the vertices between two ranges of parts, then each half again. Each split is
 * itself multilevel, with several tries at the coarsest level, so that it sees the whole shape.
 */
import { coarsen, projectDown } from '../coarsen/hierarchy.ts'
import { totalWeights, type Graph, type Weights } from '../graph/graph.ts'
import { assignmentOf, isFree, pull, relaxed, type Level } from '../level.ts'
import type { Preset } from '../preset.ts'
import type { Random } from '../random.ts'
import { refineByFm } from '../refine/fm.ts'
import { rebalance } from '../refine/rebalance.ts'
import { isBetter, scoreOf } from '../score.ts'
import { VertexHeap } from '../refine/heap.ts'

/** A bisection is begun on a graph of about this many vertices. */
const COARSEST = 160

export function bisectRecursively(level: Level, preset: Preset, random: Random): Int32Array {
  const { k, graph } = level
  const parts = new Int32Array(graph.vertices)
  if (k === 1 || graph.vertices === 0) return parts
  const split = k >> 1
  const halves = bisect(halved(level, split), preset, random)
  const sides = [
    { side: 0, from: 0, to: split },
    { side: 1, from: split, to: k },
  ]
  for (const { side, from, to } of sides) {
    if (to - from === 1) {
      for (let v = 0; v < parts.length; v++) if (halves[v] === side) parts[v] = from
      continue
    }
    const { level: sub, members } = sublevel(level, halves, { side, from, to })
    const inner = bisectRecursively(sub, preset, random)
    for (let i = 0; i < members.length; i++) parts[members[i]!] = from + inner[i]!
  }
  return parts
}

/** The same vertices with two parts: the ranges below and from `split`. */
function halved(level: Level, split: number): Level {
  const { graph, k, fixed, costs, home } = level
  const sideOf = (p: number): number => (p < 0 ? -1 : p < split ? 0 : 1)
  return {
    ...level,
    k: 2,
    limits: halvedLimits(level, split),
    fixed: fixed?.map(sideOf) ?? null,
    home: home?.map(sideOf) ?? null,
    costs: costs === null ? null : cheapestOfSides(costs, { split, k, vertices: graph.vertices }),
  }
}

/**
 * Each split may use only its share of the tolerance: what the first one wastes the later ones lack. With
 * d splits to come, each gets the d-th root.
 */
function halvedLimits({ graph, limits, k }: Level, split: number): Float64Array {
  const { constraints } = graph
  const totals = totalWeights(graph)
  const halves = new Float64Array(2 * constraints)
  for (let p = 0; p < k; p++) {
    for (let c = 0; c < constraints; c++) {
      halves[(p < split ? 0 : constraints) + c]! += limits[p * constraints + c]!
    }
  }
  const depth = Math.ceil(Math.log2(k))
  for (let c = 0; c < constraints; c++) {
    const room = halves[c]! + halves[constraints + c]!
    const total = totals[c]!
    if (total === 0 || room <= total) continue
    const factor = (total / room) * (room / total) ** (1 / depth)
    halves[c]! *= factor
    halves[constraints + c]! *= factor
  }
  return halves
}

function cheapestOfSides(
  costs: Float64Array,
  { split, k, vertices }: { split: number; k: number; vertices: number },
): Float64Array {
  const sides = new Float64Array(2 * vertices).fill(Infinity)
  for (let v = 0; v < vertices; v++) {
    for (let p = 0; p < k; p++) {
      const at = 2 * v + (p < split ? 0 : 1)
      sides[at] = Math.min(sides[at]!, costs[v * k + p]!)
    }
  }
  return sides
}

function bisect(level: Level, preset: Preset, random: Random): Int32Array {
  const { coarsest, steps } = coarsen(
    level,
    { preset, enough: COARSEST, classes: classesOf(level) },
    random,
  )
  let parts = bestGrown(relaxed(coarsest), preset, random)
  for (const { finer, clustering } of steps.toReversed()) {
    parts = projectDown(parts, clustering)
    const assignment = assignmentOf(relaxed(finer), parts)
    rebalance(assignment)
    refineByFm(assignment, preset.fmSmall, random)
  }
  return parts
}

/** Vertices fixed to different sides, or with different homes, are not merged. */
function classesOf({ fixed, home, graph }: Level): Int32Array | null {
  if (fixed === null && home === null) return null
  return Int32Array.from(
    { length: graph.vertices },
    (_, v) => 3 * ((fixed?.[v] ?? -1) + 1) + (home?.[v] ?? -1) + 1,
  )
}

function bestGrown(level: Level, preset: Preset, random: Random): Int32Array {
  const { limits, graph } = level
  const { constraints } = graph
  const [total = 0] = totalWeights(graph)
  const share = (total * limits[constraints]!) / Math.max(limits[0]! + limits[constraints]!, 1)
  let best: Int32Array | null = null
  let bestScore = { overload: Infinity, objective: Infinity }
  for (let i = 0; i < preset.tries; i++) {
    const parts = grow(level, share, random)
    const assignment = assignmentOf(level, parts)
    rebalance(assignment)
    refineByFm(assignment, preset.fmSmall, random)
    const score = scoreOf(level, parts)
    if (best !== null && !isBetter(score, bestScore)) continue
    best = parts
    bestScore = score
  }
  return best!
}

/**
 * Greedy graph growing: the second part grows from a random vertex, always by the vertex that cuts least,
 * until it has its share. Starts again elsewhere when a component is used up. O(arcs · log n).
 * Two parts; `share` is how much of the first constraint the second one is to get.
 */
function grow(level: Level, share: number, random: Random): Int32Array {
  const { graph } = level
  const parts = new Int32Array(graph.vertices)
  const growth = new Growth(level, parts, share)
  growth.takeFixed()
  for (let tries = 0; tries < graph.vertices && growth.isHungry(); tries++) {
    growth.from(random.below(graph.vertices))
  }
  // Bad luck with the dice must not leave the part half empty.
  for (let v = 0; v < graph.vertices && growth.isHungry(); v++) growth.from(v)
  return parts
}

class Growth {
  readonly #level: Level
  readonly #parts: Int32Array
  readonly #heap: VertexHeap
  readonly #wanted: number
  #load = 0

  constructor(level: Level, parts: Int32Array, share: number) {
    this.#level = level
    this.#parts = parts
    this.#heap = new VertexHeap(level.graph.vertices)
    this.#wanted = share
  }

  isHungry(): boolean {
    return this.#load < this.#wanted
  }

  takeFixed(): void {
    const { fixed, graph } = this.#level
    if (fixed === null) return
    for (let v = 0; v < graph.vertices; v++) if (fixed[v] === 1) this.#take(v)
    this.#eat()
  }

  from(v: number): void {
    if (this.#parts[v] === 1 || !isFree(this.#level, v)) return
    this.#heap.push(v, 0)
    this.#eat()
  }

  #eat(): void {
    const heap = this.#heap
    const { vertexWeights, constraints } = this.#level.graph
    while (heap.size > 0 && this.isHungry()) {
      const v = heap.pop()
      const weight = vertexWeights[v * constraints]!
      // The last bite may be too large: better a little too little than far too much.
      if (this.#load + weight - this.#wanted > Math.max(this.#wanted - this.#load, 0)) continue
      this.#take(v)
    }
    if (!this.isHungry()) heap.clear()
  }

  #take(v: number): void {
    const { graph } = this.#level
    const { starts, heads, edgeWeights, vertexWeights, constraints } = graph
    this.#parts[v] = 1
    this.#load += vertexWeights[v * constraints]!
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      const u = heads[a]!
      if (this.#parts[u] === 1 || !isFree(this.#level, u)) continue
      const weight = 2 * edgeWeights[a]!
      if (this.#heap.has(u)) this.#heap.update(u, this.#heap.keys[u]! + weight)
      else this.#heap.push(u, weight - this.#reluctance(u))
    }
  }

  /** What a vertex loses when it leaves the first part, none of its neighbours having moved. */
  #reluctance(u: number): number {
    const level = this.#level
    const { starts, edgeWeights } = level.graph
    let sum = pull(level, u, 0) - pull(level, u, 1)
    for (let a = starts[u]!; a < starts[u + 1]!; a++) sum += edgeWeights[a]!
    return sum
  }
}

interface Range {
  side: number
  /** First part of the range, and the one after its last. */
  from: number
  to: number
}

/** The part of a problem that lies on one side of a bisection. */
function sublevel(
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
