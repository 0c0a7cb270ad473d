/**
 * Calls to other stations of the federation, signed as this one. Over https; plain http only on this
 * machine. A station's certificate may be signed by whom its own row names, besides the usual authorities.
 */
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { getCACertificates } from 'node:tls'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { guardAddress, guardUrl, type GuardPolicy, type Resolver } from '@minga/net'
import {
  STATION_HEADERS,
  bodyDigest,
  stationProof,
  type Clock,
  type FederatedStation,
  type StationCall,
} from '@minga/protocol'
import type { ZodType } from 'zod'
import { BadStationUrl, StationAway, StationCallRefused, StationSaidNo } from '../errors.ts'
import { CALL_PATIENCE_MS } from '../timing.ts'
import { countValues } from '../../http/request-limits/json-values.ts'
import type { StationIdentity } from './station-keys.ts'

export interface StationCalls {
  /**
   * Resolves to the answer's body when the other has taken the call; fails with StationAway
   * (retry `later`) when it cannot be reached, or with what it said.
   */
  post(stationId: string, path: string, body: Buffer): Promise<Buffer>
}

/** Where a station is; its name for those who read messages. */
export type Callee = Pick<FederatedStation, 'id' | 'name' | 'url' | 'ca'>

interface CallParts {
  clock: Clock
  identity: () => Promise<StationIdentity>
  /** Null when no such station is known. */
  stationOf: (id: string) => Callee | null
  newNonce: () => string
  /** Members say where they are: none of them may send us to what is inside our network. */
  resolver: Pick<Resolver, 'resolve'>
  guard: GuardPolicy
}

interface Message {
  method: 'GET' | 'POST'
  path: string
  body: Buffer
  patienceMs: number
}

/** What a station that is called for the first time is called. */
export const SOME_STATION = 'anybody'

const NO_BODY = Buffer.alloc(0)
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Idle connections to one station: a renewal, a claim and a batch may be under way together. */
const SOCKETS_KEPT = 4

export class SignedCalls implements StationCalls {
  readonly #parts: CallParts
  readonly #agents = new Map<string, HttpAgent>()

  constructor(parts: CallParts) {
    this.#parts = parts
  }

  post(
    stationId: string,
    path: string,
    body: Buffer,
    patienceMs = CALL_PATIENCE_MS,
  ): Promise<Buffer> {
    return this.#call(stationId, { method: 'POST', path, body, patienceMs })
  }

  get(stationId: string, path: string, patienceMs: number): Promise<Buffer> {
    return this.#call(stationId, { method: 'GET', path, body: NO_BODY, patienceMs })
  }

  async #call(stationId: string, message: Message): Promise<Buffer> {
    const callee = this.#parts.stationOf(stationId)
    if (callee === null) throw StationCallRefused.unknown(stationId)
    return this.callAt(callee, message)
  }

  /** Calls an address that no station vouches for yet, too. */
  async callAt(callee: Callee, message: Message): Promise<Buffer> {
    const { guard } = this.#parts
    const url = new URL(message.path, guardedStationUrl(callee.url, guard))
    const lookup = await this.#lookupFor(url, callee)
    const headers = await this.#headers(callee, message)
    const { status, body } = await this.#send({ url, headers, lookup }, callee, message)
    if (status >= 200 && status < 300) return body
    throw refusalIn(status, body)
  }

  /** The address that was checked is the address that is dialled: names change in between. */
  async #lookupFor(url: URL, callee: Callee): Promise<LookupFunction> {
    const { resolver, guard } = this.#parts
    const found = await resolver.resolve(url.hostname.replace(/^\[|\]$/g, ''))
    if (!found.ok) throw new StationAway(callee.name, { cause: new Error(found.message) })
    for (const ip of found.addresses) {
      const refusal = guardAddress(ip, guard)
      if (refusal !== null) throw BadStationUrl.guarded(callee.url, refusal.reason)
    }
    const address = found.addresses[0]!
    const family = address.includes(':') ? 6 : 4
    return (_name, options, done) =>
      options.all ? done(null, [{ address, family }]) : done(null, address, family)
  }

  async #headers(callee: Callee, { method, path, body }: Message): Promise<Record<string, string>> {
    const { clock, newNonce } = this.#parts
    const identity = await this.#parts.identity()
    const call: StationCall = {
      method,
      path,
      from: identity.id,
      to: callee.id,
      timeMs: Math.round(clock.now()),
      nonce: newNonce(),
      body,
    }
    const digest = bodyDigest(body)
    return {
      [STATION_HEADERS.from]: call.from,
      [STATION_HEADERS.to]: call.to,
      [STATION_HEADERS.time]: String(call.timeMs),
      [STATION_HEADERS.nonce]: call.nonce,
      [STATION_HEADERS.signature]: identity.sign(stationProof({ ...call, digest })),
      [STATION_HEADERS.digest]: digest,
    }
  }

  #send(
    { url, headers, lookup }: { url: URL; headers: Record<string, string>; lookup: LookupFunction },
    callee: Callee,
    message: Message,
  ): Promise<{ status: number; body: Buffer }> {
    const { method, body, patienceMs } = message
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown): void => reject(new StationAway(callee.name, { cause }))
      const call = send(url, {
        method,
        lookup,
        agent: this.#agentFor(url, callee),
        headers: {
          ...headers,
          'content-type': 'application/octet-stream',
          'content-length': body.length,
        },
        signal: AbortSignal.timeout(patienceMs),
      })
      call.on('error', fail)
      call.on('response', (response) => {
        readAll(response).then(
          (read) => resolve({ status: response.statusCode ?? 0, body: read }),
          fail,
        )
      })
      call.end(body)
    })
  }

  /** One per certificate and place, so that connections are kept. */
  #agentFor({ origin, protocol }: URL, { ca }: Callee): HttpAgent {
    const name = `${origin} ${ca ?? ''}`
    const known = this.#agents.get(name)
    if (known !== undefined) return known
    const options = { keepAlive: true, maxFreeSockets: SOCKETS_KEPT }
    const agent =
      protocol === 'https:'
        ? new HttpsAgent({ ...options, ...trustIn(ca) })
        : new HttpAgent(options)
    this.#agents.set(name, agent)
    return agent
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }
}

