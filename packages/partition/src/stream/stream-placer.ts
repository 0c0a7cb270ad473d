/**
 * Places hosts one by one as they are found, between two repartitionings: each goes where its links
 * go, where it is cheap to fetch from, and where there is room. O(links + k) per host, and what is
 * placed stays.
 *
 * A link is reported by the later of its two ends: at arrival a host names its links, in both
 * directions, with the hosts that are known. Links with hosts that are not are ignored; they will
 * name it.
 */
import { BadPartitionInput } from '../errors.ts'
import { PartLoads, type LoadRules } from './part-loads.ts'
import { fennelPrice, isFirstLot, scoreOf, type ScoreName } from './stream-score.ts'

interface Candidate {
  host: number
  weight: number
  /** What the host would pay in a full part; fennel only. */
  price: number
}

/** Chooses a part for the host in hand, out of those that have room for it. O(k). */
class Chooser {
  /** What each part offers the host in hand: filled by the caller, emptied by `choose`. */
  readonly offers: Float64Array
  /** How many hosts found no part with room for them. */
  overflows = 0
  readonly #parts: PartLoads
  readonly #score: ScoreName
  readonly #seed: number

  constructor(parts: PartLoads, score: ScoreName, seed: number) {
    this.offers = new Float64Array(parts.k)
    this.#parts = parts
    this.#score = score
    this.#seed = seed
  }

