/**
 * k-way Fiduccia–Mattheyses: moves that lose now may win later. Many short searches start from
 * vertices on the boundary; each takes the best move around it, again and again, even at a loss,
 * until further luck is unlikely, and goes back to the best state it saw. A vertex moves once per
 * round.
 *
 * Localised multi-try search: Sanders, Schulz, "Engineering multilevel graph partitioning
 * algorithms", ESA 2011. Stopping rule: Osipov, Sanders, "n-level graph partitioning", ESA 2010.
 * With one search over all vertices and no stopping rule it is flat k-way KL/FM.
 *
 * A round costs O(arcs of moved vertices) plus one look at k parts per vertex met. Never worsens
 * the objective, never moves a vertex where there is no room for it.
 */
import { fits, isFree, pull, relaxed, shift, type Assignment } from '../level.ts'
import type { Random } from '../random.ts'
import { VertexHeap } from './heap.ts'

/**
 * How much every vertex likes every part: the weight of its links into it, less its cost there, plus
 * its loyalty at home. Kept up to date move by move, so that the gain of any move is a subtraction.
 */
class Affinity {
  readonly table: Int32Array | Float64Array
  /** Parts without any link can be attractive too when costs or homes speak. */
  readonly everywhere: boolean

  constructor({ level, parts }: Assignment) {
    const { graph, k } = level
    const { vertices, starts, heads, edgeWeights } = graph
    this.everywhere = level.costs !== null || level.home !== null
    const whole = edgeWeights instanceof Int32Array && !this.everywhere
    const table = whole ? new Int32Array(vertices * k) : new Float64Array(vertices * k)
    for (let v = 0; v < vertices; v++) {
      const row = v * k
      const end = starts[v + 1]!
      for (let a = starts[v]!; a < end; a++) table[row + parts[heads[a]!]!]! += edgeWeights[a]!
      if (this.everywhere) for (let p = 0; p < k; p++) table[row + p]! += pull(level, v, p)
    }
    this.table = table
  }

  /** To be called when v goes from one part to another; only its neighbours are touched. */
  move({ level }: Assignment, v: number, from: number, to: number): void {
    const { k } = level
    const { starts, heads, edgeWeights } = level.graph
    const { table } = this
    const end = starts[v + 1]!
    for (let a = starts[v]!; a < end; a++) {
      const row = heads[a]! * k
      const weight = edgeWeights[a]!
      table[row + from]! -= weight
      table[row + to]! += weight
    }
  }
}

export interface FmRules {
  rounds: number
  /** Vertices from which one search starts; all at once for a global search. */
  seeds: number
  /** Patience: how much bad luck a search endures, in squares of its spread. Infinity: all. */
  patience: number
  /** A round that gains less than this share of the objective is the last. */
  leastGain: number
}

/** Beyond this degree a moved vertex does not draw its neighbours in: a hub would draw in everything. */
const HUB_DEGREE = 2_000
/** A round is judged by samples of its seeds, and given up when one of them is not worth its time. */
const SAMPLES = 20
const LEAST_SAMPLE = 500
/** Moves that every search may make without gain. */
const LEAST_MOVES = 12

export function refineByFm(assignment: Assignment, rules: FmRules, random: Random): number {
  const search = new FmSearch(assignment, rules)
  let total = 0
  for (let round = 0; round < rules.rounds; round++) {
    const gained = search.round(random)
    total += gained
    if (gained <= rules.leastGain * search.seen) break
  }
  return total
}

class FmSearch {
  /** Half the links of all seeds to foreign parts, the cut, and what they pay: the yardstick for gains. */
  seen = 0
  readonly #assignment: Assignment
  readonly #rules: FmRules
  readonly #affinity: Affinity
  readonly #heap: VertexHeap
  /** Where the vertices in the heap want to go. */
  readonly #targets: Int32Array
  readonly #movedIn: Int32Array
  readonly #log: Int32Array
  readonly #origins: Int32Array
  readonly #limits: Float64Array
  /** Parts above their limit, in any constraint. */
  #overloaded = 0
  #round = 0
  #target = -1

