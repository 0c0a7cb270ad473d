/**
 * Between two plans: hosts that were found since get a part at once, against the map there is. Who has links
 * or measured distances goes where they lead (buffered stream, so that newcomers see each other); of whom
 * nothing is known, the name decides (weighted rendezvous), as far as there is room. Only the loads of
 * the parts and the parts of linked hosts are needed, not the whole map. O(links + k) per newcomer.
 */
import { PlacementBuffer } from '../stream/placement-buffer.ts'
import { Rendezvous } from '../stream/rendezvous.ts'
import { StreamPlacer, type Arrival } from '../stream/stream-placer.ts'
import { PLAN_WEIGHTS, type PlanPart, type PlanWeights } from './plan-input.ts'

export interface NewHost {
  host: string
  /** Pages known by now; at least one is reckoned with. */
  pages: number
  /** Links with other hosts, both directions together; unknown hosts do no harm. */
  links: readonly (readonly [host: string, count: number])[]
  /** Expected ms per page with each part; null where nothing is known. */
  latencyMs: ArrayLike<number> | null
}

export interface NewHostsInput {
  parts: readonly PlanPart[]
  /** Pages that each part carries now. */
  loads: ArrayLike<number>
  newcomers: readonly NewHost[]
  /** The place in `parts` where a host is by the map, −1 if it is not there. */
  partOf: (host: string) => number
  weights?: Partial<PlanWeights> | undefined
  seed?: number | undefined
}

/** Looser than a plan's: the next plan evens out, and a tight limit would part friends. */
const IMBALANCE = 0.25

/** The place in `parts` of every newcomer, in their order. */
export function placeNewHosts(input: NewHostsInput): Int32Array {
  const { newcomers } = input
  if (newcomers.length === 0) return new Int32Array(0)
  const placer = placerFor(input)
  const numbers = new Numbers(input, placer)
  const buffer = new PlacementBuffer(placer, { capacity: newcomers.length })
  const unknown: number[] = []
  for (const [i, newcomer] of newcomers.entries()) {
    const arrival = numbers.arrivalOf(newcomer, i)
    if (arrival.neighbours.length === 0 && arrival.costs === null) unknown.push(i)
    else buffer.add(arrival)
  }
  buffer.drain()
  const rendezvous = new Rendezvous(
    input.parts.map(({ name, capacity }) => ({ name, weight: capacity })),
  )
  for (const i of unknown) {
    const { host, pages } = newcomers[i]!
    const room = (part: number): boolean => placer.loads[part]! + pages <= placer.limits[part]!
    const liked = rendezvous.preference(host)
    placer.adopt(numbers.newcomer(i), liked.find(room) ?? liked[0]!, Math.max(1, pages))
  }
  return Int32Array.from(newcomers, (_, i) => placer.partOf(numbers.newcomer(i)))
}

/** One stand-in per part carries all that the part has; the hosts themselves need not be named. */
function placerFor({ parts, loads, newcomers, seed }: NewHostsInput): StreamPlacer {
  const carried = Array.from(loads).reduce((sum, load) => sum + load, 0)
  const total = newcomers.reduce((sum, { pages }) => sum + Math.max(1, pages), carried)
  const capacity = parts.reduce((sum, part) => sum + part.capacity, 0)
  const placer = new StreamPlacer({
    k: parts.length,
    seed,
    expectedWeight: total,
    // The capacities hold the tolerance already: nothing else shall bind.
    imbalance: 4 * parts.length,
    capacities: parts.map(
      (part) => (1 + IMBALANCE) * Math.ceil((part.capacity / capacity) * total),
    ),
  })
  for (let part = 0; part < parts.length; part++) placer.adopt(part, part, loads[part]!)
  return placer
}

/** Dense numbers for a stream: the stand-ins first, then newcomers, then the hosts they are linked with. */
class Numbers {
  readonly #input: NewHostsInput
  readonly #placer: StreamPlacer
  readonly #numbers = new Map<string, number>()
  readonly #weights: PlanWeights
  #next: number

  constructor(input: NewHostsInput, placer: StreamPlacer) {
    const { newcomers } = input
    this.#input = input
    this.#placer = placer
    this.#weights = { ...PLAN_WEIGHTS, ...input.weights }
    for (const [i, { host }] of newcomers.entries()) this.#numbers.set(host, this.newcomer(i))
    this.#next = this.newcomer(newcomers.length)
  }

  newcomer(i: number): number {
    return this.#input.parts.length + i
  }

  arrivalOf({ host, pages, links, latencyMs }: NewHost, i: number): Arrival {
    const { exchangeMs, latency } = this.#weights
    const weight = Math.max(1, pages)
    const known = exchangeMs === 0 ? [] : links.filter(([other]) => this.#isKnown(other, host))
    // In links, as in a plan: what a millisecond is worth depends on what a link is.
    const perMs = latency / (exchangeMs || 1)
    return {
      host: this.newcomer(i),
      weight,
      neighbours: known.map(([other]) => this.#numbers.get(other)!),
      linkWeights: known.map(([, count]) => count),
      costs: latencyMs === null ? null : Array.from(latencyMs, (ms) => ms * weight * perMs),
    }
  }

  /** A newcomer too, or placed by the map; then it gets a number and its seat. */
  #isKnown(other: string, self: string): boolean {
    if (other === self) return false
    if (this.#numbers.has(other)) return true
    const part = this.#input.partOf(other)
    if (part < 0) return false
    this.#placer.adopt(this.#next, part, 0)
    this.#numbers.set(other, this.#next++)
    return true
  }
}
