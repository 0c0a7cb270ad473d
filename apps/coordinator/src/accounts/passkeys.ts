/** Passkeys (WebAuthn): a device proves that its owner unlocked it. It is registered with a password and opens without. */
import { isIP } from 'node:net'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  PasskeyRefused,
  PasskeysNeedName,
  newSecret,
  secretHash,
  type Caller,
  type StoredPasskey,
} from '@minga/fleet'
import type { PasskeyView } from '@minga/protocol'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { placeOf, type RateLimits } from '../http/request-limits/rate-limits.ts'
import type { Station } from '../station/station.ts'
import { CLIENT_CHARS, LOG_INS, SESSION_MS, type OpenedSession } from './accounts.ts'

/** EdDSA, ES256 and RS256: what devices have. The library's own choice calls experimental parts of Node. */
const ALGORITHMS = [-8, -7, -257]

const LOG_IN = 'log-in'
const registerFor = (accountId: string): string => `register ${accountId}`

/** Read with the first passkey: most starts of a station never see one. */
const library = (): Promise<typeof import('@simplewebauthn/server')> =>
  import('@simplewebauthn/server')

export class Passkeys {
  readonly #station: Station
  readonly #limits: RateLimits

  constructor(station: Station, limits: RateLimits) {
    this.#station = station
    this.#limits = limits
  }

  /** Browsers bind passkeys to a name: at a bare address there are none. */
  static isPossibleAt(this: void, origin: string): boolean {
    return isIP(nameIn(origin).replaceAll(/[[\]]/g, '')) === 0
  }

