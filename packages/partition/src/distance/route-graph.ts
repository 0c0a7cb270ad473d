/**
 * The network as traces show it: addresses joined by consecutive hops. Probes of a hop are averaged
 * within a trace, then the median is taken over the traces of a source; an edge weighs what the
 * farther hop takes longer, never less than nothing, and the median of that over all sources that
 * crossed it.
 *   w(h₁, h₂) = max(0, RTT(h₂) − RTT(h₁))      δ = RTT end to end − Σ w along the path
 * Routers that answer late make δ negative: what they seem to take is truncated only behind them.
 * With `monotone` no hop counts as later than the hops behind it, so every path adds up. Paths are
 * taken to be the same in both directions, as everyone does who sees only one.
 */
import { medianOf, quantileOf } from './median.ts'
import type { TraceHop, Trace } from './hop-lists.ts'

/** Undirected, in compressed rows as `Graph`, but an edge may well weigh nothing. */
export interface RouteGraph {
  names: string[]
  index: ReadonlyMap<string, number>
  starts: Int32Array
  heads: Int32Array
  weightsMs: Float64Array
}

export interface TracedPair {
  source: string
  target: string
  /** End to end, the median over the traces. */
  rttMs: number
  deltaMs: number
}

export interface Routes {
  graph: RouteGraph
  /** One per trace that reached its target. */
  reached: TracedPair[]
}

interface Path {
  source: string
  target: string
  /** Numbers of addresses, the source first. */
  nodes: number[]
}

interface Edge {
  a: number
  b: number
  /** What each source saw. */
  seenMs: Map<string, number>
}

/** `as-seen` is the formula; `monotone` lowers a hop to the earliest of those behind it first. */
export type HopReading = 'as-seen' | 'monotone'

export function routesOf(traces: readonly Trace[], reading: HopReading = 'as-seen'): Routes {
  const index = new Map<string, number>()
  const times = new HopTimes()
  const paths = traces.map((trace) => pathOf(trace, index, times))
  const rttOf = times.medians()
  const edges = edgesOf(paths, rttOf, reading)
  const graph = { names: [...index.keys()], index, ...rowsOf(index.size, edges) }
  const reached = paths.flatMap((path) => {
    const last = path.nodes.at(-1)!
    if (index.get(path.target) !== last || path.nodes.length < 2) return []
    const rttMs = rttOf(path.source, last)
    return [{ ...ends(path), rttMs, deltaMs: rttMs - lengthOf(path, edges) }]
  })
  return { graph, reached }
}

const ends = ({ source, target }: Path): { source: string; target: string } => ({ source, target })

/** Silent routers are stepped over; an address that comes again, by a loop, only counts once. */
function pathOf(
  { source, target, hops }: Trace,
  index: Map<string, number>,
  times: HopTimes,
): Path {
  const nodes = [numberOf(source, index)]
  for (const hop of hops) {
    if (hop === null) continue
    const node = numberOf(hop.address, index)
    if (nodes.includes(node)) continue
    nodes.push(node)
    times.add(source, node, meanOf(hop))
  }
  return { source, target, nodes }
}

function numberOf(address: string, index: Map<string, number>): number {
  const known = index.get(address)
  if (known !== undefined) return known
  index.set(address, index.size)
  return index.size - 1
}

const meanOf = ({ timesMs }: TraceHop): number =>
  timesMs.reduce((sum, time) => sum + time, 0) / timesMs.length

class HopTimes {
  readonly #bySource = new Map<string, Map<number, number[]>>()

  add(source: string, node: number, ms: number): void {
    let nodes = this.#bySource.get(source)
    if (nodes === undefined) this.#bySource.set(source, (nodes = new Map()))
    const times = nodes.get(node)
    if (times === undefined) nodes.set(node, [ms])
    else times.push(ms)
  }

