/**
 * Replans the map when there is a reason: a station came to stay or left, shares drifted apart, an
 * operator requested it. The plan is that of packages/partition, made in the background; hosts at
 * one address stay together, links count, and no more moves than twice a newcomer's share, at each
 * level of the tree.
 */
import { registrableDomainOf } from '@minga/net'
import { hostNameOf } from '@minga/frontier'
import {
  Triggers,
  addressGroups,
  type NamedCrawlGraph,
  type Observation,
  type Plan,
  type PlanInput,
  type TriggerRules,
} from '@minga/partition'
import type { FederatedStation, StationReport } from '@minga/protocol'
import { readHostGraph } from '../../placement/graph/read-graph.ts'
import type { Station } from '../../station/station.ts'
import { PLACED_PER_CALL, type PlacedHost, type UnitMove } from './move-hosts.ts'
import { linksAmong, pagesIn, planDown, type WholeInput } from './tree-placing.ts'

/** After so long a URL counts half. A crawl changes its ground within hours, a plan pays within minutes. */
const HALF_LIFE_MS = 600_000
/** Of fewer URLs the share says little: at a third, 2,000 of them are right within a tenth. */
const URLS_LEAST = 2_000

interface Totals {
  kept: number
  sent: number
}

interface Measured {
  /** Of the URLs that were found, those that were sent to other stations. */
  exchangeShare: number | null
  /** The mean of the stations' medians. */
  latencyMs: number | null
}

/**
 * What stations exchange and how long their hosts take, as the registrar receives it with every
 * renewal: the measures whose drift is a reason to reassign hosts. Counts come as totals; older
 * ones weigh ever less.
 */
export class Traffic {
  readonly #urlsLeast: number
  readonly #last = new Map<string, Totals>()
  readonly #waits = new Map<string, number>()
  #recent: Totals = { kept: 0, sent: 0 }
  #atMs = -Infinity

  constructor(urlsLeast = URLS_LEAST) {
    this.#urlsLeast = urlsLeast
  }

  hear(station: string, { exchange, waitMs }: StationReport, nowMs: number): void {
    const sent = exchange.peers.reduce((sum, peer) => sum + peer.sent, 0)
    const last = this.#last.get(station)
    const { kept } = exchange
    this.#last.set(station, { kept, sent })
    if (waitMs !== null) this.#waits.set(station, waitMs)
    // The time of counts from before its first report is unknown.
    if (last === undefined) return
    this.#fade(nowMs)
    this.#recent.kept += growth(last.kept, kept)
    this.#recent.sent += growth(last.sent, sent)
  }

  #fade(nowMs: number): void {
    const left = 0.5 ** (Math.max(0, nowMs - this.#atMs) / HALF_LIFE_MS)
    this.#recent = { kept: this.#recent.kept * left, sent: this.#recent.sent * left }
    this.#atMs = nowMs
  }

  /** `working`: the stations that have agents. One that has not said how long its hosts take leaves all open. */
  measured(working: readonly string[]): Measured {
    const { kept, sent } = this.#recent
    const waits = working.flatMap((id) => this.#waits.get(id) ?? [])
    const isWhole = waits.length === working.length && waits.length > 0
    return {
      exchangeShare: kept + sent < this.#urlsLeast ? null : sent / (kept + sent),
      latencyMs: isWhole ? waits.reduce((sum, ms) => sum + ms, 0) / waits.length : null,
    }
  }

  /** Hosts were moved: what was measured before is of another division. */
  forget(): void {
    this.#recent = { kept: 0, sent: 0 }
    this.#waits.clear()
  }
}

/** A total that is smaller than before started again at zero: the station was restarted. */
const growth = (before: number, now: number): number => (now >= before ? now - before : now)

export interface MapPlanParts extends Pick<Station, 'store' | 'clock'> {
  plan: (input: PlanInput) => Promise<Plan>
  rules?: Partial<TriggerRules>
  /** Number of URLs from which the exchanged share is reported; for tests. */
  urlsLeast?: number
}

interface Division {
  stations: readonly FederatedStation[]
  leaving: readonly string[]
}

/** Claims are placed within a quarter of fair shares: that alone is no reason. */
const RULES: Partial<TriggerRules> = { imbalanceDrift: 0.4 }
const UNITS_PER_EPOCH = 500
/** Of the ideal, which is the share of one station. */
const MOST_MOVED = 2

export class MapPlan {
  readonly #parts: MapPlanParts
  readonly #triggers: Triggers
  readonly #traffic: Traffic
  #isWished = false
  /** What all hosts weighed when the last plan was made; null before the first look. */
  #plannedLoad: number | null = null

  constructor(parts: MapPlanParts) {
    this.#parts = parts
    this.#triggers = new Triggers({ ...RULES, ...parts.rules })
    this.#traffic = new Traffic(parts.urlsLeast)
  }

  /** At the next look, whatever the figures say. */
  wish(): void {
    this.#isWished = true
  }

  /** What a station exchanged, and how long its hosts take. */
  hear(station: string, report: StationReport): void {
    this.#traffic.hear(station, report, this.#parts.clock.monotonicMs())
  }

  measured(stations: readonly FederatedStation[]): Measured {
    const working = stations.filter(({ state, capacity }) => state === 'active' && capacity > 0)
    return this.#traffic.measured(working.map(({ id }) => id))
  }

  /** Answers how many hosts go to another station. */
  async look(division: Division): Promise<number> {
    const loads = await this.#parts.store.call('placedLoads', {})
    const seen = this.#observe(division, new Map(loads))
    if (this.#plannedLoad === null) return this.#begin(seen)
    const decision = this.#triggers.look(seen)
    if (decision.trigger === null && !this.#isWished) return 0
    this.#isWished = false
    return this.#run(division, seen)
  }

  /** Claims have placed what there is; a registrar that starts again moves nothing for that. */
  #begin(seen: Observation): number {
    this.#plannedLoad = seen.hosts
    this.#triggers.planned({ ...seen, imbalance: 0 })
    return 0
  }

  #observe({ stations, leaving }: Division, loads: ReadonlyMap<string, number>): Observation {
    const open = stations.filter(({ id, state }) => state === 'active' && !leaving.includes(id))
    const total = [...loads.values()].reduce((sum, load) => sum + load, 0)
    const capacity = open.reduce((sum, station) => sum + station.capacity, 0)
    const fullness = open
      .filter((station) => station.capacity > 0 && total > 0)
      .map((station) => ((loads.get(station.id) ?? 0) * capacity) / (station.capacity * total))
    return {
      now: this.#parts.clock.monotonicMs(),
      members: open.map(memberName),
      hosts: total,
      newHosts: Math.max(0, total - (this.#plannedLoad ?? total)),
      imbalance: fullness.length === 0 ? null : Math.max(...fullness) - 1,
      ...this.measured(open),
    }
  }

  async #run({ stations, leaving }: Division, seen: Measured): Promise<number> {
    const { store, clock, plan } = this.#parts
    const hosts = await this.#placed()
    const open = stations.filter(({ id, state }) => state === 'active' && !leaving.includes(id))
    if (hosts.length === 0 || open.length < 2) return 0
    const input = planInput({ hosts, open, crawl: await readHostGraph(store) })
    const { partOf, imbalance } = await planDown(input, open, plan)
    const moves = movesOf(hosts, input, partOf)
    let moved = 0
    for (let at = 0; at < moves.length; at += UNITS_PER_EPOCH) {
      const some = moves.slice(at, at + UNITS_PER_EPOCH)
      moved += await store.call('moveHosts', { moves: some, now: clock.now() })
    }
    if (moved > 0) this.#traffic.forget()
    this.#plannedLoad = pagesIn(input.graph)
    this.#triggers.planned({
      now: clock.monotonicMs(),
      members: open.map(memberName),
      imbalance,
      // If nothing was moved, the share is as good as it gets; otherwise it is measured again.
      exchangeShare: moved > 0 ? null : seen.exchangeShare,
      latencyMs: moved > 0 ? null : seen.latencyMs,
    })
    return moved
  }

  async #placed(): Promise<PlacedHost[]> {
    const hosts: PlacedHost[] = []
    for (let after = ''; ;) {
      const page = await this.#parts.store.call('placedHosts', { after })
      hosts.push(...page)
      if (page.length < PLACED_PER_CALL) return hosts
      after = page.at(-1)!.host
    }
  }
}

