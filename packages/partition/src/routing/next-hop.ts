/**
 * Where a URL goes next. A station has one table per federation around it, which names the member
 * that owns the URL; it asks them from the root down until one names another branch, and sends the
 * URL to a representative of that branch. The receiver looks only below that branch. So every hop
 * is at least one level deeper: at most as many hops as levels, and no loop, even while tables of
 * different age meet.
 */
import { isWanted, type UrlFacts, type Filter } from './filter.ts'
import { branchAt, representativesOf, type Ascendant, type Knowledge } from './knowledge.ts'
import { RoutingTable } from './routing-table.ts'
import type { StationTree } from './station-tree.ts'

/** What one station routes by. */
export interface Seat {
  knowledge: Knowledge
  /** By federation; the owners are its members. */
  tables: ReadonlyMap<string, RoutingTable>
  /** Its own and those of the federations around it: they stand above the tables. */
  filters: readonly Filter[]
  /** Who takes what no table knows; null holds it back until the next map. */
  fallback: (host: string, federation: Ascendant) => string | null
}

export type NextHop =
  | { kind: 'here' }
  | { kind: 'forward'; entity: string; representatives: readonly string[] }
  | { kind: 'unwanted' }
  /** Its owner is unknown: it waits for the next map. */
  | { kind: 'held' }
  /** The tables or the sender are of another tree than this station's. */
  | { kind: 'stray' }

/** `within`: the entity that the sender took this station for; none for what was found here. */
export function nextHop(seat: Seat, facts: UrlFacts, within?: string): NextHop {
  if (!seat.filters.every((filter) => isWanted(filter, facts))) return { kind: 'unwanted' }
  const { knowledge, tables, fallback } = seat
  const { ascendants } = knowledge
  for (let level = topLevel(knowledge, within); level >= 0; level--) {
    const federation = ascendants[level]
    if (federation === undefined) return { kind: 'stray' }
    const known = tables.get(federation.id)?.ownerOf(facts) ?? null
    const owner = known ?? fallback(facts.host, federation)
    if (owner === null) return { kind: 'held' }
    if (owner === branchAt(knowledge, level)) continue
    if (!federation.members.includes(owner)) return { kind: 'stray' }
    const representatives = representativesOf(knowledge, owner)
    return { kind: 'forward', entity: owner, representatives }
  }
  return { kind: 'here' }
}

/** −1 when the URL was meant for this very station; beyond the ascendants when for a stranger. */
function topLevel({ id, ascendants }: Knowledge, within: string | undefined): number {
  if (within === undefined) return ascendants.length - 1
  if (within === id) return -1
  const level = ascendants.findIndex((ascendant) => ascendant.id === within)
  return level < 0 ? ascendants.length : level
}

/** One table per federation, from one that names the station of every block. */
export function tablesOfTree(tree: StationTree, stations: RoutingTable): Map<string, RoutingTable> {
  const federations = tree.entities().filter((id) => !tree.isStation(id))
  return new Map(federations.map((id) => [id, tableOfMembers(tree, id, stations)]))
}

function tableOfMembers(tree: StationTree, federation: string, table: RoutingTable): RoutingTable {
  const members = new Map(
    tree
      .members(federation)
      .flatMap((member) => tree.stations(member).map((station) => [station, member] as const)),
  )
  const ours = <T extends { owner: string }>(entries: readonly T[]): T[] =>
    entries.flatMap((entry) => {
      const owner = members.get(entry.owner)
      return owner === undefined ? [] : [{ ...entry, owner }]
    })
  return new RoutingTable(ours(table.routes), ours(table.hosts))
}

export interface Journey {
  /** The stations that had the URL, in order. */
  path: readonly string[]
  end: Exclude<NextHop['kind'], 'forward'> | 'unreachable'
}

/** The whole way of a URL through stations that are at hand: for simulation, and to explain a map. */
export function journeyOf(
  seats: ReadonlyMap<string, Seat>,
  facts: UrlFacts,
  { start, isUp }: { start: string; isUp: (station: string) => boolean },
): Journey {
  const path = [start]
  let within: string | undefined
  for (;;) {
    const seat = seats.get(path.at(-1)!)
    if (seat === undefined) return { path, end: 'stray' }
    const hop = nextHop(seat, facts, within)
    if (hop.kind !== 'forward') return { path, end: hop.kind }
    const next = hop.representatives.find(isUp)
    if (next === undefined) return { path, end: 'unreachable' }
    // Only seats of different trees could lead back.
    if (path.includes(next)) return { path, end: 'stray' }
    path.push(next)
    within = hop.entity
  }
}
