/**
 * Stations that work together form a tree: its leaves are stations, every other entity is a
 * federation of stations or of federations. A federation has no machine of its own; a few of its
 * stations, the representatives, answer for it.
 */
import { BadStationTree } from './errors.ts'

export interface Entity {
  id: string
  /** None: it is a station. */
  members?: readonly Entity[] | undefined
}

export class StationTree {
  readonly root: string
  readonly #members = new Map<string, readonly string[]>()
  readonly #parents = new Map<string, string>()

  constructor(root: Entity) {
    this.root = root.id
    this.#add(root)
  }

  #add({ id, members }: Entity): void {
    if (id === '') throw new BadStationTree('An entity has no name')
    if (this.#members.has(id)) throw new BadStationTree(`${id} is in the tree twice`)
    if (members?.length === 0) throw new BadStationTree(`Federation ${id} has no member`)
    this.#members.set(id, members?.map((member) => member.id) ?? [])
    for (const member of members ?? []) {
      this.#add(member)
      this.#parents.set(member.id, id)
    }
  }

  entities(): string[] {
    return [...this.#members.keys()]
  }

  /** Empty for a station. */
  members(id: string): readonly string[] {
    const members = this.#members.get(id)
    if (members === undefined) throw new BadStationTree(`There is no ${id} in the tree`)
    return members
  }

  isStation(id: string): boolean {
    return this.members(id).length === 0
  }

  /** The federations around it, nearest first. */
  ascendants(id: string): string[] {
    const ascendants: string[] = []
    this.members(id)
    for (let at = this.#parents.get(id); at !== undefined; at = this.#parents.get(at)) {
      ascendants.push(at)
    }
    return ascendants
  }

  /** All below it, or itself. */
  stations(id = this.root): string[] {
    return this.isStation(id) ? [id] : this.members(id).flatMap((member) => this.stations(member))
  }
}

/** How well a station answers, as others measured it. */
export interface Quality {
  responseMs: number
  /** From 0, idle, to 1. */
  load: number
}

/** The best first; a message goes to the first one that can be reached. */
export type Representatives = ReadonlyMap<string, readonly string[]>

/** 1 + ⌊log₂ n⌋ of n stations: two of two, so that one may fail, and few for those who must know them. */
export function chooseRepresentatives(
  tree: StationTree,
  qualityOf: (station: string) => Quality,
): Representatives {
  const federations = tree.entities().filter((id) => !tree.isStation(id))
  return new Map(federations.map((id) => [id, bestOf(tree.stations(id), qualityOf)]))
}

function bestOf(stations: readonly string[], qualityOf: (station: string) => Quality): string[] {
  const ranked = stations
    .map((id) => ({ id, waitMs: waitMs(qualityOf(id)) }))
    .toSorted((a, b) => a.waitMs - b.waitMs || (a.id < b.id ? -1 : 1))
  return ranked.slice(0, 1 + Math.floor(Math.log2(stations.length))).map(({ id }) => id)
}

/** What is busy answers late, and the more so the nearer it is to its limit. */
function waitMs({ responseMs, load }: Quality): number {
  const free = 1 - Math.min(Math.max(load, 0), 0.99)
  return responseMs / free
}