/** Trusted in addition to the usual authorities; a self-signed certificate counts as itself. */
function trustIn(ca: string | null): { ca?: string[]; allowPartialTrustChain?: boolean } {
  if (ca === null) return {}
  return { ca: [...getCACertificates('default'), ca], allowPartialTrustChain: true }
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/

/** Scheme and authority of a station's address; refused when others on the way could listen. */
export function safeStationUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw BadStationUrl.noAddress(text)
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) throw BadStationUrl.unsafe(text)
  return url.origin
}

/** As `safeStationUrl`; refused also when it leads inside our network, as far as its text tells. */
export function guardedStationUrl(text: string, guard: GuardPolicy): string {
  const origin = safeStationUrl(text)
  const refusal = guardUrl(origin, guard)
  if (refusal !== null) throw BadStationUrl.guarded(origin, refusal.reason)
  return origin
}

/** What a registrar says of the others, to be stored: an address that is refused is none. */
export function withGuardedUrls(
  stations: readonly FederatedStation[],
  guard: GuardPolicy,
): FederatedStation[] {
  return stations.map((station) => ({ ...station, url: guardedOrNone(station.url, guard) }))
}

function guardedOrNone(url: string, guard: GuardPolicy): string {
  try {
    return guardedStationUrl(url, guard)
  } catch (error) {
    if (error instanceof BadStationUrl) return ''
    throw error
  }
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new RangeError('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function refusalIn(status: number, body: Buffer): StationSaidNo {
  const said = { code: 'MINGA_INTERNAL', message: `The other station answered ${status}.` }
  try {
    const { error } = JSON.parse(body.toString()) as { error?: Partial<typeof said> }
    if (/^MINGA_\w+$/.test(error?.code ?? '')) Object.assign(said, error)
  } catch {
    // Something before the station answered, a proxy say.
  }
  return new StationSaidNo({ ...said, status })
}

/** Unpacked: a thousand claims with all their links, or ten thousand rows of the map, and some. */
const BYTES_MAX = 64 * 1024 * 1024
/** A thousand claims have a thousand links of two values each. Many more would stop the main loop for seconds. */
const VALUES_MAX = 3_500_000

/** Bodies between stations: JSON in one zstd frame. */
export function packJson(value: unknown): Buffer {
  return zstdCompressSync(JSON.stringify(value))
}

export function unpackJson<T>(bytes: Uint8Array, schema: ZodType<T>, bytesMax = BYTES_MAX): T {
  return schema.parse(parsed(bytes, bytesMax))
}

function parsed(bytes: Uint8Array, maxOutputLength: number): unknown {
  try {
    const json = zstdDecompressSync(bytes, { maxOutputLength }).toString()
    if (countValues(json, VALUES_MAX) > VALUES_MAX) throw StationCallRefused.unreadable()
    return JSON.parse(json)
  } catch (cause) {
    if (cause instanceof StationCallRefused) throw cause
    throw StationCallRefused.unreadable({ cause })
  }
}
