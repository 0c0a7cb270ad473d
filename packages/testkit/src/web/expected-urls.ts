/**
 * What a perfect crawl finds: it obeys robots.txt, retries what is worth retrying, follows every
 * link and redirect, and has no limits. URLs whose fate depends on limits or policy (traps, bombs,
 * malformed answers, pages behind nofollow) are left out: a test may neither demand nor forbid them.
 */

import type { WebModel } from './model.ts'
import { declaredSitemaps, isAllowed } from './robots.ts'
import type { Site } from './site.ts'
import { FEEDS } from './sitemaps.ts'

export interface Expectation {
  /** Read sitemaps named in robots.txt, and feeds. Default true. */
  sitemaps?: boolean
  /** Only final 2xx answers, no redirects or errors. Default false. */
  onlyPages?: boolean
}

interface Found {
  url: string
  status: number
}

export function expectedUrls(
  model: WebModel,
  seeds: readonly string[],
  { sitemaps = true, onlyPages = false }: Expectation = {},
): string[] {
  const found: Found[] = []
  const seen = new Set<string>()
  const visitedSites = new Set<Site>()
  const queue: { url: string; site: Site; path: string }[] = []

  const add = (link: string, from?: Site): void => {
    const at = locate(model, link, from)
    if (!at || seen.has(at.url)) return
    seen.add(at.url)
    if (isAllowed(at.site, at.path)) queue.push(at)
  }

  for (const seed of seeds) add(seed)
  // The queue grows while it is walked.
  for (const { url, site, path } of queue) {
    const answer = model.answer(site, path)
    if (answer.captured !== 'surely') continue
    found.push({ url, status: answer.status })
    if (sitemaps && !visitedSites.has(site)) {
      visitedSites.add(site)
      for (const sitemap of declaredSitemaps(site)) add(sitemap, site)
    }
    if (!sitemaps && FEEDS.includes(path)) continue
    const base = path.startsWith('/p/') ? undefined : url
    for (const link of answer.links()) add(base === undefined ? link : absolute(link, base), site)
  }
  return found
    .filter(({ status }) => !onlyPages || (status >= 200 && status < 300))
    .map(({ url }) => url)
}

function absolute(link: string, base: string): string {
  return link.startsWith('/') || link.startsWith('http') ? link : new URL(link, base).href
}

/** Links here are written by us, so cutting text is exact and far cheaper than parsing. */
function locate(
  model: WebModel,
  link: string,
  from: Site | undefined,
): { url: string; site: Site; path: string } | undefined {
  if (link.startsWith('/') && from) return { url: from.origin + link, site: from, path: link }
  const slash = link.indexOf('/', 'http://'.length)
  const site = slash < 0 ? undefined : model.sites.ofHostHeader(link.slice('http://'.length, slash))
  return site && { url: link, site, path: link.slice(slash) }
}
