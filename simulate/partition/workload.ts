/**
 * The web that is crawled: made up by seed after the figures that the thesis gives of its sample. Columns of
 * typed arrays throughout: 1.2 M pages and 5.7 M links are 40 MB and a second of work.
 */
import { Random } from '@minga/partition'
import { drawPageLinks, type LinkRules, type PageLinks } from './page-links.ts'
import { drawCity, drawWorld, unit, type World } from './world.ts'

export interface Workload extends PageLinks {
  hosts: number
  pages: number
  addresses: number
  pageCounts: Int32Array
  /** Of host h: pages firstPage[h] … firstPage[h + 1] − 1, the front page first. */
  firstPage: Int32Array
  hostOf: Int32Array
  addressOf: Int32Array
  communityOf: Int32Array
  hostNames: string[]
  addressNames: string[]
  /** Pages that are known at the beginning; all others are found from them. */
  seeds: Int32Array
  world: World
}

export interface WorkloadRules extends LinkRules {
  hosts: number
  addresses: number
  pages: number
  densestHost: number
  densestAddress: number
  robots: number
}

/**
 * Counts as printed in the thesis; the densest address by what host and address units differ in. How much
 * stays inside hosts and communities is not printed: the shares are those of published host graphs.
 */
const THESIS: WorkloadRules = {
  hosts: 10_039,
  addresses: 2_440,
  pages: 1_246_129,
  densestHost: 78_523,
  densestAddress: 100_700,
  robots: 100,
  linkingShare: 0.21,
  linksPerPage: 21.63,
  insideShare: 0.75,
  communityShare: 0.9,
}

/** As large as in the thesis, or a share of it: everything but the number of robots shrinks alike. */
export function thesisRules(scale = 1): WorkloadRules {
  const part = (count: number): number => Math.max(8, Math.round(count * scale))
  return {
    ...THESIS,
    hosts: part(THESIS.hosts),
    addresses: part(THESIS.addresses),
    pages: part(THESIS.pages),
    densestHost: part(THESIS.densestHost),
    densestAddress: part(THESIS.densestAddress),
  }
}

export function drawWorkload(rules: WorkloadRules, seed: number): Workload {
  const random = new Random(seed)
  const { hosts, pages, addresses, densestHost } = rules
  const pageCounts = drawPageCounts({ hosts, pages, densest: densestHost }, random.fork())
  const firstPage = new Int32Array(hosts + 1)
  for (let host = 0; host < hosts; host++)
    firstPage[host + 1] = firstPage[host]! + pageCounts[host]!
  const addressOf = drawAddresses(pageCounts, rules, random.fork())
  const { communityOf, communities, homes } = drawCommunities(addressOf, rules, random.fork())
  const columns = { pageCounts, firstPage, communityOf, communities }
  const links = drawPageLinks(columns, rules, random.fork())
  const numberOf = random.below(2 ** 32)
  return {
    hosts,
    pages,
    addresses,
    pageCounts,
    firstPage,
    hostOf: hostsOfPages(firstPage),
    addressOf,
    communityOf,
    // Names differ from seed to seed, so that hashes do.
    hostNames: Array.from({ length: hosts }, (_, h) => `h${h}.s${numberOf}.example`),
    addressNames: Array.from({ length: addresses }, (_, a) => `a${a}.s${numberOf}`),
    ...links,
    seeds: chooseSeeds({ firstPage, ...links }, random.fork()),
    world: drawWorld({ addresses, robots: rules.robots, homes }, random.fork()),
  }
}

function hostsOfPages(firstPage: Int32Array): Int32Array {
  const hostOf = new Int32Array(firstPage.at(-1)!)
  for (let host = 0; host + 1 < firstPage.length; host++) {
    hostOf.fill(host, firstPage[host], firstPage[host + 1])
  }
  return hostOf
}

/** Others stay this far below the densest address. */
const SECOND_ADDRESS = 0.85
/** How uneven addresses are: the larger, the more names the few large hosters have. */
const CROWDING = 2

/** Address 0 carries the densest host and also small ones. */
function drawAddresses(pageCounts: Int32Array, rules: WorkloadRules, random: Random): Int32Array {
  const { addresses, densestAddress } = rules
  const hosts = pageCounts.length
  const addressOf = new Int32Array(hosts).fill(-1)
  const loads = new Float64Array(addresses)
  const settle = (host: number, address: number): void => {
    addressOf[host] = address
    loads[address]! += pageCounts[host]!
  }
  settle(0, 0)
  const order = Int32Array.from({ length: hosts - 1 }, (_, i) => i + 1)
  random.shuffle(order)
  // Every address has a host.
  for (let i = 0; i + 1 < addresses; i++) settle(order[i]!, i + 1)
  for (const host of order.subarray(addresses - 1)) {
    const room = densestAddress - loads[0]!
    if (pageCounts[host]! <= room && unit(random) < 0.1) settle(host, 0)
    else settle(host, freeAddress(pageCounts[host]!, loads, rules, random))
  }
  fillDensest(addressOf, { pageCounts, loads }, rules)
  return addressOf
}

function freeAddress(
  pages: number,
  loads: Float64Array,
  { densestAddress, addresses }: WorkloadRules,
  random: Random,
): number {
  for (;;) {
    const address = 1 + Math.floor((addresses - 1) * unit(random) ** CROWDING)
    const load = loads[address]!
    if (load === 0 || load + pages <= SECOND_ADDRESS * densestAddress) return address
  }
}

