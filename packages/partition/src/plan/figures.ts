/** What a placement costs and how even it is, counted from the crawl graph itself and not from what was minimised. */
import { sumOf } from '../graph/graph.ts'
import type { PlanInput } from './plan-input.ts'
import { pagesOf, placesOf, weightsOf } from './units.ts'

export interface PlanFigures {
  /** Links between hosts of different parts, in one pass over all pages. */
  cut: number
  /** Those of all links, within hosts too: the share of found URLs that another owner gets. */
  exchangeShare: number
  /** Σ pages · ms per page, 0 when no latencies were given. */
  latencyMs: number
  /** What leaves a part that is still there; those of parts that have left have no choice. */
  movedPages: number
  movedHosts: number
  /** Hosts whose part is gone, or that had none. */
  newHosts: number
  /** Passes · (latency + exchange), weighed as asked. */
  runningMs: number
  migrationMs: number
  /** Pages and hosts by part. */
  pages: Float64Array
  hosts: Int32Array
  /** The fullest part over its share of the pages, less 1. */
  imbalance: number
}

/** Of any placement; −1 stands for a host without a part, whose links all lead elsewhere. */
export function figuresOf(input: PlanInput, partOf: Int32Array): PlanFigures {
  const { graph, latency, passes = 1 } = input
  const weights = weightsOf(input)
  const pages = pagesOf(graph)
  const cut = cutLinks(input, partOf)
  const all = sumOf(graph.links) + sumOf(graph.insideLinks)
  let latencyMs = 0
  if (latency !== undefined) {
    for (let host = 0; host < partOf.length; host++) {
      const part = partOf[host]!
      if (part >= 0) latencyMs += pages[host]! * latency.values[host * latency.agents + part]!
    }
  }
  const moves = movesOf(input, partOf, pages)
  return {
    cut,
    exchangeShare: all === 0 ? 0 : cut / all,
    latencyMs,
    ...moves,
    runningMs: passes * (weights.latency * latencyMs + weights.exchangeMs * cut),
    migrationMs: weights.migrationMs * moves.movedPages,
    ...loadsOf(input, partOf, pages),
  }
}

function cutLinks({ graph }: PlanInput, partOf: Int32Array): number {
  let cut = 0
  for (let i = 0; i < graph.tails.length; i++) {
    const part = partOf[graph.tails[i]!]!
    if (part < 0 || part !== partOf[graph.heads[i]!]) cut += graph.links[i]!
  }
  return cut
}

function movesOf(
  { graph, previous, parts }: PlanInput,
  partOf: Int32Array,
  pages: Float64Array,
): Pick<PlanFigures, 'movedPages' | 'movedHosts' | 'newHosts'> {
  const moves = { movedPages: 0, movedHosts: 0, newHosts: 0 }
  const before = previous === undefined ? null : placesOf(graph, previous, parts)
  for (let host = 0; host < partOf.length; host++) {
    const old = before?.[host] ?? -1
    if (old < 0) moves.newHosts++
    else if (old !== partOf[host]) {
      moves.movedHosts++
      moves.movedPages += pages[host]!
    }
  }
  return moves
}

function loadsOf(
  { parts }: PlanInput,
  partOf: Int32Array,
  pages: Float64Array,
): Pick<PlanFigures, 'pages' | 'hosts' | 'imbalance'> {
  const carried = new Float64Array(parts.length)
  const hosts = new Int32Array(parts.length)
  for (let host = 0; host < partOf.length; host++) {
    if (partOf[host]! < 0) continue
    carried[partOf[host]!]! += pages[host]!
    hosts[partOf[host]!]!++
  }
  return { pages: carried, hosts, imbalance: imbalanceOf(carried, parts) }
}

/** The fullest part over its share by capacity, less 1; parts without capacity have no share. */
function imbalanceOf(pages: ArrayLike<number>, parts: readonly { capacity: number }[]): number {
  const capacity = parts.reduce((sum, part) => sum + part.capacity, 0)
  const all = Array.from(pages).reduce((sum, count) => sum + count, 0)
  let worst = 0
  for (const [i, part] of parts.entries()) {
    const share = (part.capacity / capacity) * all
    if (share > 0) worst = Math.max(worst, pages[i]! / share - 1)
  }
  return worst
}
