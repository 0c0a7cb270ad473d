/**
 * Holds hosts back until more is known about them. A host that arrives with few links can only be
 * guessed; a little later its neighbours are there. So hosts wait in a buffer, those with the most links
 * to placed ones leave first, in batches, and a batch is placed together: each of its hosts once, then
 * again with the others of the batch in view.
 *
 * The idea is BuffCut's (priority buffer) and HeiStream's (a batch is optimised as a whole); here the
 * batch is restreamed instead of partitioned, which needs no second engine. O(links · log buffer + rounds · k).
 */
import { BadPartitionInput } from '../errors.ts'
import { VertexHeap } from '../refine/heap.ts'
import type { Arrival, StreamPlacer } from './stream-placer.ts'

export interface BufferOptions {
  /** How many hosts may wait; more see further and hold longer. Default 1,024. */
  capacity?: number | undefined
  /** How many leave together; default a quarter of the capacity. */
  batch?: number | undefined
  /** How often a batch is checked again; default 3. */
  rounds?: number | undefined
}

export interface Placed {
  host: number
  part: number
}

/** A host that waits, with the links of those that came after it. */
interface Waiting {
  arrival: Arrival
  neighbours: number[]
  linkWeights: number[]
}

export class PlacementBuffer {
  readonly #placer: StreamPlacer
  readonly #batch: number
  readonly #rounds: number
  readonly #slots: (Waiting | null)[]
  readonly #free: number[]
  readonly #slotOf = new Map<number, number>()
  /** By slot: the weight of the links to placed hosts. */
  readonly #heap: VertexHeap

  constructor(placer: StreamPlacer, options: BufferOptions = {}) {
    const { capacity = 1024, rounds = 3 } = options
    const { batch = Math.max(1, Math.floor(capacity / 4)) } = options
    for (const [what, value, least] of [
      ['capacity', capacity, 1],
      ['batch', batch, 1],
      ['rounds', rounds, 0],
    ] as const) {
      if (Number.isInteger(value) && value >= least) continue
      throw new BadPartitionInput(`The buffer's ${what} is ${value}; it must be from ${least}`)
    }
    this.#placer = placer
    this.#batch = batch
    this.#rounds = rounds
    this.#slots = Array.from({ length: capacity }, () => null)
    this.#free = Array.from({ length: capacity }, (_, i) => capacity - 1 - i)
    this.#heap = new VertexHeap(capacity)
  }

  /** How many hosts wait. */
  get held(): number {
    return this.#slotOf.size
  }

  /** Takes a host in; when the buffer is full, the batch that left for it. */
  add(arrival: Arrival): Placed[] {
    const { host } = arrival
    if (this.#slotOf.has(host) || this.#placer.partOf(host) >= 0) {
      throw new BadPartitionInput(`Host ${host} has arrived already`)
    }
    const placed = this.#free.length === 0 ? this.#placeBatch() : []
    const slot = this.#free.pop()!
    this.#slotOf.set(host, slot)
    this.#slots[slot] = { arrival, neighbours: [], linkWeights: [] }
    this.#heap.push(slot, this.#link(slot))
    return placed
  }

  /** Places all that wait: the stage is over, or no host may wait longer. */
  drain(): Placed[] {
    const placed: Placed[] = []
    while (this.held > 0) for (const one of this.#placeBatch()) placed.push(one)
    return placed
  }

  /** Ties the newcomer to those that wait, both ways; the weight of its links to placed hosts. */
  #link(slot: number): number {
    const { arrival, neighbours, linkWeights } = this.#slots[slot]!
    let toPlaced = 0
    for (let i = 0; i < arrival.neighbours.length; i++) {
      const other = arrival.neighbours[i]!
      const weight = arrival.linkWeights === null ? 1 : arrival.linkWeights[i]!
      const otherSlot = this.#slotOf.get(other)
      if (otherSlot === slot) continue
      if (otherSlot !== undefined) {
        const waiting = this.#slots[otherSlot]!
        waiting.neighbours.push(arrival.host)
        waiting.linkWeights.push(weight)
      } else if (this.#placer.partOf(other) >= 0) toPlaced += weight
      else continue
      neighbours.push(other)
      linkWeights.push(weight)
    }
    return toPlaced
  }

  #placeBatch(): Placed[] {
    const batch: Arrival[] = []
    while (batch.length < this.#batch && this.#heap.size > 0) batch.push(this.#placeFirst())
    for (let round = 0; round < this.#rounds; round++) if (!this.#lookAgain(batch)) break
    return batch.map(({ host }) => ({ host, part: this.#placer.partOf(host) }))
  }

  #placeFirst(): Arrival {
    const slot = this.#heap.pop()
    const { arrival, neighbours, linkWeights } = this.#slots[slot]!
    const known = { ...arrival, neighbours, linkWeights }
    this.#placer.place(known)
    this.#slotOf.delete(arrival.host)
    this.#slots[slot] = null
    this.#free.push(slot)
    for (const [i, other] of neighbours.entries()) {
      const otherSlot = this.#slotOf.get(other)
      if (otherSlot === undefined) continue
      this.#heap.update(otherSlot, this.#heap.keys[otherSlot]! + linkWeights[i]!)
    }
    return known
  }

  /** True if any host of the batch changed its part. */
  #lookAgain(batch: readonly Arrival[]): boolean {
    let changed = false
    for (const arrival of batch) {
      const before = this.#placer.partOf(arrival.host)
      if (this.#placer.placeAgain(arrival) !== before) changed = true
    }
    return changed
  }
}
