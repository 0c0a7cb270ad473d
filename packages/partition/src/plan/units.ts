/**
 * What is placed as a whole, and all that a partitioner needs of it: a unit is a host, or the hosts of a
 * group. Links inside of a unit are never exchanged, so they are no edges.
 */
import {
  checkGroups,
  coarsenCrawl,
  linkGraph,
  type CrawlGraph,
  type NamedCrawlGraph,
} from '../distance/crawl-graph.ts'
import { assignmentCosts, coarsenNearness } from '../distance/nearness.ts'
import { totalWeights, type Graph } from '../graph/graph.ts'
import type { Level } from '../level.ts'
import { levelOf, type PartitionOptions } from '../partition.ts'
import { PLAN_WEIGHTS, type PlanInput, type PlanWeights } from './plan-input.ts'

export interface Units {
  unitOf: Int32Array
  graph: Graph
  /** The part each unit is in now, or −1; null without any placement. */
  home: Int32Array | null
  loyalty: Float64Array | null
  /** What a partitioner is asked for, without the placement there is. */
  options: Pick<PartitionOptions, 'k' | 'imbalance' | 'capacities' | 'costs'>
  level: Level
  /** What 1 of the graph's objective is in milliseconds. */
  unitMs: number
}

export const PLAN_IMBALANCE = 0.05

/** A known host has one page at least, whether or not it was fetched already. */
export function pagesOf({ pages }: CrawlGraph): Float64Array {
  return pages.map((count) => Math.max(1, count))
}

export function weightsOf({ weights }: PlanInput): PlanWeights {
  return { ...PLAN_WEIGHTS, ...weights }
}

export function unitsOf(input: PlanInput): Units {
  const { parts } = input
  const { unitOf, units } = unitNumbers(input)
  const pages = pagesOf(input.graph)
  const crawl = coarsenCrawl({ ...input.graph, pages }, unitOf, units)
  const scale = scaleOf(input)
  const graph = balancedGraph(crawl, politeTimes(input, { pages, unitOf, units }), scale.hasLinks)
  const options = {
    k: parts.length,
    // The capacities hold the tolerance already: nothing else shall bind.
    imbalance: 4 * parts.length,
    capacities: roomOf(graph, input),
    costs: costsOf(input, { pages, unitOf, units, perMs: scale.perMs }),
  }
  const home = homeOf(input, { pages, unitOf, units })
  const loyalty = home === null ? null : crawl.pages.map((count) => count * scale.perMovedPage)
  const level = levelOf(graph, {
    ...options,
    previous: home ?? undefined,
    migrationCosts: loyalty ?? undefined,
  })
  return { unitOf, graph, home, loyalty, options, level, unitMs: scale.unitMs }
}

interface Grouped {
  pages: Float64Array
  unitOf: Int32Array
  units: number
}

/** Units are numbered by their first host: the same input gives the same units. */
function unitNumbers({ graph, groups }: PlanInput): { unitOf: Int32Array; units: number } {
  const unitOf = new Int32Array(graph.names.length)
  const unitOfGroup = new Map<number, number>()
  let units = 0
  for (let host = 0; host < unitOf.length; host++) {
    const group = groups?.[host] ?? -1
    const known = group < 0 ? undefined : unitOfGroup.get(group)
    unitOf[host] = known ?? units
    if (known !== undefined) continue
    if (group >= 0) unitOfGroup.set(group, units)
    units++
  }
  checkGroups(unitOf, { vertices: unitOf.length, groups: units })
  return { unitOf, units }
}

/**
 * Links keep their counts, so that edge weights stay whole numbers; milliseconds are brought to links. When
 * links do not count, the unit is the millisecond.
 */
function scaleOf(input: PlanInput): {
  hasLinks: boolean
  unitMs: number
  perMs: number
  perMovedPage: number
} {
  const { latency, exchangeMs, migrationMs } = weightsOf(input)
  const { passes = 1 } = input
  const hasLinks = passes * exchangeMs > 0
  const unitMs = hasLinks ? passes * exchangeMs : 1
  return {
    hasLinks,
    unitMs,
    perMs: (passes * latency) / unitMs,
    perMovedPage: migrationMs / unitMs,
  }
}

