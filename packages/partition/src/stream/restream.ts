/**
 * Streams over everything again, with the placement there is as the starting point: what once was a
 * guess is now decided with all neighbours in view. Newcomers and hosts of parts that have left find
 * a place, parts that became too full make room, then every pass lets each host go where it is best
 * off; leaving the part it was in costs its migration cost, and `mostMoved` bounds what leaves.
 *
 * Nishimura and Ugander, "Restreaming graph partitioning", KDD 2013 (ReLDG, ReFennel). The price of
 * fullness falls from pass to pass and is nothing in the last: limits are kept anyway, and what is left of
 * a price then only separates friends. The best of all passes is what counts, so that a placement within
 * its limits never gets worse. O(links + hosts · k) per pass.
 */
import { BadPartitionInput } from '../errors.ts'
import { cutOf, type Graph } from '../graph/graph.ts'
import { assignmentOf, isFree, overloadOf, type Level } from '../level.ts'
import { levelOf, type PartitionOptions } from '../partition.ts'
import { rebalance } from '../refine/rebalance.ts'
import { isBetter, scoreOf } from '../score.ts'
import { VertexHeap } from '../refine/heap.ts'
import { Seating } from './seating.ts'
import type { ScoreName } from './stream-score.ts'

export interface RestreamOptions extends Omit<PartitionOptions, 'preset' | 'onStage'> {
  /** The part each vertex is in now, or −1 for a newcomer. */
  previous: ArrayLike<number>
  /** Default ldg: restreamed, it finds the smaller cuts. */
  score?: ScoreName | undefined
  /** How often all is checked; default 8. */
  passes?: number | undefined
  /**
   * The most weight (of the first constraint) that may leave the part it was in, forced moves included
   * in the count but never forbidden; default all.
   */
  mostMoved?: number | undefined
}

export interface Restreamed {
  parts: Int32Array
  cut: number
  /** The weight of the hosts that left the part they were in. */
  moved: number
  /** Load of each part; several constraints stand side by side. */
  loads: Float64Array
  limits: Float64Array
  /** Every part is within its limit. */
  balanced: boolean
}

export function restream(graph: Graph, options: RestreamOptions): Restreamed {
  const { passes = 8, mostMoved = Infinity } = options
  if (!Number.isInteger(passes) || passes < 0) {
    throw new BadPartitionInput(`There are ${passes} passes; it must be a whole number from 0`)
  }
  if (!(mostMoved >= 0)) {
    throw new BadPartitionInput(`The most that may move is ${mostMoved}; it must be from 0`)
  }
  const level = levelOf(graph, options)
  const seating = new Seating(level, options)
  seatNewcomers(seating)
  makeRoom(seating)
  rebalance(seating)
  seating.countMoved()
  return described(seating, bestPass(seating, passes))
}

/** At first four times Fennel's own price: the tighter the parts are kept at first, the more they can trade later. */
const FIRST_PRICE = 4

function bestPass(seating: Seating, passes: number): Int32Array {
  const { level, parts } = seating
  let best = parts.slice()
  let bestScore = scoreOf(level, best)
  for (let pass = 1; pass <= passes; pass++) {
    streamOnce(seating, FIRST_PRICE * (1 - pass / passes))
    const score = scoreOf(level, parts)
    if (!isBetter(score, bestScore)) continue
    best = parts.slice()
    bestScore = score
  }
  return best
}

function streamOnce(seating: Seating, ease: number): void {
  const { level, parts } = seating
  for (const v of orderOf(seating)) {
    if (!isFree(level, v) || !seating.mayLeave(v)) continue
    seating.gatherOffers(v)
    const part = seating.choose(v, ease)
    if (part !== parts[v]) seating.seat(v, part)
  }
}

/** As they come; where only some may move, those with the most to gain by it first. */
function orderOf(seating: Seating): Int32Array {
  const { level, offers, parts } = seating
  const order = Int32Array.from({ length: level.graph.vertices }, (_, v) => v)
  if (!seating.isBounded) return order
  const gains = Float64Array.from(order, (v) => {
    seating.gatherOffers(v)
    return offers.reduce((most, offer) => Math.max(most, offer)) - offers[parts[v]!]!
  })
  return order.toSorted((a, b) => gains[b]! - gains[a]! || a - b)
}

