/**
 * Combines everything that is known about distances and calculates coordinates. It runs in a
 * separate thread (distance-thread.ts): coordinates of a large crawl settle for a minute.
 */
import {
  agreementMatrix,
  BadTimes,
  claimsOf,
  countBySource,
  learnDistances,
  locate,
  nearnessOf,
  NamePlaces,
  PairTimes,
  WELL_KNOWN_PLACES,
  witnessesOf,
  type AgreementRow,
  type CoordinateSnapshot,
  type Gazetteer,
  type HostFacts,
  type HostPlace,
  type MeasuredPair,
  type Nearness,
  type PairBytes,
  type PlaceClaim,
  type PlaceSource,
} from '@minga/partition'
import { keptNodes } from './distance-snapshot.ts'
import type { RoughPlace } from './places-devices.ts'
import { readTexts, type Gathered, type PlaceTexts } from './places-files.ts'

export interface AgentFacts {
  id: string
  /** As its owner calls it; files may name it so. */
  name: string
  place: RoughPlace | null
}

/** What is known of a host of the graph; `host` is its name without a port. */
export interface HostEntry extends HostFacts {
  key: string
}

export interface DistanceRequest {
  nowMs: number
  agents: readonly AgentFacts[]
  texts: PlaceTexts
  previous: CoordinateSnapshot | null
}

export interface Learnt {
  rtt: Nearness
  measuredPairs: number
  /** Coordinates of agents and hosts that are measured; null when distances were not requested. */
  coordinates: CoordinateSnapshot | null
  agreement: AgreementRow[]
  placedBy: Record<PlaceSource, number>
}

export class DistanceService {
  readonly #measured: MeasuredPair[] = []
  readonly #hosts: HostEntry[] = []
  readonly #nowMs: number

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  /** Sketches become medians at once: a million of them would not fit into memory together. */
  addPairs(pairs: readonly PairBytes[]): void {
    const times = new PairTimes()
    for (const pair of pairs) mergeReadable(times, pair)
    for (const pair of times.measured(this.#nowMs)) this.#measured.push(pair)
  }

  /** In the order in which the table is to have them. */
  addHosts(hosts: readonly HostEntry[]): void {
    for (const host of hosts) this.#hosts.push(host)
  }

  learn({ agents, texts, previous }: DistanceRequest): Learnt {
    const gathered = readTexts(texts)
    const gazetteer = gazetteerOf(gathered)
    const placeOfAgent = new Map(agents.map((agent) => [agent.id, agentPlace(agent, gazetteer)]))
    const witnesses = witnessesOf(this.#measured, (id) => placeOfAgent.get(id) ?? null)
    const claims = this.#hosts.map((host) => claimsOf(host, gazetteer))
    const facts = {
      measuredPairs: this.#measured.length,
      agreement: agreementMatrix(claims),
      placedBy: countBySource(claims),
    }
    if (agents.length === 0) {
      return { ...facts, rtt: nearnessOf(this.#size(agents), () => null), coordinates: null }
    }
    const placeOfHost = new Map(
      this.#hosts.map(({ key }, i) => [key, locate(claims[i]!, witnesses.get(key))]),
    )
    const distances = learnDistances({
      measured: this.#measured,
      placeOf: (name) => placeOfAgent.get(name) ?? placeOfHost.get(name) ?? null,
      traceNameOf: traceNames(gathered, { agents, hosts: this.#hosts }),
      ...(gathered.routes && { routes: gathered.routes.estimates }),
      ...(previous && { previous }),
    })
    return {
      ...facts,
      rtt: distances.rttTable(
        agents.map(({ id }) => id),
        this.#hosts.map(({ key }) => key),
      ),
      coordinates: keptNodes(distances.coordinates, this.#isMeasured()),
    }
  }

  #size(agents: readonly AgentFacts[]): { agents: number; vertices: number } {
    return { agents: agents.length, vertices: this.#hosts.length }
  }

  #isMeasured(): (name: string) => boolean {
    const names = new Set(this.#measured.flatMap(({ agent, host }) => [agent, host]))
    return (name) => names.has(name)
  }
}

/** Bytes that a disk corrupted are dropped and measured again. */
export function mergeReadable(times: PairTimes, pair: PairBytes): void {
  try {
    times.merge(pair)
  } catch (error) {
    if (!(error instanceof BadTimes)) throw error
  }
}

const NAMES = new NamePlaces(WELL_KNOWN_PLACES)

export const gazetteerOf = ({ operator }: Gathered): Gazetteer => ({ names: NAMES, operator })

/** The operator may name a device by its id or by its name; else it is about where it calls from. */
export function agentPlace({ id, name, place }: AgentFacts, { operator }: Gazetteer): HostPlace {
  const listed = operator.find(id, null) ?? operator.find(name, null)
  const claims: PlaceClaim[] = []
  if (listed !== null) claims.push({ source: 'operator', ...listed })
  else if (place !== null) claims.push({ source: 'geoip', ...place })
  return locate(claims)
}

/** On traces hosts are addresses, and devices are called by id or name. */
export function traceNames(
  { routes }: Gathered,
  { agents, hosts }: { agents: readonly AgentFacts[]; hosts: readonly HostEntry[] },
): (name: string) => string {
  if (routes === null) return (name) => name
  const names = new Map<string, string>()
  for (const { key, host, address } of hosts) {
    names.set(key, address !== null && routes.graph.index.has(address) ? address : host)
  }
  for (const { id, name } of agents) names.set(id, routes.graph.index.has(id) ? id : name)
  return (name) => names.get(name) ?? name
}
