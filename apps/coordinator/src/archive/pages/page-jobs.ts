/** What is read from pages, by name of the job: functions of plain data, so that any thread can do them. */
import {
  BadSketch,
  decodeSketch,
  diffPages,
  encodeSketch,
  judgePage,
  pageText,
  sketchOf,
  twinEvidence,
  type NoiseMask,
  type PageBody,
  type PageDiff,
  type Selectors,
  type Sketch,
  type TwinEvidence,
} from '@minga/forecast'
import type { PageFacts } from '@minga/fleet'
import {
  decodeText,
  discoverSources,
  extractLinks,
  parseFeed,
  parseSitemap,
  type Feed,
  type FeedOptions,
  type ReceivedDocument,
  type Sitemap,
  type Sources,
} from '@minga/net'
import { pageFactsOf } from '../page-facts.ts'

interface SketchedPage {
  page: PageBody
  selectors: Selectors
}

interface Document {
  url: string
  body: Uint8Array
}

type FactsArgs = Omit<ReceivedDocument, 'body'> & Pick<Document, 'body'> & { digest: string }

export const PAGE_JOBS = {
  /** What a visit saw, judged by what counted before; a reason says why it must not be compared. */
  visit: ({
    page,
    selectors,
    before,
  }: SketchedPage & { before: Uint8Array | null }): {
    sketch: Uint8Array
    reason: string | null
  } => {
    const sketch = sketchOf(page, selectors)
    const { counts, reason } = judgePage(page, sketch, before && sketchIn(before))
    return { sketch: encodeSketch(sketch), reason: counts ? null : reason }
  },
  sketch: ({ page, selectors }: SketchedPage): Uint8Array =>
    encodeSketch(sketchOf(page, selectors)),
  /** What the second fetch of a pair shows. */
  twin: ({ page, selectors, first }: SketchedPage & { first: PageBody }): TwinEvidence | null =>
    twinEvidence(first, page, selectors),
  /** What changed from the first page to the other. */
  diff: ({
    page,
    first,
    selectors,
    mask,
  }: SketchedPage & { first: PageBody; mask: NoiseMask | null }): PageDiff =>
    diffPages(first, page, { selectors, mask }),
  /** What people read on a page; null when it is no text. */
  text: ({ page }: { page: PageBody }): string | null => pageText(page),
  /** The addresses that a page links to, each once. */
  links: ({ url, body, most }: Document & { most: number }): string[] => {
    const text = Buffer.from(body).toString('utf8')
    const { links } = extractLinks({ text, url, linkHeaders: [] })
    return [...new Set(links.map((link) => link.url))].slice(0, most)
  },
  /** What two fetches of one address are compared by. */
  facts: ({ digest, body, ...received }: FactsArgs): PageFacts =>
    pageFactsOf({ ...received, body: Buffer.from(body) }, digest),
  feed: ({ url, body, options }: Document & { options: FeedOptions }): Feed =>
    parseFeed(body, url, options),
  sitemap: ({ url, body }: Document): Sitemap => parseSitemap(body, { baseUrl: url }),
  /** Where a page says that its changes are reported. */
  sources: ({
    url,
    body,
    contentType,
    linkHeaders,
  }: Document & { contentType: string | undefined; linkHeaders: readonly string[] }): Sources => {
    const { text } = decodeText(Buffer.from(body), contentType)
    return discoverSources({ text, url, linkHeaders })
  },
}

export type PageJobs = typeof PAGE_JOBS
export type PageJobName = keyof PageJobs
export type PageJobArgs<N extends PageJobName> = Parameters<PageJobs[N]>[0]
export type PageJobResult<N extends PageJobName> = ReturnType<PageJobs[N]>

function sketchIn(bytes: Uint8Array): Sketch | null {
  try {
    return decodeSketch(bytes)
  } catch (error) {
    if (error instanceof BadSketch) return null
    throw error
  }
}

/** Calls the job of that name; TypeScript cannot follow a name to its arguments. */
export function doPageJob<N extends PageJobName>(name: N, args: PageJobArgs<N>): PageJobResult<N> {
  const job = PAGE_JOBS[name] as (args: PageJobArgs<N>) => PageJobResult<N>
  return job(args)
}
