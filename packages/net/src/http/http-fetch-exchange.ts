/**
 * One request and its answer, as undici's handler. Everything ends in `settle`, exactly once;
 * whatever undici reports afterwards is ignored. Written against `dispatch`, undici's lowest
 * level, because streams and promises per request cost more than the parsing.
 */
import type { Clock, Instant } from '@minga/protocol'
import { errors, type Dispatcher } from 'undici'
import {
  fetchFailure,
  type FetchFailureCode,
  type FetchOutcome,
  type HeaderList,
  type Truncation,
} from './fetch-outcome.ts'
import type { Connection } from './http-fetch-connections.ts'

export interface ExchangeLimits {
  bodyBytesMax: number
  /** Of all bodies that are being received at once; without it only each of them is limited. */
  bodiesBytesMax?: number
  headerBytesMax: number
  firstByteMs: number
  totalMs: number
  idleMs: number
}

export interface ExchangeOptions {
  clock: Clock
  limits: ExchangeLimits
  connection: Connection
  address: string
  method: 'GET' | 'HEAD' | 'POST'
  /** Without host and connection, which are added as sent. */
  headers: HeaderList
  host: string
  /** What the request says in its Connection field. */
  keepAlive: boolean
  mayStart: () => boolean
  /** What the exchanges of this fetcher have received and not handed on yet. */
  held: { bytes: number }
  settled: (outcome: FetchOutcome) => void
}

/** Reason given to undici for ending an exchange from our side; never seen by callers. */
const ENDED = new Error('The exchange was ended by the fetcher.')
const NO_BYTES: Buffer = Buffer.alloc(0)

export class Exchange implements Dispatcher.DispatchHandler {
  readonly connection: Connection
  readonly startedAt: Instant
  readonly #options: ExchangeOptions
  readonly #startMs: number
  #controller: Dispatcher.DispatchController | null = null
  #starts = 0
  #sent = false
  #done = false
  /** When the current wait began: connection, then request written, then each piece of body. */
  #sinceMs: number
  #connectMs: number | null = null
  #firstByteMs = -1
  #status = 0
  #statusText = ''
  #rawHeaders: HeaderList = []
  #chunks: Buffer[] = []
  #sizeBytes = 0

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.connection = options.connection
    this.startedAt = options.clock.now()
    this.#startMs = options.clock.monotonicMs()
    this.#sinceMs = this.#startMs
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#starts++
    // Cancelled or timed out while waiting for the connection: nothing has been written yet.
    if (this.#done) return controller.abort(ENDED)
    // undici replays a request that an HTTP/2 server refused or left unanswered at GOAWAY. The server
    // may have counted the first one, so a replay must pass through the caller's politeness clock.
    if (this.#sent || this.#starts > 2) {
      return this.#fail(
        'MINGA_CONNECTION_LOST',
        'the server closed the connection before taking the request',
      )
    }
    // After this the bytes are written. Before it undici may have waited for a connection, or a
    // turn of the event loop to see whether an idle one still lives.
    if (!this.#options.mayStart()) return this.#fail('MINGA_CANCELLED', '')
    this.connection.heads?.begin()
    // The first request on a connection tells how long it took to open.
    this.#connectMs = this.connection.connectMs
    this.connection.connectMs = null
    this.#sinceMs = this.#options.clock.monotonicMs()
  }

  onRequestSent(): void {
    this.#sent = true
  }

