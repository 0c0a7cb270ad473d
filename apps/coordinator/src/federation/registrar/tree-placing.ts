/**
 * Finds an owner for a host without one, from the root of the tree down: the federation chooses one
 * of its direct members, that branch one of its own, until it is a station. So links and neighbours
 * tie a host to a branch first. The limits are those of the whole: a station gets no more than its
 * share and a quarter, at any depth.
 */
import type { StationTree } from '@minga/partition'
import { capacitiesOf, memberBy, treeOf } from './branches.ts'
import { Placing, type Seat, type Unplaced } from './placing.ts'

export interface StationSeat extends Seat {
  branch: string
}

/** The choice among the direct members of one federation. */
interface Level {
  placing: Placing
  memberOf: ReadonlyMap<string, string>
}

export class TreePlacing {
  readonly #tree: StationTree
  readonly #seats: ReadonlyMap<string, Seat>
  readonly #weight: number
  readonly #levels = new Map<string, Level>()

  /** `weight` is what is to be placed altogether. There is at least one seat. */
  constructor(seats: readonly StationSeat[], weight: number) {
    this.#tree = treeOf(seats)
    this.#seats = new Map(seats.map((seat) => [seat.id, seat]))
    this.#weight = weight
    this.#open(this.#tree.root, this.#loadOf(this.#tree.root) + weight)
  }

  place(unplaced: Unplaced): string {
    let at = this.#tree.root
    while (!this.#tree.isStation(at)) {
      const { placing, memberOf } = this.#levels.get(at)!
      at = placing.place(seenAmong(memberOf, unplaced))
    }
    return at
  }

  /** `expected` is what the federation will carry if everyone gets their share. */
  #open(federation: string, expected: number): void {
    const tree = this.#tree
    if (tree.isStation(federation)) return
    const shares = capacitiesOf(tree, federation, (id) => this.#seats.get(id)!.capacity)
    const all = shares.reduce((sum, share) => sum + share, 0)
    const seats = tree
      .members(federation)
      .map((id, i) => ({ id, capacity: shares[i]!, load: this.#loadOf(id) }))
    const placing = new Placing(seats, expected - this.#loadOf(federation))
    this.#levels.set(federation, { placing, memberOf: memberBy(tree, federation) })
    for (const { id, capacity, load } of seats) {
      // Into a branch without a share comes only what it cannot give away.
      this.#open(id, capacity > 0 ? (expected * capacity) / all : load + this.#weight)
    }
  }

  #loadOf(entity: string): number {
    return this.#tree.stations(entity).reduce((sum, id) => sum + this.#seats.get(id)!.load, 0)
  }
}

/** With members in the place of the stations that are in them. */
function seenAmong(memberOf: ReadonlyMap<string, string>, unplaced: Unplaced): Unplaced {
  const { wantedBy, near } = unplaced
  const links = new Map<string, number>()
  for (const [station, count] of unplaced.links) {
    const member = memberOf.get(station)
    if (member !== undefined) links.set(member, (links.get(member) ?? 0) + count)
  }
  return {
    ...unplaced,
    wantedBy: wantedBy === null ? null : (memberOf.get(wantedBy) ?? null),
    links,
    near: near === null ? null : (memberOf.get(near) ?? null),
  }
}
