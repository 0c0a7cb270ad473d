/**
 * Lets in calls of stations that are of the federation, and each of them once: who calls is shown by a
 * signature over everything the call says, for whom it is and when; a nonce is remembered for as long as its
 * time would still be accepted. After a restart it is forgotten: a call that is repeated then changes nothing,
 * since batches are numbered, and a renewal only lets a station count as alive.
 */
import {
  bodyDigest,
  isProof,
  publicKeyOf,
  STATION_HEADERS,
  stationIdOf,
  stationProof,
  type Clock,
} from '@minga/protocol'
import { ClocksApart, StationCallRefused } from '../errors.ts'
import { SOME_STATION } from './station-calls.ts'
import { SKEW_MS } from '../timing.ts'

export interface SignedStationCall {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

interface AuthenticatorParts {
  clock: Clock
  /** Null while this station collects alone. */
  self: () => string | null
  /** Null for stations that are not of the federation. */
  publicKeyOf: (id: string) => string | null
}

/** Far more than stations say in two minutes. */
const NONCES_MAX = 200_000
const NONCE_LENGTH_MAX = 100

interface Signed {
  from: string
  to: string
  timeMs: number
  nonce: string
  signature: string
}

type SignedHead = Pick<SignedStationCall, 'method' | 'path'> & { digest: string }

export class StationAuthenticator {
  readonly #parts: AuthenticatorParts
  /** Oldest first. */
  readonly #nonces = new Map<string, number>()

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
  }

  /**
   * Whose a call is, before its body is received: a large one is received of members alone. Who only names a member
   * could otherwise fill the memory with bodies that are refused when they are there.
   */
  requireKnown(head: Omit<SignedStationCall, 'body'>, { isLarge }: { isLarge: boolean }): string {
    const signed = signedIn(head)
    const publicKey = this.#keyFor(signed)
    const digest = head.headers[STATION_HEADERS.digest]
    if (typeof digest === 'string') this.#check({ ...head, digest }, signed, publicKey)
    else if (isLarge) throw StationCallRefused.withoutDigest()
    return signed.from
  }

  /** The id of the station that calls. */
  meet(call: SignedStationCall): string {
    const signed = signedIn(call)
    const publicKey = this.#keyFor(signed)
    this.#check({ ...call, digest: bodyDigest(call.body) }, signed, publicKey)
    this.#requireFirst(`${signed.from} ${signed.nonce}`)
    return signed.from
  }

  /** An unknown station proves that it holds the key it presents. */
  meetStranger(call: SignedStationCall, publicKey: string): string {
    const signed = signedIn(call)
    if (signed.from !== stationIdOf(publicKey)) throw StationCallRefused.forged()
    if (signed.to !== SOME_STATION) throw StationCallRefused.misdirected(signed.to)
    this.#check({ ...call, digest: bodyDigest(call.body) }, signed, publicKey)
    this.#requireFirst(`${signed.from} ${signed.nonce}`)
    return signed.from
  }

  #keyFor({ from, to }: Signed): string {
    const publicKey = this.#parts.publicKeyOf(from)
    if (publicKey === null) throw StationCallRefused.unknown(from)
    if (to !== this.#parts.self()) throw StationCallRefused.misdirected(to)
    return publicKey
  }

  #check(call: SignedHead, signed: Signed, publicKey: string): void {
    const key = publicKeyOf(publicKey)
    const proof = stationProof({ ...call, ...signed })
    if (key === null || !isProof(key, proof, signed.signature)) throw StationCallRefused.forged()
    const apartMs = signed.timeMs - this.#parts.clock.now()
    if (!(Math.abs(apartMs) <= SKEW_MS)) throw new ClocksApart(apartMs)
  }

  #requireFirst(nonce: string): void {
    const now = this.#parts.clock.now()
    for (const [old, until] of this.#nonces) {
      if (until > now && this.#nonces.size < NONCES_MAX) break
      this.#nonces.delete(old)
    }
    if (this.#nonces.has(nonce)) throw StationCallRefused.repeated()
    // Signed by a clock that is a minute ahead, it is accepted for two.
    this.#nonces.set(nonce, now + 2 * SKEW_MS)
  }
}

function signedIn({ headers }: Pick<SignedStationCall, 'headers'>): Signed {
  const read = (name: keyof typeof STATION_HEADERS): string => {
    const value = headers[STATION_HEADERS[name]]
    if (typeof value !== 'string' || value === '') throw StationCallRefused.unsigned()
    return value
  }
  const signed = {
    from: read('from'),
    to: read('to'),
    timeMs: Number(read('time')),
    nonce: read('nonce'),
    signature: read('signature'),
  }
  if (signed.nonce.length > NONCE_LENGTH_MAX) throw StationCallRefused.unsigned()
  return signed
}
