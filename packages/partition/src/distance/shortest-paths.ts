/** Estimates along the route graph: Dijkstra from one address to all others, O(edges · log vertices). */
import { VertexHeap } from '../refine/heap.ts'
import type { RttEstimate } from './estimate-rtt.ts'
import { quantileOf } from './median.ts'
import type { RouteGraph, Routes } from './route-graph.ts'

/** Infinite where no route leads. */
export function shortestPathsMs(graph: RouteGraph, source: number): Float64Array {
  const { starts, heads, weightsMs } = graph
  const distances = new Float64Array(starts.length - 1).fill(Infinity)
  // The heap has the largest key on top, and the nearest is wanted.
  const heap = new VertexHeap(distances.length)
  distances[source] = 0
  heap.push(source, 0)
  while (heap.size > 0) {
    const near = heap.pop()
    for (let a = starts[near]!; a < starts[near + 1]!; a++) {
      const head = heads[a]!
      const distance = distances[near]! + weightsMs[a]!
      if (distance >= distances[head]!) continue
      distances[head] = distance
      if (heap.has(head)) heap.update(head, -distance)
      else heap.push(head, -distance)
    }
  }
  return distances
}

/** Share of |estimate − measured| that makes one standard deviation. */
const ONE_SIGMA = 0.683

/** The pairs whose errors are compared made the graph; others do worse. */
const LEAST_SHARE = 0.1
/** Between ends that no trace joins, the link that is really used may be on no trace at all. */
const UNTRACED_SHARE = 0.4

/**
 * Round trips along the shortest path between any two addresses that traces have shown. As uncertain as
 * the same estimates are wrong for pairs whose end-to-end time is known.
 */
export class RouteEstimates {
  readonly #graph: RouteGraph
  readonly #fromMs = new Map<number, Float64Array>()
  readonly #traced = new Set<string>()
  readonly #errorShare: number

  constructor({ graph, reached }: Routes) {
    this.#graph = graph
    for (const { source, target } of reached) this.#traced.add(`${source} ${target}`)
    const errors = reached.map(({ source, target, rttMs }) => {
      const estimate = this.#pathMs(source, target) ?? 0
      return Math.abs(estimate - rttMs) / Math.max(estimate, rttMs, 1e-3)
    })
    this.#errorShare =
      errors.length === 0 ? 1 : Math.max(LEAST_SHARE, quantileOf(errors, ONE_SIGMA))
  }

  /** Null when one of both is on no trace, or no route leads there. */
  estimate(from: string, to: string): RttEstimate | null {
    const rttMs = this.#pathMs(from, to)
    if (rttMs === null) return null
    const isTraced = this.#traced.has(`${from} ${to}`) || this.#traced.has(`${to} ${from}`)
    const share = isTraced ? this.#errorShare : Math.max(UNTRACED_SHARE, this.#errorShare)
    return { rttMs, uncertaintyMs: share * rttMs }
  }

  /** All from one source at once, and kept: agents are few and hosts many. */
  #pathMs(from: string, to: string): number | null {
    const a = this.#graph.index.get(from)
    const b = this.#graph.index.get(to)
    if (a === undefined || b === undefined || a === b) return null
    let distances = this.#fromMs.get(a)
    if (distances === undefined) {
      this.#fromMs.set(a, (distances = shortestPathsMs(this.#graph, a)))
    }
    const distance = distances[b]!
    return distance === Infinity ? null : distance
  }
}
