/** Which hosts the links of one upload may lead to. One verdict serves a host and a collection. */
import { hostKeyOf } from '@minga/net'
import type { Filter } from '@minga/partition'
import { isHostWanted } from '@minga/frontier'

interface Filtered {
  /** What the collector wants of this collection; null: everything. */
  filter: Filter | null
}

export class HostVerdicts {
  readonly #station: Filter | null
  readonly #known = new Map<Filter, Map<string, boolean>>()

  constructor(station: Filter | null) {
    this.#station = station
  }

  wants({ filter }: Filtered, url: string): boolean {
    return this.stationWants(url) && (filter === null || this.#isWanted(filter, url))
  }

  stationWants(url: string): boolean {
    return this.#station === null || this.#isWanted(this.#station, url)
  }

  #isWanted(filter: Filter, url: string): boolean {
    const hosts = this.#known.get(filter) ?? new Map<string, boolean>()
    this.#known.set(filter, hosts)
    const host = hostKeyOf(url)
    const known = hosts.get(host)
    if (known !== undefined) return known
    const isWanted = isHostWanted([filter], host)
    hosts.set(host, isWanted)
    return isWanted
  }
}
