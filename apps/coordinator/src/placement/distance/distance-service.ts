/**
 * Combines everything that is known about distances and calculates coordinates. It runs in a
 * separate thread (distance-thread.ts): coordinates of a large crawl settle for a minute.
 */
import {
  BadTimes,
  Coordinates,
  NamePlaces,
  PairTimes,
  WELL_KNOWN_PLACES,
  agreementMatrix,
  blendRtt,
  claimsOf,
  countBySource,
  greatCircleKm,
  learnDistances,
  locate,
  nearnessOf,
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
  type RttEstimate,
} from '@minga/partition'
import { hostNameOf } from '@minga/frontier'
import type { KnownOfHost } from '../graph/graph-operations.ts'
import type { Station } from '../../station/station.ts'
import { keptNodes, readSnapshot } from './distance-snapshot.ts'
import type { RoughPlace } from './places-devices.ts'
import { readTexts, type Gathered, type PlaceTexts } from './places-files.ts'
import type { PlaceKnowledge } from './read-distances.ts'

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
function mergeReadable(times: PairTimes, pair: PairBytes): void {
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
function traceNames(
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

interface HostDistance {
  /** Its id: names are their owners'. */
  device: string
  /** Null: nothing is known, not even an estimate. */
  rttMs: number | null
  uncertaintyMs: number | null
  /** What it was worked out from; `measured` stands alone. */
  sources: string[]
  /** Of connections or first bytes within the window; null when they are too few to count. */
  samples: number | null
  by: MeasuredPair['by'] | null
  /** Along the great circle; null when one of both places is not known. */
  km: number | null
}

export interface HostDistances {
  host: string
  pages: number | null
  place: HostPlace
  claims: PlaceClaim[]
  devices: HostDistance[]
}

interface ExplainParts extends Omit<PlaceKnowledge, 'texts'>, Pick<Station, 'store' | 'clock'> {
  gathered: () => Gathered
}

/** A snapshot of a million hosts is not read for every question. */
const SNAPSHOT_KEPT_MS = 60_000

/** What is known of one host, device by device, and where each figure is from. */
export class DistanceExplainer {
  readonly #parts: ExplainParts
  #coordinates: { value: Promise<Coordinates | null>; untilMs: number } | null = null

  constructor(parts: ExplainParts) {
    this.#parts = parts
  }

  async explain(host: string): Promise<HostDistances> {
    const { store, clock, gathered, positionOf } = this.#parts
    const known = await store.call('knownOfHost', { host })
    const agents = await this.#agents(known)
    const coordinates = await this.#settled()
    const measured = measuredIn(known, clock.now())
    const { address, loc, pages } = known
    const geoip = address === null ? null : positionOf(address)
    const facts = { key: host, host: hostNameOf(host), address, dnsLoc: loc, geoip }
    const gazetteer = gazetteerOf(gathered())
    const places = new Map(agents.map((agent) => [agent.id, agentPlace(agent, gazetteer)]))
    const claims = claimsOf(facts, gazetteer)
    const witnesses = witnessesOf(measured, (id) => places.get(id) ?? null)
    const place = locate(claims, witnesses.get(host))
    const traceName = traceNames(gathered(), { agents, hosts: [facts] })
    const devices = agents.map((agent) =>
      distanceOf(agent, {
        measured: measured.find((pair) => pair.agent === agent.id) ?? null,
        coordinates: coordinates?.estimate(agent.id, host) ?? null,
        route: gathered().routes?.estimates.estimate(traceName(agent.id), traceName(host)) ?? null,
        ends: [places.get(agent.id)!, place],
      }),
    )
    return { host, pages, place, claims, devices }
  }

  /** Those at work, and those that measured the host. */
  async #agents({ times }: KnownOfHost): Promise<AgentFacts[]> {
    const { store, devices } = this.#parts
    const atWork = await store.call('devicesAtWork', {})
    const ids = new Set([...atWork.map(({ id }) => id), ...times.map(({ device }) => device)])
    const named = await store.call('devicesNamed', { ids: [...ids] })
    return named.map((device) => ({ ...device, place: devices.of(device.id) }))
  }

  async #settled(): Promise<Coordinates | null> {
    const { store, clock } = this.#parts
    if (this.#coordinates === null || this.#coordinates.untilMs <= clock.monotonicMs()) {
      const value = readSnapshot(store).then((read) => read && Coordinates.resume(read))
      this.#coordinates = { value, untilMs: clock.monotonicMs() + SNAPSHOT_KEPT_MS }
    }
    return this.#coordinates.value
  }
}

function measuredIn({ times }: KnownOfHost, nowMs: number): MeasuredPair[] {
  const pairs = new PairTimes()
  for (const { host, device, connection, first_byte: firstByte } of times) {
    mergeReadable(pairs, { agent: device, host, connection, firstByte })
  }
  return [...pairs.measured(nowMs)]
}

interface Known {
  measured: MeasuredPair | null
  coordinates: RttEstimate | null
  route: RttEstimate | null
  ends: [HostPlace, HostPlace]
}

function distanceOf({ id }: AgentFacts, known: Known): HostDistance {
  const { measured, coordinates, route, ends } = known
  const [a, b] = ends.map(({ place }) => place)
  const km = a && b ? greatCircleKm(a, b) : null
  const distance =
    a && b && km !== null
      ? { km, errorKm: a.errorKm + b.errorKm, confidence: ends[0].confidence * ends[1].confidence }
      : null
  const estimate = measured && { rttMs: measured.rttMs, uncertaintyMs: measured.uncertaintyMs }
  const rtt = blendRtt({ measured: estimate, coordinates, route, distance })
  return {
    device: id,
    rttMs: rtt?.rttMs ?? null,
    uncertaintyMs: rtt?.uncertaintyMs ?? null,
    sources: rtt?.sources ?? [],
    samples: measured?.samples ?? null,
    by: measured?.by ?? null,
    km,
  }
}
