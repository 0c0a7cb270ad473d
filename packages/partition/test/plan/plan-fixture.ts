/** Small crawls for tests of plans: communities of hosts, parts of equal capacity, distances by hand. */
import { hostGraph, type NamedCrawlGraph } from '../../src/distance/crawl-graph.ts'
import type { Nearness } from '../../src/distance/nearness.ts'
import { Random } from '../../src/random.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { PlanPart } from '../../src/plan/plan-input.ts'

export function crawlOf(
  pages: Record<string, number>,
  links: readonly (readonly [string, string, number])[],
): NamedCrawlGraph {
  return hostGraph({
    pages: Object.entries(pages),
    links: links.map((link) => [...link]),
    sequences: [],
  })
}

/** Hosts h0 … of ten pages each; nine links in ten stay in the community `number mod communities`. */
export function communitiesOf(hosts: number, communities: number, seed = 1): NamedCrawlGraph {
  const random = new Random(seed)
  const links: [string, string, number][] = []
  for (let host = 0; host < hosts; host++) {
    for (let i = 0; i < 8; i++) {
      const peer =
        (host % communities) + communities * random.below(Math.floor(hosts / communities))
      const other = random.below(10) === 0 ? random.below(hosts) : peer
      if (other !== host) links.push([nameOf(host), nameOf(other), 1 + random.below(3)])
    }
  }
  const pages = Object.fromEntries(Array.from({ length: hosts }, (_, host) => [nameOf(host), 10]))
  return crawlOf(pages, links)
}

export function nameOf(host: number): string {
  return `h${String(host).padStart(5, '0')}.example`
}

export function partsNamed(...names: string[]): PlanPart[] {
  return names.map((name) => ({ name, capacity: 1 }))
}

export function latencyOf(rows: readonly (readonly number[])[]): Nearness {
  return {
    agents: rows[0]!.length,
    vertices: rows.length,
    values: Float64Array.from(rows.flat()),
    unknown: 0,
  }
}

/** The placement that the next plan receives from this one. */
export function placementOf({ names }: NamedCrawlGraph, plan: Plan): Map<string, string> {
  return new Map(names.map((name, host) => [name, plan.parts[plan.partOf[host]!]!.name]))
}
