/**
 * Finds an owner for a host without one, from the root of the tree down: the federation chooses one
 * of its direct members, that branch one of its own, until it is a station. So links and neighbours
 * tie a host to a branch first. The limits are those of the whole: a station gets no more than its
 * share and a quarter, at any depth.
 */
import {
  figuresOf,
  splitSpace,
  type NamedCrawlGraph,
  type Plan,
  type PlanInput,
  type StationTree,
} from '@minga/partition'
import type { FederatedStation } from '@minga/protocol'
import { capacitiesOf, memberBy, treeOf } from './branches.ts'
import { Placing, type Seat, type Unplaced } from './placing.ts'

export interface StationSeat extends Seat {
  branch: string
}

/** The choice among the direct members of one federation. */
interface Level {
  placing: Placing
  memberOf: ReadonlyMap<string, string>
}

export class TreePlacing {
  readonly #tree: StationTree
  readonly #seats: ReadonlyMap<string, Seat>
  readonly #weight: number
  readonly #levels = new Map<string, Level>()

  /** `weight` is what is to be placed altogether. There is at least one seat. */
  constructor(seats: readonly StationSeat[], weight: number) {
    this.#tree = treeOf(seats)
    this.#seats = new Map(seats.map((seat) => [seat.id, seat]))
    this.#weight = weight
    this.#open(this.#tree.root, this.#loadOf(this.#tree.root) + weight)
  }

  place(unplaced: Unplaced): string {
    let at = this.#tree.root
    while (!this.#tree.isStation(at)) {
      const { placing, memberOf } = this.#levels.get(at)!
      at = placing.place(seenAmong(memberOf, unplaced))
    }
    return at
  }

  /** `expected` is what the federation will carry if everyone gets their share. */
  #open(federation: string, expected: number): void {
    const tree = this.#tree
    if (tree.isStation(federation)) return
    const shares = capacitiesOf(tree, federation, (id) => this.#seats.get(id)!.capacity)
    const all = shares.reduce((sum, share) => sum + share, 0)
    const seats = tree
      .members(federation)
      .map((id, i) => ({ id, capacity: shares[i]!, load: this.#loadOf(id) }))
    const placing = new Placing(seats, expected - this.#loadOf(federation))
    this.#levels.set(federation, { placing, memberOf: memberBy(tree, federation) })
    for (const { id, capacity, load } of seats) {
      // Into a branch without a share comes only what it cannot give away.
      this.#open(id, capacity > 0 ? (expected * capacity) / all : load + this.#weight)
    }
  }

  #loadOf(entity: string): number {
    return this.#tree.stations(entity).reduce((sum, id) => sum + this.#seats.get(id)!.load, 0)
  }
}

/** With members in the place of the stations that are in them. */
function seenAmong(memberOf: ReadonlyMap<string, string>, unplaced: Unplaced): Unplaced {
  const { wantedBy, near } = unplaced
  const links = new Map<string, number>()
  for (const [station, count] of unplaced.links) {
    const member = memberOf.get(station)
    if (member !== undefined) links.set(member, (links.get(member) ?? 0) + count)
  }
  return {
    ...unplaced,
    wantedBy: wantedBy === null ? null : (memberOf.get(wantedBy) ?? null),
    links,
    near: near === null ? null : (memberOf.get(near) ?? null),
  }
}

/** All hosts with all stations as its parts. */
export type WholeInput = PlanInput & {
  groups: Int32Array
  previous: ReadonlyMap<string, string>
  mostMovedPages: number
}

interface TreePlan {
  /** In the order of the graph's names: the place of the host's station among the parts. */
  partOf: Int32Array
  /** The fullest station over its share, less 1. */
  imbalance: number
}

/**
 * The map divided from the root of the tree down: each federation divides only the hosts that were delegated to it,
 * among its direct members, with the placement there is and its part of what may be moved. Where no
 * station says a branch, that is one plan among all stations.
 */
export async function planDown(
  whole: WholeInput,
  stations: readonly FederatedStation[],
  plan: (input: PlanInput) => Promise<Plan>,
): Promise<TreePlan> {
  const tree = treeOf(stations)
  const all = Int32Array.from(whole.graph.names, (_, host) => host)
  const spaces = await splitSpace(tree, all, async ({ federation, members, space }) => {
    if (members.length === 1 || space.length === 0) return new Int32Array(space.length)
    return (await plan(delegated(whole, tree, { federation, space }))).partOf
  })
  const partOf = new Int32Array(all.length)
  for (const [part, { name }] of whole.parts.entries()) {
    for (const host of spaces.get(name)!) partOf[host] = part
  }
  return { partOf, imbalance: figuresOf(whole, partOf).imbalance }
}

/** What one federation sees: its own hosts and the links among them, where they are, and its direct members. */
function delegated(
  whole: WholeInput,
  tree: StationTree,
  { federation, space }: { federation: string; space: Int32Array },
): PlanInput {
  const capacities = new Map(whole.parts.map(({ name, capacity }) => [name, capacity]))
  const shares = capacitiesOf(tree, federation, (station) => capacities.get(station)!)
  const memberOf = memberBy(tree, federation)
  const graph = graphWithin(whole.graph, space)
  const previous = new Map<string, string>()
  for (const name of graph.names) {
    // What comes from another branch has no place here yet.
    const member = memberOf.get(whole.previous.get(name) ?? '')
    if (member !== undefined) previous.set(name, member)
  }
  return {
    ...whole,
    graph,
    parts: tree.members(federation).map((name, i) => ({ name, capacity: shares[i]! })),
    groups: Int32Array.from(space, (host) => whole.groups[host]!),
    previous,
    mostMovedPages: (whole.mostMovedPages * pagesIn(graph)) / pagesIn(whole.graph),
  }
}

/** A known host has one page at least. */
export const pagesIn = ({ pages }: NamedCrawlGraph): number =>
  pages.reduce((sum, count) => sum + Math.max(1, count), 0)

function graphWithin(graph: NamedCrawlGraph, space: Int32Array): NamedCrawlGraph {
  const numberOf = new Int32Array(graph.names.length).fill(-1)
  for (const [number, host] of space.entries()) numberOf[host] = number
  return {
    names: Array.from(space, (host) => graph.names[host]!),
    pages: Float64Array.from(space, (host) => graph.pages[host]!),
    insideLinks: Float64Array.from(space, (host) => graph.insideLinks[host]!),
    ...linksAmong(graph, numberOf),
  }
}

/** Links between the vertices that have a number, under these. */
export function linksAmong(
  { tails, heads, links }: NamedCrawlGraph,
  numberOf: Int32Array,
): Pick<NamedCrawlGraph, 'tails' | 'heads' | 'links'> {
  const kept = [...tails.keys()].filter(
    (i) => numberOf[tails[i]!]! >= 0 && numberOf[heads[i]!]! >= 0,
  )
  return {
    tails: Int32Array.from(kept, (i) => numberOf[tails[i]!]!),
    heads: Int32Array.from(kept, (i) => numberOf[heads[i]!]!),
    links: Float64Array.from(kept, (i) => links[i]!),
  }
}