/** One that goes to another branch has left the one it was in. */
const memberName = ({ branch, id }: FederatedStation): string => `${branch}/${id}`

interface PlanFacts {
  hosts: readonly PlacedHost[]
  open: readonly FederatedStation[]
  crawl: NamedCrawlGraph
}

function planInput({ hosts, open, crawl }: PlanFacts): WholeInput {
  const graph = graphOf(hosts, crawl)
  const isIdle = open.every(({ capacity }) => capacity === 0)
  return {
    graph,
    parts: open.map(({ id, capacity }) => ({ name: id, capacity: isIdle ? 1 : capacity })),
    groups: addressGroups(
      graph.names,
      (host) => hosts[host]!.address,
      (host) => registrableDomainOf(hostNameOf(host)),
    ),
    previous: new Map(hosts.map(({ host, station }) => [host, station])),
    mostMovedPages: (MOST_MOVED * pagesIn(graph)) / open.length,
  }
}

/** The hosts of the map, with what the crawl found out about them. */
function graphOf(hosts: readonly PlacedHost[], crawl: NamedCrawlGraph): NamedCrawlGraph {
  const numbers = new Map(hosts.map(({ host }, i) => [host, i]))
  const pages = Float64Array.from(hosts, (host) => host.pages)
  const insideLinks = new Float64Array(hosts.length)
  const numberOf = Int32Array.from(crawl.names, (name) => numbers.get(name) ?? -1)
  for (const [vertex, number] of numberOf.entries()) {
    if (number < 0) continue
    pages[number] = Math.max(pages[number]!, crawl.pages[vertex]!)
    insideLinks[number] = crawl.insideLinks[vertex]!
  }
  return {
    names: hosts.map(({ host }) => host),
    pages,
    insideLinks,
    ...linksAmong(crawl, numberOf),
  }
}

/** Each unit once; what is on its way already stays. */
function movesOf(
  hosts: readonly PlacedHost[],
  { parts, groups }: WholeInput,
  partOf: Int32Array,
): UnitMove[] {
  const moves = new Map<string, UnitMove>()
  const held = new Set<number>()
  for (const [i, { isUnsettled }] of hosts.entries()) {
    if (isUnsettled && groups[i]! >= 0) held.add(groups[i]!)
  }
  for (const [i, { host, station: from, address, isUnsettled }] of hosts.entries()) {
    const to = parts[partOf[i]!]!.name
    const group = groups[i]!
    if (to === from || isUnsettled || held.has(group)) continue
    const isAlone = group < 0
    moves.set(isAlone ? host : address!, { host, address: isAlone ? null : address, from, to })
  }
  return [...moves.values()]
}
