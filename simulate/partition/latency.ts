/**
 * What an allocator knows of distances: measured round trips, places on the map, or coordinates fitted to
 * a few measurements. Always expected milliseconds per page, a row per host and a column per robot.
 */
import {
  learnDistances,
  nearnessOf,
  Random,
  rttOfDistance,
  type MeasuredPair,
  type Nearness,
} from '@minga/partition'
import { unit } from './world.ts'
import type { Workload } from './workload.ts'

export const LATENCY_SOURCES = ['rtt', 'geo', 'coordinates'] as const
export type LatencySource = (typeof LATENCY_SOURCES)[number]

/** Spread of a median of seven probes, as the thesis measured it. */
const PROBE_ERROR = 0.08
/** With coordinates every address is measured by so many robots only. */
const PROBES = 4
/** What a list of places claims of itself. */
const PLACE_ERROR_KM = 50
const PLACE_CONFIDENCE = 0.8

export function latencyOf(
  workload: Workload,
  { robots, source, roundTrips, seed }: LatencyTask,
): Nearness {
  const { addressOf, hosts } = workload
  const k = robots.length
  const byAddress = SOURCES[source](workload, robots, seed)
  return nearnessOf({ agents: k, vertices: hosts }, (host, robot) => {
    const value = byAddress[addressOf[host]! * k + robot]!
    return roundTrips * Math.max(0, value)
  })
}

export interface LatencyTask {
  robots: Int32Array
  source: LatencySource
  roundTrips: number
  seed: number
}

const SOURCES: Record<
  LatencySource,
  (workload: Workload, robots: Int32Array, seed: number) => Float64Array
> = {
  rtt: measuredRtt,
  geo: ({ world }, robots) =>
    table(world.addresses, robots, (address, candidate) => {
      const km = world.claimedKm[address * world.robots + candidate]!
      const facts = { km, errorKm: PLACE_ERROR_KM, confidence: PLACE_CONFIDENCE }
      return rttOfDistance(facts).rttMs
    }),
  coordinates: estimatedRtt,
}

function measuredRtt({ world }: Workload, robots: Int32Array, seed: number): Float64Array {
  const random = new Random(seed)
  return table(world.addresses, robots, (address, candidate) => {
    const wrong = 1 + 2 * PROBE_ERROR * (unit(random) - 0.5)
    return world.rttMs[address * world.robots + candidate]! * wrong
  })
}

/** Measured by a few robots, estimated for the others by the product's own coordinates. */
function estimatedRtt(workload: Workload, robots: Int32Array, seed: number): Float64Array {
  const { addressNames } = workload
  const k = robots.length
  const rtt = measuredRtt(workload, robots, seed)
  const random = new Random(seed + 1)
  const names = Array.from(robots, (candidate) => `robot-${candidate}`)
  const chosen = Int32Array.from(robots.keys())
  const measured: MeasuredPair[] = addressNames.flatMap((host, address) => {
    random.shuffle(chosen)
    return Array.from(chosen.subarray(0, Math.min(PROBES, k)), (robot) => {
      const rttMs = rtt[address * k + robot]!
      return {
        agent: names[robot]!,
        host,
        rttMs,
        uncertaintyMs: PROBE_ERROR * rttMs,
        samples: 7,
        by: 'connection' as const,
      }
    })
  })
  return learnDistances({ measured, seed }).rttTable(names, addressNames).values
}

function table(
  addresses: number,
  robots: Int32Array,
  valueOf: (address: number, candidate: number) => number,
): Float64Array {
  const values = new Float64Array(addresses * robots.length)
  for (let at = 0; at < values.length; at++) {
    values[at] = valueOf(Math.floor(at / robots.length), robots[at % robots.length]!)
  }
  return values
}
