/**
 * A small web of our own on loopback, so that `minga up --demo` has something to collect without
 * internet: eight sites of a valley, with images and styles, redirects, errors, robots rules, one
 * slow site and one that asks for a pause; most have a page that changes by itself, a feed and a sitemap. A wiki
 * is added where one is given.
 * Everything is made on request from its address and the moment alone.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { systemClock, type Clock } from '@minga/protocol'
import { demoPage, demoPicture, DEMO_STYLE, type DemoSite } from './demo-pages.ts'
import { wikiReply } from './demo-wiki-site.ts'
import type { DemoWiki } from './demo-wiki.ts'
import {
  changedAt,
  headline,
  livingBody,
  livingFeed,
  LIVING_PAGES,
  livingSitemap,
  stateAt,
} from './living-pages.ts'

const DOMAIN = 'valley.test'

/** Pages per site differ, so that hosts finish one after the other and the page shows it. */
export const DEMO_SITES: readonly DemoSite[] = [
  { name: 'www', title: 'The valley', hue: 150, pages: 40 },
  { name: 'library', title: 'Village library', hue: 265, pages: 90 },
  { name: 'market', title: 'Saturday market', hue: 25, pages: 70 },
  { name: 'weather', title: 'Weather station', hue: 215, pages: 60, delayMs: 700 },
  { name: 'museum', title: 'Weaving museum', hue: 340, pages: 60 },
  { name: 'school', title: 'Upper school', hue: 190, pages: 50 },
  { name: 'radio', title: 'Mountain radio', hue: 95, pages: 40 },
  { name: 'archive', title: 'Land registry', hue: 45, pages: 30, robotsDelayS: 1 },
]

export interface DemoWeb {
  seed: string
  port: number
  wiki: DemoWiki | null
  /** The address of a page of one of the sites, by the site's name. */
  at(site: string, path?: string): string
  /** For the station's resolver: the sites' names lead to loopback addresses. */
  resolve: string[]
  /** Puts a file on a site, as its owner would. */
  publish(site: string, path: string, text: string): void
  close(): void
}

/** What the servers of all sites know. */
interface Shared {
  clock: Clock
  wiki: DemoWiki | null
  /** Files that were put there, by site and path. */
  published: Map<string, string>
}

/** Each site has an address of its own where the system lends them, as Linux does. */
const addressOf = (index: number): string => `127.0.0.${11 + index}`
const PLAIN_LOOPBACK = '127.0.0.1'
const WIKI_HOST = `wiki.${DOMAIN}`
/** The market links to a site at this address, where nothing listens. */
const NOBODY_HOME = '127.0.0.10'
const PORT_TRIES = 20

interface DemoWebOptions {
  clock?: Clock
  /** Of an earlier start: what was collected then stays where it was, if the port is still free. */
  port?: number
  wiki?: DemoWiki
}

export async function startDemoWeb(options: DemoWebOptions = {}): Promise<DemoWeb> {
  const { clock = systemClock, wiki = null } = options
  const shared: Shared = { clock, wiki, published: new Map() }
  for (let tried = 1; ; tried++) {
    const servers: Server[] = []
    try {
      const wanted = tried === 1 ? (options.port ?? 0) : 0
      const { port, addresses } = await openAll(servers, shared, wanted)
      const resolve = DEMO_SITES.map((site, i) => `${site.name}.${DOMAIN}=${addresses[i]}`)
      resolve.push(`bakery.${DOMAIN}=${NOBODY_HOME}`, `${WIKI_HOST}=${PLAIN_LOOPBACK}`)
      const close = (): void => servers.forEach(end)
      const at = (site: string, path = '/'): string => `http://${site}.${DOMAIN}:${port}${path}`
      const publish: DemoWeb['publish'] = (site, path, text) =>
        void shared.published.set(site + path, text)
      return { seed: at('www'), port, wiki, at, resolve, publish, close }
    } catch (error) {
      servers.forEach(end)
      // The port of an earlier start, or one that was free on the first address, was taken.
      if (codeOf(error) !== 'EADDRINUSE' || tried === PORT_TRIES) throw error
    }
  }
}

function end(server: Server): void {
  server.close()
  server.closeAllConnections()
}

/** The same port everywhere, since a URL carries one. */
async function openAll(
  servers: Server[],
  shared: Shared,
  wanted: number,
): Promise<{ port: number; addresses: string[] }> {
  let port = await listen(servers, { address: PLAIN_LOOPBACK, port: wanted, shared })
  const addresses: string[] = []
  for (const index of DEMO_SITES.keys()) {
    const address = addressOf(index)
    try {
      port = await listen(servers, { address, port, shared })
      addresses.push(address)
    } catch (error) {
      if (codeOf(error) !== 'EADDRNOTAVAIL') throw error
      // The sites then share one address, and so its clock: slower, but whole.
      addresses.push(PLAIN_LOOPBACK)
    }
  }
  return { port, addresses }
}

function listen(
  servers: Server[],
  { address, port, shared }: { address: string; port: number; shared: Shared },
): Promise<number> {
  const server = createServer((request, response) => void answer(request, response, shared))
  servers.push(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => {
      // The demo must not keep the station's process alive by itself.
      server.unref()
      const bound = server.address()
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port)
    })
  })
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

