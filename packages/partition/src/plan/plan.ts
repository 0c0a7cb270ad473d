/**
 * The product's way from a crawl graph to parts: who fetches which host. Everything is weighed in
 * one unit, milliseconds of expected waiting until all known pages have been fetched `passes`
 * times:
 *
 *   passes · latency · Σ pages(h) · ms per page(h, part of h)
 * + passes · exchangeMs · links between hosts of different parts
 * + migrationMs · pages of hosts that leave the part they are in
 *
 * subject to the share of each part in pages, and in polite time (pages · pause) where pauses
 * differ. Hosts on one address are one unit: the owner of the address keeps its pauses.
 *
 * With a placement there are four ways on, and the cheapest counts, moving included: to keep it
 * (only newcomers, and what must move, find a place), to restream it (diffusion), to refine it over
 * all levels of coarseness, or to partition from scratch and give the new parts the names under
 * which most stays (scratch-remap). So nothing moves unless what it saves breaks even with the
 * move. Diffusion and scratch-remap are compared by Schloegel, Karypis and Kumar, "Wavefront
 * diffusion and LMSR", 2001.
 */
import { migrationOf } from '../level.ts'
import { partition } from '../partition.ts'
import { scoreOf } from '../score.ts'
import { restream } from '../stream/restream.ts'
import { BadPartitionInput } from '../errors.ts'
import { figuresOf, type PlanFigures } from './figures.ts'
import type { PlanInput, PlanPart } from './plan-input.ts'
import { relabelled } from './relabel.ts'
import { unitsOf, weightsOf, type Units } from './units.ts'

/** How the plan came about: without a placement before it, always from scratch. */
export type PlanWay = 'scratch' | 'remapped' | 'refined' | 'restreamed' | 'kept'

export interface PlanCost {
  /** Latency and exchange, weighed, over all passes. */
  runningMs: number
  migrationMs: number
}

export interface Plan extends PlanFigures {
  /** In the order of the graph's names: the place of the host's part in `parts`. */
  partOf: Int32Array
  parts: readonly PlanPart[]
  way: PlanWay
  /** What the ways cost that were compared; the least sum within the limits was taken. */
  compared: Partial<Record<PlanWay, PlanCost>>
  /** Every part is within its share and tolerance. */
  isBalanced: boolean
}

interface Candidate {
  way: PlanWay
  parts: Int32Array
  overload: number
  cost: PlanCost
  /** More left its part than was allowed. */
  isTooMuch: boolean
}

export function planPlacement(input: PlanInput): Plan {
  checkPlanInput(input)
  const units = unitsOf(input)
  const candidates = units.home === null ? [scratch(units, input)] : waysOn(units, input)
  const best = candidates.reduce((one, other) => (isBetter(other, one) ? other : one))
  const partOf = Int32Array.from(units.unitOf, (unit) => best.parts[unit]!)
  return {
    partOf,
    parts: input.parts,
    way: best.way,
    compared: Object.fromEntries(candidates.map(({ way, cost }) => [way, cost])),
    ...figuresOf(input, partOf),
    isBalanced: best.overload === 0,
  }
}

/** Limits first, but never at the price of moving more than may be moved. */
function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.isTooMuch !== other.isTooMuch) return other.isTooMuch
  if (one.overload !== other.overload) return one.overload < other.overload
  return totalOf(one.cost) < totalOf(other.cost)
}

function totalOf({ runningMs, migrationMs }: PlanCost): number {
  return runningMs + migrationMs
}

function scratch(units: Units, { seed, preset }: PlanInput): Candidate {
  return judged(units, 'scratch', partition(units.graph, { ...units.options, seed, preset }).parts)
}

function waysOn(units: Units, input: PlanInput): Candidate[] {
  const { graph, home, loyalty, options } = units
  const known = { ...options, seed: input.seed, previous: home!, migrationCosts: loyalty! }
  const kept = restream(graph, { ...known, passes: 0, mostMoved: 0 })
  // What must move may; a plan may be better for moving other hosts instead of those.
  const mostMoved = Math.max(kept.moved, input.mostMovedPages ?? Infinity)
  const diffused = restream(graph, { ...known, mostMoved })
  const refined = partition(graph, { ...known, preset: input.preset }).parts
  const remapped = relabelled(units, scratch(units, input).parts)
  return [
    judged(units, 'kept', kept.parts),
    judged(units, 'restreamed', diffused.parts),
    { ...judged(units, 'refined', refined), isTooMuch: movedPages(units, refined) > mostMoved },
    { ...judged(units, 'remapped', remapped), isTooMuch: movedPages(units, remapped) > mostMoved },
  ]
}

function judged({ level, unitMs }: Units, way: PlanWay, parts: Int32Array): Candidate {
  const { overload, objective } = scoreOf(level, parts)
  const migration = migrationOf(level, parts)
  const cost = { runningMs: (objective - migration) * unitMs, migrationMs: migration * unitMs }
  return { way, parts, overload, cost, isTooMuch: false }
}

function movedPages({ graph, home }: Units, parts: Int32Array): number {
  let moved = 0
  for (let v = 0; v < graph.vertices; v++) {
    const isMoved = home![v]! >= 0 && home![v] !== parts[v]
    if (isMoved) moved += graph.vertexWeights[v * graph.constraints]!
  }
  return moved
}

/** Refuses what cannot be planned, in words that name it. */
function checkPlanInput(input: PlanInput): void {
  const { graph, parts, groups, latency, pausesMs, passes = 1, mostMovedPages = 0 } = input
  const hosts = graph.names.length
  checkParts(input)
  const lengths = [
    ['page counts', graph.pages.length, hosts],
    ['groups', groups?.length ?? hosts, hosts],
    ['pauses', pausesMs?.length ?? hosts, hosts],
    ['rows of latencies', latency?.vertices ?? hosts, hosts],
    ['columns of latencies', latency?.agents ?? parts.length, parts.length],
  ] as const
  for (const [what, length, needed] of lengths) {
    if (length === needed) continue
    throw new BadPartitionInput(`There are ${length} ${what}; ${needed} are needed`)
  }
  for (const [what, value] of Object.entries({ ...weightsOf(input), passes, mostMovedPages })) {
    if (value >= 0) continue
    throw new BadPartitionInput(`The plan's ${what} is ${value}; it must be a number from 0`)
  }
}

function checkParts({ parts }: PlanInput): void {
  if (new Set(parts.map(({ name }) => name)).size < parts.length) {
    throw new BadPartitionInput('Two parts have the same name')
  }
  const wrong = parts.find(({ capacity }) => !(capacity >= 0 && capacity < Infinity))
  if (wrong !== undefined) {
    throw new BadPartitionInput(`Part ${wrong.name} has the capacity ${wrong.capacity}`)
  }
  if (parts.some(({ capacity }) => capacity > 0)) return
  throw new BadPartitionInput('There is no part with any capacity')
}
