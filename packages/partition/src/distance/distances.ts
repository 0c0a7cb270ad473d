/**
 * Everything that is known about who is near whom, put together: measured medians first; coordinates
 * fitted to them for the other pairs, with routes and places where there are any.
 */
import { VertexHeap } from '../refine/heap.ts'
import { Coordinates, type CoordinateSnapshot } from './coordinates.ts'
import {
  blendRtt,
  learnDistancePrior,
  type BlendedRtt,
  type DistanceFacts,
  type DistancePrior,
  type RttEstimate,
} from './estimate-rtt.ts'
import { greatCircleKm } from './great-circle.ts'
import type { Witness } from './light-check.ts'
import type { HostPlace } from './locate.ts'
import { nearnessOf, type Nearness } from './nearness.ts'
import type { MeasuredPair } from './pair-times.ts'
import { quantileOf } from './median.ts'
import type { RouteGraph, Routes } from './route-graph.ts'

export interface DistanceSources {
  /** Of `PairTimes`, at the present time. */
  measured: readonly MeasuredPair[]
  /** Of an agent or a host. */
  placeOf?: (name: string) => HostPlace | null
  routes?: RouteEstimates
  /** What an agent or a host is called on traces; left out: the same. */
  traceNameOf?: (name: string) => string
  /** Where the coordinates stood last time: they then settle sooner and move less. */
  previous?: CoordinateSnapshot
  seed?: number
}

export interface Distances {
  rtt: (agent: string, host: string) => BlendedRtt | null
  /** Along the great circle; null when one of both places is not known. */
  km: (agent: string, host: string) => number | null
  rttTable: (agents: readonly string[], hosts: readonly string[]) => Nearness
  kmTable: (agents: readonly string[], hosts: readonly string[]) => Nearness
  coordinates: CoordinateSnapshot
  prior: DistancePrior
}

/** Places below say little about the network. */
const LEAST_CONFIDENCE_TO_LEARN = 0.7
const ROUNDS_ANEW = 60
const ROUNDS_AGAIN = 10

export function learnDistances(sources: DistanceSources): Distances {
  const { measured, routes, placeOf = () => null, traceNameOf = (name) => name } = sources
  const coordinates = settledCoordinates(sources)
  const factsOf = (agent: string, host: string): DistanceFacts | null =>
    distanceBetween(placeOf(agent), placeOf(host))
  const prior = learnDistancePrior(
    measured.flatMap(({ agent, host, rttMs }) => {
      const facts = factsOf(agent, host)
      const isSure = facts !== null && facts.confidence >= LEAST_CONFIDENCE_TO_LEARN
      return isSure ? [{ km: facts.km, rttMs }] : []
    }),
  )
  const medians = new Map(measured.map((pair) => [`${pair.agent} ${pair.host}`, pair]))
  const rtt = (agent: string, host: string): BlendedRtt | null => {
    const median = medians.get(`${agent} ${host}`)
    return blendRtt({
      measured: median && { rttMs: median.rttMs, uncertaintyMs: median.uncertaintyMs },
      coordinates: coordinates.estimate(agent, host),
      route: routes?.estimate(traceNameOf(agent), traceNameOf(host)),
      distance: factsOf(agent, host),
      prior,
    })
  }
  const km = (agent: string, host: string): number | null => factsOf(agent, host)?.km ?? null
  return {
    rtt,
    km,
    rttTable: (agents, hosts) => tableOf(agents, hosts, (a, h) => rtt(a, h)?.rttMs ?? null),
    kmTable: (agents, hosts) => tableOf(agents, hosts, km),
    coordinates: coordinates.snapshot(),
    prior,
  }
}

function settledCoordinates({ measured, previous, seed = 1 }: DistanceSources): Coordinates {
  const coordinates =
    previous === undefined ? new Coordinates(seed) : Coordinates.resume(previous, seed)
  coordinates.settle(
    measured.map(({ agent, host, rttMs }) => ({ from: agent, to: host, rttMs })),
    previous === undefined ? ROUNDS_ANEW : ROUNDS_AGAIN,
  )
  return coordinates
}

