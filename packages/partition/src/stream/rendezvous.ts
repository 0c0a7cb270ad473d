/**
 * Owners for hosts about which nothing is known. Every member draws a lot for the host, and the
 * best lot wins; a member's lots depend on its name and the host alone, so when one joins or
 * leaves, only hosts that it wins or loses change owner: w/W of them, and no others.
 *
 * Thaler and Ravishankar, "Using name-based mappings to increase hit rates", 1998. The lot is
 * −ln(u)/w, an exponential of rate w, and the least of exponentials belongs to each with chance
 * w/W: the weights are met exactly, not by copies of members. O(k) per host; a ring would save time
 * only beyond hundreds.
 */
import { BadPartitionInput } from '../errors.ts'
import { hash64, mixed, type Hash64 } from './hash64.ts'

export interface Member {
  /** Its lots hang on it: a member keeps its hosts for as long as it keeps its name. */
  name: string
  /** Its share of the hosts is its weight over that of all; 0 for one that gets no more. */
  weight: number
}

export class Rendezvous {
  readonly members: readonly Member[]
  readonly #hashes: Hash64[]

  constructor(members: readonly Member[]) {
    checkMembers(members)
    this.members = members.map(({ name, weight }) => ({ name, weight }))
    this.#hashes = members.map(({ name }) => hash64(name))
  }

  /** The place of the owner in `members`. */
  owner(host: string): number {
    const lots = this.lots(host)
    let best = 0
    for (let i = 1; i < lots.length; i++) if (lots[i]! < lots[best]!) best = i
    return best
  }

  /** All members with weight, the owner first: who follows when it cannot serve. */
  preference(host: string): number[] {
    const lots = this.lots(host)
    const willing = [...lots.keys()].filter((i) => lots[i]! < Infinity)
    return willing.toSorted((a, b) => lots[a]! - lots[b]! || a - b)
  }

  /** One per member, the least wins; Infinity for those without weight. */
  lots(host: string): Float64Array {
    const { high, low } = hash64(host)
    return Float64Array.from(this.#hashes, (member, i) => {
      const { weight } = this.members[i]!
      if (weight === 0) return Infinity
      const drawn = mixed({ high: high ^ member.high, low: low ^ member.low })
      return -Math.log(unit(drawn)) / weight
    })
  }
}

/** Between 0 and 1, never either: 52 bits and a half. */
function unit({ high, low }: Hash64): number {
  return (high * 2 ** 20 + (low >>> 12) + 0.5) / 2 ** 52
}

function checkMembers(members: readonly Member[]): void {
  const names = new Set<string>()
  for (const { name, weight } of members) {
    if (!(weight >= 0 && weight < Infinity)) {
      throw new BadPartitionInput(`Member ${name} weighs ${weight}; it must be a number from 0`)
    }
    if (names.has(name)) throw new BadPartitionInput(`Two members are called ${name}`)
    names.add(name)
  }
  if (!members.some(({ weight }) => weight > 0)) {
    throw new BadPartitionInput('There is no member with any weight')
  }
}