function described({ level }: Seating, parts: Int32Array): Restreamed {
  const { graph, home, limits } = level
  const { loads } = assignmentOf(level, parts)
  let moved = 0
  for (let v = 0; v < graph.vertices; v++) {
    if (home![v]! >= 0 && home![v] !== parts[v])
      moved += graph.vertexWeights[v * graph.constraints]!
  }
  return {
    parts,
    cut: cutOf(graph, parts),
    moved,
    loads,
    limits,
    balanced: overloadOf({ level, parts, loads }) === 0,
  }
}

/** Those with the most links to seated hosts first: the others know more when their turn comes. */
function seatNewcomers(seating: Seating): void {
  const { graph } = seating.level
  const { vertices, starts, heads, edgeWeights } = graph
  const heap = new VertexHeap(vertices)
  for (let v = 0; v < vertices; v++) {
    if (seating.parts[v]! >= 0) continue
    let links = 0
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      if (seating.parts[heads[a]!]! >= 0) links += edgeWeights[a]!
    }
    heap.push(v, links)
  }
  while (heap.size > 0) {
    const v = heap.pop()
    seating.gatherOffers(v)
    const part = seating.choose(v, 1)
    seating.seat(v, part < 0 ? seating.emptiest() : part)
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      const u = heads[a]!
      if (heap.has(u)) heap.update(u, heap.keys[u]! + edgeWeights[a]!)
    }
  }
}

/**
 * Hosts leave parts above their limits, least loss per weight first. When one has gone, its neighbours
 * have less to lose, so that what leaves together hangs together. Keys only ever promise too much:
 * a host is priced again when it is on top.
 */
function makeRoom(seating: Seating): void {
  const { graph } = seating.level
  const heap = new VertexHeap(graph.vertices)
  const leaver = new Leaver(seating)
  for (let v = 0; v < graph.vertices; v++) {
    if (isCrowded(seating, v) && leaver.price(v)) heap.push(v, leaver.gain)
  }
  while (heap.size > 0) {
    const v = heap.top()
    if (!isCrowded(seating, v) || !leaver.price(v)) heap.pop()
    else if (leaver.gain < heap.keys[v]!) heap.update(v, leaver.gain)
    else {
      heap.pop()
      seating.seat(v, leaver.target)
      easeNeighbours(seating.level, heap, v)
    }
  }
}

function isCrowded(seating: Seating, v: number): boolean {
  return isFree(seating.level, v) && seating.fullness(seating.parts[v]!) > 1
}

function easeNeighbours({ graph }: Level, heap: VertexHeap, v: number): void {
  const { starts, heads, edgeWeights, vertexWeights, constraints } = graph
  for (let a = starts[v]!; a < starts[v + 1]!; a++) {
    const u = heads[a]!
    // One link less to lose, one more to find.
    const ease = (2 * edgeWeights[a]!) / (vertexWeights[u * constraints]! || 1)
    if (heap.has(u)) heap.update(u, heap.keys[u]! + ease)
  }
}

/** The best way out for a host: where to, and what it gains per weight. */
class Leaver {
  target = -1
  gain = 0
  readonly #seating: Seating

  constructor(seating: Seating) {
    this.#seating = seating
  }

  /** False if no other part has room. */
  price(v: number): boolean {
    const { level, parts, offers } = this.#seating
    this.#seating.gatherOffers(v)
    this.target = -1
    for (let p = 0; p < level.k; p++) {
      if (p === parts[v] || !this.#seating.takes(v, p)) continue
      if (this.target < 0 || offers[p]! > offers[this.target]!) this.target = p
    }
    if (this.target < 0) return false
    const weight = level.graph.vertexWeights[v * level.graph.constraints]! || 1
    this.gain = (offers[this.target]! - offers[parts[v]!]!) / weight
    return true
  }
}
