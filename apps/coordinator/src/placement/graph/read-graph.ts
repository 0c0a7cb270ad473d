/** The host graph of the station as a partitioner takes it, with the addresses that hosts share. */
import { coarsenCrawl, type NamedCrawlGraph } from '@minga/partition'
import type { Calls } from '@minga/store'
import { hostAddresses, hostLinks, hostPages } from './graph-iterators.ts'
import type { Operations } from '../../station/station-operations.ts'

export interface HostGraph extends NamedCrawlGraph {
  /** In the order of `names`; null: not known (yet). */
  addresses: (string | null)[]
}

/**
 * Names become numbers page by page, so that two million links take the room of their numbers.
 * Flushes go on in the meantime: a link counts as it is when its page is read. One vertex per host,
 * in the order of their names; those only linked to have no pages yet.
 */
export async function readHostGraph(store: Calls<Operations>): Promise<HostGraph> {
  const numbers = new Map<string, number>()
  const numberOf = (name: string): number => {
    const known = numbers.get(name)
    if (known !== undefined) return known
    numbers.set(name, numbers.size)
    return numbers.size - 1
  }
  const pages: number[] = []
  for await (const rows of hostPages(store)) {
    for (const row of rows) pages[numberOf(row.host)] = row.pages
  }
  const arcs = { tails: [] as number[], heads: [] as number[], links: [] as number[] }
  for await (const rows of hostLinks(store)) {
    for (const { from_host: from, to_host: to, links } of rows) {
      arcs.tails.push(numberOf(from))
      arcs.heads.push(numberOf(to))
      arcs.links.push(links)
    }
  }
  const names = [...numbers.keys()].toSorted()
  return {
    names,
    ...inOrder(names, numbers, { pages, ...arcs }),
    addresses: await addressesOf(store, names),
  }
}

function inOrder(
  names: readonly string[],
  numbers: ReadonlyMap<string, number>,
  met: { pages: number[]; tails: number[]; heads: number[]; links: number[] },
): Omit<NamedCrawlGraph, 'names'> {
  const rankOf = new Int32Array(names.length)
  for (const [rank, name] of names.entries()) rankOf[numbers.get(name)!] = rank
  const asMet = {
    pages: Float64Array.from(names, (_, vertex) => met.pages[vertex] ?? 0),
    insideLinks: new Float64Array(names.length),
    tails: Int32Array.from(met.tails),
    heads: Int32Array.from(met.heads),
    links: Float64Array.from(met.links),
  }
  return coarsenCrawl(asMet, rankOf, names.length)
}

async function addressesOf(
  store: Calls<Operations>,
  names: readonly string[],
): Promise<HostGraph['addresses']> {
  const ranks = new Map(names.map((name, rank) => [name, rank]))
  const addresses: HostGraph['addresses'] = names.map(() => null)
  for await (const rows of hostAddresses(store)) {
    for (const { name, address } of rows) {
      const rank = ranks.get(name)
      if (rank !== undefined) addresses[rank] = address
    }
  }
  return addresses
}
