/**
 * The graph that is partitioned, at three grains: pages, the hosts they are on, the addresses that hosts
 * share. Coarsening adds up: pages in groups, links between them, and links that come to lie inside of
 * one; so no page and no link is ever lost. O(vertices + arcs).
 */
import { graphOfEdges } from '../graph/build.ts'
import type { Graph } from '../graph/graph.ts'
import { BadDistanceInput } from './errors.ts'
import type { CrawlTotals } from './graph-batches.ts'

/** Links are counted by direction: who finds a URL is not who owns it. */
export interface CrawlGraph {
  pages: Float64Array
  /** Links from a vertex to itself. */
  insideLinks: Float64Array
  tails: Int32Array
  heads: Int32Array
  /** Links from tail to head, each pair of different vertices once. */
  links: Float64Array
}

export interface NamedCrawlGraph extends CrawlGraph {
  names: string[]
}

/** One vertex per page. */
export function pageGraph(pages: number, tails: Int32Array, heads: Int32Array): CrawlGraph {
  return gathered({
    pages: new Float64Array(pages).fill(1),
    insideLinks: new Float64Array(pages),
    tails,
    heads,
    links: new Float64Array(tails.length).fill(1),
  })
}

/** One vertex per host, in the order of their names; those only linked to have no pages yet. */
export function hostGraph({ pages, links }: CrawlTotals): NamedCrawlGraph {
  const names = [
    ...new Set([...pages.map(([host]) => host), ...links.flatMap(([from, to]) => [from, to])]),
  ].toSorted()
  const index = new Map(names.map((name, vertex) => [name, vertex]))
  const counts = new Float64Array(names.length)
  for (const [host, count] of pages) counts[index.get(host)!]! += count
  const graph = gathered({
    pages: counts,
    insideLinks: new Float64Array(names.length),
    tails: Int32Array.from(links, ([from]) => index.get(from)!),
    heads: Int32Array.from(links, ([, to]) => index.get(to)!),
    links: Float64Array.from(links, ([, , count]) => count),
  })
  return { names, ...graph }
}

/** A vertex per group: `groupOf` says in which each vertex is, from 0 up to `groups` − 1. */
export function coarsenCrawl(graph: CrawlGraph, groupOf: Int32Array, groups: number): CrawlGraph {
  checkGroups(groupOf, { vertices: graph.pages.length, groups })
  return gathered({
    pages: summed(graph.pages, groupOf, groups),
    insideLinks: summed(graph.insideLinks, groupOf, groups),
    tails: graph.tails.map((tail) => groupOf[tail]!),
    heads: graph.heads.map((head) => groupOf[head]!),
    links: graph.links,
  })
}

/** What a partitioner takes: both directions of a link are one edge, vertices weigh their pages. */
export function linkGraph({ pages, tails, heads, links }: CrawlGraph): Graph {
  return graphOfEdges({ vertices: pages.length, weights: pages }, { tails, heads, weights: links })
    .graph
}

export function checkGroups(
  groupOf: Int32Array,
  { vertices, groups }: { vertices: number; groups: number },
): void {
  if (groupOf.length !== vertices) {
    throw new BadDistanceInput(`${groupOf.length} vertices are grouped, not ${vertices}`)
  }
  const wrong = groupOf.find((group) => group < 0 || group >= groups)
  if (wrong !== undefined) throw new BadDistanceInput(`There is no group ${wrong} of ${groups}`)
}

function summed(values: Float64Array, groupOf: Int32Array, groups: number): Float64Array {
  const sums = new Float64Array(groups)
  for (const [vertex, value] of values.entries()) sums[groupOf[vertex]!]! += value
  return sums
}

/** Equal arcs become one, sorted by tail; loops go inside. */
function gathered(graph: CrawlGraph): CrawlGraph {
  const { pages } = graph
  const insideLinks = graph.insideLinks.slice()
  for (const [i, tail] of graph.tails.entries()) {
    if (tail === graph.heads[i]) insideLinks[tail]! += graph.links[i]!
  }
  return { pages, insideLinks, ...merged(pages.length, byTail(graph)) }
}

type Arcs = Pick<CrawlGraph, 'tails' | 'heads' | 'links'>

/** A counting sort, without the loops. */
function byTail({ pages, tails, heads, links }: CrawlGraph): Arcs {
  const next = new Int32Array(pages.length + 1)
  let arcs = 0
  for (const [i, tail] of tails.entries()) {
    if (tail === heads[i]) continue
    next[tail + 1]!++
    arcs++
  }
  for (let v = 0; v < pages.length; v++) next[v + 1]! += next[v]!
  const sorted = {
    tails: new Int32Array(arcs),
    heads: new Int32Array(arcs),
    links: new Float64Array(arcs),
  }
  for (const [i, tail] of tails.entries()) {
    if (tail === heads[i]) continue
    const at = next[tail]!++
    sorted.tails[at] = tail
    sorted.heads[at] = heads[i]!
    sorted.links[at] = links[i]!
  }
  return sorted
}

/** In place; `places` tells where the arc to a head stands, if the row has one already. */
function merged(vertices: number, { tails, heads, links }: Arcs): Arcs {
  const places = new Int32Array(vertices).fill(-1)
  let written = 0
  let rowStart = 0
  for (let i = 0; i < tails.length; i++) {
    const [tail, head] = [tails[i]!, heads[i]!]
    if (i > 0 && tails[i - 1] !== tail) rowStart = written
    const place = places[head]!
    if (place >= rowStart) links[place]! += links[i]!
    else {
      places[head] = written
      tails[written] = tail
      heads[written] = head
      links[written] = links[i]!
      written++
    }
  }
  return {
    tails: tails.slice(0, written),
    heads: heads.slice(0, written),
    links: links.slice(0, written),
  }
}
