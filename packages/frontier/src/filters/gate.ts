/**
 * The last look before a host goes out: do the filters of the station and of the collection want it?
 * It stands in the transaction of the lease, so whatever was queued before a filter changed, or came
 * from a coordinator that did not know of the change yet, is ended here instead of being dialled.
 */
import { asksAbout, isWanted, judge, type Filter, type UrlFacts } from '@minga/partition/filter'
import type { CollectionSpec } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { factsAt, factsOfKey } from './host-facts.ts'
import { filterOfSpec } from './read-filter.ts'

/** Unknown: it depends on the location of the host, which was not looked up. */
export type Standing = 'wanted' | 'unwanted' | 'unknown'

interface GatedHost {
  hostId: number
  name: string
  now: number
}

export class Gate {
  readonly #filters: readonly Filter[]
  /** Whether it can matter where a host is. */
  readonly asksWhere: boolean

  constructor(filters: readonly Filter[]) {
    this.#filters = filters
    this.asksWhere = filters.some((filter) => asksAbout(filter, ['addresses', 'country', 'place']))
  }

  async standingOf(sql: Sql, { hostId, name, now }: GatedHost): Promise<Standing> {
    const facts = factsOfKey(name)
    const standing = this.#judge(facts)
    if (standing !== 'unknown') return standing
    if (!this.asksWhere) return 'wanted'
    const where = await factsAt(sql, { hostId, now })
    if (where === null) return 'unknown'
    // What is still undecided lacks the page, or a location that is unknown.
    return this.#judge({ ...facts, ...where }) === 'unwanted' ? 'unwanted' : 'wanted'
  }

  /** All of them have to want it. */
  #judge(facts: UrlFacts): Standing {
    const verdicts = this.#filters.map((filter) => judge(filter, facts).verdict)
    if (verdicts.includes('unwanted')) return 'unwanted'
    return verdicts.includes('open') ? 'unknown' : 'wanted'
  }
}

/** By what its key alone says. What is open stays in: more may become known. */
export function isHostWanted(filters: readonly Filter[], hostKey: string): boolean {
  const facts = factsOfKey(hostKey)
  return filters.every((filter) => isWanted(filter, facts))
}

/** Null when there are no filters, which is usual: then nothing is looked up. */
export function gateFor(station: Filter | null, spec: CollectionSpec): Gate | null {
  const own = filterOfSpec(spec)
  if (station === null && own === null) return null
  return new Gate([station, own].filter((filter) => filter !== null))
}
