/**
 * The strategies as pure choices among agents that were read before. Each choice grows the chosen
 * agent's figures in memory, so that the next one of the same operation sees it.
 *
 *   democratic  fewest requests over its life; everyone does the same number
 *   least-busy  fewest unresolved requests, weighed by success: work goes where it ends soonest
 *   nearest     the agent whose country is nearest to the host's, the least busy of that country
 *   fastest     the least expected time to the end, from measured response times
 *   partitioned the agent that the station's map names for the host; by its name where it names none
 *
 * Success rate counts in all of them: as a weight of business, and among equals in `democratic`.
 */
import { Rendezvous } from '@minga/partition/rendezvous'
import { byDistanceFrom, positionOf } from './country-distance.ts'
import { busyOf, type Load } from './loads.ts'

/** A binary heap whose least item may grow in place: one pick costs O(log n). */
class LeastHeap<T> {
  readonly #items: T[]
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(items: Iterable<T>, isBefore: (a: T, b: T) => boolean) {
    this.#items = [...items]
    this.#isBefore = isBefore
    for (let i = this.#items.length >> 1; i >= 0; i--) this.#sink(i)
  }

  least(): T | undefined {
    return this.#items[0]
  }

  /** To be called after the least item has grown. */
  leastGrew(): void {
    this.#sink(0)
  }

  #sink(from: number): void {
    const items = this.#items
    for (let at = from; ;) {
      const left = 2 * at + 1
      let least = at
      for (const child of [left, left + 1]) {
        if (child < items.length && this.#isBefore(items[child]!, items[least]!)) least = child
      }
      if (least === at) return
      const moved = items[at]!
      items[at] = items[least]!
      items[least] = moved
      at = least
    }
  }
}

/** A host's turn that is to be assigned. */
export interface Turn {
  hostId: number
  /** Its name in canonical URLs. */
  host: string
  /** '' when it is unknown where the host is. */
  country: string
  requests: number
}

export interface Chooser {
  choose(turn: Turn): Load | null
}

function give(load: Load, turn: Turn): void {
  load.balance += turn.requests
  load.promised += turn.requests
  load.due++
  load.busy = busyOf(load)
}

export function isLessServed(a: Load, b: Load): boolean {
  if (a.balance !== b.balance) return a.balance < b.balance
  return isLessBusy(a, b)
}

export function isLessBusy(a: Load, b: Load): boolean {
  return a.busy === b.busy ? a.device < b.device : a.busy < b.busy
}

/** `democratic` and `least-busy`: the first by one order. */
export class FirstOf implements Chooser {
  readonly #heap: LeastHeap<Load>

  constructor(loads: Iterable<Load>, isBefore: (a: Load, b: Load) => boolean) {
    this.#heap = new LeastHeap(loads, isBefore)
  }

  peek(): Load | undefined {
    return this.#heap.least()
  }

  choose(turn: Turn): Load | null {
    const load = this.#heap.least()
    if (!load) return null
    give(load, turn)
    this.#heap.leastGrew()
    return load
  }
}

/** `nearest`: a heap per country; unknown places fall back to the least busy of all. */
export class NearestOf implements Chooser {
  readonly #byCountry = new Map<string, FirstOf>()
  readonly #nearest = new Map<string, FirstOf | null>()

  constructor(loads: readonly Load[]) {
    for (const [country, list] of Map.groupBy(loads, (load) => load.country)) {
      this.#byCountry.set(country, new FirstOf(list, isLessBusy))
    }
  }

  choose(turn: Turn): Load | null {
    const near = this.#near(turn.country) ?? this.#leastBusyCountry()
    return near?.choose(turn) ?? null
  }

  #near(country: string): FirstOf | null {
    const known = this.#nearest.get(country)
    if (known !== undefined) return known
    const name = nearestCountry(country, [...this.#byCountry.keys()])
    const near = name === null ? null : this.#byCountry.get(name)!
    this.#nearest.set(country, near)
    return near
  }

  #leastBusyCountry(): FirstOf | undefined {
    let best: FirstOf | undefined
    for (const heap of this.#byCountry.values()) {
      if (best === undefined || isLessBusy(heap.peek()!, best.peek()!)) best = heap
    }
    return best
  }
}

/** Null when it is unknown where the host or where anyone is. */
export function nearestCountry(from: string, countries: readonly string[]): string | null {
  if (positionOf(from) === null) return null
  const located = countries.filter((country) => positionOf(country) !== null)
  return byDistanceFrom(from, located)[0] ?? null
}

/**
 * `fastest`: among a few candidates (the best by measurement and the least busy), the one that is
 * expected to finish first. Few candidates are enough: Mitzenmacher, "The power of two choices in
 * randomized load balancing", IEEE TPDS 2001.
 */
export class FastestOf implements Chooser {
  readonly #loads: readonly Load[]
  readonly #expectedMs: (load: Load, region: string) => number

  constructor(loads: readonly Load[], expectedMs: (load: Load, region: string) => number) {
    this.#loads = loads
    this.#expectedMs = expectedMs
  }

  choose(turn: Turn): Load | null {
    let best: { load: Load; endsIn: number } | null = null
    for (const load of this.#loads) {
      const endsIn = timeToEnd(load, turn.requests, this.#expectedMs(load, turn.country))
      const isBetter =
        best === null ||
        endsIn < best.endsIn ||
        (endsIn === best.endsIn && isLessBusy(load, best.load))
      if (isBetter) best = { load, endsIn }
    }
    if (best === null) return null
    give(best.load, turn)
    return best.load
  }
}

/**
 * `partitioned`: whom the map names, if it is ready. Otherwise a weighted rendezvous of those that are: the same
 * host finds the same agent again for as long as it is there, and when one comes or goes, only the hosts that it wins
 * or loses move.
 */
export class MappedTo implements Chooser {
  readonly #owners: ReadonlyMap<number, Load>
  readonly #ready: readonly Load[]
  readonly #rendezvous: Rendezvous | null

  /** Those that are ready with their weights, and whom the map names of them. */
  constructor(owners: ReadonlyMap<number, Load>, ready: readonly { load: Load; weight: number }[]) {
    this.#owners = owners
    this.#ready = ready.map(({ load }) => load)
    const members = ready.map(({ load, weight }) => ({ name: load.device, weight }))
    this.#rendezvous = members.length === 0 ? null : new Rendezvous(members)
  }

  choose(turn: Turn): Load | null {
    const load = this.#owners.get(turn.hostId) ?? this.#byName(turn.host)
    if (load !== null) give(load, turn)
    return load
  }

  #byName(host: string): Load | null {
    return this.#rendezvous === null ? null : this.#ready[this.#rendezvous.owner(host)]!
  }
}

/** Work in hand before it, then itself, each taking as long as usual for this agent. */
export function timeToEnd(load: Load, requests: number, msPerRequest: number): number {
  return ((load.promised + load.in_hand + requests) * msPerRequest) / load.success
}
