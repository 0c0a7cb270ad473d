/** A web site whose pages are made to exhaust their readers; a crawl meets all of them. */
import { createServer, type OutgoingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'

interface Page {
  headers?: OutgoingHttpHeaders
  body: string | Buffer
}

const MB = 1024 * 1024
const LINKS = 60_000
const html = (body: string): Page => ({ body: `<!doctype html><title>hostile</title>${body}` })

const PAGES: Record<string, Page> = {
  '/srcset': html(`<img srcset="${','.repeat(MB)}"><img srcset="${'a 1x, '.repeat(MB / 6)}">`),
  '/charset': {
    headers: { 'content-type': `text/html; charset=${' '.repeat(8_000)}x` },
    body: `<meta charset="${' '.repeat(1_000)}"><meta content="text/html; ${' '.repeat(MB)}charset=">`,
  },
  '/bomb': {
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(256 * MB, '<a>'), { level: 1 }),
  },
  '/links': html(Array.from({ length: LINKS }, (_, n) => `<a href="/l/${n}">`).join('')),
  '/nested': html('<div><b><table><tr><td>'.repeat(100_000)),
  '/comments': html('<!--'.repeat(MB / 4)),
  '/entities': html('&#'.repeat(MB / 2)),
}

export interface HostilePages {
  url: string
  /** Paths that were requested. */
  requested: Set<string>
  close(): void
}

/** On an address of its own, so that the ordinary site does not wait for it. Each page has an address for every round. */
export async function startHostilePages(address: string, rounds: number): Promise<HostilePages> {
  const requested = new Set<string>()
  const links = Array.from({ length: rounds }, (_, round) =>
    Object.keys(PAGES).map((path) => `<a href="${path}?${round}">`),
  )
  const root = html(links.flat().join(''))
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?')
    requested.add(path)
    if (path === '/robots.txt') return void response.writeHead(404).end()
    const { headers = {}, body } = path === '/' ? root : (PAGES[path] ?? html('a leaf'))
    return void response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return {
    url: `http://${address}:${(server.address() as { port: number }).port}/`,
    requested,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const HOSTILE_PATHS: readonly string[] = Object.keys(PAGES)
