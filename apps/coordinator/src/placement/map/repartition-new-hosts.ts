/**
 * Hosts that were found since the last plan. Every few seconds they get a device, a batch at a time: by the links
 * that the crawl has just reported, or by their names. Until then names decide in each lease, so nothing waits
 * for this.
 */
import type { MapView, UnmappedHost } from '@minga/frontier'
import { placeNewHosts, type NewHost, type PlanPart, type PlanWeights } from '@minga/partition'
import type { Calls } from '@minga/store'
import type { PlaceBatch } from '../graph/flush-graph.ts'
import { standingsOf } from './repartition-input.ts'
import type { Operations } from '../../station/station-operations.ts'

/** Placed in one go: some milliseconds here, and one page for the store. */
const BATCH_HOSTS = 1_000
/** Links that are remembered until their hosts are placed; the oldest go first. */
const LINKS_MAX = 200_000

type Links = PlaceBatch['links']

export interface Placing {
  map: MapView
  parts: readonly PlanPart[]
  weights: Partial<PlanWeights>
}

export class NewHosts {
  readonly #store: Calls<Operations>
  #batches: Links[] = []
  #links = 0
  #after = 0
  /** The last ids of two passes ago and of the last pass: links are reported a few seconds after their hosts. */
  #passes: [number, number] = [0, 0]

  constructor(store: Calls<Operations>) {
    this.#store = store
  }

  hear({ links }: Pick<PlaceBatch, 'links'>): void {
    this.#batches.push(links)
    this.#links += links.length
    while (this.#links > LINKS_MAX) this.#links -= this.#batches.shift()!.length
  }

  /** After a plan everything is read again: ids may have come out of their order. */
  forget(): void {
    this.#after = 0
    this.#batches = []
    this.#links = 0
  }

  /** To be called every few seconds; answers how many were placed. */
  async place({ map, parts, weights }: Placing): Promise<number> {
    const store = this.#store
    const page = { after: this.#after, atMost: BATCH_HOSTS }
    const unmapped = await store.call('unmappedHosts', page)
    const [ripe, next] = this.#passes
    this.#passes = [next, unmapped.at(-1)?.hostId ?? next]
    const found = unmapped.filter(({ hostId }) => hostId <= ripe)
    if (unmapped.length === 0) {
      // All are placed, so that what was heard has served.
      this.#batches = []
      this.#links = 0
    }
    if (found.length === 0) return 0
    const newHosts = this.#described(found)
    const places = new Map(parts.map(({ name }, place) => [name, place]))
    const devices = await this.#devicesOf(newHosts)
    const pages = new Map(map.parts.map((part) => [part.device, part.pages]))
    const placed = placeNewHosts({
      parts,
      loads: parts.map(({ name }) => pages.get(name) ?? 0),
      newcomers: newHosts,
      partOf: (host) => places.get(devices.get(host) ?? '') ?? -1,
      weights,
    })
    const rows = found.map(({ hostId }, i) => ({
      hostId,
      device: parts[placed[i]!]!.name,
      pages: 1,
    }))
    const isHeld = await store.call('growMap', { epoch: map.epoch, rows })
    if (!isHeld) return 0
    this.#after = found.at(-1)!.hostId
    return found.length
  }

  #described(found: readonly UnmappedHost[]): NewHost[] {
    const links = new Map<string, [string, number][]>(found.map(({ host }) => [host, []]))
    for (const batch of this.#batches) {
      for (const [from, to, count] of batch) {
        links.get(from)?.push([to, count])
        if (to !== from) links.get(to)?.push([from, count])
      }
    }
    return found.map(({ host }) => ({ host, pages: 0, links: links.get(host)!, latencyMs: null }))
  }

  async #devicesOf(newHosts: readonly NewHost[]): Promise<Map<string, string>> {
    const hosts = [...new Set(newHosts.flatMap(({ links }) => links.map(([other]) => other)))]
    const standings = await standingsOf(this.#store, hosts)
    return new Map(
      hosts.flatMap((host, i) => {
        const device = standings[i]?.device
        return device ? [[host, device] as const] : []
      }),
    )
  }
}
