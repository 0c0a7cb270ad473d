// Goal: no page, header or file of a stranger takes more than linear time to read. Method: every exported parser gets
// runs of syntax characters, nesting and unclosed constructs of size n and 8n; the processor time, least of
// five, may grow sixteenfold at most.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMs } from '@minga/testkit'
import { decodeText } from './charset.ts'
import { decodeContent, DEFAULT_DECODING_LIMITS } from './content-decoding.ts'
import { discoverSources, parseFeed } from './feed.ts'
import { webDate } from './feed-date.ts'
import { retryAfterMs } from './fetch-outcome.ts'
import { parseLinkHeader, refreshTarget, srcsetUrls } from './link-syntax.ts'
import { extractCssLinks, extractLinks } from './links.ts'
import { parseOpml } from './opml.ts'
import { readPageContent } from './page-content.ts'
import { parseRobotsDirectives } from './robots-directives.ts'
import { isAllowedByRobots, parseRobots } from './robots.ts'
import { parseSitemap } from './sitemap.ts'
import { compileUrlPattern } from './url-pattern.ts'
import { canonicalUrl, hostKeyOf, registrableDomainOf, surt } from './url.ts'

const URL_OF_PAGE = 'https://example.org/dir/'
const SMALL_CHARS = 8_000
const GROWTH = 8
const GROWTH_MAX = 16
/** Below this a measurement is noise, and so fast that no size that we accept does harm. */
const NOTABLE_MS = 20
const ROUNDS = 5

/** What stands before a run, what is repeated, what stands behind it. */
const HOSTILE: readonly (readonly [string, string, string])[] = [
  ['a', ',', 'x'],
  ['a ', ',', ' x'],
  ['text/html; charset=', ' ', ';'],
  ['text/html', '; charset=', ''],
  ['text/html; charset="', ' ', '"x'],
  ['', '<', ''],
  ['', '<!--', ''],
  ['', '<a ', ''],
  ['', '<a href="', ''],
  ['<img srcset="a', ',', 'x">'],
  ['<img srcset="', 'a ', '">'],
  ['<meta http-equiv=refresh content="1', ' ;', 'x">'],
  ['<link rel="', ' a', '">'],
  ['<title>', ' &amp', ''],
  ['', '<div>', ''],
  ['<?xml version="1.0"?>', '<a>', ''],
  ['<?xml version="1.0"?><rss>', '<item>', ''],
  ['<rss><channel><item><title>', '&lt;', '</title></item></channel></rss>'],
  ['', '&', ''],
  ['', '&#', ''],
  ['', '(', ''],
  ['', '[', ''],
  ['', '\\', ''],
  ['', "'", ''],
  ['', '"', ''],
  ['', ';', ''],
  ['', ' ', 'x'],
  ['', '\t\n', 'x'],
  ['', 'url(', ''],
  ['', '/*', ''],
  ['', '@import ', ''],
  ['User-agent: *\nDisallow: /', '*a', '$'],
  ['', 'User-agent: x\n', ''],
  ['', 'Disallow: /*\n', ''],
  ['http://', 'a.', 'org/'],
  ['http://example.org/', '../', ''],
  ['http://example.org/?', 'a=%', ''],
  ['http://', '@', 'example.org/'],
  ['<x>', '; rel=" ', ''],
  ['', '<x>;', ''],
  ['', '0', ''],
]

const now = Date.UTC(2026, 0, 1)
const bytesOf = (text: string): Buffer => Buffer.from(text)
const page = (text: string, contentType = 'text/html') => ({
  url: URL_OF_PAGE,
  kind: 'page' as const,
  status: 200,
  headers: [
    ['content-type', contentType],
    ['link', text.slice(0, SMALL_CHARS * GROWTH)],
  ] as [string, string][],
  body: bytesOf(text),
})

const PARSERS: Record<string, (text: string) => unknown> = {
  canonicalUrl: (text) => canonicalUrl(text, URL_OF_PAGE),
  'content type': (text) => decodeText(bytesOf('x'), text),
  'content encoding': (text) => decodeContent(bytesOf('x'), text, DEFAULT_DECODING_LIMITS),
  decodeText: (text) => decodeText(bytesOf(text), undefined),
  discoverSources: (text) => discoverSources({ text, url: URL_OF_PAGE, linkHeaders: [text] }),
  extractCssLinks: (text) => extractCssLinks(text, URL_OF_PAGE),
  extractLinks: (text) =>
    extractLinks({ text, url: URL_OF_PAGE, linkHeaders: [text], charset: 'utf-8' }),
  hostKeyOf,
  parseFeed: (text) => parseFeed(bytesOf(text), URL_OF_PAGE, { now }),
  parseLinkHeader,
  parseOpml,
  parseRobots: (text) => isAllowedByRobots(parseRobots(bytesOf(text)), 'minga', URL_OF_PAGE),
  parseRobotsDirectives: (text) => parseRobotsDirectives([text], 'minga'),
  parseSitemap: (text) => parseSitemap(bytesOf(text)),
  readPageContent: (text) => readPageContent(page(text), 'minga'),
  'readPageContent, content type': (text) => readPageContent(page('<p>', text), 'minga'),
  refreshTarget,
  registrableDomainOf,
  retryAfterMs: (text) => retryAfterMs([['Retry-After', text]], now),
  'scope pattern': (text) => compileUrlPattern('a*b.*c$').test(text),
  srcsetUrls,
  surt,
  webDate: (text) => webDate(text, now),
}

for (const [name, parse] of Object.entries(PARSERS)) {
  test(`${name} takes linear time on hostile input`, () => {
    for (const shape of HOSTILE) assertLinear(parse, shape)
  })
}

function assertLinear(
  parse: (text: string) => unknown,
  [before, part, after]: readonly [string, string, string],
): void {
  const hostile = (chars: number): string =>
    before + part.repeat(Math.ceil(chars / part.length)) + after
  const large = leastMs(parse, hostile(SMALL_CHARS * GROWTH))
  if (large < NOTABLE_MS) return
  const small = leastMs(parse, hostile(SMALL_CHARS))
  assert.ok(
    large <= GROWTH_MAX * small,
    `${JSON.stringify(before + part)}: ${small} ms, ${large} ms for ${GROWTH} times as much`,
  )
}

/** Ends at the first round that is below what counts. */
function leastMs(parse: (text: string) => unknown, text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && least >= NOTABLE_MS; round++) {
    const beganMs = threadMs()
    parse(text)
    least = Math.min(least, threadMs() - beganMs)
  }
  return least
}
