/**
 * A place for every agent and host in a space where distance means round trip, so that unmeasured
 * pairs can be estimated. Dabek, Cox, Kaashoek, Morris, "Vivaldi: a decentralized network
 * coordinate system", SIGCOMM 2004: every measurement is a spring that moves both its ends, the
 * less sure one more; heights stand for access lines, which every path crosses. O(1) per
 * measurement, 100 bytes per node.
 *   ‖a − b‖ = |x_a − x_b| + h_a + h_b,   x += c·w·(rtt − ‖a − b‖)·direction,   w = e_a / (e_a + e_b)
 * Ours: a spring pulls no harder than a few times what is usual at its end, so one wild time moves
 * little; and long springs are softer than short ones.
 */
import { Random } from '../random.ts'
import { BadDistanceInput } from './errors.ts'
import type { RttEstimate } from './estimate-rtt.ts'

const DIMENSIONS = 3
const HEIGHT = DIMENSIONS
const ERROR = DIMENSIONS + 1
/** What this end's springs are usually wrong by, in ms. */
const USUAL = DIMENSIONS + 2
const OBSERVED = DIMENSIONS + 3
const STRIDE = DIMENSIONS + 4
/** In so many dimensions with heights, a place is settled by as many neighbours and one. */
const NEIGHBOURS = DIMENSIONS + 1

/** The constants of the paper: larger is faster and less calm. */
const STEP = 0.25
const ERROR_STEP = 0.25
/** Relative; the position of an unmeasured node is unknown. */
const FIRST_ERROR = 1
/** Of a normal distribution, √(π/2): errors are kept as mean absolute ones. */
const SIGMA_PER_ERROR = 1.2533
const LEAST_ERROR = 0.01
const LEAST_HEIGHT_MS = 0.05
/** A spring's pull, over what is usual at its end. Less, and true changes of route are learnt too late. */
const STRONGEST_PULL = 3
const USUAL_STEP = 0.1
/**
 * A spring as long as this has the stiffness of the paper; longer ones are softer. Who is near matters
 * most, and a detour of a tenth of an ocean must not move what is next door.
 */
const SOFT_FROM_MS = 100
const SAME_SPOT_MS = 1e-6
/** Before, nothing is usual yet. */
const CALM_AFTER = 8

export interface Measurement {
  from: string
  to: string
  rttMs: number
}

export interface CoordinateSnapshot {
  names: string[]
  state: Float64Array
  neighbours: Int32Array
}

interface Spring {
  rttMs: number
  apart: number
  /** Away from the other end. */
  direction: readonly number[]
  heightShare: number
  step: number
}

export class Coordinates {
  readonly #seed: number
  readonly #index = new Map<string, number>()
  readonly #names: string[] = []
  #state = new Float64Array(16 * STRIDE)
  #neighbours = new Int32Array(16 * NEIGHBOURS).fill(-1)

  constructor(seed = 1) {
    this.#seed = seed
  }

  /** Goes on where a snapshot was taken, with the same results. */
  static resume({ names, state, neighbours }: CoordinateSnapshot, seed = 1): Coordinates {
    const isWhole =
      state.length === names.length * STRIDE && neighbours.length === names.length * NEIGHBOURS
    if (!isWhole) throw new BadDistanceInput('A snapshot of coordinates is not whole')
    const coordinates = new Coordinates(seed)
    for (const name of names) coordinates.#nodeOf(name)
    coordinates.#state.set(state)
    coordinates.#neighbours.set(neighbours)
    return coordinates
  }

