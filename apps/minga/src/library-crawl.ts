/** `crawl` of the library: what `minga crawl` does, for a program instead of a terminal. */
import { systemClock, type CollectionStart, type CollectionStatus } from '@minga/protocol'
import { resolve } from 'node:path'
import { requireAllowed, typedAddresses } from './addresses.ts'
import { followCollection } from './follow-collection.ts'
import type { CrawlCounts, CrawlOptions, CrawlSummary } from './library.ts'
import { patiently, reachStation, throughStation, type ReachedStation } from './reach-station.ts'

const POLL_MS = 200

export async function runCrawl(typed: string[], options: CrawlOptions): Promise<CrawlSummary> {
  const urls = typedAddresses('crawl', typed)
  options.signal?.throwIfAborted()
  const data = resolve(options.data ?? 'minga-data')
  const { contact, concurrency, allowPrivateAddresses = false } = options
  await requireAllowed(urls, { data, allowPrivateAddresses })
  const startedMs = systemClock.monotonicMs()
  const reach = (): Promise<ReachedStation> =>
    reachStation({
      data,
      allowPrivateAddresses,
      isQuiet: true,
      ...(contact === undefined ? {} : { contact }),
      ...(concurrency === undefined ? {} : { concurrency }),
    })
  const ended = await throughStation(reach, (station) => crawlThrough(station, urls, options))
  const seconds = (systemClock.monotonicMs() - startedMs) / 1_000
  const { errors } = ended
  const archive = resolve(data, 'archive')
  return { ...countsOf(ended), outcome: ended.outcome ?? 'stopped', errors, seconds, archive }
}

async function crawlThrough(
  station: ReachedStation,
  urls: string[],
  { signal = new AbortController().signal, onProgress, ...options }: CrawlOptions,
): Promise<CollectionStatus> {
  try {
    const collection = await patiently(station, () =>
      station.api.post<CollectionStatus>('/collections', requestOf(urls, options)),
    )
    const onStatus = (status: CollectionStatus): void => onProgress?.(countsOf(status))
    return await followCollection(station, collection, { everyMs: POLL_MS, signal, onStatus })
  } finally {
    await station.stop()
  }
}

/** What is not named is as the station has it by default; what is named also holds for one that is continued. */
function requestOf(seeds: string[], options: CrawlOptions): CollectionStart {
  const { scope, maxPages, maxDepth, delayMs, include = [], exclude = [] } = options
  return {
    seeds,
    existing: 'change',
    include: [...include],
    exclude: [...exclude],
    ...(scope === undefined ? {} : { scope }),
    ...(maxPages === undefined ? {} : { maxPages }),
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(delayMs === undefined ? {} : { delayMs }),
  }
}

function countsOf(status: CollectionStatus): CrawlCounts {
  const { pages, captures, bytes, failed, denied, duplicates, queued: left } = status
  return { pages, captures, bytes, failed, denied, duplicates, left }
}