  onResponseStarted(): void {
    if (this.#firstByteMs < 0) this.#firstByteMs = this.#elapsedMs()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: object,
    text?: string,
  ): void {
    // 1xx answers come before the real one.
    if (this.#done || status < 200) return
    this.#sinceMs = this.#options.clock.monotonicMs()
    const received = this.connection.heads?.received ?? null
    const { headers, sizeBytes } = headerList(received?.headers.flat() ?? controller.rawHeaders)
    // undici limits HTTP/1.1 headers while they arrive; for HTTP/2 only the whole block is seen.
    if (sizeBytes > this.#options.limits.headerBytesMax) {
      return this.#fail('MINGA_HEADERS_TOO_LARGE', `${sizeBytes} bytes`)
    }
    this.#status = status
    this.#statusText = received?.statusText ?? text ?? ''
    this.#rawHeaders = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return
    const { limits, held } = this.#options
    const roomForAll = (limits.bodiesBytesMax ?? Infinity) - held.bytes
    const room = Math.min(limits.bodyBytesMax - this.#sizeBytes, roomForAll)
    if (chunk.length > room) {
      this.#keep(chunk.subarray(0, room))
      return this.#answer('length')
    }
    this.#keep(chunk)
    this.#sinceMs = this.#options.clock.monotonicMs()
  }

  onResponseEnd(): void {
    if (!this.#done) this.#answer(this.connection.broken ? 'disconnect' : null)
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#done) return
    // With a status in hand, what arrived is worth more than the error.
    if (this.#status !== 0) return this.#answer('disconnect')
    const code = failureCodeOf(error, this.#starts === 0 ? 'connecting' : 'waiting')
    // Lost without a byte: perhaps a server that closes after each answer without saying so. Reusing
    // its connections would lose every second request, and none may be repeated here.
    if (code === 'MINGA_CONNECTION_LOST' && this.#firstByteMs < 0) this.connection.keepAlive = false
    this.#fail(code, describe(error))
  }

  cancel(): void {
    if (!this.#done) this.#fail('MINGA_CANCELLED', '')
  }

  /** Called by the fetcher's sweep: ends the exchange when one of its waits is too long. True if it did. */
  expire(nowMs: number): boolean {
    if (this.#done) return false
    const { totalMs, firstByteMs, idleMs } = this.#options.limits
    const overall = nowMs - this.#startMs >= totalMs
    const waitedMs = nowMs - this.#sinceMs
    if (this.#status !== 0) {
      if (!overall && waitedMs < idleMs) return false
      this.#answer('time')
    } else if (this.#starts > 0) {
      if (!overall && waitedMs < firstByteMs) return false
      this.#fail('MINGA_RESPONSE_TIMEOUT', `waited ${Math.round(waitedMs)} ms`)
    } else {
      // The connector has its own, shorter limit; this one covers queueing behind other requests.
      if (!overall) return false
      this.#fail('MINGA_CONNECT_TIMEOUT', `waited ${Math.round(waitedMs)} ms`)
    }
    return true
  }

  #keep(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#sizeBytes += chunk.length
    this.#options.held.bytes += chunk.length
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - this.#startMs
  }

  #answer(truncated: Truncation | null): void {
    const { address } = this.#options
    const totalMs = this.#elapsedMs()
    this.#settle({
      ok: true,
      status: this.#status,
      statusText: this.#statusText,
      httpVersion: this.connection.httpVersion,
      requestHeaders: this.#requestHeaders(),
      rawHeaders: this.#rawHeaders,
      body: this.#body(),
      truncated,
      contentLengthMismatch: this.#lengthMismatch(truncated),
      address,
      certificate: this.connection.certificate,
      startedAt: this.startedAt,
      connectMs: this.#connectMs,
      firstByteMs: this.#firstByteMs < 0 ? totalMs : this.#firstByteMs,
      totalMs,
    })
  }

  #fail(code: FetchFailureCode, detail: string): void {
    const { address } = this.#options
    this.#settle(
      fetchFailure(code, detail, {
        address,
        startedAt: this.startedAt,
        totalMs: this.#elapsedMs(),
      }),
    )
  }

  #settle(outcome: FetchOutcome): void {
    this.#done = true
    this.#options.held.bytes -= this.#sizeBytes
    // A whole answer leaves the connection alone. Otherwise its rest is unwanted or unreadable:
    // over HTTP/1.1 this closes the socket, over HTTP/2 it resets the stream.
    if (!outcome.ok || outcome.truncated !== null) this.#controller?.abort(ENDED)
    this.#options.settled(outcome)
  }

  #body(): Buffer {
    const [only] = this.#chunks
    if (only === undefined) return NO_BYTES
    return this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#sizeBytes)
  }

  #requestHeaders(): HeaderList {
    const { host, headers, keepAlive } = this.#options
    if (this.connection.httpVersion === '2') return [['host', host], ...headers]
    return [['host', host], ['connection', keepAlive ? 'keep-alive' : 'close'], ...headers]
  }

