/**
 * The page on which a volunteer sees what the agent does and holds its levers. Node's own server,
 * on loopback only; every answer forbids the browser to load, frame or send anything elsewhere.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { isMingaError, type Clock } from '@minga/protocol'
import type { AgentControl } from '../control.ts'
import { PageForeigner, PageNotThere, PageTokenRefused } from '../../errors.ts'
import { removePageFile, writePageFile } from './page-file.ts'
import { answerCall, isCall, sendJson } from './page-calls.ts'
import { TEXTS } from './texts.ts'

export const DEFAULT_PAGE_PORT = 7_710

export interface LocalPageOptions {
  control: AgentControl
  clock: Clock
  /** The agent's folder, where `agent-page.json` is left for the command line. */
  data: string
  /** The first to be tried; 0: any. */
  port: number
  /** The process that is to be signalled to stop the agent; this one unless said otherwise. */
  pid?: number
}

export interface LocalPage {
  /** Without a slash at the end; nothing in it is secret. */
  url: string
  close(): Promise<void>
}

/** 256 bits cannot be guessed. */
const TOKEN_BYTES = 32

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export async function openLocalPage(options: LocalPageOptions): Promise<LocalPage> {
  const { control, clock, data, pid = process.pid } = options
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const assets = await readAssets(token)
  const closing = new AbortController()
  const server = createServer()
  server.maxConnections = CONNECTIONS_MAX
  const port = await listen(server, options.port)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const tools = { control, clock, closing: closing.signal }
    void serve({ request, response }, async (path) => {
      admit({ method: request.method ?? '', headers: request.headers }, { port, token })
      if (isCall(path)) return answerCall({ request, response, path }, tools)
      sendAsset(response, assets, path)
    })
  })
  const url = `http://127.0.0.1:${port}`
  await writePageFile(data, { url, token, pid })
  const close = async (): Promise<void> => {
    closing.abort()
    await removePageFile(data, token)
    server.close()
    // What was answered last is on its way; what only listens must not keep the agent.
    server.closeIdleConnections()
    await Promise.race([once(server, 'close'), clock.sleep(LAST_ANSWERS_MS)])
    server.closeAllConnections()
  }
  return { url, close }
}

/** More than a person opens; enough that a forgotten window does not lock its owner out. */
const CONNECTIONS_MAX = 100

/** A browser on the same machine has read its answer long before. */
const LAST_ANSWERS_MS = 500

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/** Whatever goes wrong is answered with a code and a sentence. */
async function serve(
  { request, response }: Exchange,
  answer: (path: string) => Promise<void>,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
  response.on('error', () => {}) // The reader went away.
  try {
    const asked = request.url ?? '/'
    const url = URL.parse(asked, 'http://page')
    if (url === null) throw new PageNotThere(asked)
    await answer(url.pathname)
  } catch (error) {
    if (response.headersSent) {
      response.destroy()
      return
    }
    // The body of a refused call was perhaps not read to its end.
    response.setHeader('connection', 'close')
    sendJson(response, statusOf(error), problemOf(error))
  }
}

const STATUSES: Record<string, number> = {
  MINGA_PAGE_FOREIGNER: 403,
  MINGA_PAGE_TOKEN_REFUSED: 401,
  MINGA_PAGE_NOT_THERE: 404,
}

function statusOf(error: unknown): number {
  if (!isMingaError(error)) return 500
  return STATUSES[error.code] ?? 400
}

function problemOf(error: unknown): { code: string; message: string } {
  if (isMingaError(error)) return { code: error.code, message: error.message }
  return { code: 'MINGA_INTERNAL', message: 'The agent failed with an unexpected error.' }
}

function sendAsset(response: ServerResponse, assets: Assets, path: string): void {
  const asset: Asset | undefined = assets.get(path)
  if (asset === undefined) throw new PageNotThere(path)
  response.setHeader('content-type', asset.type)
  response.end(asset.body)
}

/** Another agent, or another program, may have the port: the next ones are tried, then any. */
async function listen(server: Server, first: number): Promise<number> {
  const next = first === 0 ? [] : Array.from({ length: PORTS_TRIED }, (_, index) => first + index)
  for (const port of next.filter((candidate) => candidate <= PORT_MAX)) {
    try {
      return await listenOn(server, port)
    } catch (error) {
      if (!TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  return listenOn(server, 0)
}

async function listenOn(server: Server, port: number): Promise<number> {
  server.listen({ host: '127.0.0.1', port })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const PORTS_TRIED = 20
const PORT_MAX = 65_535
/** Windows says EACCES of ports that it keeps for itself. */
const TAKEN = new Set(['EADDRINUSE', 'EACCES'])

interface Asset {
  type: string
  body: string
}

/** By path. `/` is stored without the token, which is inserted at every start. */
type Assets = ReadonlyMap<string, Asset>

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const

const PARTS = [
  ['page', 'css'],
  ['page', 'js'],
  ['activity', 'js'],
  ['amounts', 'js'],
  ['calls', 'js'],
  ['limits-form', 'js'],
  ['now', 'js'],
  ['words', 'js'],
] as const

/** What the page consists of, read once at the start: no request reaches the disk. */
async function readAssets(token: string): Promise<Assets> {
  const folder = new URL('./page/', import.meta.url)
  const html = await readFile(new URL('page.html', folder), 'utf8')
  const assets = new Map<string, Asset>([
    ['/', { type: 'text/html; charset=utf-8', body: html.replace('{{token}}', token) }],
    ['/texts.json', { type: 'application/json', body: JSON.stringify(TEXTS) }],
  ])
  for (const [name, kind] of PARTS) {
    const body = await readFile(new URL(`${name}.${kind}`, folder), 'utf8')
    assets.set(`/${name}.${kind}`, { type: TYPES[kind], body })
  }
  return assets
}

const TOKEN_HEADER = 'x-minga-token'

interface PageGuard {
  port: number
  token: string
}

interface PageCall {
  method: string
  headers: IncomingHttpHeaders
}

/**
 * Who may call the agent's page. It listens on loopback only, but a browser on this machine carries
 * other people's pages: the Host header stops DNS rebinding, Origin and Sec-Fetch-Site stop other
 * sites, and a call that changes something needs the token, which only this page's own text and a
 * file of the owner hold.
 * Throws the error that the caller receives.
 */
function admit({ method, headers }: PageCall, { port, token }: PageGuard): void {
  const host = (headers.host ?? '').toLowerCase()
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) throw new PageForeigner(host)
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${host}`) throw new PageForeigner(origin)
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    // A link to the page may be followed from anywhere; what is read by scripts may not.
    if (headers['sec-fetch-mode'] !== 'navigate') throw new PageForeigner(site)
  }
  const shown = headers[TOKEN_HEADER]
  const isChange = method !== 'GET' && method !== 'HEAD'
  // Also when looking: a token of another start tells that the caller means another agent.
  if ((isChange || shown !== undefined) && !isSame(String(shown ?? ''), token)) {
    throw new PageTokenRefused()
  }
}

/** In a time that tells nothing of where they differ. */
function isSame(shown: string, token: string): boolean {
  return timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', token, 'buffer'))
}
