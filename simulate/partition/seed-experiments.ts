/** All experiments of one seed: what several of them need, the web, plans, distances, is made once. */
import { Random, coarsenCrawl, type NamedCrawlGraph, type Nearness } from '@minga/partition'
import { logNormal } from '../fleet/draws.ts'
import { algebraWeb, downloadS, exchangeS, redistributionS } from './algebra.ts'
import { place, usesLatency, type AllocatorName, type PlacingTask } from './allocators.ts'
import { keyOf, type Cell, type PlacementCell, type PlacementFigures } from './cells.ts'
import {
  THESIS_CRAWL,
  type Change,
  type CrawlResult,
  type CrawlRules,
  type CrawlState,
  type CrawlTask,
  type Owners,
} from './crawl-rules.ts'
import { crawl } from './des.ts'
import { latencyOf, type LatencySource } from './latency.ts'
import { drawWorkload, type Workload, type WorkloadRules } from './workload.ts'

export class SeedExperiments {
  readonly workload: Workload
  readonly #seed: number
  readonly #graph: NamedCrawlGraph
  /** Candidates in the order in which they are taken: a robot that works among k also works among k + 1. */
  readonly #candidates: Int32Array
  readonly #latencies = new Map<string, Nearness>()
  readonly #owners = new Map<string, Owners>()

  constructor(rules: WorkloadRules, seed: number) {
    this.#seed = seed
    this.workload = drawWorkload(rules, seed)
    this.#graph = fullKnowledge(this.workload)
    this.#candidates = Int32Array.from({ length: rules.robots }, (_, candidate) => candidate)
    new Random(seed).shuffle(this.#candidates)
  }

  crawl(cell: Cell): CrawlResult {
    const robots = this.#robots(cell.k)
    const task: CrawlTask = {
      workload: this.workload,
      robots,
      owners: this.#firstOwners(cell),
      rules: rulesOf(cell),
      seed: this.#seed,
      place: (state) => this.#placeAnew(cell, state),
    }
    if (cell.weather === 'churn') return crawl({ ...task, changes: this.#changes(cell.k) })
    const replans = cell.weather === 'unknown' && usesLatency(cell.allocator)
    return crawl(replans ? { ...task, replanAt: REPLAN_SHARES } : task)
  }

  placement({ allocator, k }: PlacementCell): PlacementFigures {
    const before = this.#byHost(allocator, k)
    const after = this.#joined(allocator, k, before)
    const graph = this.#graph
    const web = algebraWeb(this.workload, graph, this.#robots(k))
    const webAfter = algebraWeb(this.workload, graph, this.#robots(k + 1))
    const inside = graph.insideLinks.reduce((sum, links) => sum + links, 0)
    const all = inside + graph.links.reduce((sum, links) => sum + links, 0)
    return {
      exchangeShare: this.#cut(before) / all,
      insideShare: inside / all,
      downloadS: downloadS(web, before),
      exchangeS: exchangeS(web, graph, before),
      redistributionS: redistributionS(webAfter, before, after),
      movedShare: this.#movedPages(before, after) / this.workload.pages,
      exchangeShareAfter: this.#cut(after) / all,
    }
  }

  #robots(k: number): Int32Array {
    return this.#candidates.slice(0, k)
  }

  /** When nothing is known yet, names alone decide. */
  #firstOwners(cell: Cell): Owners {
    if (cell.weather === 'unknown' && usesLatency(cell.allocator)) {
      return this.#placed({ ...cell, allocator: 'rendezvous' }, this.#graph)
    }
    if (cell.weather !== 'rough-counts') return this.#placed(cell, this.#graph)
    return this.#placed(cell, noisyKnowledge(this.#graph, { seed: this.#seed, sigma: ROUGH_SIGMA }))
  }

  /** Politeness makes no difference to who owns what. */
  #placed(cell: Cell, graph: NamedCrawlGraph): Owners {
    const key = keyOf({ ...cell, politeness: 'constant-15' })
    let owners = this.#owners.get(key)
    if (owners === undefined) {
      owners = place(cell.allocator, this.#task(cell, graph))
      // Millions of pages for one crawl are not worth keeping.
      if ('byHost' in owners) this.#owners.set(key, owners)
    }
    return owners
  }

  #task(
    { allocator, k, source, unit }: Omit<Cell, 'politeness' | 'weather'>,
    graph: NamedCrawlGraph,
  ): PlacingTask {
    return {
      workload: this.workload,
      robots: this.#robots(k),
      graph,
      latency: usesLatency(allocator) ? this.#latency(k, source) : null,
      unit,
      seed: this.#seed,
    }
  }

  #latency(k: number, source: LatencySource): Nearness {
    const key = `${k} ${source}`
    let latency = this.#latencies.get(key)
    if (latency === undefined) {
      const { roundTrips } = THESIS_CRAWL
      const robots = this.#robots(k)
      latency = latencyOf(this.workload, { robots, source, roundTrips, seed: this.#seed })
      this.#latencies.set(key, latency)
    }
    return latency
  }

  #placeAnew(cell: Cell, state: CrawlState): Owners {
    const { owners, present } = state
    const graph = cell.weather === 'unknown' ? stageKnowledge(this.workload, state) : this.#graph
    const previous = 'byHost' in owners ? { previous: owners.byHost } : {}
    const isSettled = cell.weather === 'churn'
    return place(cell.allocator, { ...this.#task(cell, graph), present, ...previous, isSettled })
  }

  /** Robots leave and come back, one for good, in shares of the time that the densest host needs. */
  #changes(k: number): Change[] {
    const wholeS = 1.2 * this.workload.pageCounts[0]!
    return CHURN_SHARES.flatMap(({ leaves, returns }, i) => {
      const robot = (2 * i + 1) % k
      const left = { atS: leaves * wholeS, robot, isThere: false }
      return returns === null ? [left] : [left, { atS: returns * wholeS, robot, isThere: true }]
    })
  }

  #byHost(allocator: AllocatorName, k: number): Int32Array {
    const cell: Cell = {
      allocator,
      k,
      source: 'rtt',
      unit: 'host',
      politeness: 'constant-15',
      weather: 'calm',
    }
    const owners = this.#placed(cell, this.#graph)
    if ('byHost' in owners) return owners.byHost
    throw new TypeError(`${allocator} places pages, not hosts`)
  }

  /** The placement when robot k has joined robots 0 to k − 1. */
  #joined(allocator: AllocatorName, k: number, previous: Int32Array): Int32Array {
    const task = this.#task({ allocator, k: k + 1, source: 'rtt', unit: 'host' }, this.#graph)
    const owners = place(allocator, { ...task, previous, isSettled: true })
    return 'byHost' in owners ? owners.byHost : previous
  }

  #cut(owners: Int32Array): number {
    const { tails, heads, links } = this.#graph
    let cut = 0
    for (let i = 0; i < tails.length; i++) {
      if (owners[tails[i]!] !== owners[heads[i]!]) cut += links[i]!
    }
    return cut
  }