interface Reply {
  status: number
  type?: string
  body?: string
  /** Of what changes by itself: when it last did. */
  changedAt?: number
  headers?: Record<string, string>
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { clock, wiki, published }: Shared,
): Promise<void> {
  const host = (request.headers.host ?? '').split(':')[0] ?? ''
  if (wiki !== null && host === WIKI_HOST) return answerOfWiki(request, response, wiki, clock.now())
  const site = DEMO_SITES.find(({ name }) => host === `${name}.${DOMAIN}`)
  if (site?.delayMs !== undefined) await clock.sleep(site.delayMs)
  const path = URL.parse(request.url ?? '/', 'http://demo.test')?.pathname ?? '/'
  const port = request.socket.localPort ?? 80
  if (path === '/broken') return void response.destroy()
  const file = published.get(`${site?.name}${path}`)
  if (file !== undefined) return void response.end(file)
  const reply = site ? replyOf({ site, port, now: clock.now() }, path) : { status: 404 }
  const dated =
    reply.changedAt === undefined
      ? {}
      : { 'last-modified': new Date(reply.changedAt).toUTCString() }
  if (isKnown(request, reply)) return void response.writeHead(304, dated).end()
  response.writeHead(reply.status, {
    'content-type': reply.type ?? 'text/plain; charset=utf-8',
    ...dated,
    ...reply.headers,
  })
  response.end(reply.body ?? `${reply.status}\n`)
}

function answerOfWiki(
  request: IncomingMessage,
  response: ServerResponse,
  wiki: DemoWiki,
  now: number,
): void {
  const origin = `http://${request.headers.host}`
  const url = URL.parse(request.url ?? '/', origin)
  const reply = url === null ? null : wikiReply({ wiki, origin, now }, url)
  if (reply === null) return void response.writeHead(404).end('There is nothing here.\n')
  response.writeHead(200, { 'content-type': `${reply.type}; charset=utf-8` }).end(reply.body)
}

/** The caller has read this state before. */
function isKnown({ headers }: IncomingMessage, reply: Reply): boolean {
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return reply.changedAt !== undefined && since >= reply.changedAt
}

interface Asked {
  site: DemoSite
  port: number
  now: number
}

/** Which page does what is fixed by its number, so that every run sees the same web. */
function replyOf(asked: Asked, path: string): Reply {
  const { site } = asked
  if (path === '/robots.txt') return { status: 200, body: robotsOf(asked) }
  if (path === '/style.css') return { status: 200, type: 'text/css', body: DEMO_STYLE }
  const picture = Number(/^\/picture\/(\d+)\.svg$/.exec(path)?.[1] ?? Number.NaN)
  if (picture < site.pages) {
    return { status: 200, type: 'image/svg+xml', body: demoPicture(site, picture) }
  }
  const page = path === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
  if (page < site.pages) return pageReply(asked, page)
  const living = livingReply(asked, path)
  if (living !== null) return living
  const old = /^\/old\/(\d+)$/.exec(path)?.[1]
  if (old) return { status: 301, headers: { location: `/page/${old}` } }
  return { status: 404, body: 'There is nothing here.\n' }
}

const XML = 'application/xml; charset=utf-8'
const HTML = 'text/html; charset=utf-8'

function livingReply({ site, port, now }: Asked, path: string): Reply | null {
  const origin = originOf(site, port)
  const page = LIVING_PAGES.find((one) => one.site === site.name)
  const dated = page === undefined ? {} : { changedAt: changedAt(page, now) }
  if (path === '/sitemap.xml') {
    return { status: 200, type: XML, body: livingSitemap(site.name, origin, now), ...dated }
  }
  if (page === undefined) return null
  if (path === '/feed.xml') {
    return { status: 200, type: XML, body: livingFeed(page, origin, now), ...dated }
  }
  if (path !== page.path) return null
  return { status: 200, type: HTML, body: livingBody(page, now, randomUUID()), ...dated }
}

const originOf = ({ name }: DemoSite, port: number): string => `http://${name}.${DOMAIN}:${port}`

function pageReply({ site, port, now }: Asked, page: number): Reply {
  if (page % 29 === 28) return { status: 500, body: 'The oven is cold.\n' }
  if (page % 23 === 22) return { status: 403, body: 'For members only.\n' }
  if (site.name === 'radio' && page === 17) {
    return { status: 503, headers: { 'retry-after': '4' }, body: 'On the air again soon.\n' }
  }
  const links = DEMO_SITES.map((one) => originOf(one, port))
  const bakery = `http://bakery.${DOMAIN}:${port}/`
  const facts = { site, page, sites: DEMO_SITES, links, bakery, news: null }
  const living = LIVING_PAGES.find((one) => one.site === site.name)
  if (living === undefined || page > 0) return { status: 200, type: HTML, body: demoPage(facts) }
  const { path, title } = living
  const news = { path, title, latest: headline(living, stateAt(living, now)) }
  const body = demoPage({ ...facts, news })
  return { status: 200, type: HTML, body, changedAt: changedAt(living, now) }
}

function robotsOf({ site, port }: Asked): string {
  const delay = site.robotsDelayS === undefined ? '' : `Crawl-delay: ${site.robotsDelayS}\n`
  const sitemap = `Sitemap: ${originOf(site, port)}/sitemap.xml\n`
  return `User-agent: *\nDisallow: /private/\n${delay}\n${sitemap}`
}