  snapshot(): CoordinateSnapshot {
    const nodes = this.#names.length
    return {
      names: [...this.#names],
      state: this.#state.slice(0, nodes * STRIDE),
      neighbours: this.#neighbours.slice(0, nodes * NEIGHBOURS),
    }
  }

  /** False if it was left out: no time, or of a node with itself. */
  observe({ from, to, rttMs }: Measurement, step = STEP): boolean {
    if (!(rttMs > 0 && rttMs < Infinity) || from === to) return false
    const a = this.#nodeOf(from)
    const b = this.#nodeOf(to)
    const apart = this.#apart(a, b)
    const errorOfA = this.#get(a, ERROR)
    // Both ends move by what they were before, so that it does not matter who measured whom.
    const direction = this.#direction(a, b)
    const heights = this.#get(a, HEIGHT) + this.#get(b, HEIGHT)
    const spring = {
      rttMs,
      apart,
      direction,
      // At the same position all would go into the heights, and no node would ever leave it.
      heightShare: apart - heights < SAME_SPOT_MS ? 0 : heights / apart,
      step: (2 * step * SOFT_FROM_MS) / (SOFT_FROM_MS + rttMs),
    }
    this.#pull(a, this.#get(b, ERROR), spring)
    this.#pull(b, errorOfA, { ...spring, direction: direction.map((x) => -x) })
    this.#meet(a, b)
    this.#meet(b, a)
    return true
  }

  /** Goes through all measurements many times, in shuffled orders, ever more calmly. */
  settle(measurements: readonly Measurement[], rounds = 60): void {
    const random = new Random(this.#seed)
    const order = Int32Array.from(measurements.keys())
    for (let round = 0; round < rounds; round++) {
      random.shuffle(order)
      const step = STEP * (1 - (0.9 * round) / rounds)
      for (const i of order) this.observe(measurements[i]!, step)
    }
  }

  /** Null while one of both was never measured. */
  estimate(from: string, to: string): RttEstimate | null {
    const a = this.#index.get(from)
    const b = this.#index.get(to)
    if (a === undefined || b === undefined || a === b) return null
    const rttMs = this.#apart(a, b)
    return {
      rttMs,
      uncertaintyMs: SIGMA_PER_ERROR * rttMs * Math.hypot(this.#doubt(a), this.#doubt(b)),
    }
  }

  /** An end with few neighbours fits them well and may still be anywhere round them. */
  #doubt(node: number): number {
    let neighbours = 0
    for (let i = 0; i < NEIGHBOURS; i++) {
      if (this.#neighbours[node * NEIGHBOURS + i]! >= 0) neighbours++
    }
    return this.#get(node, ERROR) + (1 - neighbours / NEIGHBOURS)
  }

  #pull(node: number, otherError: number, spring: Spring): void {
    const { rttMs, apart, direction, heightShare, step } = spring
    const weight = this.#get(node, ERROR) / (this.#get(node, ERROR) + otherError)
    const pull = this.#calmed(node, rttMs - apart)
    const error = Math.min(FIRST_ERROR, Math.abs(pull) / rttMs)
    const share = ERROR_STEP * weight
    const newError = error * share + this.#get(node, ERROR) * (1 - share)
    this.#set(node, ERROR, Math.max(LEAST_ERROR, newError))
    for (let d = 0; d < DIMENSIONS; d++) {
      const move = step * weight * pull * direction[d]! * (1 - heightShare)
      this.#set(node, d, this.#get(node, d) + move)
    }
    const height = this.#get(node, HEIGHT) + step * weight * pull * heightShare
    this.#set(node, HEIGHT, Math.max(LEAST_HEIGHT_MS, height))
  }

  #calmed(node: number, pull: number): number {
    const observed = this.#get(node, OBSERVED)
    const usual = this.#get(node, USUAL)
    const most = observed < CALM_AFTER ? Infinity : STRONGEST_PULL * Math.max(usual, 0.1)
    const calmed = Math.max(-most, Math.min(most, pull))
    const share = Math.max(USUAL_STEP, 1 / (observed + 1))
    this.#set(node, USUAL, usual + share * (Math.abs(calmed) - usual))
    this.#set(node, OBSERVED, observed + 1)
    return calmed
  }

  #apart(a: number, b: number): number {
    let square = 0
    for (let d = 0; d < DIMENSIONS; d++) square += (this.#get(a, d) - this.#get(b, d)) ** 2
    return Math.sqrt(square) + this.#get(a, HEIGHT) + this.#get(b, HEIGHT)
  }

  /** From b to a; by chance, but always the same, where both stand on one spot. */
  #direction(a: number, b: number): number[] {
    let vector = Array.from({ length: DIMENSIONS }, (_, d) => this.#get(a, d) - this.#get(b, d))
    let length = Math.hypot(...vector)
    if (length < SAME_SPOT_MS) {
      const random = new Random(this.#seed + a * 1_000_003 + b)
      vector = vector.map(() => random.below(2_000_001) - 1_000_000)
      length = Math.hypot(...vector) || 1
    }
    return vector.map((x) => x / length)
  }

  /** Remembers the first few different neighbours; more need not be distinguished. */
  #meet(node: number, other: number): void {
    for (let i = node * NEIGHBOURS; i < (node + 1) * NEIGHBOURS; i++) {
      if (this.#neighbours[i] === other) return
      if (this.#neighbours[i] === -1) {
        this.#neighbours[i] = other
        return
      }
    }
  }

  #nodeOf(name: string): number {
    const known = this.#index.get(name)
    if (known !== undefined) return known
    const node = this.#names.push(name) - 1
    this.#index.set(name, node)
    if ((node + 1) * STRIDE > this.#state.length) this.#grow()
    this.#set(node, ERROR, FIRST_ERROR)
    this.#set(node, HEIGHT, LEAST_HEIGHT_MS)
    return node
  }

  #grow(): void {
    const state = new Float64Array(2 * this.#state.length)
    state.set(this.#state)
    this.#state = state
    const neighbours = new Int32Array(2 * this.#neighbours.length).fill(-1)
    neighbours.set(this.#neighbours)
    this.#neighbours = neighbours
  }

  #get(node: number, field: number): number {
    return this.#state[node * STRIDE + field]!
  }

  #set(node: number, field: number, value: number): void {
    this.#state[node * STRIDE + field] = value
  }
}
