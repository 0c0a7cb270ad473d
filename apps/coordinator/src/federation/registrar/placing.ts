/**
 * Decides which station gets a host without an owner: the one with work for it that cannot move;
 * else by where its links go (the streaming score of packages/partition); else the owner of its
 * neighbourhood of addresses; else rendezvous hashing. Except by the first rule, no station gets
 * more than its share and a quarter. With branches this is the choice among the direct members of
 * one: see tree-placing.ts.
 */
import { Rendezvous, StreamPlacer } from '@minga/partition'
import { farthestOf } from './branches.ts'

export interface Seat {
  id: string
  /** How much it carries compared with the others. */
  capacity: number
  /** What it carries already. */
  load: number
}

export interface Unplaced {
  /** The address, which stays together, or the host itself. */
  key: string
  weight: number
  /** The station that cannot give it away; null: any will do. */
  wantedBy: string | null
  /** Links with hosts of stations, by the station. */
  links: ReadonlyMap<string, number>
  /** Who owns most of the addresses around it. */
  near: string | null
}

/** How many times its share a station may carry. Less moves more hosts whenever a station joins or leaves. */
const TOLERANCE = 1.25
/** The parts' own limits hold; the streaming score's own tolerance must not be tighter. */
const LOOSE = 1_000

export class Placing {
  readonly #seats: readonly Seat[]
  readonly #rendezvous: Rendezvous
  readonly #placer: StreamPlacer
  readonly #limits: number[]
  #placed = 0

  /** `weight` is what is to be placed altogether. There is at least one seat. */
  constructor(seats: readonly Seat[], weight: number) {
    // While no station has an agent, all count alike: hosts need an owner even so.
    const isIdle = seats.every(({ capacity }) => capacity === 0)
    const shares = seats.map(({ capacity }) => (isIdle ? 1 : capacity))
    const all = shares.reduce((sum, share) => sum + share, 0)
    const total = seats.reduce((sum, { load }) => sum + load, weight)
    this.#seats = seats
    this.#rendezvous = new Rendezvous(seats.map(({ id }, i) => ({ name: id, weight: shares[i]! })))
    this.#limits = shares.map((share) => Math.ceil((TOLERANCE * share * total) / all - ROUNDING))
    this.#placer = new StreamPlacer({
      k: seats.length,
      imbalance: LOOSE,
      capacities: this.#limits,
      expectedWeight: total,
    })
    // Whatever a station owns already stands for one host that all of its links lead to.
    for (const [i, { load }] of seats.entries()) this.#placer.adopt(i, i, load)
  }

  place(unplaced: Unplaced): string {
    const host = this.#seats.length + this.#placed++
    return this.#seats[this.#choose(host, unplaced)]!.id
  }

  #choose(host: number, { key, weight, wantedBy, links, near }: Unplaced): number {
    const wanted = this.#seatOf(wantedBy)
    if (wanted >= 0) return this.#seat(host, wanted, weight)
    const linked = [...links].map(([id, count]) => [this.#seatOf(id), count] as const)
    const offers = linked.filter(([seat, count]) => seat >= 0 && count > 0)
    if (offers.length > 0) {
      const neighbours = offers.map(([seat]) => seat)
      const linkWeights = offers.map(([, count]) => count)
      return this.#placer.place({ host, weight, neighbours, linkWeights, costs: null })
    }
    const beside = this.#seatOf(near)
    if (beside >= 0 && this.#fits(beside, weight)) return this.#seat(host, beside, weight)
    return this.#seat(host, this.#byLot(key, weight), weight)
  }

  #byLot(key: string, weight: number): number {
    const preference = this.#rendezvous.preference(key)
    const roomy = preference.find((seat) => this.#fits(seat, weight))
    if (roomy !== undefined) return roomy
    const fullness = (seat: number): number =>
      (this.#placer.loads[seat]! + weight) / this.#limits[seat]!
    return preference.reduce((best, seat) => (fullness(seat) < fullness(best) ? seat : best))
  }

  #fits(seat: number, weight: number): boolean {
    return this.#placer.loads[seat]! + weight <= this.#limits[seat]!
  }

  #seat(host: number, seat: number, weight: number): number {
    this.#placer.adopt(host, seat, weight)
    return seat
  }

  #seatOf(id: string | null): number {
    return id === null ? -1 : this.#seats.findIndex((seat) => seat.id === id)
  }
}

/** 1.25 · 8 may be a little more than 10: without this the limit would be 11. */
const ROUNDING = 1e-9

/**
 * Which station keeps whose journal: one as far away in the tree as possible. The previous keeper
 * continues as long as it can, else rendezvous hashing decides. A single station has none.
 */
export function keeperOf(
  station: { id: string; branch: string; keeper: string | null },
  active: readonly { id: string; branch: string }[],
): string | null {
  const others = active.filter(({ id }) => id !== station.id)
  if (others.length === 0) return null
  const far = farthestOf(others, station.branch).map(({ id }) => id)
  if (station.keeper !== null && far.includes(station.keeper)) return station.keeper
  return far[new Rendezvous(far.map((name) => ({ name, weight: 1 }))).owner(station.id)]!
}
