/** Seats those without a part, and empties parts that carry too much, at the least loss of links. */
import { isFree, type Level } from '../level.ts'
import { VertexHeap } from '../refine/heap.ts'
import type { Seating } from './seating.ts'

/** Those with the most links to seated hosts first: the others know more when their turn comes. */
export function seatNewcomers(seating: Seating): void {
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
export function makeRoom(seating: Seating): void {
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