  #movedPages(before: Int32Array, after: Int32Array): number {
    const { pageCounts } = this.workload
    return pageCounts.reduce(
      (sum, pages, host) => sum + (before[host] === after[host] ? 0 : pages),
      0,
    )
  }
}

/** Everything: as if the crawl had been done before. O(links). */
export function fullKnowledge(workload: Workload): NamedCrawlGraph {
  return graphOf(workload, null, null)
}

/** What a crawl has come to know: links of fetched pages, and pages that were found. */
function stageKnowledge(
  workload: Workload,
  { fetched, found }: { fetched: Uint8Array; found: Uint8Array },
): NamedCrawlGraph {
  return graphOf(workload, fetched, found)
}

/** Counts of pages that are wrong by a factor, `sigma` being the spread of its logarithm. */
function noisyKnowledge(
  graph: NamedCrawlGraph,
  { seed, sigma }: { seed: number; sigma: number },
): NamedCrawlGraph {
  const pages = graph.pages.map((count, host) =>
    Math.max(1, Math.round(count * logNormal([seed, host, 77], sigma))),
  )
  return { ...graph, pages }
}

function graphOf(
  { hostNames, hosts, pages, hostOf, linkStarts, linkHeads }: Workload,
  fetched: Uint8Array | null,
  found: Uint8Array | null,
): NamedCrawlGraph {
  const tails = new Int32Array(linkHeads.length)
  const heads = new Int32Array(linkHeads.length)
  const counts = new Float64Array(hosts)
  let arcs = 0
  for (let page = 0; page < pages; page++) {
    const host = hostOf[page]!
    if (found === null || found[page] === 1) counts[host]!++
    if (fetched !== null && fetched[page] === 0) continue
    for (let at = linkStarts[page]!; at < linkStarts[page + 1]!; at++) {
      tails[arcs] = host
      heads[arcs++] = hostOf[linkHeads[at]!]!
    }
  }
  const graph = {
    pages: counts,
    insideLinks: new Float64Array(hosts),
    tails: tails.subarray(0, arcs),
    heads: heads.subarray(0, arcs),
    links: new Float64Array(arcs).fill(1),
  }
  const same = Int32Array.from({ length: hosts }, (_, host) => host)
  return { names: hostNames, ...coarsenCrawl(graph, same, hosts) }
}

/** Of the whole crawl: when a robot leaves, and when it comes back. */
const CHURN_SHARES: readonly { leaves: number; returns: number | null }[] = [
  { leaves: 0.1, returns: 0.4 },
  { leaves: 0.2, returns: 0.5 },
  { leaves: 0.3, returns: null },
]
/** Counts of pages are wrong by a factor of e, up or down, in a third of all cases. */
const ROUGH_SIGMA = 1
/** Where nothing is known at first, it is planned again when so much has been fetched. */
const REPLAN_SHARES = [0.02, 0.1, 0.3]

const CHANGES: Record<Cell['weather'], Partial<CrawlRules>> = {
  calm: {},
  lossy: { loss: 0.02, jitter: 0.5 },
  churn: {},
  'rough-counts': {},
  unknown: { pageCounts: 'found' },
  'wide-lines': { sharing: 'connection' },
}

function rulesOf({ politeness, unit, weather }: Cell): CrawlRules {
  return { ...THESIS_CRAWL, politeness, unit, ...CHANGES[weather] }
}