  constructor(assignment: Assignment, rules: FmRules) {
    const { vertices } = assignment.level.graph
    // Between full parts vertices can only be exchanged, and halfway one part is too full.
    this.#assignment = isTight(assignment)
      ? { ...assignment, level: relaxed(assignment.level) }
      : assignment
    this.#limits = assignment.level.limits
    for (let at = 0; at < this.#limits.length; at++) {
      if (assignment.loads[at]! > this.#limits[at]!) this.#overloaded++
    }
    this.#rules = rules
    this.#affinity = new Affinity(assignment)
    this.#heap = new VertexHeap(vertices)
    this.#targets = new Int32Array(vertices)
    this.#movedIn = new Int32Array(vertices)
    this.#log = new Int32Array(vertices)
    this.#origins = new Int32Array(vertices)
  }

  round(random: Random): number {
    this.#round++
    const seeds = this.#boundary()
    random.shuffle(seeds)
    const share =
      this.#rules.seeds === Infinity
        ? Infinity
        : Math.max(LEAST_SAMPLE, Math.ceil(seeds.length / SAMPLES))
    let gained = 0
    let next = 0
    while (next < seeds.length) {
      const until = Math.min(seeds.length, next + share)
      const before = gained
      const wanted = (this.#rules.leastGain * this.seen * (until - next)) / seeds.length
      while (next < until) {
        let started = 0
        while (next < until && started < this.#rules.seeds) {
          if (this.#draw(seeds[next++]!)) started++
        }
        if (started > 0) gained += this.#search()
      }
      // Seeds are shuffled, so those done speak for those to come.
      if (gained - before < wanted) break
    }
    return gained
  }

  #boundary(): Int32Array {
    const { level, parts } = this.#assignment
    const { vertices, starts, heads, edgeWeights } = level.graph
    const found = new Int32Array(vertices)
    let count = 0
    this.seen = 0
    for (let v = 0; v < vertices; v++) {
      if (!isFree(level, v)) continue
      const own = parts[v]!
      const end = starts[v + 1]!
      let foreign = 0
      for (let a = starts[v]!; a < end; a++) {
        if (parts[heads[a]!] !== own) foreign += edgeWeights[a]!
      }
      if (this.#affinity.everywhere) foreign += Math.abs(pull(level, v, own))
      else if (foreign === 0) continue
      this.seen += foreign / 2
      found[count++] = v
    }
    return found.slice(0, count)
  }

  /** Puts v into the heap if it may still move and has somewhere to go. */
  #draw(v: number): boolean {
    if (this.#movedIn[v] === this.#round || this.#heap.has(v)) return false
    if (!isFree(this.#assignment.level, v)) return false
    const gain = this.#bestMove(v)
    if (this.#target < 0) return false
    this.#targets[v] = this.#target
    this.#heap.push(v, gain)
    return true
  }

  /** The gain of the best move with room for v; its part is left in `#target`, −1 for none. */
  #bestMove(v: number): number {
    const assignment = this.#assignment
    const { level, parts, loads } = assignment
    const { k, graph } = level
    const { table, everywhere } = this.#affinity
    const row = v * k
    const own = parts[v]!
    let best = everywhere ? -Infinity : 0
    this.#target = -1
    const start = graph.starts[v]!
    const end = graph.starts[v + 1]!
    const byArcs = !everywhere && end - start < k
    const choices = byArcs ? end - start : k
    for (let i = 0; i < choices; i++) {
      const p = byArcs ? parts[graph.heads[start + i]!]! : i
      const value = table[row + p]!
      if (value < best || p === own || p === this.#target) continue
      if (!fits(assignment, v, p)) continue
      // Between equals the part with the lighter load keeps room for later moves.
      if (value === best && (this.#target < 0 || loads[p]! >= loads[this.#target]!)) continue
      best = value
      this.#target = p
    }
    return best - table[row + own]!
  }

  /** One search: returns what its best prefix gained; the rest is undone. */
  #search(): number {
    const { patience } = this.#rules
    const heap = this.#heap
    let moves = 0
    let gained = 0
    let best = 0
    let bestMoves = 0
    let mean = 0
    let squares = 0
    const overloaded = this.#overloaded
    while (heap.size > 0) {
      const v = heap.top()
      const gain = this.#bestMove(v)
      if (this.#target < 0) {
        heap.pop()
        continue
      }
      this.#targets[v] = this.#target
      if (gain < heap.keys[v]!) {
        heap.update(v, gain)
        continue
      }
      heap.pop()
      this.#move(v, this.#target, moves++)
      gained += gain
      if (gained > best && this.#overloaded <= overloaded) {
        best = gained
        bestMoves = moves
        mean = 0
        squares = 0
        continue
      }
      const steps = moves - bestMoves
      const off = gain - mean
      mean += off / steps
      squares += off * (gain - mean)
      if (steps < LEAST_MOVES) continue
      // The walk drifts down by `mean` a step; it is given up when chance can hardly lift it again.
      if (mean < 0 && steps * mean * mean > patience * (squares / steps) + 1e-9) break
      if (mean >= 0 && steps > 100 + 10 * LEAST_MOVES && patience < Infinity) break
    }
    heap.clear()
    this.#undo(bestMoves, moves)
    return best
  }

  #move(v: number, to: number, at: number): void {
    const assignment = this.#assignment
    const { parts, level } = assignment
    const { k, graph } = level
    const { starts, heads, edgeWeights } = graph
    const { table } = this.#affinity
    const from = parts[v]!
    parts[v] = to
    this.#shift(v, from, to)
    this.#log[at] = v
    this.#origins[at] = from
    this.#movedIn[v] = this.#round
    const start = starts[v]!
    const end = starts[v + 1]!
    for (let a = start; a < end; a++) {
      const row = heads[a]! * k
      const weight = edgeWeights[a]!
      table[row + from]! -= weight
      table[row + to]! += weight
    }
    const drawsIn = end - start <= HUB_DEGREE
    for (let a = start; a < end; a++) {
      const u = heads[a]!
      if (this.#heap.has(u)) this.#revise(u, from, to)
      else if (drawsIn) this.#draw(u)
    }
  }

  #shift(v: number, from: number, to: number): void {
    const before = this.#overloadedOf(from) + this.#overloadedOf(to)
    shift(this.#assignment, v, from, to)
    this.#overloaded += this.#overloadedOf(from) + this.#overloadedOf(to) - before
  }

  #overloadedOf(p: number): number {
    const { loads, level } = this.#assignment
    const { constraints } = level.graph
    let count = 0
    for (let at = p * constraints; at < (p + 1) * constraints; at++) {
      if (loads[at]! > this.#limits[at]!) count++
    }
    return count
  }

  /** A neighbour of u went from one part to another: only if u wanted to follow must all be weighed again. */
  #revise(u: number, from: number, to: number): void {
    const assignment = this.#assignment
    const { parts, level } = assignment
    const { table } = this.#affinity
    const row = u * level.k
    const own = parts[u]!
    let target = this.#targets[u]!
    if (target === from) {
      const gain = this.#bestMove(u)
      if (this.#target < 0) {
        this.#heap.remove(u)
        return
      }
      this.#targets[u] = this.#target
      this.#heap.update(u, gain)
      return
    }
    if (to !== own && to !== target && table[row + to]! > table[row + target]!) {
      if (fits(assignment, u, to)) target = to
    }
    this.#targets[u] = target
    this.#heap.update(u, table[row + target]! - table[row + own]!)
  }

  #undo(keep: number, moves: number): void {
    const assignment = this.#assignment
    const { parts } = assignment
    for (let at = moves - 1; at >= keep; at--) {
      const v = this.#log[at]!
      const from = parts[v]!
      const to = this.#origins[at]!
      parts[v] = to
      this.#shift(v, from, to)
      this.#affinity.move(assignment, v, from, to)
    }
  }
}

/** No part has room for a few more vertices. */
function isTight({ level, loads }: Assignment): boolean {
  const { constraints, vertexWeights } = level.graph
  let heaviest = 0
  for (let i = 0; i < vertexWeights.length; i += constraints) {
    if (vertexWeights[i]! > heaviest) heaviest = vertexWeights[i]!
  }
  let room = 0
  for (let p = 0; p < level.k; p++) {
    room = Math.max(room, level.limits[p * constraints]! - loads[p * constraints]!)
  }
  return room < 2 * heaviest
}
