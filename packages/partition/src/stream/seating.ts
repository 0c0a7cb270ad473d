/** Who sits where while a graph is restreamed, and where a host would sit best. */
import { sumOf, totalWeights } from '../graph/graph.ts'
import { fits, pull, shift, type Assignment, type Level } from '../level.ts'
import { fennelPrice, isFirstLot, scoreOf, type ScoreName } from './stream-score.ts'

export interface SeatingRules {
  score?: ScoreName | undefined
  seed?: number | undefined
  capacities?: ArrayLike<number> | undefined
  mostMoved?: number | undefined
}

export class Seating implements Assignment {
  readonly level: Level
  /** The part of every host, −1 for those that have none yet. */
  readonly parts: Int32Array
  readonly loads: Float64Array
  /** What each part offers the host in hand. */
  readonly offers: Float64Array
  readonly #score: ScoreName
  readonly #seed: number
  readonly #closed: Uint8Array
  readonly #links: number
  readonly #totals: Float64Array
  readonly #mostMoved: number
  #moved = 0

  constructor(level: Level, { score = 'ldg', seed = 1, capacities, mostMoved }: SeatingRules) {
    const { graph, k } = level
    this.level = level
    this.loads = new Float64Array(level.limits.length)
    this.offers = new Float64Array(k)
    this.#score = score
    this.#seed = seed
    this.#closed = closedParts(level, capacities)
    this.#links = sumOf(graph.edgeWeights) / 2
    this.#totals = totalWeights(graph)
    this.#mostMoved = mostMoved ?? Infinity
    this.parts = new Int32Array(graph.vertices).fill(-1)
    for (let v = 0; v < graph.vertices; v++) {
      const part = level.fixed !== null && level.fixed[v]! >= 0 ? level.fixed[v]! : level.home![v]!
      if (part >= 0 && (this.#closed[part] === 0 || level.fixed?.[v] === part)) this.seat(v, part)
    }
  }

  /** Puts a host into a part, out of the one it is in. */
  seat(v: number, part: number): void {
    const from = this.parts[v]!
    const home = this.level.home![v]!
    const weight = this.level.graph.vertexWeights[v * this.level.graph.constraints]!
    if (from >= 0) shift(this, v, from, part)
    else this.#add(v, part)
    this.#moved += weight * (isAway(home, part) - isAway(home, from))
    this.parts[v] = part
  }

  #add(v: number, part: number): void {
    const { constraints, vertexWeights } = this.level.graph
    for (let c = 0; c < constraints; c++) {
      this.loads[part * constraints + c]! += vertexWeights[v * constraints + c]!
    }
  }

  /** Counts again who is away from home, after others have changed `parts`. */
  countMoved(): void {
    const { graph, home } = this.level
    this.#moved = 0
    for (let v = 0; v < graph.vertices; v++) {
      if (home![v]! >= 0 && home![v] !== this.parts[v]) {
        this.#moved += graph.vertexWeights[v * graph.constraints]!
      }
    }
  }

  /** Only some hosts may leave the part they were in. */
  get isBounded(): boolean {
    return this.#mostMoved < Infinity
  }

  /** False for a host at home when enough others have left theirs. */
  mayLeave(v: number): boolean {
    const { graph, home } = this.level
    if (home![v]! < 0 || home![v] !== this.parts[v]) return true
    return this.#moved + graph.vertexWeights[v * graph.constraints]! <= this.#mostMoved
  }

  gatherOffers(v: number): void {
    const { level, offers, parts } = this
    const { starts, heads, edgeWeights } = level.graph
    for (let p = 0; p < level.k; p++) offers[p] = pull(level, v, p)
    if (level.costs !== null) this.#liftOffers(v)
    const end = starts[v + 1]!
    for (let a = starts[v]!; a < end; a++) {
      const part = parts[heads[a]!]!
      if (part >= 0) offers[part]! += edgeWeights[a]!
    }
  }

  /** What is saved against the dearest part counts like links, so that no offer is below zero. */
  #liftOffers(v: number): void {
    const { k, costs } = this.level
    let dearest = -Infinity
    for (let p = 0; p < k; p++) dearest = Math.max(dearest, costs![v * k + p]!)
    for (let p = 0; p < k; p++) this.offers[p]! += dearest
  }

  /** The best part with room by the offers gathered, its own if none has; `ease` scales the price of fullness. */
  choose(v: number, ease: number): number {
    const own = this.parts[v]!
    const price = ease === 0 ? 0 : ease * this.#price(v)
    let best = -1
    let bestScore = -Infinity
    for (let p = 0; p < this.level.k; p++) {
      if (p === own ? this.#isOver(p) : !this.takes(v, p)) continue
      const score = scoreOf(this.#score, this.offers[p]!, ease === 0 ? 0 : this.fullness(p), price)
      if (score < bestScore) continue
      if (score === bestScore && best === own) continue
      if (score === bestScore && p !== own && !isFirstLot(this.#seed, v, p, best)) continue
      best = p
      bestScore = score
    }
    return best < 0 ? own : best
  }

  takes(v: number, part: number): boolean {
    return this.#closed[part] === 0 && fits(this, v, part)
  }

  #isOver(part: number): boolean {
    if (this.#closed[part] === 1) return true
    const { constraints } = this.level.graph
    for (let at = part * constraints; at < (part + 1) * constraints; at++) {
      if (this.loads[at]! > this.level.limits[at]!) return true
    }
    return false
  }

  /** By the constraint that is nearest to its limit. */
  fullness(part: number): number {
    const { constraints } = this.level.graph
    let most = 0
    for (let at = part * constraints; at < (part + 1) * constraints; at++) {
      const limit = this.level.limits[at]!
      if (limit > 0) most = Math.max(most, this.loads[at]! / limit)
    }
    return most
  }

  /** The open part that is least full: for a host that fits nowhere. */
  emptiest(): number {
    let best = -1
    for (let p = 0; p < this.level.k; p++) {
      if (this.#closed[p] === 1) continue
      if (best < 0 || this.fullness(p) < this.fullness(best)) best = p
    }
    return Math.max(0, best)
  }

  #price(v: number): number {
    const { constraints, vertexWeights } = this.level.graph
    let most = 0
    for (let c = 0; c < constraints; c++) {
      const weight = vertexWeights[v * constraints + c]!
      most = Math.max(most, fennelPrice(weight, this.#links, this.#totals[c]!))
    }
    return most
  }
}

/** 1 for a host that sits, and not at home. */
function isAway(home: number, part: number): number {
  return home >= 0 && part >= 0 && part !== home ? 1 : 0
}

/** A part that may carry nothing has left: not even hosts without weight may go there. */
function closedParts({ k, graph }: Level, capacities: ArrayLike<number> | undefined): Uint8Array {
  const closed = new Uint8Array(k)
  const { constraints } = graph
  if (capacities === undefined) return closed
  closed.fill(1)
  for (let at = 0; at < k * constraints; at++) {
    if (capacities[at]! > 0) closed[Math.floor(at / constraints)] = 0
  }
  return closed
}
