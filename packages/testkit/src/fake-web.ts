/**
 * A web of one's own: thousands of hosts on one port, made from a seed, which logs every hit.
 * Tests judge crawlers from here, the server's side, where politeness is felt.
 */

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'

import { systemClock } from '@minga/protocol/clock'

import { nowMicroseconds, openHitBook, type HitBook } from './hit-book.ts'
import { openHitLog } from './hit-log-file.ts'
import { judgeHits, type Hit, type HitJudge } from './hit-log.ts'
import { textAnswer, type Answer } from './web/answer.ts'
import { TEST_CERTIFICATE, TEST_KEY } from './web/certificate.ts'
import { deliver } from './web/delivery.ts'
import { expectedUrls, type Expectation } from './web/expected-urls.ts'
import { makeManners, type Manners } from './web/manners.ts'
import { makeModel, type WebModel } from './web/model.ts'
import { behaviourOf, hostName, layOutSites, type Site } from './web/site.ts'
import { completeSpec, type FakeWebSpec } from './web/spec.ts'

export interface FakeWeb extends HitJudge {
  port: number
  /** Where the same web is served over TLS, if `https` was asked for. */
  securePort: number | undefined
  seeds: string[]
  origin(hostIndex: number): string
  /** Every URL that a perfect crawl with scope `any` captures. */
  expectedUrls(expectation?: Expectation): string[]
  /** Starts the log afresh, between two crawls of one web. */
  forgetHits(): void
  close(): Promise<void>
}

export interface FakeWebOptions {
  /** False for a web that runs for hours and is judged by its log file. */
  keepHits?: boolean
  /** Write every hit to the log before it is answered, for readers that judge while it runs. */
  logAtOnce?: boolean
}

/** Longer than any delay a test waits between two requests on one connection. */
const KEEP_ALIVE_MS = 75_000
/** A crawl of thousands of hosts dials them all at once. */
const BACKLOG = 4096

export async function startFakeWeb(
  asked: FakeWebSpec,
  { keepHits = true, logAtOnce = false }: FakeWebOptions = {},
): Promise<FakeWeb> {
  const spec = completeSpec(asked)
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  await listen(server, spec.port)
  const port = portOf(server)
  const secure = spec.https
    ? createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE })
    : undefined
  if (secure) await listen(secure, 0)

  const model = makeModel(spec, layOutSites(spec, port))
  const log = asked.logFile === undefined ? undefined : openHitLog(asked.logFile, { logAtOnce })
  const book = openHitBook(log, keepHits)
  const manners = makeManners(systemClock)
  server.on('request', listener({ model, manners, book, scheme: 'http' }))
  server.on('connection', (socket) => refuseIfDown(model, book, socket))
  secure?.on('request', listener({ model, manners, book, scheme: 'https' }))

  const seeds = [`${model.sites.at(0).origin}/p/0`]
  const judge = (): HitJudge => judgeHits(book.hits())
  return {
    port,
    securePort: secure && portOf(secure),
    seeds,
    origin: (hostIndex) => model.sites.at(hostIndex).origin,
    expectedUrls: (expectation) => expectedUrls(model, seeds, expectation),
    hits: () => judge().hits(),
    hitsByUrl: () => judge().hitsByUrl(),
    violations: (rule) => judge().violations(rule),
    concurrencyMax: (per) => judge().concurrencyMax(per),
    refetched: () => judge().refetched(),
    forgetHits: () => book.forget(),
    close: async () => {
      await Promise.all([close(server), secure && close(secure)])
      book.close()
    },
  }
}

function listener(web: {
  model: WebModel
  manners: Manners
  book: HitBook
  scheme: string
}): RequestListener {
  const { model, manners, book, scheme } = web
  return (request, response) => {
    const entry = book.begin(hitOf(request, scheme))
    const site = model.sites.ofHostHeader(request.headers.host ?? '')
    const answer = site ? answerTo(model, manners, { site, request }) : UNKNOWN_HOST
    entry.hit.status = answer.status
    deliver({ response, answer, ended: entry.end })
  }
}

const UNKNOWN_HOST = textAnswer(404, 'text/plain', 'No such host in this fake web.\n')

function answerTo(
  model: WebModel,
  manners: Manners,
  { site, request }: { site: Site; request: IncomingMessage },
): Answer {
  const path = request.url ?? '/'
  const answer = model.answer(site, path)
  const isPage = model.pageNumber(path) !== undefined && answer.status === 200
  return isPage ? manners.apply(answer, { site, path, headers: request.headers }) : answer
}

function hitOf(request: IncomingMessage, scheme: string): Hit {
  const hostHeader = request.headers.host ?? ''
  const path = request.url ?? '/'
  return {
    t: nowMicroseconds(),
    url: `${scheme}://${hostHeader}${path}`,
    host: hostName(hostHeader),
    address: request.socket.localAddress ?? '',
    path,
    method: request.method ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    status: 0,
  }
}

/** Such a connection carries no request, yet it is a visit, so it is logged, with an empty path. */
function refuseIfDown(model: WebModel, book: HitBook, socket: Socket): void {
  const address = socket.localAddress ?? ''
  const site = model.sites.ofAddress(address)
  if (!site || behaviourOf(site, 'down')?.how !== 'reset-on-accept') return
  const url = site.origin
  const unread = { path: '', method: '', userAgent: '', status: 0 }
  book
    .begin({
      t: nowMicroseconds(),
      url,
      host: hostName(url.slice('http://'.length)),
      address,
      ...unread,
    })
    .end(true)
  socket.resetAndDestroy()
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: '0.0.0.0', backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('Not a TCP server.')
  return address.port
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
