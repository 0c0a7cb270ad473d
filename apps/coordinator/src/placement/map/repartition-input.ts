/** What a station knows of its hosts and agents, as a plan takes it. Read in pages: nothing waits for it. */
import { hostNameOf, type HostStanding, type MapView } from '@minga/frontier'
import { registrableDomainOf } from '@minga/net'
import { addressGroups, type PlanInput, type PlanPart } from '@minga/partition'
import type { Calls } from '@minga/store'
import type { DistanceReader } from '../distance/read-distances.ts'
import { readHostGraph, type HostGraph } from '../graph/read-graph.ts'
import type { Operations } from '../../station/station-operations.ts'

export interface InputParts {
  store: Calls<Operations>
  distances: DistanceReader
}

const PAGE_HOSTS = 2_000

/** Null when no collection has met a host yet that pages or links were counted of. */
export async function readPlanInput(
  { store, distances }: InputParts,
  { parts, delayMs }: { parts: readonly PlanPart[]; delayMs: number },
): Promise<PlanInput | null> {
  const whole = await readHostGraph(store)
  const standings = await standingsOf(store, whole.names)
  const graph = graphOfKnown(whole, standings)
  if (graph.names.length === 0) return null
  const known = standings.filter((standing) => standing !== null)
  const { rtt, measuredPairs } = await distances.distancesOf({
    agents: parts.map(({ name }) => name),
    hosts: graph.names,
  })
  return {
    graph,
    parts,
    groups: addressGroups(
      graph.names,
      (host) => graph.addresses[host]!,
      (name) => registrableDomainOf(hostNameOf(name)) ?? name,
    ),
    // Guesses alone would move hosts to and fro.
    latency: measuredPairs === 0 ? undefined : rtt,
    pausesMs: Float64Array.from(known, ({ pauseMs }) => Math.max(delayMs, pauseMs)),
    previous: previousOf(graph.names, known),
  }
}

/** In the order of names; null for hosts that no collection has met. */
export async function standingsOf(
  store: Calls<Operations>,
  names: readonly string[],
): Promise<(HostStanding | null)[]> {
  const standings: (HostStanding | null)[] = []
  for (let at = 0; at < names.length; at += PAGE_HOSTS) {
    const hosts = names.slice(at, at + PAGE_HOSTS)
    const page = await store.call('hostStandings', { hosts })
    for (const standing of page) standings.push(standing)
  }
  return standings
}

/** Without the hosts that are linked to and never fetched: they need no owner. */
function graphOfKnown(graph: HostGraph, standings: readonly (HostStanding | null)[]): HostGraph {
  const numbers = new Int32Array(graph.names.length).fill(-1)
  let known = 0
  for (const [host, standing] of standings.entries()) if (standing !== null) numbers[host] = known++
  const isKept = (_: unknown, host: number): boolean => numbers[host]! >= 0
  const isKeptArc = (_: unknown, arc: number): boolean =>
    numbers[graph.tails[arc]!]! >= 0 && numbers[graph.heads[arc]!]! >= 0
  return {
    names: graph.names.filter(isKept),
    addresses: graph.addresses.filter(isKept),
    pages: graph.pages.filter(isKept),
    insideLinks: graph.insideLinks.filter(isKept),
    tails: graph.tails.filter(isKeptArc).map((tail) => numbers[tail]!),
    heads: graph.heads.filter(isKeptArc).map((head) => numbers[head]!),
    links: graph.links.filter(isKeptArc),
  }
}

/** Undefined when nothing is placed: then there is no placement to keep. */
function previousOf(
  names: readonly string[],
  known: readonly HostStanding[],
): ReadonlyMap<string, string> | undefined {
  const previous = new Map<string, string>()
  for (const [host, { device }] of known.entries()) {
    if (device !== null) previous.set(names[host]!, device)
  }
  return previous.size === 0 ? undefined : previous
}

/**
 * How many pages of remaining agents may change their agent after one joined or left. The hosts of an agent
 * that left must move and are not counted; as much again may move for the better. An agent that joined
 * takes its share, and as much again may move.
 */
export function mostMovedPages(
  { graph, parts, previous }: PlanInput,
  map: Pick<MapView, 'parts'> | null,
): number {
  const members = new Set(parts.map(({ name }) => name))
  const known = new Set(map?.parts.map(({ device }) => device))
  const joined = parts.filter(({ name }) => !known.has(name)).length
  let all = 0
  let orphaned = 0
  for (const [host, pages] of graph.pages.entries()) {
    const device = previous?.get(graph.names[host]!)
    all += pages
    if (device !== undefined && !members.has(device)) orphaned += pages
  }
  return orphaned + (2 * all * joined) / parts.length
}
