/**
 * Where servers and robots stand, and how long it takes from one to the other. Half of a national web is
 * at home and the rest on two continents, so round trips have two humps. Distance explains them only in part:
 * access lines differ, cables take detours, and some pairs of networks meet only across an ocean.
 */
import { greatCircleKm, type Position, type Random } from '@minga/partition'

export interface World {
  addresses: number
  robots: number
  /** Row by row: of address a and robot r at a · robots + r. */
  rttMs: Float64Array
  /** Of robots among each other, likewise; 0 to itself. */
  robotRttMs: Float64Array
  /** Distance to where a list of places believes the address to be. */
  claimedKm: Float64Array
}

interface Node {
  at: Position
  network: number
  accessMs: number
}

/** Latitude, longitude and the share of servers, in percent: 45 % at home in Portugal, as the thesis found. */
const CITIES: readonly (readonly [lat: number, lon: number, share: number])[] = [
  [38.72, -9.14, 22],
  [41.15, -8.61, 13],
  [41.55, -8.42, 5],
  [40.21, -8.43, 5],
  [40.42, -3.7, 5],
  [48.86, 2.35, 6],
  [51.51, -0.13, 6],
  [52.37, 4.9, 6],
  [50.11, 8.68, 5],
  [40.71, -74.01, 8],
  [39.04, -77.49, 7],
  [32.78, -96.8, 4],
  [37.34, -121.89, 5],
  [-23.55, -46.63, 2],
  [35.68, 139.69, 1],
]
const NETWORKS = 40
/** Of pairs of networks: they exchange traffic only far away. */
const DETOUR_SHARE = 0.08
const DETOUR_MS = 90
/** Light in glass there and back, per km. */
const MS_PER_KM = 0.01
/** Of places on the list: they are where the owner is registered, not where the server stands. */
const FALSE_PLACES = 0.2

export function drawWorld(
  { addresses, robots, homes }: { addresses: number; robots: number; homes: Int32Array },
  random: Random,
): World {
  const routes = drawRoutes(random)
  const servers = Array.from({ length: addresses }, (_, a) => drawNode(homes[a]!, random))
  // Robots are machines of the same web, as in the thesis.
  const agents = Array.from({ length: robots }, () => drawNode(drawCity(random), random))
  const claimed = servers.map(({ at }) => (unit(random) < FALSE_PLACES ? cityAt(0) : at))
  return {
    addresses,
    robots,
    rttMs: table(servers, agents, (server, agent) => rttBetween(server, agent, routes)),
    robotRttMs: table(agents, agents, (a, b) => (a === b ? 0 : rttBetween(a, b, routes))),
    claimedKm: table(claimed, agents, (at, agent) => greatCircleKm(at, agent.at)),
  }
}

export const unit = (random: Random): number => (random.below(2 ** 32) + 0.5) / 2 ** 32

/** Number of a city, by its share of servers. */
export function drawCity(random: Random): number {
  let left = unit(random) * 100
  for (const [city, [, , share]] of CITIES.entries()) {
    left -= share
    if (left < 0) return city
  }
  return 0
}

function cityAt(city: number): Position {
  const [lat, lon] = CITIES[city]!
  return { lat, lon }
}

function drawNode(city: number, random: Random): Node {
  const { lat, lon } = cityAt(city)
  return {
    // Suburbs: within some 30 km.
    at: { lat: lat + 0.5 * (unit(random) - 0.5), lon: lon + 0.5 * (unit(random) - 0.5) },
    network: random.below(NETWORKS),
    // From one millisecond up, with a heavy tail: leased lines, homes, overloaded schools.
    accessMs: Math.min(150, unit(random) ** -0.7),
  }
}

interface Routes {
  stretch: Float64Array
  detourMs: Float64Array
}

function drawRoutes(random: Random): Routes {
  const stretch = new Float64Array(NETWORKS * NETWORKS)
  const detourMs = new Float64Array(NETWORKS * NETWORKS)
  for (let a = 0; a < NETWORKS; a++) {
    for (let b = a; b < NETWORKS; b++) {
      const factor = 1.2 + 1.2 * unit(random)
      const detour = a !== b && unit(random) < DETOUR_SHARE ? DETOUR_MS : 0
      for (const at of [a * NETWORKS + b, b * NETWORKS + a]) {
        stretch[at] = factor
        detourMs[at] = detour
      }
    }
  }
  return { stretch, detourMs }
}

function rttBetween(a: Node, b: Node, { stretch, detourMs }: Routes): number {
  const pair = a.network * NETWORKS + b.network
  const cable = greatCircleKm(a.at, b.at) * MS_PER_KM * stretch[pair]!
  return a.accessMs + b.accessMs + cable + detourMs[pair]!
}

function table<A, B>(
  rows: readonly A[],
  columns: readonly B[],
  valueOf: (row: A, column: B) => number,
): Float64Array {
  const values = new Float64Array(rows.length * columns.length)
  for (const [i, row] of rows.entries()) {
    for (const [j, column] of columns.entries()) {
      values[i * columns.length + j] = valueOf(row, column)
    }
  }
  return values
}