  choose({ host, weight, price }: Candidate): number {
    const parts = this.#parts
    parts.tellLimits(weight)
    let best = -1
    let bestScore = -Infinity
    for (let p = 0; p < parts.k; p++) {
      if (!parts.fits(p, weight)) continue
      const score = scoreOf(this.#score, this.offers[p]!, parts.fullness(p), price)
      if (score < bestScore || (score === bestScore && !this.#isFirst(p, best, host))) continue
      best = p
      bestScore = score
    }
    this.offers.fill(0)
    return best < 0 ? this.#leastHarmed(weight) : best
  }

  /** Costs as offers: what is saved against the dearest part counts like links. */
  offerSavings(costs: ArrayLike<number>): void {
    const { k } = this.#parts
    let dearest = -Infinity
    for (let p = 0; p < k; p++) dearest = Math.max(dearest, costs[p]!)
    for (let p = 0; p < k; p++) this.offers[p]! += dearest - costs[p]!
  }

  /** Among equals the emptier one, then chance by seed. */
  #isFirst(p: number, other: number, host: number): boolean {
    const difference = this.#parts.fullness(p) - this.#parts.fullness(other)
    if (difference !== 0) return difference < 0
    return isFirstLot(this.#seed, host, p, other)
  }

  #leastHarmed(weight: number): number {
    this.overflows++
    const { k, loads, limits } = this.#parts
    let best = -1
    let least = Infinity
    for (let p = 0; p < k; p++) {
      if (!this.#parts.isOpen(p)) continue
      const relative = (loads[p]! + weight) / limits[p]!
      if (best >= 0 && relative >= least) continue
      best = p
      least = relative
    }
    return best
  }
}

export interface StreamOptions extends LoadRules {
  /** Default fennel. */
  score?: ScoreName | undefined
  /** Decides among equal parts; default 1. */
  seed?: number | undefined
  /** The total weight of all links; without it, of those reported so far. */
  expectedLinks?: number | undefined
}

export interface Arrival {
  /** Its number; numbers are best dense, for there is a cell for each. */
  host: number
  /** What it brings for the part to carry: pages, or their polite time. */
  weight: number
  /** The hosts it is linked with, and how strongly; null: 1 each. */
  neighbours: ArrayLike<number>
  linkWeights: ArrayLike<number> | null
  /** What it costs in each part, latency say, in the unit of link weights. */
  costs: ArrayLike<number> | null
}

export class StreamPlacer {
  readonly #loads: PartLoads
  readonly #chooser: Chooser
  readonly #expectedLinks: number
  readonly #expectedWeight: number
  #parts = new Int32Array(64).fill(-1)
  #weights = new Float64Array(64)
  /** The weight of links with placed hosts, each counted once, and of all that were named. */
  #links = 0
  #named = 0

  constructor(options: StreamOptions) {
    const { score = 'fennel', seed = 1, expectedLinks = 0, expectedWeight = 0 } = options
    if (!Number.isInteger(options.k) || options.k < 1) {
      throw new BadPartitionInput(`The number of parts is ${options.k}; it must be from 1`)
    }
    this.#loads = new PartLoads(options)
    this.#chooser = new Chooser(this.#loads, score, seed)
    this.#expectedLinks = expectedLinks
    this.#expectedWeight = expectedWeight
  }

  /** What each part carries. */
  get loads(): Float64Array {
    return this.#loads.loads
  }

  /** What each part may carry now. */
  get limits(): Float64Array {
    this.#loads.tellLimits(0)
    return this.#loads.limits
  }

  /** How many hosts were heavier than any room there was. */
  get overflows(): number {
    return this.#chooser.overflows
  }

  /** The part of a host, −1 while it has none. */
  partOf(host: number): number {
    return this.#parts[host] ?? -1
  }

  /** Takes over a host that was placed by others. */
  adopt(host: number, part: number, weight: number): void {
    this.#checkHost(host, weight)
    if (!(Number.isInteger(part) && part >= 0 && part < this.#loads.k)) {
      throw new BadPartitionInput(`Host ${host} is in part ${part}, which does not exist`)
    }
    this.#seat(host, part, weight)
  }

  place(arrival: Arrival): number {
    this.#checkHost(arrival.host, arrival.weight)
    this.#checkCosts(arrival)
    const { all, toPlaced } = this.#gatherOffers(arrival)
    this.#named += all
    this.#links += toPlaced
    const part = this.#choose(arrival)
    this.#seat(arrival.host, part, arrival.weight)
    return part
  }

  /** The part that suits a placed host best by now; it moves there. */
  placeAgain(arrival: Arrival): number {
    this.leave(arrival.host)
    this.#gatherOffers(arrival)
    const part = this.#choose(arrival)
    this.#seat(arrival.host, part, arrival.weight)
    return part
  }

  leave(host: number): void {
    const part = this.partOf(host)
    if (part < 0) throw new BadPartitionInput(`Host ${host} is not placed`)
    this.#loads.remove(part, this.#weights[host]!)
    this.#parts[host] = -1
  }

  /** Fills the chooser's offers, and says what the links weigh: all, and those with placed hosts. */
  #gatherOffers({ neighbours, linkWeights, costs }: Arrival): { all: number; toPlaced: number } {
    const { offers } = this.#chooser
    let all = 0
    let toPlaced = 0
    for (let i = 0; i < neighbours.length; i++) {
      const weight = linkWeights === null ? 1 : linkWeights[i]!
      all += weight
      const part = this.partOf(neighbours[i]!)
      if (part < 0) continue
      offers[part]! += weight
      toPlaced += weight
    }
    if (costs !== null) this.#chooser.offerSavings(costs)
    return { all, toPlaced }
  }

  #choose({ host, weight }: Arrival): number {
    const seen = this.#loads.total + weight
    // A caller that names links with unknown hosts as well names each twice, and knows early how
    // many there are.
    const price =
      this.#expectedLinks > 0
        ? fennelPrice(weight, this.#expectedLinks, Math.max(seen, this.#expectedWeight))
        : fennelPrice(weight, Math.max(this.#links, this.#named / 2), seen)
    return this.#chooser.choose({ host, weight, price })
  }

  #seat(host: number, part: number, weight: number): void {
    if (host >= this.#parts.length) this.#grow(host)
    this.#parts[host] = part
    this.#weights[host] = weight
    this.#loads.add(part, weight)
  }

  #grow(host: number): void {
    const length = Math.max(2 * this.#parts.length, host + 1)
    const parts = new Int32Array(length).fill(-1)
    const weights = new Float64Array(length)
    parts.set(this.#parts)
    weights.set(this.#weights)
    this.#parts = parts
    this.#weights = weights
  }

  #checkCosts({ host, costs }: Arrival): void {
    if (costs === null) return
    if (costs.length === this.#loads.k && Array.from(costs).every(Number.isFinite)) return
    throw new BadPartitionInput(
      `Host ${host} has ${costs.length} costs; there must be ${this.#loads.k}, all of them numbers`,
    )
  }

  #checkHost(host: number, weight: number): void {
    if (!Number.isInteger(host) || host < 0) {
      throw new BadPartitionInput(`A host has the number ${host}; it must be whole, from 0`)
    }
    if (!(weight >= 0 && weight < Infinity)) {
      throw new BadPartitionInput(`Host ${host} weighs ${weight}; it must be a number from 0`)
    }
    if (this.partOf(host) >= 0) throw new BadPartitionInput(`Host ${host} is placed already`)
  }
}