  /** The source is no time away from itself. */
  medians(): (source: string, node: number) => number {
    const medians = new Map<string, Map<number, number>>()
    for (const [source, nodes] of this.#bySource) {
      const ofSource = new Map<number, number>()
      for (const [node, times] of nodes) ofSource.set(node, medianOf(times))
      medians.set(source, ofSource)
    }
    return (source, node) => medians.get(source)?.get(node) ?? 0
  }
}

function edgesOf(
  paths: readonly Path[],
  rttOf: (source: string, node: number) => number,
  reading: HopReading,
): Map<string, Edge> {
  const edges = new Map<string, Edge>()
  for (const { source, nodes } of paths) {
    const times = nodes.map((node) => rttOf(source, node))
    if (reading === 'monotone') lowerToLater(times)
    for (let i = 1; i < nodes.length; i++) {
      const [near, far] = [nodes[i - 1]!, nodes[i]!]
      const key = keyOf(near, far)
      let edge = edges.get(key)
      if (edge === undefined) edges.set(key, (edge = { a: near, b: far, seenMs: new Map() }))
      const seenMs = Math.max(0, times[i]! - times[i - 1]!)
      // Paths of one source that differ behind the edge may lower it differently; waiting only adds.
      edge.seenMs.set(source, Math.min(seenMs, edge.seenMs.get(source) ?? Infinity))
    }
  }
  return edges
}

function lowerToLater(times: number[]): void {
  for (let i = times.length - 2; i >= 0; i--) times[i] = Math.min(times[i]!, times[i + 1]!)
}

const keyOf = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`)
const weightOf = ({ seenMs }: Edge): number => medianOf([...seenMs.values()])

function lengthOf({ nodes }: Path, edges: ReadonlyMap<string, Edge>): number {
  let length = 0
  for (let i = 1; i < nodes.length; i++) {
    length += weightOf(edges.get(keyOf(nodes[i - 1]!, nodes[i]!))!)
  }
  return length
}

function rowsOf(
  vertices: number,
  edges: ReadonlyMap<string, Edge>,
): Pick<RouteGraph, 'starts' | 'heads' | 'weightsMs'> {
  const starts = new Int32Array(vertices + 1)
  for (const { a, b } of edges.values()) {
    starts[a + 1]!++
    starts[b + 1]!++
  }
  for (let v = 0; v < vertices; v++) starts[v + 1]! += starts[v]!
  const next = starts.slice(0, vertices)
  const heads = new Int32Array(starts[vertices]!)
  const weightsMs = new Float64Array(heads.length)
  for (const edge of edges.values()) {
    const weight = weightOf(edge)
    for (const [tail, head] of [
      [edge.a, edge.b],
      [edge.b, edge.a],
    ] as const) {
      const at = next[tail]!++
      heads[at] = head
      weightsMs[at] = weight
    }
  }
  return { starts, heads, weightsMs }
}

export interface DeltaSummary {
  /** Of the pairs, those whose δ is nothing to speak of. */
  nearZeroShare: number
  medianMs: number
  /** Of |δ|. */
  p90Ms: number
  mostMs: number
}

/** What counts as nothing: clocks of routers are read to the ms, and times scatter by some percent. */
const NEAR_ZERO_MS = 1
const NEAR_ZERO_SHARE = 0.05

export function summariseDeltas(reached: readonly TracedPair[]): DeltaSummary {
  const sizes = reached.map(({ deltaMs }) => Math.abs(deltaMs))
  const near = reached.filter(
    ({ deltaMs, rttMs }) => Math.abs(deltaMs) <= Math.max(NEAR_ZERO_MS, NEAR_ZERO_SHARE * rttMs),
  )
  return {
    nearZeroShare: reached.length === 0 ? 1 : near.length / reached.length,
    medianMs: medianOf(reached.map(({ deltaMs }) => deltaMs)),
    p90Ms: quantileOf(sizes, 0.9),
    mostMs: sizes.reduce((most, size) => Math.max(most, size), 0),
  }
}
