/**
 * Brings overloaded parts below their limits at the least loss. Three methods, each more costly
 * than the one before it: move vertices out, best loss per weight first; move or swap whatever
 * lowers the overload; repack everything, the heaviest first, ignoring links.
 *
 * Whether loads can be met at all is bin packing, which has no fast exact solution: what the third
 * method cannot fit is reported as not feasible.
 */
import {
  fits,
  isFree,
  isOnBoundary,
  objectiveOf,
  overloadOf,
  pull,
  shift,
  type Assignment,
} from '../level.ts'
import { VertexHeap } from './heap.ts'

export interface Rebalanced {
  /** True when every part is within its limits. */
  within: boolean
  /** What the objective gained by it; usually it lost. */
  gained: number
}

export function rebalance(assignment: Assignment): Rebalanced {
  if (overloadOf(assignment) === 0) return { within: true, gained: 0 }
  let gained = 0
  // Vertices inside a part lose most: they are asked only when the others do not suffice.
  for (const candidates of [cheapOnes(assignment), null]) {
    const drain = new Drain(assignment, candidates)
    for (let p = 0; p < assignment.level.k; p++) drain.part(p)
    gained += drain.gained
    if (overloadOf(assignment) === 0) return { within: true, gained }
  }
  const { level, parts } = assignment
  const before = objectiveOf(level, parts)
  trade(assignment)
  if (overloadOf(assignment) > 0) packAnew(assignment)
  gained += before - objectiveOf(level, parts)
  return { within: overloadOf(assignment) === 0, gained }
}

/** A vertex with so few links loses little wherever it goes. */
const FEW_LINKS = 3

function cheapOnes(assignment: Assignment): Int32Array {
  const { level } = assignment
  const { vertices, starts } = level.graph
  const found = new Int32Array(vertices)
  let count = 0
  for (let v = 0; v < vertices; v++) {
    if (!isFree(level, v)) continue
    const isLoose = starts[v + 1]! - starts[v]! <= FEW_LINKS
    if (isLoose || isOnBoundary(assignment, v)) found[count++] = v
  }
  return found.slice(0, count)
}

class Drain {
  readonly #assignment: Assignment
  readonly #ratings: Float64Array
  readonly #candidates: Int32Array | null
  gained = 0
  #heap: VertexHeap | null = null
  #target = -1
  #gain = 0

  constructor(assignment: Assignment, candidates: Int32Array | null) {
    this.#assignment = assignment
    this.#candidates = candidates
    this.#ratings = new Float64Array(assignment.level.k)
  }

  part(p: number): void {
    const { constraints } = this.#assignment.level.graph
    for (let c = 0; c < constraints; c++) this.#drain(p, c)
  }

