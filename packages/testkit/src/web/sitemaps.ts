/** Sitemaps and feeds of every format. Each lists one page that no link leads to. */

import { gzipSync } from 'node:zlib'

import { pageAnswer, textAnswer, type Answer } from './answer.ts'
import type { Site } from './site.ts'

/** Named in robots.txt. The index leads on to the XML and the gzipped one. */
export const SITEMAPS_DECLARED = ['/sitemap-index.xml', '/sitemap.txt']

/** Linked from the host's first page. */
export const FEEDS = ['/feed.rss', '/feed.atom']

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

export function sitemapAnswer(site: Site, path: string): Answer | undefined {
  const target = (name: string): string => `${site.origin}/only-in-sitemap/${name}`
  if (path.startsWith('/only-in-sitemap/')) return pageAnswer({ title: `Listed: ${path}` })
  switch (path) {
    case '/sitemap-index.xml':
      return listing('application/xml', index(site), [
        `${site.origin}/sitemap.xml`,
        `${site.origin}/sitemap.xml.gz`,
      ])
    case '/sitemap.xml':
      return listing('application/xml', urlset(target('xml')), [target('xml')])
    case '/sitemap.xml.gz':
      return listing('application/gzip', gzipSync(urlset(target('gz'))), [target('gz')])
    case '/sitemap.txt':
      return listing('text/plain; charset=utf-8', `${target('text')}\n`, [target('text')])
    case '/feed.rss':
      return listing('application/rss+xml', rss(target('rss')), [target('rss')])
    case '/feed.atom':
      return listing('application/atom+xml', atom(target('atom')), [target('atom')])
    default:
      return undefined
  }
}

function listing(type: string, body: string | Buffer, links: string[]): Answer {
  return { ...textAnswer(200, type, body), links: () => links }
}

function index(site: Site): string {
  const entries = ['/sitemap.xml', '/sitemap.xml.gz'].map(
    (path) => `<sitemap><loc>${site.origin}${path}</loc></sitemap>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${NAMESPACE}">${entries.join('')}</sitemapindex>\n`
}

function urlset(url: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${NAMESPACE}"><url><loc>${url}</loc><lastmod>2026-01-02</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url></urlset>\n`
}

function rss(url: string): string {
  return `<?xml version="1.0"?>\n<rss version="2.0"><channel><title>News</title><link>${url}</link><description>-</description><item><title>One</title><link>${url}</link><pubDate>Fri, 02 Jan 2026 03:04:05 GMT</pubDate></item></channel></rss>\n`
}

function atom(url: string): string {
  return `<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>${url}</id><updated>2026-01-02T03:04:05Z</updated><entry><title>One</title><id>${url}</id><link href="${url}"/><updated>2026-01-02T03:04:05Z</updated></entry></feed>\n`
}
