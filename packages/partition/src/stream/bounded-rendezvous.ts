/**
 * Rendezvous hashing in which no member is overrun: a host goes to the first member of its preference
 * that stays below ⌈tolerance · fair share⌉, the share being of all load so far by weight. The limits
 * together are never below the load, so hosts of load 1 always find room; a host heavier than any room
 * goes where it does least harm, and is counted.
 *
 * After Mirrokni, Thorup and Zadimoghaddam, "Consistent hashing with bounded loads", 2018. A lower
 * tolerance balances better and moves more when members change: 1.25 is a good middle.
 */
import { BadPartitionInput } from '../errors.ts'
import { hash64 } from './hash64.ts'
import { Rendezvous, type Member } from './rendezvous.ts'

export interface NamedLoad {
  name: string
  load: number
}

export interface BoundedOptions {
  /** How many times its fair share a member may carry; default 1.25. */
  tolerance?: number | undefined
  /** What all hosts will bring together; without it shares are of what has come so far. */
  expectedLoad?: number | undefined
}

export class BoundedRendezvous {
  readonly loads: Float64Array
  /** How many hosts found no member with room for them. */
  overflows = 0
  readonly #rendezvous: Rendezvous
  readonly #tolerance: number
  readonly #expectedLoad: number
  readonly #shares: Float64Array
  #total = 0

  constructor(members: readonly Member[], options: BoundedOptions = {}) {
    const { tolerance = 1.25, expectedLoad = 0 } = options
    if (!(tolerance >= 1 && tolerance < Infinity)) {
      throw new BadPartitionInput(`The tolerance is ${tolerance}; it must be a number from 1`)
    }
    if (!(expectedLoad >= 0 && expectedLoad < Infinity)) {
      throw new BadPartitionInput(`The expected load is ${expectedLoad}; it must be from 0`)
    }
    this.#expectedLoad = expectedLoad
    this.#rendezvous = new Rendezvous(members)
    this.#tolerance = tolerance
    const all = members.reduce((sum, { weight }) => sum + weight, 0)
    this.#shares = Float64Array.from(members, ({ weight }) => weight / all)
    this.loads = new Float64Array(members.length)
  }

  #limit(member: number): number {
    const total = Math.max(this.#total, this.#expectedLoad)
    return Math.ceil(this.#tolerance * this.#shares[member]! * total - ROUNDING)
  }

  place({ name, load }: NamedLoad): number {
    if (!(load >= 0 && load < Infinity)) {
      throw new BadPartitionInput(`Host ${name} has a load of ${load}; it must be a number from 0`)
    }
    const lots = this.#rendezvous.lots(name)
    this.#total += load
    let owner = -1
    for (let i = 0; i < lots.length; i++) {
      if (lots[i] === Infinity || this.loads[i]! + load > this.#limit(i)) continue
      if (owner < 0 || lots[i]! < lots[owner]!) owner = i
    }
    if (owner < 0) owner = this.#leastHarmed(load)
    this.loads[owner]! += load
    return owner
  }

  /** A host is gone: its member has room again. */
  leave(member: number, load: number): void {
    this.loads[member]! -= load
    this.#total -= load
  }

  #leastHarmed(load: number): number {
    this.overflows++
    let best = -1
    let least = Infinity
    for (const [i, share] of this.#shares.entries()) {
      const relative = (this.loads[i]! + load) / share
      if (share === 0 || relative >= least) continue
      best = i
      least = relative
    }
    return best
  }
}

/** 1.1 · 10 is a little more than 11: without this the limit would be 12. */
const ROUNDING = 1e-9

/** The same owners whatever order the hosts come in: they are taken by their hashes. */
export function boundedOwners(
  members: readonly Member[],
  hosts: readonly NamedLoad[],
  tolerance?: number,
): { owners: Int32Array; loads: Float64Array; overflows: number } {
  const expectedLoad = hosts.reduce((sum, { load }) => sum + load, 0)
  const bounded = new BoundedRendezvous(members, { tolerance, expectedLoad })
  const hashes = hosts.map(({ name }) => hash64(name))
  const order = [...hosts.keys()].toSorted(
    (a, b) => hashes[a]!.high - hashes[b]!.high || hashes[a]!.low - hashes[b]!.low || a - b,
  )
  const owners = new Int32Array(hosts.length)
  for (const at of order) owners[at] = bounded.place(hosts[at]!)
  return { owners, loads: bounded.loads, overflows: bounded.overflows }
}