  /** What the browser is to make a passkey from. */
  async registrationOptions({ accountId, name }: Caller, origin: string): Promise<object> {
    requireName(origin)
    const { generateRegistrationOptions } = await library()
    const known = await this.#station.store.call('listPasskeys', { accountId })
    return generateRegistrationOptions({
      rpName: 'Minga',
      rpID: nameIn(origin),
      userName: name,
      userID: new Uint8Array(Buffer.from(accountId)),
      challenge: bytesOf(newChallenge(this.#station, registerFor(accountId))),
      supportedAlgorithmIDs: ALGORITHMS,
      attestationType: 'none',
      excludeCredentials: known.map(({ id }) => ({ id })),
      // Discoverable: people log in without a name. Verified: it stands for password and second factor.
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  }

  async register(
    { accountId, name: owner }: Caller,
    made: { name: string; response: RegistrationResponseJSON },
    origin: string,
  ): Promise<PasskeyView> {
    requireName(origin)
    const { store, clock, eventLog } = this.#station
    const { name, response } = made
    await refuseCertificates(response)
    let endsAt: number | null = null
    let challenge = ''
    const { verifyRegistrationResponse } = await library()
    const verified = await verifyRegistrationResponse({
      response,
      supportedAlgorithmIDs: ALGORITHMS,
      expectedOrigin: origin,
      expectedRPID: nameIn(origin),
      expectedChallenge: (shown) => {
        challenge = shown
        endsAt = readChallenge(this.#station, registerFor(accountId), shown)
        return endsAt !== null
      },
    }).catch(refused)
    if (!verified.verified || endsAt === null) throw new PasskeyRefused()
    const { credential, credentialBackedUp: isSynced } = verified.registrationInfo
    const added = await store.call('addPasskey', {
      id: credential.id,
      accountId,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((each) => /^[\w-]{1,20}$/.test(each)),
      name,
      isSynced,
      challenge: secretHash(challenge),
      challengeEndsAt: endsAt,
      now: clock.now(),
    })
    const sentence = `A passkey was added to ${owner}.`
    const noted = { subject: accountId, sentence, details: { name: owner }, by: accountId }
    eventLog.note({ code: 'account:passkey-added', ...noted })
    return added
  }

  async logInOptions(origin: string): Promise<object> {
    requireName(origin)
    const { generateAuthenticationOptions } = await library()
    return generateAuthenticationOptions({
      rpID: nameIn(origin),
      challenge: bytesOf(newChallenge(this.#station, LOG_IN)),
      userVerification: 'required',
    })
  }

  async logIn(args: {
    response: AuthenticationResponseJSON
    origin: string
    address: string
    client?: string | undefined
  }): Promise<OpenedSession> {
    const { store, clock, eventLog } = this.#station
    const { response, origin, client } = args
    requireName(origin)
    this.#limits.take(LOG_INS, placeOf(args.address))
    const { id } = response
    const stored = await store.call('readPasskey', { id })
    if (stored === null) throw new PasskeyRefused()
    const { accountId } = stored
    const proof = await this.#verify(response, stored, origin)
    const token = newSecret('session')
    const now = clock.now()
    const expiresAt = now + SESSION_MS
    await store.call('openPasskeySession', {
      id,
      accountId,
      ...proof,
      sessionHash: secretHash(token),
      now,
      expiresAt,
      client: client?.slice(0, CLIENT_CHARS) ?? null,
    })
    const account = await store.call('findAccount', { id: accountId })
    const { name } = account
    const sentence = `${name} opened a session.`
    const noted = { subject: accountId, sentence, details: { name }, by: accountId }
    eventLog.note({ code: 'account:logged-in', ...noted })
    return { token, account, expiresAt }
  }

  async #verify(
    response: AuthenticationResponseJSON,
    { publicKey, counter }: StoredPasskey,
    origin: string,
  ): Promise<{ challenge: string; challengeEndsAt: number; counter: number }> {
    let endsAt: number | null = null
    let challenge = ''
    const { verifyAuthenticationResponse } = await library()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedOrigin: origin,
      expectedRPID: nameIn(origin),
      expectedChallenge: (shown) => {
        challenge = shown
        endsAt = readChallenge(this.#station, LOG_IN, shown)
        return endsAt !== null
      },
      credential: { id: response.id, publicKey: bytesOf(publicKey), counter },
    }).catch(refused)
    if (!verified || endsAt === null) throw new PasskeyRefused()
    return {
      challenge: secretHash(challenge),
      challengeEndsAt: endsAt,
      counter: authenticationInfo.newCounter,
    }
  }

  async remove({ accountId, name }: Caller, id: string): Promise<void> {
    const { store, clock, eventLog } = this.#station
    await store.call('removePasskey', { accountId, id, now: clock.now() })
    const sentence = `A passkey of ${name} was removed.`
    const noted = { subject: accountId, sentence, details: { name }, by: accountId }
    eventLog.note({ code: 'account:passkey-removed', ...noted })
  }
}

function requireName(origin: string): void {
  if (!Passkeys.isPossibleAt(origin)) throw new PasskeysNeedName(origin)
}

const nameIn = (origin: string): string => new URL(origin).hostname

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, 'base64url'))

/** Whatever was wrong with it: the reasons are those of a library, and help who forges. */
function refused(cause: unknown): never {
  throw new PasskeyRefused({ cause })
}

/**
 * We request no attestation. One that comes with certificates anyway is refused before it is verified: to see whether
 * they are revoked, the library would fetch addresses that they name.
 */
async function refuseCertificates({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const attestation = decodeAttestationObject(bytesOf(response.attestationObject))
    const format = attestation.get('fmt')
    const isBare = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined
    if (format === 'none' || isBare) return
  } catch (cause) {
    throw new PasskeyRefused({ cause })
  }
  throw new PasskeyRefused()
}

// Challenges for passkeys: when they end, random bytes, and a signature of both with the station's secret. Nothing is
// stored before one is answered.

/** Time to find the telephone. */
const LIFE_MS = 5 * 60_000
const TIME_BYTES = 8
const RANDOM_BYTES = 16
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES

/** `purpose`: what an answer to it does, and for whom. */
function newChallenge({ secrets, clock }: Station, purpose: string): string {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeBigUInt64BE(BigInt(clock.now() + LIFE_MS))
  randomBytes(RANDOM_BYTES).copy(head, TIME_BYTES)
  return Buffer.concat([head, tagOf(secrets.current, purpose, head)]).toString('base64url')
}

/** Until when it may be answered; null when it is none of ours, for something else, or too old. */
function readChallenge(
  { secrets, clock }: Station,
  purpose: string,
  challenge: string,
): number | null {
  const bytes = Buffer.from(challenge, 'base64url')
  const head = bytes.subarray(0, HEAD_BYTES)
  const tag = bytes.subarray(HEAD_BYTES)
  if (head.length < HEAD_BYTES) return null
  const now = clock.now()
  const isOurs = secrets.accepted(now).some((secret) => {
    const wanted = tagOf(secret, purpose, head)
    return wanted.length === tag.length && timingSafeEqual(wanted, tag)
  })
  const endsAt = Number(head.readBigUInt64BE())
  return isOurs && endsAt > now ? endsAt : null
}

function tagOf(secret: string, purpose: string, head: Buffer): Buffer {
  return createHmac('sha256', `passkey ${secret}`).update(head).update(purpose).digest()
}
