/** The station's HTTP face: agents under /agent, programs and the page under /api. */
import { readdir, readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { KEY_DIRECTORY_PATH } from '@minga/net'
import { isMingaError, systemClock } from '@minga/protocol'
import type { ZodError } from 'zod'
import { agentRoutes } from './agents/agent-routes.ts'
import { agentProgramRoute } from './agents/agent-program.ts'
import { archiveProtocolRoutes } from './archive/protocols/memento-routes.ts'
import { isReplayName } from './http/replay-names.ts'
import { replayRoutes, type ReplayContext } from './archive/replay/replay-server.ts'
import { apiRoutes, type ApiContext } from './api-routes.ts'
import { guardBrowsers, requireTls } from './http/browser-guard.ts'
import { dashboardFiles } from './http/dashboard-files.ts'
import { stationRoutes } from './federation/federation-routes.ts'
import { BodyTooLarge, RequestSlow } from './station/errors.ts'
import { formSentence } from './http/html.ts'
import { workerRoutes } from './lake/workers/worker-routes.ts'
import {
  BODY_MS_MAX,
  STRANGERS_BODY_BYTES,
  UPLOAD_MS_MAX,
  limitBodies,
  limitBodyTimes,
} from './http/request-limits/body-limits.ts'
import { limitConnections } from './http/request-limits/rate-limits.ts'
import { limitJsonValues } from './http/request-limits/json-values.ts'
import { limitRates, type RatesParts } from './http/request-limits/request-rates.ts'
import { limitUnknownCallers } from './http/request-limits/unknown-callers.ts'
import type { SharedRates } from './http/request-limits/shared-rates.ts'
import type { BotFacts } from './site-services/bot-page.ts'
import { botRoutes, type Problem } from './site-services/bot-routes.ts'
import { keyDirectoryRoutes } from './site-services/key-directory.ts'
import { signatureAgentOf } from './station/station.ts'

export interface ServerOptions extends ApiContext {
  tls: { certFile: string; keyFile: string } | null
  /** The built page; null when none is served. */
  pageFolder: string | null
  rates: SharedRates
  /** Proxies that are believed, as addresses and blocks of them. */
  trustProxy?: string[]
}

/** How often Node looks for connections whose request is late. */
const CHECKING_MS = 5_000
/** Longer than proxies and agents keep theirs, so that no request meets a connection that is being closed. */
const KEEP_ALIVE_MS = 72_000
/** An agent needs two at most. Each costs a file descriptor and a few KB. */
const CONNECTIONS_MAX = 16_384

/** Bodies are checked with zod; the compilers that come with Fastify are a hundred files to read at every start. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } }

function noSchema(): never {
  throw new TypeError('Routes have no Fastify schemas: validate their input with zod.')
}

interface BareOptions
  extends RatesParts, Pick<ServerOptions, 'tls' | 'hostNames' | 'eventLog' | 'trustProxy'> {
  /** Names that it answers to, next to the names of the station. */
  isOwnName?: (name: string) => boolean
}

/** Listens nowhere yet, guards against foreign browsers and says in one form what went wrong. */
async function bareServer(options: BareOptions): Promise<FastifyInstance> {
  const { tls, hostNames, eventLog, trustProxy = [] } = options
  const https =
    tls === null
      ? null
      : { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile), allowHTTP1: true }
  const times = { headersTimeout: BODY_MS_MAX, connectionsCheckingInterval: CHECKING_MS }
  const app = Fastify({
    bodyLimit: STRANGERS_BODY_BYTES,
    requestTimeout: UPLOAD_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    ...(https === null ? { http: times } : { https: { ...https, ...times } }),
    clientErrorHandler: refuseClient,
    trustProxy: trustProxy.length > 0 && trustProxy,
    schemaController: NO_SCHEMAS,
  } as object)
  app.server.maxConnections = CONNECTIONS_MAX
  // Behind a proxy on another machine everyone has its address, and it has limits of its own.
  if (trustProxy.length === 0) limitConnections(app.server)
  const complain = rareComplaints()
  app.setErrorHandler((error, _request, reply) => {
    const { status, code, message, retryAfterS } = describe(error)
    const cause = error instanceof Error ? error.message : String(error)
    if (retryAfterS !== null) void reply.header('retry-after', retryAfterS)
    // A client's own timeout is not an error of the station.
    if (status >= 500 && code !== 'MINGA_REQUEST_OPEN') {
      complain(`minga: ${cause} (${code})\n`)
      const noted = { subject: code, sentence: cause, details: { message: cause } }
      eventLog.note({ code: 'station:trouble', ...noted })
    }
    // A route may have named the type of its answer before it failed.
    void reply.type('application/json; charset=utf-8').status(status)
    void reply.send({ error: { code, message } })
  })
  limitUnknownCallers(app)
  limitRates(app, options)
  guardBrowsers(app, hostNames, options.isOwnName)
  requireTls(app)
  limitBodies(app)
  limitBodyTimes(app)
  limitJsonValues(app)
  app.setNotFoundHandler(noSuchAddress)
  return app
}

