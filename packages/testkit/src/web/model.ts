/**
 * The fake web without a network: which answer belongs to which host and path.
 * The server says these answers aloud; `expected-urls.ts` walks them to know what a crawl must find.
 */
import { hangingAnswer, resetAnswer, textAnswer, type Answer } from './answer.ts'
import { soft404Answer } from './contents.ts'
import { entriesOf, featureAnswer } from './features.ts'
import { imageBytes, makePages } from './pages.ts'
import { robotsAnswer } from './robots.ts'
import { behaviourOf, type Site, type Sites } from './site.ts'
import type { FullSpec } from './spec.ts'

const HTML = ['content-type', 'text/html; charset=utf-8']

export interface WebModel {
  sites: Sites
  answer(site: Site, path: string): Answer
  /** The page's number, for paths `/p/N` that exist. */
  pageNumber(path: string): number | undefined
}

export function makeModel(spec: FullSpec, sites: Sites): WebModel {
  const pages = makePages(spec, sites)
  const cache = makeBodyCache(spec.cacheBytes)

  const pageNumber = (path: string): number | undefined => {
    if (!path.startsWith('/p/')) return undefined
    const digits = path.slice(3)
    const number = Number(digits)
    const exists = Number.isInteger(number) && number >= 0 && number < spec.pagesPerHost
    // Comparing the text again refuses 007, 1e3 and the like: one address per page.
    return exists && String(number) === digits ? number : undefined
  }

  const ordinaryPage = (site: Site, page: number): Answer => {
    const further = page === 0 ? entriesOf(site) : []
    return {
      status: 200,
      headers: HTML,
      body: () =>
        cache.get(site.index * spec.pagesPerHost + page, () => pages.body(site, page, further)),
      links: () => [...pages.linksOf(site, page), ...further, ...pages.embedsOf(page)],
      captured: 'surely',
    }
  }

  return {
    sites,
    pageNumber,
    answer: (site, path) => {
      const down = behaviourOf(site, 'down')
      if (down) return down.how === 'hang' ? hangingAnswer() : resetAnswer()
      const page = pageNumber(path)
      if (page !== undefined) return ordinaryPage(site, page)
      return (
        robotsAnswer(sites, site, path) ??
        featureAnswer(sites, site, path) ??
        (spec.embeds ? embedAnswer(site, path) : undefined) ??
        missing(site)
      )
    },
  }
}

function embedAnswer(site: Site, path: string): Answer | undefined {
  if (path === '/style.css') {
    const style = textAnswer(200, 'text/css', 'body { background: url("/img/background.png") }\n')
    return { ...style, links: () => ['/img/background.png'] }
  }
  if (path === '/script.js') return textAnswer(200, 'text/javascript', 'void 0\n')
  const image = /^\/img\/(\w+)\.png$/.exec(path)?.[1]
  return image === undefined ? undefined : textAnswer(200, 'image/png', imageBytes(site, image))
}

function missing(site: Site): Answer {
  return behaviourOf(site, 'soft404')
    ? soft404Answer()
    : textAnswer(404, 'text/html; charset=utf-8', '<!doctype html><title>Not found</title>\n')
}

interface BodyCache {
  get(key: number, make: () => Buffer): Buffer
}

/** Bodies kept until a cap is reached. Nothing is evicted: a crawl asks for each page about once. */
function makeBodyCache(capBytes: number): BodyCache {
  const kept = new Map<number, Buffer>()
  let usedBytes = 0
  return {
    get: (key, make) => {
      const known = kept.get(key)
      if (known) return known
      const body = make()
      if (usedBytes + body.length <= capBytes) {
        usedBytes += body.length
        kept.set(key, body)
      }
      return body
    },
  }
}
