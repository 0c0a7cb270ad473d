/**
 * Links from page to page, as columns. One page in five has links, about 21.6 of them; most stay on the
 * host, and the larger a host, the more. Links that leave go mostly to hosts of the same community. Every
 * page is linked from an earlier page with links of its host, so a crawl from the front page finds all.
 */
import type { Random } from '@minga/partition'
import { unit } from './world.ts'

/** Draws an index with chances in proportion to weights: a sum over all before it, and a search. O(log n). */
class WeightedDraw {
  readonly #sums: Float64Array

  constructor(weights: Float64Array) {
    this.#sums = new Float64Array(weights.length)
    let sum = 0
    for (let i = 0; i < weights.length; i++) this.#sums[i] = sum += weights[i]!
  }

  /** `share` is uniform in [0, 1). */
  draw(share: number): number {
    const sums = this.#sums
    const wanted = share * (sums.at(-1) ?? 0)
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}

export interface HostColumns {
  pageCounts: Int32Array
  /** Of host h: pages firstPage[h] … firstPage[h + 1] − 1, the front page first. */
  firstPage: Int32Array
  communityOf: Int32Array
  communities: number
}

export interface LinkRules {
  linkingShare: number
  /** Links of such a page, on average. */
  linksPerPage: number
  /** Share of all links that stay on their host. */
  insideShare: number
  /** Of links to other hosts, the share that stays in the community. */
  communityShare: number
}

export interface PageLinks {
  /** Of page p: heads linkStarts[p] … linkStarts[p + 1] − 1. */
  linkStarts: Int32Array
  linkHeads: Int32Array
}

/** How fast the share of links that leave falls with the size of the host. */
const SELF_CENTRED = 0.15
const MOST_OUTSIDE = 0.8
/** Popularity grows more slowly than size. */
const POPULARITY = 0.5
/** Links to other hosts often greet the front page. */
const FRONT_SHARE = 0.4

export function drawPageLinks(hosts: HostColumns, rules: LinkRules, random: Random): PageLinks {
  const { pageCounts, firstPage } = hosts
  const pages = firstPage.at(-1)!
  const linkStarts = drawCounts(hosts, rules, random)
  const linkHeads = new Int32Array(linkStarts[pages]!).fill(-1)
  const outside = outsideShares(pageCounts, rules)
  const targets = new Targets(hosts, rules, random)
  for (let host = 0; host < pageCounts.length; host++) {
    const span = { from: firstPage[host]!, to: firstPage[host + 1]! }
    tieTree(span, linkStarts, linkHeads)
    for (let page = span.from; page < span.to; page++) {
      const end = linkStarts[page + 1]!
      for (let at = linkStarts[page]!; at < end; at++) {
        if (linkHeads[at]! >= 0) continue
        linkHeads[at] =
          unit(random) < outside[host]!
            ? targets.outside(host)
            : span.from + random.below(span.to - span.from)
      }
    }
  }
  return { linkStarts, linkHeads }
}

/** Front pages always have links, others by lot. */
function drawCounts(
  { firstPage, pageCounts }: HostColumns,
  rules: LinkRules,
  random: Random,
): Int32Array {
  const pages = firstPage.at(-1)!
  const hosts = pageCounts.length
  const others = Math.max(0, (rules.linkingShare * pages - hosts) / Math.max(1, pages - hosts))
  const linkStarts = new Int32Array(pages + 1)
  for (let host = 0; host < hosts; host++) {
    const from = firstPage[host]!
    // Without a page that links there would be no way to the later ones.
    let reach = 1
    for (let page = from; page < firstPage[host + 1]!; page++) {
      const isLast = page - from + 1 >= reach
      const links =
        page === from || isLast || unit(random) < others ? countOf(rules.linksPerPage, random) : 0
      reach += Math.floor(links * TREE_SHARE)
      linkStarts[page + 1] = linkStarts[page]! + links
    }
  }
  return linkStarts
}

/** From a third of the mean to five thirds, evenly: the least has room for a few children. */
function countOf(mean: number, random: Random): number {
  return Math.round(mean * (1 / 3 + (4 / 3) * unit(random)))
}

/** Of a page's links, what may be spent on making later pages reachable. */
const TREE_SHARE = 0.5

/** Pages in their order become children of pages in theirs, so each is found by an earlier one. */
function tieTree(
  { from, to }: { from: number; to: number },
  linkStarts: Int32Array,
  linkHeads: Int32Array,
): void {
  let parent = from
  let used = 0
  for (let page = from + 1; page < to; page++) {
    while (used >= Math.floor((linkStarts[parent + 1]! - linkStarts[parent]!) * TREE_SHARE)) {
      parent++
      used = 0
    }
    linkHeads[linkStarts[parent]! + used++] = page
  }
}

/**
 * Share of a host's links, in addition to those of its tree, that leave: c · pages^−0.15, with c such that all
 * together keep to `insideShare`.
 */
function outsideShares(pageCounts: Int32Array, rules: LinkRules): Float64Array {
  const total = pageCounts.reduce((sum, count) => sum + count, 0)
  // A tree has a link less than pages.
  const links = total * rules.linkingShare * rules.linksPerPage
  const freeShare = 1 - total / links
  const wanted = (1 - rules.insideShare) / freeShare
  let [low, high] = [0, 1 / SELF_CENTRED]
  const share = (count: number, c: number): number =>
    Math.min(MOST_OUTSIDE, c * count ** -SELF_CENTRED)
  for (let step = 0; step < 50; step++) {
    const c = (low + high) / 2
    let sum = 0
    for (const count of pageCounts) sum += count * share(count, c)
    if (sum / total < wanted) low = c
    else high = c
  }
  return Float64Array.from(pageCounts, (count) => share(count, low))
}

/** Pages of other hosts that links lead to. */
class Targets {
  readonly #hosts: HostColumns
  readonly #random: Random
  readonly #communityShare: number
  readonly #everywhere: WeightedDraw
  readonly #members: Int32Array[]
  readonly #within: WeightedDraw[]

  constructor(hosts: HostColumns, { communityShare }: LinkRules, random: Random) {
    const { pageCounts, communityOf, communities } = hosts
    this.#hosts = hosts
    this.#random = random
    this.#communityShare = communityShare
    const popularity = Float64Array.from(pageCounts, (count) => count ** POPULARITY)
    const all = [...communityOf.keys()]
    const byCommunity = Map.groupBy(all, (host) => communityOf[host]!)
    this.#members = Array.from({ length: communities }, (_, c) =>
      Int32Array.from(byCommunity.get(c) ?? []),
    )
    this.#everywhere = new WeightedDraw(popularity)
    this.#within = this.#members.map(
      (members) => new WeightedDraw(Float64Array.from(members, (host) => popularity[host]!)),
    )
  }

  outside(host: number): number {
    const target = this.#hostFrom(host)
    const { firstPage, pageCounts } = this.#hosts
    const random = this.#random
    if (unit(random) < FRONT_SHARE) return firstPage[target]!
    return firstPage[target]! + random.below(pageCounts[target]!)
  }

  #hostFrom(host: number): number {
    const random = this.#random
    const community = this.#hosts.communityOf[host]!
    const members = this.#members[community]!
    const stays = members.length > 1 && unit(random) < this.#communityShare
    for (;;) {
      const target = stays
        ? members[this.#within[community]!.draw(unit(random))]!
        : this.#everywhere.draw(unit(random))
      if (target !== host || this.#hosts.pageCounts.length === 1) return target
    }
  }
}
