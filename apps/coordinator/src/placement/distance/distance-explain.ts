/** What is known of one host, device by device, and where each figure is from. */
import {
  blendRtt,
  claimsOf,
  Coordinates,
  greatCircleKm,
  locate,
  PairTimes,
  witnessesOf,
  type HostPlace,
  type MeasuredPair,
  type PlaceClaim,
  type RttEstimate,
} from '@minga/partition'
import { hostNameOf } from '@minga/frontier'
import {
  agentPlace,
  gazetteerOf,
  mergeReadable,
  traceNames,
  type AgentFacts,
} from './distance-service.ts'
import { readSnapshot } from './distance-snapshot.ts'
import type { KnownOfHost } from '../graph/graph-operations.ts'
import type { PlaceKnowledge } from './read-distances.ts'
import type { Gathered } from './places-files.ts'
import type { Station } from '../../station/station.ts'

export interface HostDistance {
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