function distanceBetween(a: HostPlace | null, b: HostPlace | null): DistanceFacts | null {
  if (a === null || b === null || a.place === null || b.place === null) return null
  return {
    km: greatCircleKm(a.place, b.place),
    errorKm: a.place.errorKm + b.place.errorKm,
    confidence: a.confidence * b.confidence,
  }
}

function tableOf(
  agents: readonly string[],
  hosts: readonly string[],
  valueOf: (agent: string, host: string) => number | null,
): Nearness {
  return nearnessOf({ agents: agents.length, vertices: hosts.length }, (vertex, agent) =>
    valueOf(agents[agent]!, hosts[vertex]!),
  )
}

/** For the check by light: who measured each host, from agents whose places are known. */
export function witnessesOf(
  measured: Iterable<MeasuredPair>,
  placeOf: (agent: string) => HostPlace | null,
): Map<string, Witness[]> {
  const witnesses = new Map<string, Witness[]>()
  for (const { agent, host, rttMs } of measured) {
    const place = placeOf(agent)?.place ?? null
    if (place === null) continue
    const witness = { agent, at: place, errorKm: place.errorKm, rttMs }
    const known = witnesses.get(host)
    if (known === undefined) witnesses.set(host, [witness])
    else known.push(witness)
  }
  return witnesses
}

/** Infinite where no route leads. */
export function shortestPathsMs(graph: RouteGraph, source: number): Float64Array {
  const { starts, heads, weightsMs } = graph
  const distances = new Float64Array(starts.length - 1).fill(Infinity)
  // The heap has the largest key on top, and the nearest is wanted.
  const heap = new VertexHeap(distances.length)
  distances[source] = 0
  heap.push(source, 0)
  while (heap.size > 0) {
    const near = heap.pop()
    for (let a = starts[near]!; a < starts[near + 1]!; a++) {
      const head = heads[a]!
      const distance = distances[near]! + weightsMs[a]!
      if (distance >= distances[head]!) continue
      distances[head] = distance
      if (heap.has(head)) heap.update(head, -distance)
      else heap.push(head, -distance)
    }
  }
  return distances
}

/** Share of |estimate − measured| that makes one standard deviation. */
const ONE_SIGMA = 0.683

/** The pairs whose errors are compared made the graph; others do worse. */
const LEAST_SHARE = 0.1
/** Between ends that no trace joins, the link that is really used may be on no trace at all. */
const UNTRACED_SHARE = 0.4

/**
 * Round trips along the shortest path between any two addresses that traces have shown. As uncertain as
 * the same estimates are wrong for pairs whose end-to-end time is known.
 */
export class RouteEstimates {
  readonly #graph: RouteGraph
  readonly #fromMs = new Map<number, Float64Array>()
  readonly #traced = new Set<string>()
  readonly #errorShare: number

  constructor({ graph, reached }: Routes) {
    this.#graph = graph
    for (const { source, target } of reached) this.#traced.add(`${source} ${target}`)
    const errors = reached.map(({ source, target, rttMs }) => {
      const estimate = this.#pathMs(source, target) ?? 0
      return Math.abs(estimate - rttMs) / Math.max(estimate, rttMs, 1e-3)
    })
    this.#errorShare =
      errors.length === 0 ? 1 : Math.max(LEAST_SHARE, quantileOf(errors, ONE_SIGMA))
  }

  /** Null when one of both is on no trace, or no route leads there. */
  estimate(from: string, to: string): RttEstimate | null {
    const rttMs = this.#pathMs(from, to)
    if (rttMs === null) return null
    const isTraced = this.#traced.has(`${from} ${to}`) || this.#traced.has(`${to} ${from}`)
    const share = isTraced ? this.#errorShare : Math.max(UNTRACED_SHARE, this.#errorShare)
    return { rttMs, uncertaintyMs: share * rttMs }
  }

  /** All from one source at once, and kept: agents are few and hosts many. */
  #pathMs(from: string, to: string): number | null {
    const a = this.#graph.index.get(from)
    const b = this.#graph.index.get(to)
    if (a === undefined || b === undefined || a === b) return null
    let distances = this.#fromMs.get(a)
    if (distances === undefined) {
      this.#fromMs.set(a, (distances = shortestPathsMs(this.#graph, a)))
    }
    const distance = distances[b]!
    return distance === Infinity ? null : distance
  }
}
