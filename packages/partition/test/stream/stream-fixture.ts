/** A small web for tests: communities of hosts of very unlike sizes, with hubs that all link to. */
import { graphOfEdges } from '../../src/graph/build.ts'
import type { Graph } from '../../src/graph/graph.ts'
import { Random } from '../../src/random.ts'
import type { Arrival, StreamPlacer } from '../../src/stream/stream-placer.ts'

export interface WebShape {
  hosts: number
  communities: number
  /** Links that each host brings. */
  links: number
  /** Of 100 links so many stay in the community. */
  inside: number
  seed: number
}

export function plantedWeb({ hosts, communities, links, inside, seed }: WebShape): Graph {
  const random = new Random(seed)
  const community = Int32Array.from({ length: hosts }, () => random.below(communities))
  const members: number[][] = Array.from({ length: communities }, () => [])
  for (const [host, of] of community.entries()) members[of]!.push(host)
  const tails: number[] = []
  const heads: number[] = []
  for (let host = 0; host < hosts; host++) {
    const own = members[community[host]!]!
    for (let i = 0; i < links; i++) {
      const isInside = random.below(100) < inside
      tails.push(host)
      // Squared chance prefers the first of a community, cubed the first of all: they become hubs.
      heads.push(isInside ? own[skewed(random, own.length, 2)]! : skewed(random, hosts, 3))
    }
  }
  return graphOfEdges(
    { vertices: hosts },
    { tails: Int32Array.from(tails), heads: Int32Array.from(heads), weights: null },
  ).graph
}

function skewed(random: Random, limit: number, power: number): number {
  return Math.floor((random.below(1_000_000) / 1_000_000) ** power * limit)
}

/** The host as a crawl finds it: with links to the hosts known by then. */
export function arrivalOf(graph: Graph, host: number): Arrival {
  const [start, end] = [graph.starts[host]!, graph.starts[host + 1]!]
  return {
    host,
    weight: graph.vertexWeights[host]!,
    neighbours: graph.heads.subarray(start, end),
    linkWeights: graph.edgeWeights.subarray(start, end),
    costs: null,
  }
}

/** The order in which a crawl of the first host finds all others; what nothing links to comes last. */
export function crawlOrder(graph: Graph): number[] {
  const order: number[] = []
  const seen = new Uint8Array(graph.vertices)
  for (let root = 0; root < graph.vertices; root++) {
    if (seen[root] === 1) continue
    seen[root] = 1
    order.push(root)
    for (let at = order.length - 1; at < order.length; at++) {
      const host = order[at]!
      for (let a = graph.starts[host]!; a < graph.starts[host + 1]!; a++) {
        if (seen[graph.heads[a]!] === 1) continue
        seen[graph.heads[a]!] = 1
        order.push(graph.heads[a]!)
      }
    }
  }
  return order
}

export function partsOf(placer: StreamPlacer, hosts: number): Int32Array {
  return Int32Array.from({ length: hosts }, (_, host) => placer.partOf(host))
}
