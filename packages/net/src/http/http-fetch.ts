/**
 * Fetches one URL from one address, within limits, and says what happened. It never resolves names,
 * follows redirects, keeps cookies or reads proxy settings: the caller has decided where to dial,
 * and nothing a server sends can change that.
 */
import { isIP } from 'node:net'
import type { Clock, Instant } from '@minga/protocol'
import { guardAddress, guardUrl } from '../guard/address-guard.ts'
import type { GuardPolicy } from '../guard/address-guard.ts'
import { fetchFailure } from './fetch-outcome.ts'
import type { FetchOutcome, HeaderList } from './fetch-outcome.ts'
import { createConnections } from './http-fetch-connections.ts'
import type { Connections } from './http-fetch-connections.ts'
import { Exchange } from './http-fetch-exchange.ts'
import type { ExchangeLimits } from './http-fetch-exchange.ts'
import { requestTargetOf } from '../url/url.ts'

export interface FetchLimits extends ExchangeLimits {
  /** From dialling to a usable connection, TLS included. */
  connectMs: number
}

export const DEFAULT_LIMITS: Readonly<FetchLimits> = {
  /** Nearly all pages and most PDFs fit; 64 of them in flight still fit the memory of a volunteer's machine. */
  bodyBytesMax: 16 * 1024 * 1024,
  /** Four times Node's default: long Content-Security-Policy and Set-Cookie fields exist. */
  headerBytesMax: 64 * 1024,
  /** Three tries of TCP's SYN (1 + 2 + 4 s) and a handshake; a host slower than that is down. */
  connectMs: 10_000,
  /** Slow dynamic pages take 10–20 s; cutting one off makes the server do the work again. */
  firstByteMs: 30_000,
  /** The largest body at 140 kB/s. Bounds how long one request can hold a lease. */
  totalMs: 120_000,
  /** A body that pauses this long seldom continues; what arrived is kept. */
  idleMs: 20_000,
}

export interface FetcherOptions {
  clock: Clock
  userAgent: string
  guard: GuardPolicy
  limits: FetchLimits
  /** Idle connections kept for reuse. */
  connectionsMax?: number
  /** More than one only when the caller itself has several requests to one host in flight. */
  connectionsPerHost?: number
  tls?: { rejectUnauthorized?: boolean; ca?: string }
  /** From which of this machine's addresses to dial, where it has several. */
  localAddress?: string
  /** Further fields of a request, such as a signature; they are sent and recorded with the rest. */
  headersFor?: (url: URL) => HeaderList
}

export interface FetchRequest {
  url: string
  /** The IP address to dial, as the resolver gave it. */
  address: string
  /** POST is for logging in alone: nothing else changes anything at a site. */
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: HeaderList
  body?: string
  etag?: string
  lastModified?: string
  signal?: AbortSignal
  /** Asked immediately before the first byte is sent; if not, the fetch is cancelled. */
  mayStart?: () => boolean
}

export interface Fetcher {
  /** Never rejects. */
  fetch(request: FetchRequest): Promise<FetchOutcome>
  /** Cancels what is under way and closes every connection. */
  close(): Promise<void>
}

/** With the busy ones this stays under the usual 1,024 descriptors of a process. */
const IDLE_CONNECTIONS_MAX = 256
/** Precision of the time limits: a twentieth of the total, between these two. */
const SWEEP_MIN_MS = 10
const SWEEP_MAX_MS = 250

const ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8'
const ACCEPT_ENCODING = 'gzip, br, zstd, deflate'
/** What a header value may contain (RFC 9110, 5.5); a stored ETag can be anything a server once sent. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]+$/

export function createFetcher(options: FetcherOptions): Fetcher {
  const { clock, limits } = options
  const connections = createConnections({
    clock,
    headerBytesMax: limits.headerBytesMax,
    connectMs: limits.connectMs,
    idleConnectionsMax: options.connectionsMax ?? IDLE_CONNECTIONS_MAX,
    connectionsPerHost: options.connectionsPerHost ?? 1,
    tls: options.tls ?? {},
    localAddress: options.localAddress ?? null,
  })
  const underWay = new Set<Exchange>()
  const watchLimits = createSweep({ clock, totalMs: limits.totalMs, underWay, connections })
  const engine: Engine = {
    options,
    connections,
    underWay,
    held: { bytes: 0 },
    watchLimits,
    watchSignal: createSignalWatch(),
  }
  let closed = false

  return {
    async fetch(request) {
      if (closed || request.signal?.aborted === true) {
        return fetchFailure('MINGA_CANCELLED', '', undialled(clock, request))
      }
      const url = URL.parse(request.url)
      if (url === null) {
        return fetchFailure(
          'MINGA_REQUEST_INVALID',
          'the URL cannot be parsed',
          undialled(clock, request),
        )
      }
      const reason = guardReason(request, options.guard)
      if (reason !== null)
        return fetchFailure('MINGA_ADDRESS_REFUSED', reason, undialled(clock, request))
      return startExchange(engine, url, request)
    },
    async close() {
      closed = true
      for (const exchange of underWay) exchange.cancel()
      await connections.destroyAll()
    },
  }
}

/** What all exchanges of one fetcher share. */
interface Engine {
  options: FetcherOptions
  connections: Connections
  underWay: Set<Exchange>
  held: { bytes: number }
  watchLimits: () => void
  watchSignal: SignalWatch
}

