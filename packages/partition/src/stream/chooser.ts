/** Chooses a part for the host in hand, out of those that have room for it. O(k). */
import type { PartLoads } from './part-loads.ts'
import { isFirstLot, scoreOf, type ScoreName } from './stream-score.ts'

export interface Candidate {
  host: number
  weight: number
  /** What the host would pay in a full part; fennel only. */
  price: number
}

export class Chooser {
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
