/** Synthetic, deterministic uploads as the collector receives them, and what they add up to. */
import { CrawlCounts, GraphBatcher, Random, type CrawlTotals } from '@minga/partition'
import { hostKeyOf } from '@minga/net'
import type { CapturedResult } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { CommittedUpload } from '../../../src/placement/graph/crawl-graph-collector.ts'
import {
  hostLinks,
  hostPages,
  hostTimes,
  type HostTimes,
} from '../../../src/placement/graph/graph-iterators.ts'
import type { Operations } from '../../../src/station/station-operations.ts'

export function capturedPage(url: string, more: Partial<CapturedResult> = {}): CapturedResult {
  return {
    type: 'captured',
    fence: 1,
    collectionId: 1,
    hostId: 1,
    hash: 1,
    kind: 'page',
    url,
    status: 200,
    capturedAt: 0,
    endedAgoMs: 0,
    connectMs: 12,
    firstByteMs: 40,
    totalMs: 50,
    record: 'response',
    mime: 'text/html',
    digest: '',
    payloadBytes: 1,
    members: [1],
    retryAfterMs: null,
    location: null,
    etag: null,
    lastModified: null,
    title: null,
    nofollow: false,
    links: [],
    embeds: [],
    sitemaps: [],
    body: null,
    ...more,
  }
}

export function takenOf(pages: readonly CapturedResult[], device = 'dev_1'): CommittedUpload {
  return { device, fetched: pages, pages, takesEmbeds: () => false }
}

const HOSTS = 40

/** Ten pages on some of forty hosts, with twelve links each. */
export function madeUpload(seed: number): CommittedUpload {
  const random = new Random(seed)
  const host = (): string => `h${random.below(HOSTS)}.example`
  const results = Array.from({ length: 10 }, (_, page) => {
    const home = `http://${host()}`
    const links = Array.from({ length: 12 }, (_link, n) =>
      n % 3 === 0 ? `https://${host()}/${n}` : `${home}/${n}`,
    )
    return capturedPage(`${home}/${seed}/${page}`, { links, connectMs: 1 + random.below(200) })
  })
  return takenOf(results, `dev_${seed % 3}`)
}

/** What the tables must say after these uploads. */
export function totalsOf(uploads: readonly CommittedUpload[]): CrawlTotals {
  const batcher = new GraphBatcher('all')
  const counts = new CrawlCounts()
  for (const { pages } of uploads) {
    for (const { url, links } of pages) batcher.addPage(hostKeyOf(url), links.map(hostKeyOf))
  }
  const batch = batcher.take()
  if (batch !== null) counts.apply(batch)
  return sorted(counts.totals())
}

export function sorted({ pages, links }: Pick<CrawlTotals, 'pages' | 'links'>): CrawlTotals {
  const key = (entry: readonly unknown[]): string => JSON.stringify(entry.slice(0, -1))
  const byKey = (a: readonly unknown[], b: readonly unknown[]): number => (key(a) < key(b) ? -1 : 1)
  return { pages: pages.toSorted(byKey), links: links.toSorted(byKey), sequences: [] }
}

/** Everything, by the iterators. */
export async function readTables(
  store: Calls<Operations>,
  pageRows = 50,
): Promise<CrawlTotals & { times: HostTimes[] }> {
  const [pages, links, times] = await Promise.all([
    Array.fromAsync(hostPages(store, pageRows)),
    Array.fromAsync(hostLinks(store, pageRows)),
    Array.fromAsync(hostTimes(store, pageRows)),
  ])
  const totals = sorted({
    pages: pages.flat().map(({ host, pages: count }) => [host, count]),
    links: links.flat().map(({ from_host: from, to_host: to, links: count }) => [from, to, count]),
  })
  return { ...totals, times: times.flat() }
}
