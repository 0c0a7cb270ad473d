/**
 * The best partition of a tiny graph by looking at all of them: branch and bound over vertices, those with
 * the heaviest links first. Gives up after a number of steps, with the best seen until then.
 */
import {
  assignmentOf,
  isFree,
  objectiveOf,
  overloadOf,
  pull,
  fits,
  type Assignment,
  type Level,
} from '../level.ts'

export const EXACT_VERTICES = 12
const STEPS = 2_000_000

/** Never worse than `start`, which must be within its limits. */
export function bestOfAll(level: Level, start: Int32Array): Int32Array {
  if (overloadOf(assignmentOf(level, start)) > 0) return start
  const search = new Search(level, start)
  search.place(0, 0, 0)
  return search.best
}

class Search {
  best: Int32Array
  readonly #level: Level
  readonly #now: Assignment
  readonly #order: number[]
  /** Parts that differ only by number need not all be tried. */
  readonly #alike: boolean
  /** What the vertices from a depth on cost at least, links apart. */
  readonly #least: Float64Array
  #bestValue: number
  #steps = 0

  constructor(level: Level, start: Int32Array) {
    const { graph, fixed, costs, home, limits } = level
    this.best = start
    this.#level = level
    this.#bestValue = objectiveOf(level, start)
    this.#now = {
      level,
      parts: new Int32Array(graph.vertices).fill(-1),
      loads: new Float64Array(limits.length),
    }
    const degree = (v: number): number => graph.starts[v + 1]! - graph.starts[v]!
    this.#order = Array.from({ length: graph.vertices }, (_, v) => v).toSorted(
      (a, b) => degree(b) - degree(a),
    )
    const even = limits.every((limit, at) => limit === limits[at % graph.constraints])
    this.#alike = fixed === null && costs === null && home === null && even
    this.#least = this.#leastCosts()
  }

  #leastCosts(): Float64Array {
    const least = new Float64Array(this.#order.length + 1)
    for (let depth = this.#order.length - 1; depth >= 0; depth--) {
      const v = this.#order[depth]!
      let cheapest = Infinity
      for (let p = 0; p < this.#level.k; p++) cheapest = Math.min(cheapest, this.#price(v, p))
      least[depth] = least[depth + 1]! + cheapest
    }
    return least
  }

  #price(v: number, p: number): number {
    const { home, loyalty } = this.#level
    const stay = home !== null && loyalty !== null && home[v]! >= 0 ? loyalty[v]! : 0
    return stay - pull(this.#level, v, p)
  }

  /** Places the vertices from `depth` on, `value` being the price of those before it. */
  place(depth: number, used: number, value: number): void {
    if (this.#steps++ > STEPS || value + this.#least[depth]! >= this.#bestValue) return
    if (depth === this.#order.length) {
      this.best = this.#now.parts.slice()
      this.#bestValue = value
      return
    }
    const v = this.#order[depth]!
    const choices = this.#alike ? Math.min(this.#level.k, used + 1) : this.#level.k
    for (let p = 0; p < choices; p++) {
      if (!isFree(this.#level, v) && this.#level.fixed![v] !== p) continue
      if (!fits(this.#now, v, p)) continue
      this.#now.parts[v] = p
      this.#carry(v, p, 1)
      this.place(depth + 1, Math.max(used, p + 1), value + this.#price(v, p) + this.#cutBy(v, p))
      this.#carry(v, p, -1)
      this.#now.parts[v] = -1
    }
  }

  #cutBy(v: number, p: number): number {
    const { starts, heads, edgeWeights } = this.#level.graph
    let cut = 0
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      const other = this.#now.parts[heads[a]!]!
      if (other >= 0 && other !== p) cut += edgeWeights[a]!
    }
    return cut
  }

  #carry(v: number, p: number, sign: number): void {
    const { constraints, vertexWeights } = this.#level.graph
    for (let c = 0; c < constraints; c++) {
      this.#now.loads[p * constraints + c]! += sign * vertexWeights[v * constraints + c]!
    }
  }
}
