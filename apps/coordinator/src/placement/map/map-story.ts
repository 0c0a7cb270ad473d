/** What a plan weighed, for people: the figures before and after it, and who links to whom. */
import { figuresOf, type Plan, type PlanInput } from '@minga/partition'
import type {
  PlacementExchange,
  PlacementMetrics,
  PlacementMove,
  PlacementReport,
} from '@minga/protocol'

/** More do not fit a screen, and as many are a hundred KB an epoch. */
const EXCHANGE_DEVICES_MAX = 40
/** Moved hosts are listed one by one up to this number; those with most pages first. */
const MOVES_MAX = 5_000

export function storyOf(input: PlanInput, plan: Plan): PlacementReport {
  const before = previousParts(input)
  return {
    after: figures(input, plan.partOf),
    before: before === null ? null : figures(input, before),
    movedHosts: plan.movedHosts,
    newHosts: plan.newHosts,
    compared: { ...plan.compared },
    exchange: exchangeOf(input, plan.partOf),
    exchangeBefore: before === null ? null : exchangeOf(input, before),
  }
}

/** −1 for hosts whose agent is gone, or that had none; null when that is all of them. */
function previousParts({ graph, parts, previous }: PlanInput): Int32Array | null {
  if (previous === undefined) return null
  const places = new Map(parts.map(({ name }, place) => [name, place]))
  const partOf = Int32Array.from(graph.names, (name) => places.get(previous.get(name) ?? '') ?? -1)
  return partOf.some((part) => part >= 0) ? partOf : null
}

/** Metrics of hosts that have a part: those without would count as exchange that did not happen. */
function figures(input: PlanInput, partOf: Int32Array): PlacementMetrics {
  const links = linksBetween(input, partOf)
  const size = input.parts.length
  let [all, within] = [0, 0]
  for (const [i, count] of links.entries()) {
    all += count
    if (Math.floor(i / size) === i % size) within += count
  }
  const { imbalance, latencyMs, pages } = figuresOf(input, partOf)
  const placed = pages.reduce((sum, count) => sum + count, 0)
  return {
    cut: all - within,
    exchangeShare: all === 0 ? 0 : (all - within) / all,
    imbalance,
    latencyMs: input.latency === undefined ? null : latencyMs / Math.max(1, placed),
  }
}

/** Row by row: from the part of the tail to that of the head. */
function linksBetween({ graph, parts }: PlanInput, partOf: Int32Array): Float64Array {
  const size = parts.length
  const links = new Float64Array(size * size)
  for (let arc = 0; arc < graph.tails.length; arc++) {
    const [from, to] = [partOf[graph.tails[arc]!]!, partOf[graph.heads[arc]!]!]
    if (from >= 0 && to >= 0) links[from * size + to]! += graph.links[arc]!
  }
  for (let host = 0; host < partOf.length; host++) {
    const part = partOf[host]!
    if (part >= 0) links[part * size + part]! += graph.insideLinks[host]!
  }
  return links
}

function exchangeOf(input: PlanInput, partOf: Int32Array): PlacementExchange {
  const { parts } = input
  const links = linksBetween(input, partOf)
  const { pages } = figuresOf(input, partOf)
  const shown = parts
    .map((_, part) => part)
    .toSorted((a, b) => pages[b]! - pages[a]! || a - b)
    .slice(0, EXCHANGE_DEVICES_MAX)
    .toSorted((a, b) => a - b)
  return {
    devices: shown.map((part) => parts[part]!.name),
    links: shown.map((from) => shown.map((to) => links[from * parts.length + to]!)),
  }
}

/** Hosts that had another device, also one that is gone. */
export function movesOf({ graph, previous }: PlanInput, plan: Plan): PlacementMove[] {
  if (previous === undefined) return []
  const moves: PlacementMove[] = []
  for (const [host, name] of graph.names.entries()) {
    const from = previous.get(name)
    const to = plan.parts[plan.partOf[host]!]!.name
    if (from !== undefined && from !== to)
      moves.push({ host: name, from, to, pages: graph.pages[host]! })
  }
  moves.sort((a, b) => b.pages - a.pages || (a.host < b.host ? -1 : 1))
  return moves.slice(0, MOVES_MAX)
}
