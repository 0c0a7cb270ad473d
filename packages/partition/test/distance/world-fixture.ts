/** A made world for tests: agents and hosts on a globe, with round trips that have stretch, access and tails. */
import { Random } from '../../src/random.ts'
import { greatCircleKm, type Position } from '../../src/distance/great-circle.ts'
import { leastRttMs } from '../../src/distance/light-check.ts'

export interface Node extends Position {
  name: string
  accessMs: number
}

/** Cities round which machines stand, as in the real network; the last are far from all others. */
const CENTRES: readonly Position[] = [
  { lat: 38.7, lon: -9.1 },
  { lat: 52.4, lon: 4.9 },
  { lat: 50.1, lon: 8.7 },
  { lat: 40.7, lon: -74 },
  { lat: 37.8, lon: -122.4 },
  { lat: -23.5, lon: -46.6 },
  { lat: 35.7, lon: 139.7 },
  { lat: 1.35, lon: 103.8 },
  { lat: -33.9, lon: 151.2 },
]

export class World {
  readonly agents: Node[]
  readonly hosts: Node[]
  readonly #random: Random

  constructor(agents: number, hosts: number, seed: number) {
    this.#random = new Random(seed)
    this.agents = Array.from({ length: agents }, (_, i) => this.#node(`agent-${i}`))
    this.hosts = Array.from({ length: hosts }, (_, i) => this.#node(`host-${i}.example`))
  }

  uniform(): number {
    return this.#random.below(4_294_967_296) / 4_294_967_296
  }

  below(limit: number): number {
    return this.#random.below(limit)
  }

  /** Without noise: light in glass, a detour that belongs to the pair, and both access lines. */
  trueRttMs(a: Node, b: Node): number {
    const detour = 1.5 + 0.5 * new Random(hashOf(a.name + b.name)).below(1_000) * 1e-3
    return detour * leastRttMs(greatCircleKm(a, b)) + a.accessMs + b.accessMs
  }

  /** Never below the true one, mostly near it, now and then far above: a bulk and a power-law tail. */
  probeMs(trueMs: number): number {
    const bulk = trueMs * (1 + 0.12 * Math.sqrt(-2 * Math.log(1 - this.uniform())))
    return this.uniform() < 0.02 ? bulk * (1 - this.uniform()) ** -0.7 : bulk
  }

  #node(name: string): Node {
    const centre = CENTRES[this.#random.below(CENTRES.length)]!
    return {
      name,
      lat: centre.lat + 4 * (this.uniform() - 0.5),
      lon: centre.lon + 4 * (this.uniform() - 0.5),
      accessMs: 0.5 + 6 * this.uniform() ** 2,
    }
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) | 0
  return hash >>> 0
}