/** Pages are the first weight, polite time the second where there is one. */
function balancedGraph(crawl: CrawlGraph, times: Float64Array | null, hasLinks: boolean): Graph {
  const empty = new Int32Array(0)
  const links = hasLinks
    ? crawl
    : { ...crawl, tails: empty, heads: empty, links: new Float64Array(0) }
  const graph = linkGraph(links)
  if (times === null) return graph
  const both = Float64Array.from({ length: 2 * times.length }, (_, at) =>
    at % 2 === 0 ? crawl.pages[at >> 1]! : times[at >> 1]!,
  )
  return { ...graph, constraints: 2, vertexWeights: both }
}

/** Null when all pauses are alike: then pages say the same. */
function politeTimes(
  { pausesMs }: PlanInput,
  { pages, unitOf, units }: Grouped,
): Float64Array | null {
  if (pausesMs === undefined || pausesMs.every((pause) => pause === pausesMs[0])) return null
  const times = new Float64Array(units)
  for (let host = 0; host < unitOf.length; host++) {
    times[unitOf[host]!]! += pages[host]! * pausesMs[host]!
  }
  return times
}

/** What each part may carry of each weight; whole units must fit, hence the rounding up. */
function roomOf(graph: Graph, { parts, imbalance = PLAN_IMBALANCE }: PlanInput): Float64Array {
  const all = parts.reduce((sum, { capacity }) => sum + capacity, 0)
  const totals = totalWeights(graph)
  return Float64Array.from({ length: parts.length * graph.constraints }, (_, at) => {
    const share = parts[Math.floor(at / graph.constraints)]!.capacity / all
    return (1 + imbalance) * Math.ceil(share * totals[at % graph.constraints]! - ROUNDING)
  })
}

/** A third of 3 is a little more than 1. */
const ROUNDING = 1e-9

function costsOf(
  { latency }: PlanInput,
  { pages, unitOf, units, perMs }: Grouped & { perMs: number },
): Float64Array | undefined {
  if (latency === undefined || perMs === 0) return undefined
  const pagesOfUnits = new Float64Array(units)
  for (let host = 0; host < unitOf.length; host++) pagesOfUnits[unitOf[host]!]! += pages[host]!
  const nearness = coarsenNearness(latency, pages, { groupOf: unitOf, groups: units })
  const costs = assignmentCosts(nearness, pagesOfUnits)
  for (let at = 0; at < costs.length; at++) costs[at]! *= perMs
  return costs
}

/** A group that was split before is at home where most of its pages are. */
function homeOf({ graph, parts, previous }: PlanInput, grouped: Grouped): Int32Array | null {
  if (previous === undefined) return null
  const { pages, unitOf, units } = grouped
  const home = new Int32Array(units).fill(-1)
  const partOf = placesOf(graph, previous, parts)
  const votes = new Map<number, Float64Array>()
  for (let host = 0; host < unitOf.length; host++) {
    const unit = unitOf[host]!
    const part = partOf[host]!
    if (part < 0 || home[unit] === part) continue
    if (home[unit] === -1) home[unit] = part
    else votes.set(unit, new Float64Array(parts.length))
  }
  if (votes.size > 0) countVotes(home, { partOf, pages, unitOf, votes })
  return home
}

function countVotes(
  home: Int32Array,
  {
    partOf,
    pages,
    unitOf,
    votes,
  }: Omit<Grouped, 'units'> & { partOf: Int32Array; votes: Map<number, Float64Array> },
): void {
  for (let host = 0; host < unitOf.length; host++) {
    const vote = votes.get(unitOf[host]!)
    if (vote !== undefined && partOf[host]! >= 0) vote[partOf[host]!]! += pages[host]!
  }
  for (const [unit, vote] of votes) home[unit] = vote.indexOf(vote.reduce((a, b) => Math.max(a, b)))
}

/** By host the place of its part among `parts`, −1 if it has none there. */
export function placesOf(
  { names }: NamedCrawlGraph,
  previous: ReadonlyMap<string, string>,
  parts: PlanInput['parts'],
): Int32Array {
  const places = new Map(parts.map(({ name }, place) => [name, place]))
  return Int32Array.from(names, (name) => {
    const part = previous.get(name)
    return part === undefined ? -1 : (places.get(part) ?? -1)
  })
}
