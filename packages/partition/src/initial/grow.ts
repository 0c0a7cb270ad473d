/**
 * Greedy graph growing: the second part grows from a random vertex, always by the vertex that cuts least,
 * until it has its share. Starts again elsewhere when a component is used up. O(arcs · log n).
 */
import { isFree, pull, type Level } from '../level.ts'
import type { Random } from '../random.ts'
import { VertexHeap } from '../refine/heap.ts'

/** Two parts; `share` is how much of the first constraint the second one is to get. */
export function grow(level: Level, share: number, random: Random): Int32Array {
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