/** Hosts that still fit move to the densest address, largest first, until it carries what it should. */
function fillDensest(
  addressOf: Int32Array,
  { pageCounts, loads }: { pageCounts: Int32Array; loads: Float64Array },
  { densestAddress }: WorkloadRules,
): void {
  const left = new Int32Array(loads.length)
  for (const address of addressOf) left[address]!++
  const order = [...addressOf.keys()].toSorted((a, b) => pageCounts[b]! - pageCounts[a]! || a - b)
  for (const host of order) {
    const address = addressOf[host]!
    if (address === 0 || left[address] === 1) continue
    if (loads[0]! + pageCounts[host]! > densestAddress) continue
    addressOf[host] = 0
    left[address]!--
    loads[0]! += pageCounts[host]!
  }
}

/** As many at every scale, so that they stand to parts as they do in the whole; smaller ones would be none. */
const COMMUNITIES = 125
const COMMUNITY_HOSTS = 8
/** Of its hosts, those of an address share a community; of its addresses, a community shares a city. */
const SAME_COMMUNITY = 0.85
const SAME_CITY = 0.5

interface Communities {
  communityOf: Int32Array
  communities: number
  /** City of every address. */
  homes: Int32Array
}

function drawCommunities(
  addressOf: Int32Array,
  { hosts, addresses }: WorkloadRules,
  random: Random,
): Communities {
  const communities = Math.max(4, Math.min(COMMUNITIES, Math.round(hosts / COMMUNITY_HOSTS)))
  // Some are several times larger than others.
  const drawCommunity = (): number => Math.floor(communities * unit(random) ** 1.5)
  const cities = Int32Array.from({ length: communities }, () => drawCity(random))
  const ofAddress = Int32Array.from({ length: addresses }, drawCommunity)
  return {
    communities,
    communityOf: Int32Array.from(addressOf, (address) =>
      unit(random) < SAME_COMMUNITY ? ofAddress[address]! : drawCommunity(),
    ),
    homes: ofAddress.map((community) =>
      unit(random) < SAME_CITY ? cities[community]! : drawCity(random),
    ),
  }
}

/** Of front pages; more are added where nothing leads to a host. */
const SEEDED_SHARE = 0.05

function chooseSeeds(web: PageLinks & { firstPage: Int32Array }, random: Random): Int32Array {
  const { firstPage } = web
  const hosts = firstPage.length - 1
  const seeds: number[] = []
  const reach = new Reach(web)
  for (let host = 0; host < hosts; host++) {
    if (unit(random) < SEEDED_SHARE) seeds.push(firstPage[host]!)
  }
  for (const page of seeds) reach.from(page)
  for (let host = 0; host < hosts; host++) {
    if (reach.has(firstPage[host]!)) continue
    seeds.push(firstPage[host]!)
    reach.from(firstPage[host]!)
  }
  return Int32Array.from(seeds)
}

/** Everything that links lead to. */
class Reach {
  readonly #web: PageLinks
  readonly #reached: Uint8Array
  readonly #stack: Int32Array

  constructor(web: PageLinks) {
    this.#web = web
    const pages = web.linkStarts.length - 1
    this.#reached = new Uint8Array(pages)
    this.#stack = new Int32Array(pages)
  }

  has(page: number): boolean {
    return this.#reached[page] === 1
  }

  from(page: number): void {
    if (this.has(page)) return
    const { linkStarts, linkHeads } = this.#web
    const stack = this.#stack
    this.#reached[page] = 1
    stack[0] = page
    for (let depth = 1; depth > 0;) {
      const at = stack[--depth]!
      for (let i = linkStarts[at]!; i < linkStarts[at + 1]!; i++) {
        const head = linkHeads[i]!
        if (this.#reached[head] === 1) continue
        this.#reached[head] = 1
        stack[depth++] = head
      }
    }
  }
}

interface PageCountRules {
  hosts: number
  /** Of all hosts together, met exactly. */
  pages: number
  /** Of the densest host, met exactly. */
  densest: number
}

/**
 * How many pages each host has: a power law between one page and those of the densest host, with the mean
 * that is asked for. Drawn in strata (one host from each n-th of the distribution), so that seeds differ in
 * detail but not by a lucky giant.
 * The densest host comes first, the others in any order.
 */
function drawPageCounts(rules: PageCountRules, random: Random): Int32Array {
  const { hosts, densest } = rules
  const exponent = exponentFor(rules)
  const counts = new Int32Array(hosts)
  counts[0] = densest
  for (let i = 1; i < hosts; i++) {
    const share = (i - 1 + random.below(1_000_000) / 1_000_000) / (hosts - 1)
    counts[i] = Math.min(densest - 1, Math.round(boundedPareto(share, exponent, densest)))
  }
  random.shuffle(counts.subarray(1))
  meetTotal(counts, rules, random)
  return counts
}

/** The value below which the share lies, for densities x^(−exponent − 1) between 1 and `most`. */
function boundedPareto(share: number, exponent: number, most: number): number {
  return (1 - share * (1 - most ** -exponent)) ** (-1 / exponent)
}

/** By bisection: a steeper law has fewer pages. */
function exponentFor({ hosts, pages, densest }: PageCountRules): number {
  let [low, high] = [0.01, 4]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    let sum = densest
    for (let i = 1; i < hosts; i++) sum += boundedPareto((i - 0.5) / (hosts - 1), middle, densest)
    if (sum > pages) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** What rounding and chance left over is made good a hundredth at a time, on hosts drawn by lot. */
function meetTotal(
  counts: Int32Array,
  { pages, densest, hosts }: PageCountRules,
  random: Random,
): void {
  let missing = pages - counts.reduce((sum, count) => sum + count, 0)
  while (missing !== 0) {
    const host = 1 + random.below(hosts - 1)
    const step = Math.max(1, Math.floor(counts[host]! / 100))
    const change = missing > 0 ? Math.min(step, missing) : -Math.min(step, -missing)
    const changed = counts[host]! + change
    if (changed < 1 || changed >= densest) continue
    counts[host] = changed
    missing -= change
  }
}