/** Where and when of an outcome without a dial. */
function undialled(
  clock: Clock,
  { address }: FetchRequest,
): { address: string; startedAt: Instant; totalMs: number } {
  return { address, startedAt: clock.now(), totalMs: 0 }
}

function guardReason({ url, address }: FetchRequest, policy: GuardPolicy): string | null {
  // A name here would be resolved by the system, past the guard.
  if (isIP(address) === 0) return `"${address}" is not an IP address`
  return (guardUrl(url, policy) ?? guardAddress(address, policy))?.reason ?? null
}

function startExchange(engine: Engine, url: URL, request: FetchRequest): Promise<FetchOutcome> {
  const { options, connections, underWay, held, watchLimits, watchSignal } = engine
  const { address, method = 'GET', signal } = request
  const headers = requestHeaders(options.userAgent, request)
  headers.push(...(options.headersFor?.(url) ?? []))
  const connection = connections.acquire(url, address)
  // No reuse after HEAD: too many servers send a body with the answer.
  const keepAlive = connection.keepAlive && method !== 'HEAD'
  return new Promise((resolve) => {
    const exchange = new Exchange({
      clock: options.clock,
      limits: options.limits,
      connection,
      address,
      method,
      headers,
      host: url.host,
      keepAlive,
      mayStart: request.mayStart ?? (() => true),
      held,
      settled: (outcome) => {
        underWay.delete(exchange)
        if (signal !== undefined) watchSignal.remove(signal, exchange)
        connections.release(connection)
        resolve(outcome)
      },
    })
    underWay.add(exchange)
    if (signal !== undefined) watchSignal.add(signal, exchange)
    watchLimits()
    const path = requestTargetOf(url)
    connection.client.dispatch(
      { path, method, headers: headers.flat(), reset: !keepAlive, body: request.body ?? null },
      exchange,
    )
  })
}

function requestHeaders(userAgent: string, request: FetchRequest): HeaderList {
  const headers: HeaderList = [
    ['user-agent', userAgent],
    ['accept', ACCEPT],
    ['accept-encoding', ACCEPT_ENCODING],
  ]
  const { etag, lastModified } = request
  if (etag !== undefined && SENDABLE.test(etag)) headers.push(['if-none-match', etag])
  if (lastModified !== undefined && SENDABLE.test(lastModified))
    headers.push(['if-modified-since', lastModified])
  for (const [name, value] of request.headers ?? []) {
    // A caller's own accept or user-agent replaces ours instead of being sent twice.
    const known = headers.findIndex(([ours]) => ours === name.toLowerCase())
    if (known === -1) headers.push([name, value])
    else headers[known] = [name, value]
  }
  return headers
}

/**
 * One timer for all exchanges instead of three per request. Runs only while something is under
 * way, so that an idle fetcher does not keep its process alive.
 */
function createSweep(watched: {
  clock: Clock
  totalMs: number
  underWay: Set<Exchange>
  connections: Connections
}): () => void {
  const { clock, totalMs, underWay, connections } = watched
  const everyMs = Math.min(SWEEP_MAX_MS, Math.max(SWEEP_MIN_MS, totalMs / 20))
  let running = false
  const run = async (): Promise<void> => {
    while (underWay.size > 0) {
      await clock.sleep(everyMs)
      const nowMs = clock.monotonicMs()
      for (const exchange of underWay) {
        // A multiplexed connection that let one request starve is likely dead for all: open another.
        if (exchange.expire(nowMs)) connections.retire(exchange.connection)
      }
    }
    running = false
  }
  return () => {
    if (running) return
    running = true
    void run()
  }
}

interface SignalWatch {
  add(signal: AbortSignal, exchange: Exchange): void
  remove(signal: AbortSignal, exchange: Exchange): void
}

/** One listener per signal, not per request: a crawl passes the same signal a million times. */
function createSignalWatch(): SignalWatch {
  const watched = new WeakMap<AbortSignal, Set<Exchange>>()
  return {
    add(signal, exchange) {
      const known = watched.get(signal)
      if (known !== undefined) return void known.add(exchange)
      const exchanges = new Set([exchange])
      watched.set(signal, exchanges)
      signal.addEventListener('abort', () => {
        for (const one of exchanges) one.cancel()
      })
    },
    remove(signal, exchange) {
      watched.get(signal)?.delete(exchange)
    },
  }
}
