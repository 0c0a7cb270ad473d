/**
 * A MediaWiki of one's own: in memory, on loopback, made from a list of operations, with faults by
 * script, and with a log of every hit, because politeness is judged from the server's side. Its
 * answers have the form of the real one's: `fake-and-real.test.ts` compares them.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

import { nowMicroseconds, openHitBook, type HitBook } from '../hit-book.ts'
import { openHitLog } from '../hit-log-file.ts'
import { judgeHits, type Hit, type HitJudge } from '../hit-log.ts'
import type { Answer } from '../web/answer.ts'
import { deliver } from '../web/delivery.ts'
import type { ApiLimits } from './api/api-request.ts'
import { openEventStream, STREAM_PATH, type EventStream } from './event-stream.ts'
import { answerRequest, type AnswerContext } from './fake-answer.ts'
import { FakeWikiModel } from './fake-wiki-model.ts'
import {
  openFakeLogin,
  type FakeBot,
  type LogInAttempt,
  type FakeLoginServer,
} from './fake-login.ts'
import type { WikiOperation, WikiOperationResult } from './operation.ts'
import { performOperation, writeMainPage } from './perform-operation.ts'
import { openFaultBook, type FaultBook, type WikiFault } from './wiki-faults.ts'

/** Plain JSON, so that it can be handed to another process. */
export interface FakeWikiSpec {
  /** 0: any. */
  port?: number
  name?: string
  history?: WikiOperation[]
  faults?: WikiFault[]
  limits?: Partial<ApiLimits>
  /** The largest answer, in bytes of text; what does not fit comes with the continuation. */
  resultBytesMax?: number
  /** The text of robots.txt; absent: there is none. */
  robots?: string
  /** Those who may log in; `isClosed`: no one else may read. */
  bots?: FakeBot[]
  isClosed?: boolean
  /** Number of wrong passwords after which it refuses all logins. */
  wrongPasswordsMax?: number
  logFile?: string
}

export interface FakeWiki extends HitJudge {
  port: number
  /** Without a slash at the end. */
  url: string
  apiUrl: string
  /** Where its changes can be listened to. */
  streamUrl: string
  perform(operations: WikiOperation[]): WikiOperationResult[]
  fail(...faults: WikiFault[]): void
  /** Everyone who had logged in is a stranger again. */
  endSessions(): void
  /** Who tried to log in, and what became of it. */
  logIns(): LogInAttempt[]
  /** The field `Cookie` of every request, in their order. */
  cookies(): string[]
  /** Starts the log afresh. */
  forgetHits(): void
  close(): Promise<void>
}

const LIMITS: ApiLimits = { text: 50, list: 500, values: 50 }
const RESULT_BYTES_MAX = 8 * 1024 * 1024
const VERSION = '1.39.17'
const KEEP_ALIVE_MS = 75_000
const HOST = '127.0.0.1'
/** As MediaWiki counts them within five minutes. */
const WRONG_PASSWORDS_MAX = 5

export async function startFakeWiki(
  spec: FakeWikiSpec = {},
  { keepHits = true, logAtOnce = false } = {},
): Promise<FakeWiki> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  const port = await listen(server, spec.port ?? 0)
  const url = `http://${HOST}:${port}`
  const context = contextOf(spec, url)
  const { model, site } = context
  const stream = openEventStream(model, site)
  const log = spec.logFile === undefined ? undefined : openHitLog(spec.logFile, { logAtOnce })
  const book = openHitBook(log, keepHits)
  const faults = openFaultBook(spec.faults ?? [])
  const { bots = [], isClosed = false, wrongPasswordsMax = WRONG_PASSWORDS_MAX } = spec
  const logins = openFakeLogin({ bots, isClosed, wrongMax: wrongPasswordsMax }, url)
  const cookies: string[] = []
  server.on('request', (request, response) => {
    cookies.push(request.headers.cookie ?? '')
    void serve({ request, response, context, book, faults, stream, logins })
  })
  const judge = (): HitJudge => judgeHits(book.hits())
  return {
    port,
    url,
    apiUrl: `${url}/w/api.php`,
    streamUrl: url + STREAM_PATH,
    perform: (operations) => {
      const results = operations.map((operation) => performOperation(model, operation))
      stream.publish()
      return results
    },
    fail: (...more) => faults.add(more),
    endSessions: () => logins.endSessions(),
    logIns: () => logins.attempts(),
    cookies: () => [...cookies],
    hits: () => judge().hits(),
    hitsByUrl: () => judge().hitsByUrl(),
    violations: (rule) => judge().violations(rule),
    concurrencyMax: (per) => judge().concurrencyMax(per),
    refetched: () => judge().refetched(),
    forgetHits: () => book.forget(),
    close: async () => {
      await close(server)
      book.close()
    },
  }
}

function contextOf(spec: FakeWikiSpec, url: string): AnswerContext {
  const name = spec.name ?? 'Test Wiki'
  const model = new FakeWikiModel(name)
  writeMainPage(model)
  for (const operation of spec.history ?? []) performOperation(model, operation)
  return {
    model,
    site: { url, name, version: VERSION },
    limits: { ...LIMITS, ...spec.limits },
    resultBytesMax: spec.resultBytesMax ?? RESULT_BYTES_MAX,
    robots: spec.robots ?? null,
  }
}

async function serve(served: {
  request: IncomingMessage
  response: ServerResponse
  context: AnswerContext
  book: HitBook
  faults: FaultBook
  stream: EventStream
  logins: FakeLoginServer
}): Promise<void> {
  const { request, response, context, book, faults, stream, logins } = served
  const path = request.url ?? '/'
  const entry = book.begin(hitOf(request))
  if (path.startsWith(STREAM_PATH)) {
    entry.hit.status = 200
    response.once('close', () => entry.end(false))
    const lastEventId = request.headers['last-event-id']
    const since = new URL(path, context.site.url).searchParams.get('since')
    stream.open(response, { lastEventId: lastEventId?.toString() ?? null, since })
    return
  }
  const { method = '', headers } = request
  const body = method === 'POST' ? Buffer.concat(await request.toArray()).toString() : ''
  const atTheDoor = logins.answer({ method, path, cookie: headers.cookie ?? '', body })
  const changes = context.model.changes.length
  const answer = answerRequest(path, { ...context, atTheDoor }, faults.befalling(path))
  if (context.model.changes.length !== changes) stream.publish()
  entry.hit.status = answer.status
  deliver({ response, answer: compressed(answer, request), ended: entry.end })
}

/** Compresses as wikis do for clients that accept it. */
function compressed(answer: Answer, request: IncomingMessage): Answer {
  const asked = request.headers['accept-encoding']?.toString() ?? ''
  if (!/\bgzip\b/.test(asked) || answer.wire !== undefined || answer.status !== 200) return answer
  const body = gzipSync(answer.body())
  const headers = [...answer.headers, 'content-encoding', 'gzip', 'vary', 'Accept-Encoding']
  return { ...answer, headers, body: () => body }
}

function hitOf(request: IncomingMessage): Hit {
  const host = request.headers.host ?? ''
  const path = request.url ?? '/'
  return {
    t: nowMicroseconds(),
    url: `http://${host}${path}`,
    host: host.replace(/:\d+$/, ''),
    address: request.socket.localAddress ?? '',
    path,
    method: request.method ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    status: 0,
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: HOST }, () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string')
        reject(new TypeError('Not a TCP server.'))
      else resolve(address.port)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
