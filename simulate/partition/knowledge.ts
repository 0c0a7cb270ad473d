/** What an allocator knows of the web: hosts with their pages and links, exactly, roughly, or as far as crawled. */
import { coarsenCrawl, type NamedCrawlGraph } from '@minga/partition'
import { logNormal } from '../fleet/draws.ts'
import type { Workload } from './workload.ts'

/** Everything: as if the crawl had been done before. O(links). */
export function fullKnowledge(workload: Workload): NamedCrawlGraph {
  return graphOf(workload, null, null)
}

/** What a crawl has come to know: links of fetched pages, and pages that were found. */
export function stageKnowledge(
  workload: Workload,
  { fetched, found }: { fetched: Uint8Array; found: Uint8Array },
): NamedCrawlGraph {
  return graphOf(workload, fetched, found)
}

/** Counts of pages that are wrong by a factor, `sigma` being the spread of its logarithm. */
export function noisyKnowledge(
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