/** What never became a request: its head came too slowly, was too long or is no HTTP. */
function refuseClient(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, refusal] = CLIENT_ERRORS[error.code ?? ''] ?? BAD_HTTP
  const body = JSON.stringify({ error: refusal })
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

type ClientError = [status: string, error: { code: string; message: string }]

const { code: SLOW, message: SLOW_MESSAGE } = new RequestSlow()
const CLIENT_ERRORS: Readonly<Record<string, ClientError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', { code: SLOW, message: SLOW_MESSAGE }],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    { code: 'MINGA_BAD_MESSAGE', message: 'The head of this request is too long. Shorten it.' },
  ],
}
const BAD_HTTP: ClientError = [
  '400 Bad Request',
  {
    code: 'MINGA_BAD_MESSAGE',
    message: 'This is not a valid HTTP request. Check the program that sent it.',
  },
]

/** The station's own certificate; null without one. */
export async function certificateOf(tls: ServerOptions['tls']): Promise<string | null> {
  return tls === null ? null : readFile(tls.certFile, 'utf8')
}

/** Where archived pages are shown, apart from everything else. */
export async function createReplayServer(
  options: ReplayContext & BareOptions,
): Promise<FastifyInstance> {
  const isOwnName = (name: string): boolean => isReplayName(name, options.replayOrigin())
  const app = await bareServer({ ...options, isOwnName })
  replayRoutes(app, options)
  return app
}

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = await bareServer(options)
  for (const [prefix, routes] of FACES) {
    const face = async (scope: FastifyInstance): Promise<void> => {
      routes(scope, options)
      // Else the page would answer: a program that misspells must not get HTML and a 200.
      for (const path of ['/', '/*']) scope.all(path, noSuchAddress)
    }
    await app.register(face, { prefix })
  }
  await app.register(async (scope) =>
    botRoutes(scope, { ...options, describe, facts: factsOf(options) }),
  )
  keyDirectoryRoutes(app, options)
  agentProgramRoute(app)
  await app.register(async (scope) => archiveProtocolRoutes(scope, options))
  if (options.pageFolder !== null) {
    const folder = { path: options.pageFolder, list: filesBelow, read: readFile }
    dashboardFiles(app, folder, options.replayOrigin)
  }
  return app
}

/** What the page for site owners says of this bot. */
function factsOf(options: ServerOptions): () => BotFacts {
  const { userAgent, contact = null } = options
  return () => ({
    userAgent,
    contact,
    keyDirectory: signatureAgentOf(options) === null ? null : KEY_DIRECTORY_PATH,
  })
}

const FACES = [
  ['/agent', agentRoutes],
  ['/federation', stationRoutes],
  ['/worker', workerRoutes],
  ['/api', apiRoutes],
] as const

function noSuchAddress({ method, url }: FastifyRequest, reply: FastifyReply): void {
  const message = `The station has no ${method} ${url.split('?', 1)[0]}. Check the address.`
  void reply.status(404).send({ error: { code: 'MINGA_BAD_MESSAGE', message } })
}

/** Agents retry every few seconds; the log need not repeat each failure. */
const COMPLAIN_EVERY_MS = 10_000

/** Says on stderr why agents are kept waiting: they themselves only know that they are. */
function rareComplaints(): (complaint: string) => void {
  let last = { complaint: '', atMs: 0 }
  return (complaint) => {
    const atMs = systemClock.monotonicMs()
    if (complaint === last.complaint && atMs - last.atMs < COMPLAIN_EVERY_MS) return
    last = { complaint, atMs }
    process.stderr.write(complaint)
  }
}

/** Empty when the folder is not there. */
async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.map((name) => name.replaceAll('\\', '/'))
}

/** Where a limit does not know when there will be room again. */
const RETRY_AFTER_S = 60

function describe(given: unknown): Problem {
  const error = isTooLarge(given) ? new BodyTooLarge() : given
  const { retryAfterS: own = null } = error as { retryAfterS?: number }
  if (isMingaError(error)) {
    const status = error.status ?? (error.retry === 'never' ? 400 : 503)
    const retryAfterS = own ?? (status === 429 ? RETRY_AFTER_S : null)
    return { status, code: error.code, message: error.message, retryAfterS }
  }
  const wrong = { status: 400, code: 'MINGA_BAD_MESSAGE', retryAfterS: own }
  if (error instanceof Error && error.name === 'ZodError') {
    return { ...wrong, message: formSentence(error as ZodError) }
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status >= 500) return { ...wrong, status, code: 'MINGA_INTERNAL', message: UNFORESEEN }
  return { ...wrong, status, message: error instanceof Error ? error.message : String(error) }
}

/** What exactly it was may name files, rows or other people: it is for the operator's log. */
const UNFORESEEN =
  'The station failed with an unexpected error. Its operator finds the cause in the event log.'

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
}