  #drain(p: number, c: number): void {
    const { level, loads, parts } = this.#assignment
    const { constraints, vertices, vertexWeights } = level.graph
    const at = p * constraints + c
    if (loads[at]! <= level.limits[at]!) return
    const heap = (this.#heap ??= new VertexHeap(vertices))
    const count = this.#candidates?.length ?? vertices
    for (let i = 0; i < count; i++) {
      const v = this.#candidates === null ? i : this.#candidates[i]!
      if (parts[v] !== p || !isFree(level, v) || vertexWeights[v * constraints + c] === 0) continue
      const key = this.#price(v, c)
      if (this.#target >= 0) heap.push(v, key)
    }
    while (heap.size > 0 && loads[at]! > level.limits[at]!) {
      const v = heap.top()
      const key = this.#price(v, c)
      if (this.#target >= 0 && key < heap.keys[v]!) {
        heap.update(v, key)
        continue
      }
      heap.pop()
      if (this.#target < 0) continue
      this.gained += this.#gain
      parts[v] = this.#target
      shift(this.#assignment, v, p, this.#target)
    }
    heap.clear()
  }

  /** Gain per weight of the best way out of its part; the way is left in `#target`. */
  #price(v: number, c: number): number {
    const assignment = this.#assignment
    const { level, parts, loads } = assignment
    const { starts, heads, edgeWeights, constraints, vertexWeights } = level.graph
    const ratings = this.#ratings
    const own = parts[v]!
    for (let p = 0; p < level.k; p++) ratings[p] = pull(level, v, p)
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      ratings[parts[heads[a]!]!]! += edgeWeights[a]!
    }
    this.#target = -1
    let best = -Infinity
    for (let p = 0; p < level.k; p++) {
      if (p === own || ratings[p]! < best || !fits(assignment, v, p)) continue
      if (ratings[p] === best && loads[p * constraints]! >= loads[this.#target * constraints]!) {
        continue
      }
      best = ratings[p]!
      this.#target = p
    }
    const gain = best - ratings[own]!
    this.#gain = gain
    const weight = vertexWeights[v * constraints + c]!
    return gain > 0 ? gain * weight : gain / weight
  }
}

/**
 * Repacks all free vertices, the heaviest first, each into the part with the most room left
 * (longest processing time first, Graham 1969). Kept only if the overload falls: links are ignored.
 */
function packAnew(assignment: Assignment): void {
  const before = overloadOf(assignment)
  const parts = assignment.parts.slice()
  const loads = assignment.loads.slice()
  pack(assignment)
  if (overloadOf(assignment) < before) return
  assignment.parts.set(parts)
  assignment.loads.set(loads)
}

function pack(assignment: Assignment): void {
  const { level, parts, loads } = assignment
  const { vertices, constraints, vertexWeights } = level.graph
  const free: number[] = []
  for (let v = 0; v < vertices; v++) if (isFree(level, v)) free.push(v)
  const totals = new Float64Array(constraints)
  for (let i = 0; i < vertexWeights.length; i++) totals[i % constraints]! += vertexWeights[i]!
  const weightOf = (v: number): number => {
    let most = 0
    for (let c = 0; c < constraints; c++) {
      most = Math.max(most, vertexWeights[v * constraints + c]! / Math.max(1, totals[c]!))
    }
    return most
  }
  for (const v of free) {
    for (let c = 0; c < constraints; c++) {
      loads[parts[v]! * constraints + c]! -= vertexWeights[v * constraints + c]!
    }
  }
  const keys = new Map(free.map((v) => [v, weightOf(v)]))
  free.sort((a, b) => keys.get(b)! - keys.get(a)! || a - b)
  const room = (v: number, p: number): number => {
    let least = Infinity
    for (let c = 0; c < constraints; c++) {
      const at = p * constraints + c
      const left = level.limits[at]! - loads[at]! - vertexWeights[v * constraints + c]!
      least = Math.min(least, left / Math.max(1, totals[c]!))
    }
    return least
  }
  for (const v of free) {
    let best = 0
    for (let p = 1; p < level.k; p++) if (room(v, p) > room(v, best)) best = p
    parts[v] = best
    for (let c = 0; c < constraints; c++) {
      loads[best * constraints + c]! += vertexWeights[v * constraints + c]!
    }
  }
}

/** Vertices compared on each side of a swap. */
const CANDIDATES = 64
const ROUNDS = 200

/**
 * Single moves and swaps that lower the overload, for weights so coarse that no plain move fits. Only
 * the heaviest candidates are tried: it is a rescue, not a search.
 */
function trade(assignment: Assignment): void {
  for (let round = 0; round < ROUNDS && overloadOf(assignment) > 0; round++) {
    if (!tradeOnce(assignment)) return
  }
}

function tradeOnce(assignment: Assignment): boolean {
  const { parts, level } = assignment
  const full = overloadedPart(assignment)
  const heavy = heaviestOf(assignment, (v) => parts[v] === full)
  const others = heaviestOf(assignment, (v) => parts[v] !== full)
  let least = overloadOf(assignment)
  let best: (() => void) | null = null
  const consider = (apply: () => void, revert: () => void): void => {
    apply()
    const overload = overloadOf(assignment)
    revert()
    if (overload >= least) return
    least = overload
    best = apply
  }
  for (const v of heavy) {
    for (let p = 0; p < level.k; p++) {
      if (p !== full)
        consider(
          () => put(assignment, v, p),
          () => put(assignment, v, full),
        )
    }
    for (const u of others) {
      const home = parts[u]!
      const swap = (a: number, b: number) => (): void => {
        put(assignment, v, a)
        put(assignment, u, b)
      }
      consider(swap(home, full), swap(full, home))
    }
  }
  ;(best as (() => void) | null)?.()
  return best !== null
}

function put(assignment: Assignment, v: number, to: number): void {
  const from = assignment.parts[v]!
  assignment.parts[v] = to
  shift(assignment, v, from, to)
}

function overloadedPart({ level, loads }: Assignment): number {
  const { constraints } = level.graph
  let worst = 0
  let most = -Infinity
  for (let at = 0; at < loads.length; at++) {
    const above = (loads[at]! - level.limits[at]!) / Math.max(1, level.limits[at]!)
    if (above <= most) continue
    most = above
    worst = Math.floor(at / constraints)
  }
  return worst
}

function heaviestOf({ level }: Assignment, wanted: (v: number) => boolean): number[] {
  const { vertices, vertexWeights, constraints } = level.graph
  const weightOf = (v: number): number => vertexWeights[v * constraints]!
  const found: number[] = []
  for (let v = 0; v < vertices; v++) if (isFree(level, v) && wanted(v)) found.push(v)
  found.sort((a, b) => weightOf(b) - weightOf(a) || a - b)
  if (found.length <= CANDIDATES) return found
  // Light ones close the last gap, heavy ones the first.
  return [...found.slice(0, CANDIDATES / 2), ...found.slice(-CANDIDATES / 2)]
}
