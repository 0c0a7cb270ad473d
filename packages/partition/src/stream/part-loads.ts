/**
 * What the parts carry and what they may carry. The limits are those of `limits.ts`, (1 +
 * imbalance) · ⌈share⌉ with capacities, but for a total that is still growing: they are updated in
 * O(k).
 */
import { BadPartitionInput } from '../errors.ts'

export interface LoadRules {
  k: number
  /** How far above its share a part may be; default 0.03. */
  imbalance?: number | undefined
  /** The most each part may ever carry; 0 for a part that has left. Default: no bound. */
  capacities?: ArrayLike<number> | undefined
  /**
   * What all hosts will weigh together. Without it the bound follows what has come so far, so that the
   * first hosts must be spread evenly, like or dislike each other as they may.
   */
  expectedWeight?: number | undefined
}

export class PartLoads {
  readonly k: number
  readonly loads: Float64Array
  readonly limits: Float64Array
  total = 0
  readonly #tolerance: number
  readonly #expected: number
  readonly #capacities: Float64Array
  /** Parts from the smallest capacity to the largest. */
  readonly #sorted: Float64Array
  #toldFor = -1

  constructor({ k, imbalance = 0.03, capacities, expectedWeight = 0 }: LoadRules) {
    this.#capacities = new Float64Array(k).fill(Infinity)
    checkRules({ k, imbalance, capacities, expectedWeight })
    if (capacities !== undefined) this.#capacities.set(capacities)
    this.k = k
    this.loads = new Float64Array(k)
    this.limits = new Float64Array(k)
    this.#tolerance = 1 + imbalance
    this.#expected = expectedWeight
    this.#sorted = this.#capacities.toSorted()
    this.tellLimits(0)
  }

  add(part: number, weight: number): void {
    this.loads[part]! += weight
    this.total += weight
  }

  remove(part: number, weight: number): void {
    this.loads[part]! -= weight
    this.total -= weight
  }

  /** Limits as they are when `weight` more has come. */
  tellLimits(weight: number): void {
    const total = Math.max(this.#expected, this.total + weight)
    if (total === this.#toldFor) return
    this.#toldFor = total
    const level = this.#level(total)
    const limit = this.#tolerance * Math.ceil(level)
    for (let p = 0; p < this.k; p++) this.limits[p] = Math.min(this.#capacities[p]!, limit)
  }

  /** A part without capacity has left: not even a host without weight may go there. */
  isOpen(part: number): boolean {
    return this.#capacities[part]! > 0
  }

  fits(part: number, weight: number): boolean {
    return this.isOpen(part) && this.loads[part]! + weight <= this.limits[part]!
  }

  /** How full the part is: 1 at its limit. */
  fullness(part: number): number {
    const limit = this.limits[part]!
    return limit === 0 ? 0 : this.loads[part]! / limit
  }

  /** How high `total` stands in vessels of these capacities; Infinity when they overflow. */
  #level(total: number): number {
    let left = total
    for (let i = 0; i < this.k; i++) {
      const share = left / (this.k - i)
      if (this.#sorted[i]! >= share) return share
      left -= this.#sorted[i]!
    }
    return Infinity
  }
}

function checkRules({ k, imbalance, capacities, expectedWeight }: Required<LoadRules>): void {
  if (!(imbalance! >= 0 && imbalance! < Infinity)) {
    throw new BadPartitionInput(`The imbalance is ${imbalance}; it must be a number from 0`)
  }
  if (!(expectedWeight! >= 0 && expectedWeight! < Infinity)) {
    throw new BadPartitionInput(`The expected weight is ${expectedWeight}; it must be from 0`)
  }
  if (capacities === undefined) return
  if (capacities.length !== k) {
    throw new BadPartitionInput(`There are ${capacities.length} capacities; ${k} are needed`)
  }
  const values = Array.from(capacities)
  if (values.some((value) => !(value >= 0)) || !values.some((value) => value > 0)) {
    throw new BadPartitionInput('Capacities must be numbers from 0, one of them above it')
  }
}
