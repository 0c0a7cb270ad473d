/**
 * A small web of our own on loopback, so that `minga up --demo` has something to collect without
 * internet: eight sites of a valley, with images and styles, redirects, errors, robots rules, one
 * slow site and one that asks for a pause. Everything is made on request from its address alone.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { systemClock, type Clock } from '@minga/protocol'
import { demoPage, demoPicture, DEMO_STYLE, type DemoSite } from './demo-pages.ts'

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
  /** For the station's resolver: the sites' names lead to loopback addresses. */
  resolve: string[]
  close(): void
}

/** Each site has an address of its own where the system lends them, as Linux does. */
const addressOf = (index: number): string => `127.0.0.${11 + index}`
const PLAIN_LOOPBACK = '127.0.0.1'
/** The market links to a site at this address, where nothing listens. */
const NOBODY_HOME = '127.0.0.10'
const PORT_TRIES = 20

export async function startDemoWeb(clock: Clock = systemClock): Promise<DemoWeb> {
  for (let tried = 1; ; tried++) {
    const servers: Server[] = []
    try {
      const { port, addresses } = await openAll(servers, clock)
      const resolve = DEMO_SITES.map((site, i) => `${site.name}.${DOMAIN}=${addresses[i]}`)
      resolve.push(`bakery.${DOMAIN}=${NOBODY_HOME}`)
      const close = (): void => servers.forEach(end)
      return { seed: `http://www.${DOMAIN}:${port}/`, resolve, close }
    } catch (error) {
      servers.forEach(end)
      // The port that was free on the first address was taken on another one.
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
  clock: Clock,
): Promise<{ port: number; addresses: string[] }> {
  let port = await listen(servers, { address: PLAIN_LOOPBACK, port: 0, clock })
  const addresses: string[] = []
  for (const index of DEMO_SITES.keys()) {
    const address = addressOf(index)
    try {
      port = await listen(servers, { address, port, clock })
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
  { address, port, clock }: { address: string; port: number; clock: Clock },
): Promise<number> {
  const server = createServer((request, response) => void answer(request, response, clock))
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
  headers?: Record<string, string>
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
): Promise<void> {
  const host = (request.headers.host ?? '').split(':')[0] ?? ''
  const site = DEMO_SITES.find(({ name }) => host === `${name}.${DOMAIN}`)
  if (site?.delayMs !== undefined) await clock.sleep(site.delayMs)
  const path = URL.parse(request.url ?? '/', 'http://demo.test')?.pathname ?? '/'
  const port = request.socket.localPort ?? 80
  if (path === '/broken') return void response.destroy()
  const reply = site ? replyOf(site, path, port) : { status: 404 }
  const body = reply.body ?? `${reply.status}\n`
  response.writeHead(reply.status, {
    'content-type': reply.type ?? 'text/plain; charset=utf-8',
    ...reply.headers,
  })
  response.end(body)
}

/** Which page does what is fixed by its number, so that every run sees the same web. */
function replyOf(site: DemoSite, path: string, port: number): Reply {
  if (path === '/robots.txt') return { status: 200, body: robotsOf(site) }
  if (path === '/style.css') return { status: 200, type: 'text/css', body: DEMO_STYLE }
  const picture = Number(/^\/picture\/(\d+)\.svg$/.exec(path)?.[1] ?? Number.NaN)
  if (picture < site.pages) {
    return { status: 200, type: 'image/svg+xml', body: demoPicture(site, picture) }
  }
  const page = path === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
  if (page < site.pages) return pageReply({ site, page, port })
  const old = /^\/old\/(\d+)$/.exec(path)?.[1]

  if (old) return { status: 301, headers: { location: `/page/${old}` } }
  return { status: 404, body: 'There is nothing here.\n' }
}

function pageReply({ site, page, port }: { site: DemoSite; page: number; port: number }): Reply {
  if (page % 29 === 28) return { status: 500, body: 'The oven is cold.\n' }
  if (page % 23 === 22) return { status: 403, body: 'For members only.\n' }
  if (site.name === 'radio' && page === 17) {
    return { status: 503, headers: { 'retry-after': '4' }, body: 'On the air again soon.\n' }
  }
  const links = DEMO_SITES.map(({ name }) => `http://${name}.${DOMAIN}:${port}`)
  const bakery = `http://bakery.${DOMAIN}:${port}/`
  const body = demoPage({ site, page, sites: DEMO_SITES, links, bakery })
  return { status: 200, type: 'text/html; charset=utf-8', body }
}

function robotsOf(site: DemoSite): string {
  const delay = site.robotsDelayS === undefined ? '' : `Crawl-delay: ${site.robotsDelayS}\n`
  return `User-agent: *\nDisallow: /private/\n${delay}`
}