  #lengthMismatch(truncated: Truncation | null): boolean {
    const bodiless = this.#options.method === 'HEAD' || this.#status === 204 || this.#status === 304
    // Cut by our own limits: the server's length cannot be judged.
    if (bodiless || truncated === 'length' || truncated === 'time') return false
    let announced: string | null = null
    for (const [name, value] of this.#rawHeaders) {
      if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return false
      if (name.length === 14 && name.toLowerCase() === 'content-length') announced = value
    }
    return announced !== null && Number(announced) !== this.#sizeBytes
  }
}

type UndiciHeaders = Dispatcher.DispatchController['rawHeaders']

/** HTTP/1.1 gives a flat list of bytes as received, HTTP/2 an object that Node has already parsed. */
function headerList(raw: UndiciHeaders): { headers: HeaderList; sizeBytes: number } {
  const headers: HeaderList = []
  let sizeBytes = 0
  const add = (name: string, value: string): void => {
    headers.push([name, value])
    sizeBytes += name.length + value.length
  }
  if (Array.isArray(raw)) {
    for (let i = 0; i + 1 < raw.length; i += 2) add(latin1(raw[i]), latin1(raw[i + 1]))
  } else if (raw !== null && raw !== undefined) {
    for (const [name, value] of Object.entries(raw)) {
      if (Array.isArray(value)) for (const one of value) add(name, one)
      else if (value !== undefined) add(name, value)
    }
  }
  return { headers, sizeBytes }
}

/** Header bytes have no declared charset; latin1 keeps every one of them. */
function latin1(value: Buffer | string | undefined): string {
  return typeof value === 'string' ? value : (value?.toString('latin1') ?? '')
}

/** `connecting`: nothing was sent yet; `waiting`: the request may have been sent. */
type FailurePhase = 'connecting' | 'waiting'

const BY_CODE: Readonly<Record<string, FetchFailureCode>> = {
  UND_ERR_CONNECT_TIMEOUT: 'MINGA_CONNECT_TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'MINGA_RESPONSE_TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'MINGA_RESPONSE_TIMEOUT',
  UND_ERR_HEADERS_OVERFLOW: 'MINGA_HEADERS_TOO_LARGE',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'MINGA_BAD_RESPONSE',
  UND_ERR_INVALID_ARG: 'MINGA_REQUEST_INVALID',
  UND_ERR_NOT_SUPPORTED: 'MINGA_REQUEST_INVALID',
  UND_ERR_DESTROYED: 'MINGA_CANCELLED',
  UND_ERR_CLOSED: 'MINGA_CANCELLED',
  EPROTO: 'MINGA_TLS_FAILED',
}

/** OpenSSL verification results have no common prefix; these cover the list in Node's TLS documentation. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERROR_IN_CERT_|ERROR_IN_CRL_)/

/** Translates what undici, TLS and the kernel say into the closed list of `fetch-outcome.ts`. */
function failureCodeOf(error: unknown, phase: FailurePhase): FetchFailureCode {
  const code = codeOf(error)
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if (TLS_CODE.test(code)) return 'MINGA_TLS_FAILED'
  // undici gives parser errors no usable code.
  if (error instanceof errors.HTTPParserError) return 'MINGA_BAD_RESPONSE'
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)/.test(messageOf(error)))
    return 'MINGA_BAD_RESPONSE'
  if (code === 'ERR_HTTP2_ERROR' || code === 'ERR_HTTP2_SESSION_ERROR') return 'MINGA_BAD_RESPONSE'
  // The kernel's own time-out counts only while connecting; later it means a dead peer.
  if (phase === 'connecting' && code === 'ETIMEDOUT') return 'MINGA_CONNECT_TIMEOUT'
  // A reset during the TLS handshake is a connection that existed and went away.
  if (phase === 'connecting' && code !== 'ECONNRESET') return 'MINGA_CONNECT_REFUSED'
  return 'MINGA_CONNECTION_LOST'
}

/** One line without the trailing full stop, which the outcome's sentence adds. */
function describe(error: unknown): string {
  const code = codeOf(error)
  const message = messageOf(error).split('\n', 1)[0]?.replace(/\.$/, '') ?? ''
  if (code === '') return message
  return message.includes(code) || message === '' ? message || code : `${message} (${code})`
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
