/**
 * One connection per (origin, address), kept open while it is useful; more only while several
 * requests to one host are in flight. A crawl meets thousands of hosts: busy connections are bounded by the caller's concurrency, idle ones by a cap here, the
 * one used longest ago going first.
 */
import type { Socket } from 'node:net'
import type { Clock } from '@minga/protocol'
import { buildConnector, Client } from 'undici'
import { CertificateMemory, type CertificateFacts } from './certificate-facts.ts'
import { HeadReader, readHeadsOf } from './http-fetch-head.ts'

export interface ConnectionSettings {
  clock: Clock
  headerBytesMax: number
  connectMs: number
  idleConnectionsMax: number
  connectionsPerHost: number
  tls: { rejectUnauthorized?: boolean; ca?: string }
  localAddress: string | null
}

export interface Connection {
  readonly key: string
  readonly client: Client
  /** What the socket negotiated; meaningful from the first request on. */
  httpVersion: '1.1' | '2'
  /**
   * The socket broke by an error. undici takes a reset in a body that ends with the connection
   * for its end; this tells a cut body from a whole one.
   */
  broken: boolean
  /** Reads heads of responses before undici does; null before the first dial and over HTTP/2. */
  heads: HeadReader | null
  inFlight: number
  /** What the server showed, of a TLS connection. */
  certificate: CertificateFacts | null
  /** False once the server was seen closing between two requests without announcing it. */
  keepAlive: boolean
  /**
   * How long the last dial took up to an open TCP connection; set to null by the response that
   * reports it.
   */
  connectMs: number | null
}

export interface Connections {
  /** Must be given back by `release`, once per `acquire`. */
  acquire(url: URL, address: string): Connection
  release(connection: Connection): void
  /** Takes no new requests; those under way may finish. For connections that look dead. */
  retire(connection: Connection): void
  destroyAll(): Promise<void>
}

/** Longer than a polite delay of a few seconds, so that it pays off; short enough not to hoard a site's sockets. */
const IDLE_MS = 10_000

/** Closing twice or after destruction is reported as an error that tells nothing new. */
const ignore = (): void => {}

export function createConnections(settings: ConnectionSettings): Connections {
  const dial = buildConnector({ allowH2: true, timeout: settings.connectMs, ...settings.tls })
  const { localAddress, clock, headerBytesMax } = settings
  const pin = { localAddress, clock, headerBytesMax, certificates: new CertificateMemory() }
  const byKey = new Map<string, Connection>()
  // In the order they became idle, so the first is the one used longest ago.
  const idle = new Map<string, Connection>()

  const open = (key: string, origin: string, address: string): Connection => {
    const connection: Connection = {
      key,
      client: new Client(
        origin,
        clientOptions(
          settings,
          pinned(dial, { ...pin, address }, () => connection),
        ),
      ),
      httpVersion: '1.1',
      broken: false,
      heads: null,
      inFlight: 0,
      certificate: null,
      keepAlive: true,
      connectMs: null,
    }
    byKey.set(key, connection)
    return connection
  }

  const free = (origin: string, address: string): Connection => {
    const key = freeKey(byKey, `${origin} ${address}`, settings.connectionsPerHost)
    return byKey.get(key) ?? open(key, origin, address)
  }

  const forget = (connection: Connection): void => {
    if (byKey.get(connection.key) !== connection) return
    byKey.delete(connection.key)
    idle.delete(connection.key)
  }

  return {
    acquire(url, address) {
      const connection = free(url.origin, address)
      connection.inFlight++
      idle.delete(connection.key)
      return connection
    },
    release(connection) {
      connection.inFlight--
      if (connection.inFlight > 0 || byKey.get(connection.key) !== connection) return
      idle.set(connection.key, connection)
      if (idle.size <= settings.idleConnectionsMax) return
      const oldest = idle.values().next().value as Connection
      forget(oldest)
      oldest.client.destroy(ignore)
    },
    retire(connection) {
      forget(connection)
      connection.client.close(ignore)
    },
    async destroyAll() {
      const all = [...byKey.values()]
      byKey.clear()
      idle.clear()
      await Promise.all(all.map((connection) => connection.client.destroy()))
    },
  }
}

/** With more than one allowed, no request waits behind another one's slow answer, unless they share
 * HTTP/2. */
function freeKey(
  byKey: ReadonlyMap<string, Connection>,
  first: string,
  connectionsMax: number,
): string {
  for (let nth = 0; nth < connectionsMax; nth++) {
    const key = nth === 0 ? first : `${first} ${nth}`
    const known = byKey.get(key)
    if (!known || known.inFlight === 0 || known.httpVersion === '2') return key
  }
  return first
}

interface Pin {
  address: string
  localAddress: string | null
  certificates: CertificateMemory
  clock: Clock
  headerBytesMax: number
}

/** Replaces the name by the address and watches the socket; Host and SNI stay those of the URL. */
function pinned(
  dial: buildConnector.connector,
  { address, localAddress, certificates, clock, headerBytesMax }: Pin,
  connectionOf: () => Connection,
): buildConnector.connector {
  return (target, done) => {
    // `example.com.` is a valid host, but neither SNI nor certificates know the root dot (RFC 6066, 3).
    const dotted = target.protocol === 'https:' && target.hostname.endsWith('.')
    const servername = dotted ? target.hostname.slice(0, -1) : target.servername
    const where = {
      ...target,
      hostname: address,
      ...(localAddress === null ? {} : { localAddress }),
      ...(servername === undefined ? {} : { servername }),
    }
    const dialledMs = clock.monotonicMs()
    // undici's types do not declare the socket that its connector returns; without it nothing is
    // reported.
    const dialled = dial(where, (...result) => {
      const [, socket] = result
      if (socket !== null && socket !== undefined) {
        const connection = connectionOf()
        connection.broken = false
        connection.httpVersion =
          'alpnProtocol' in socket && socket.alpnProtocol === 'h2' ? '2' : '1.1'
        connection.heads = connection.httpVersion === '2' ? null : new HeadReader(headerBytesMax)
        if (connection.heads !== null) readHeadsOf(socket, connection.heads)
        connection.certificate = certificates.of(socket, servername ?? target.hostname)
        // Registered before undici's own listener, so the flag is set when undici ends the body.
        socket.on('error', () => {
          connection.broken = true
        })
      }
      done(...result)
    }) as unknown as Socket | undefined
    // TLS comes after this moment. Before undici's own listener, which may send the request at once.
    dialled?.prependOnceListener('connect', () => {
      connectionOf().connectMs = clock.monotonicMs() - dialledMs
    })
  }
}

function clientOptions(
  settings: ConnectionSettings,
  connect: buildConnector.connector,
): Client.Options {
  return {
    connect,
    pipelining: 1,
    maxHeaderSize: settings.headerBytesMax,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // Time limits are kept by one shared sweep (see http-fetch.ts): undici's cost timers per request.
    headersTimeout: 0,
    bodyTimeout: 0,
    h2Options: { pingInterval: 0 },
  }
}
