/**
 * What a document says beyond its bytes: links, title, directives. Agents read it where they fetch;
 * a coordinator that does not trust an agent reads it again from the bytes it was sent.
 */
import { canonicalUrl, redirectTarget } from '../url/url.ts'
import { decodeText, type DecodedText } from './charset.ts'
import { decodeContent, DEFAULT_DECODING_LIMITS } from '../http/content-decoding.ts'
import { HEADER_CHARS_MAX } from '../input-limits.ts'
import { refreshTarget } from './link-syntax.ts'
import { extractCssLinks, extractLinks } from './links.ts'
import { parseRobotsDirectives } from '../robots/robots-directives.ts'
import { parseSitemap } from '../feeds/sitemap.ts'

export interface ReceivedDocument {
  url: string
  /** Nothing is read from a `document`: only that file was requested. */
  kind: 'page' | 'robots' | 'sitemap' | 'document'
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  /** As it was sent: perhaps encoded. */
  body: Buffer
}

export interface PageContent {
  links: string[]
  /** How many links were found beyond the limit of a page and left out. */
  linksDropped: number
  /** Links to what a page is shown with (images, styles). */
  embeds: string[]
  /** Further sitemaps that a sitemap index lists. */
  sitemaps: string[]
  title: string | null
  nofollow: boolean
  /** For robots.txt only: the body, base64. */
  body: string | null
}

/** RFC 9309 asks for at least 500 KiB of a robots.txt; the rest is not read. */
const ROBOTS_BYTES_MAX = 512_000

const NO_CONTENT: PageContent = {
  links: [],
  linksDropped: 0,
  embeds: [],
  sitemaps: [],
  title: null,
  nofollow: false,
  body: null,
}

/** Errors and redirects are kept but not read. The product token is what robots directives address
 * the reader by. */
export function readPageContent(document: ReceivedDocument, productToken: string): PageContent {
  const { kind, status } = document
  if (status < 200 || status >= 300 || kind === 'document') return NO_CONTENT
  const content = readBody(document, productToken)
  const refreshed = kind === 'page' ? refreshLinks(document) : []
  if (refreshed.length === 0) return content
  return { ...content, links: [...new Set([...refreshed, ...content.links])] }
}

/** A `Refresh` header leads on as `<meta http-equiv=refresh>` does. */
function refreshLinks(document: ReceivedDocument): string[] {
  const values = headerValues(document, 'refresh').map((value) => value.slice(0, HEADER_CHARS_MAX))
  const urls = values.map((value) => redirectTarget(document.url, refreshTarget(value)))
  return urls.filter((url) => url !== null)
}

function readBody(document: ReceivedDocument, productToken: string): PageContent {
  const { url, kind, body } = document
  const contentType = headerValues(document, 'content-type')[0]
  const encoding = headerValues(document, 'content-encoding').join(',') || undefined
  const { bytes } = decodeContent(body, encoding, DEFAULT_DECODING_LIMITS)
  if (kind === 'robots') {
    return { ...NO_CONTENT, body: bytes.subarray(0, ROBOTS_BYTES_MAX).toString('base64') }
  }
  if (kind === 'sitemap') return readSitemap(bytes)
  const media = (contentType ?? '').toLowerCase()
  if (media.startsWith('text/css')) {
    const { links, linksDropped } = extractCssLinks(decodeText(bytes, contentType).text, url)
    return { ...NO_CONTENT, embeds: links.map((link) => link.url), linksDropped }
  }
  return isHtml(media, bytes)
    ? readPage(document, decodeText(bytes, contentType), productToken)
    : NO_CONTENT
}

/** All values of a header, by its lower-case name. */
export function headerValues(
  { headers }: Pick<ReceivedDocument, 'headers'>,
  name: string,
): string[] {
  const values: string[] = []
  for (const [key, value] of headers) if (key.toLowerCase() === name) values.push(value)
  return values
}

function readSitemap(bytes: Buffer): PageContent {
  const { kind, entries } = parseSitemap(bytes)
  const urls = entries.map((entry) => canonicalUrl(entry.loc)).filter((url) => url !== null)
  return kind === 'index' ? { ...NO_CONTENT, sitemaps: urls } : { ...NO_CONTENT, links: urls }
}

function readPage(
  document: ReceivedDocument,
  { text, charset }: DecodedText,
  productToken: string,
): PageContent {
  const { url } = document
  const page = extractLinks(
    { text, charset, url, linkHeaders: headerValues(document, 'link') },
    { productToken },
  )
  const directives = headerValues(document, 'x-robots-tag')
  const header = parseRobotsDirectives(
    directives.map((value) => value.slice(0, HEADER_CHARS_MAX)),
    productToken,
  )
  const links: string[] = []
  const embeds: string[] = []
  for (const link of page.links) {
    if (link.kind === 'embed' || link.kind === 'stylesheet') embeds.push(link.url)
    else links.push(link.url)
  }
  const nofollow = page.nofollow || header.nofollow
  const { title, linksDropped } = page
  return { ...NO_CONTENT, links, linksDropped, embeds, title, nofollow }
}

/** Without a type, a page is what looks like one: servers forget the header. */
function isHtml(media: string, bytes: Buffer): boolean {
  if (media.startsWith('text/html') || media.startsWith('application/xhtml+xml')) return true
  return (
    media === '' && /^\s*<(!doctype html|html|head|body)/i.test(bytes.toString('latin1', 0, 256))
  )
}
