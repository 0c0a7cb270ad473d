/**
 * Who owns a host. The map says it, and what the map does not know yet is routed by rendezvous or stays
 * here, as the federation's mode wants it. Read once in each operation that routes.
 */
import { Rendezvous } from '@minga/partition/rendezvous'
import type { Sql } from '@minga/store'
import { readFederation, type FederationFacts } from './federation-facts.ts'

export interface OwnedHost {
  name: string
  /** By the map; null while it is undecided. */
  station: string | null
}

interface StationRow {
  id: string
  capacity: number
  keeper: string | null
}

export class Owners {
  readonly facts: FederationFacts
  readonly self: string
  /** Who keeps this station's journal; null while there is no keeper. */
  readonly keeper: string | null
  /** Stations that take part, this one among them. */
  readonly active: readonly string[]
  readonly #rendezvous: Rendezvous

  /** Null at a station that collects alone. */
  static async read(sql: Sql): Promise<Owners | null> {
    const facts = await readFederation(sql)
    if (facts === null) return null
    const stations = await sql.all<StationRow>(
      `SELECT id, capacity, keeper FROM federation_stations WHERE state = 'active' ORDER BY id`,
    )
    return new Owners(facts, stations)
  }

  private constructor(facts: FederationFacts, stations: readonly StationRow[]) {
    this.facts = facts
    this.self = facts.self
    this.active = stations.map(({ id }) => id)
    const keeper = stations.find(({ id }) => id === facts.self)?.keeper ?? null
    this.keeper = keeper !== null && this.active.includes(keeper) ? keeper : null
    const isAnyReady = stations.some(({ capacity }) => capacity > 0)
    this.#rendezvous = new Rendezvous(
      stations.length === 0
        ? [{ name: facts.self, weight: 1 }]
        : stations.map(({ id, capacity }) => ({ name: id, weight: isAnyReady ? capacity : 1 })),
    )
  }

  get others(): string[] {
    return this.active.filter((id) => id !== this.self)
  }

  ownerOf({ name, station }: OwnedHost): string {
    if (station !== null) return station
    if (this.facts.mode === 'hold') return this.self
    const { members } = this.#rendezvous
    return members[this.#rendezvous.owner(name)]!.name
  }

  isMine(host: OwnedHost): boolean {
    return this.ownerOf(host) === this.self
  }
}
