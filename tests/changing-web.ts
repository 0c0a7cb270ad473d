/**
 * A web whose pages a test changes between visits, on as many loopback addresses as are asked for.
 * Each address is a host; every request is logged as the site sees it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { judgeHits, type Hit, type HitJudge } from '@minga/testkit'

export interface Shown {
  body: string | Buffer
  status?: number
  type?: string
  /** Sent, and answered with 304 when the visitor holds it. */
  etag?: string
}

export interface ChangingWeb {
  port: number
  /** What a site shows; nothing is a 404. */
  show: (host: string, path: string) => Shown | undefined
  hits(): Hit[]
  judge(): HitJudge
  close(): Promise<void>
}

export async function startChangingWeb(show: ChangingWeb['show']): Promise<ChangingWeb> {
  const hits: Hit[] = []
  const server = createServer((request, response) => {
    const hit = hitOf(request)
    hits.push(hit)
    // Before the write: the visitor may have all of it before the write returns.
    hit.end = monotonicUs()
    hit.status = answer(web.show(hit.host, hit.path), request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const web: ChangingWeb = {
    port: (server.address() as AddressInfo).port,
    show,
    hits: () => hits,
    judge: () => judgeHits(hits),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return web
}

/** Answers the status that was sent. */
function answer(
  shown: Shown | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): number {
  const { body, status = 200, type = 'text/html; charset=utf-8', etag } = shown ?? MISSING
  const isKnown = etag !== undefined && request.headers['if-none-match'] === etag
  const sent = isKnown ? 304 : status
  response.writeHead(sent, {
    ...(isKnown ? {} : { 'content-type': type }),
    ...(etag === undefined ? {} : { etag }),
  })
  response.end(isKnown ? '' : body)
  return sent
}

const MISSING: Shown = { status: 404, body: 'nothing here' }

function hitOf(request: IncomingMessage): Hit {
  const host = request.headers.host ?? ''
  const path = request.url ?? '/'
  return {
    t: monotonicUs(),
    url: `http://${host}${path}`,
    host: host.replace(/:\d+$/, ''),
    address: request.socket.localAddress ?? '',
    path,
    method: request.method ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    status: 0,
  }
}

/** On the clock of the fake web's log. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
