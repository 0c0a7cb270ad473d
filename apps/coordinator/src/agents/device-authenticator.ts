/** How a device becomes known and comes in: a join token once, then its key at every start. */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { BadSignature, StaleChallenge, type EnrolDeviceArgs, type ProvenHello } from '@minga/fleet'
import { directoryBase } from '@minga/net'
import {
  PROTOCOL_VERSION,
  enrolProof,
  helloProof,
  isMingaError,
  isProof,
  publicKeyOf,
  type BotSigningKey,
  type Challenge,
  type Enrol,
  type Enrolment,
  type Hello,
} from '@minga/protocol'
import { WrongProtocol } from '../station/errors.ts'
import { signatureAgentOf, type Station } from '../station/station.ts'
import { AgentSessions } from './agent-sessions.ts'

/** Enough for a slow line and a machine that swaps. */
const FRESH_MS = 60_000
const RANDOM_BYTES = 16
/** Nonces are numbered by time, finely: several of one millisecond must not be taken for one. */
const PER_MS = 1_000

/**
 * Nonces that a device signs with its hello. The station stores none of them: a nonce carries its
 * time and its device under the station's own seal, so that requests for nonces cannot fill a
 * table. The row of the device (`last_nonce`) ensures that each is used once.
 */
class Challenges {
  readonly #secret: string
  #last = 0

  constructor(secret: string) {
    this.#secret = secret
  }

  nonceFor(device: string, now: number): string {
    this.#last = Math.max(now * PER_MS, this.#last + 1)
    const head = `${this.#last}.${randomBytes(RANDOM_BYTES).toString('base64url')}`
    return `${head}.${this.#seal(device, head)}`
  }

  /** The nonce's number; a later nonce has a larger one. */
  numberOf(nonce: string, device: string, now: number): number {
    const cut = nonce.lastIndexOf('.')
    const head = nonce.slice(0, Math.max(0, cut))
    const given = Buffer.from(nonce.slice(cut + 1))
    const wanted = Buffer.from(this.#seal(device, head))
    const isOurs = given.length === wanted.length && timingSafeEqual(given, wanted)
    const number = Number(head.split('.', 1)[0])
    // Another coordinator's clock may be a little ahead.
    const isFresh = Math.abs(now - number / PER_MS) <= FRESH_MS
    if (!isOurs || !isFresh) throw new StaleChallenge()
    return number
  }

  #seal(device: string, head: string): string {
    const text = `challenge\n${device}\n${head}`
    return createHmac('sha256', this.#secret).update(text).digest('base64url')
  }
}

/** What a device that has proven itself says of its program. */
export interface WelcomeArgs extends ProvenHello {
  readonly boot: string
  /** The former boot, when its program is known to have ended. */
  readonly endedBoot: string | null
  /** sha256 of the session token. */
  readonly session: string
}

/** Called with the address from which an authenticated device calls; the authenticator itself keeps no address. */
type OnWelcome = (device: string, address: string) => void

/** 256 bits cannot be guessed. */
const SESSION_BYTES = 32
const ID_BYTES = 10

export interface AuthenticatedDevice {
  /** The session token of this boot. */
  session: string
  /** A former boot's work is free for others. */
  hasFreed: boolean
}

export class DeviceAuthenticator {
  readonly sessions: AgentSessions
  readonly #station: Station
  readonly #onWelcome: OnWelcome
  readonly #challenges: Challenges

  constructor(station: Station, onWelcome: OnWelcome) {
    this.#station = station
    this.#onWelcome = onWelcome
    this.sessions = new AgentSessions(station.store)
    this.#challenges = new Challenges(station.secret)
  }

  enrol(message: Enrol, token: string): Promise<Enrolment> {
    requireProtocol(message.protocol)
    const { publicKey, name, facts } = message
    requireProof(publicKey, enrolProof(publicKey, token), message.signature)
    const args: EnrolDeviceArgs = {
      tokenHash: hash('sha256', token),
      id: `dev_${randomBytes(ID_BYTES).toString('hex')}`,
      publicKey,
      name,
      facts,
      devicesMax: this.#station.settings.current().devicesPerOwnerMax,
      now: this.#station.clock.now(),
    }
    return this.#station.store.call('enrolDevice', args)
  }

  challenge(device: string): Challenge {
    const { clock } = this.#station
    return {
      nonce: this.#challenges.nonceFor(device, clock.now()),
      signatureAgent: signatureAgentOf(this.#station),
    }
  }

  async welcome(message: Hello, address: string): Promise<AuthenticatedDevice> {
    if (message.protocol !== PROTOCOL_VERSION) throw await this.#refused(message)
    const { store, clock, countryOf, asnOf } = this.#station
    const { device, boot, facts, endedBoot = null } = message
    const now = clock.now()
    const nonceNumber = await this.#provenNonce(message)
    const token = randomBytes(SESSION_BYTES).toString('base64url')
    const args: WelcomeArgs = {
      device,
      boot,
      endedBoot,
      session: hash('sha256', token),
      nonceNumber,
      facts,
      signing: this.#signingOf(message),
      address,
      country: countryOf(address),
      asn: asnOf(address),
      now,
    }
    const hasFreed = await store.call('welcomeAgent', args)
    this.#onWelcome(device, address)
    // A hello that is said again replaces the session of its boot.
    this.sessions.forget(boot)
    return { session: token, hasFreed }
  }

  /** The number of the nonce that was answered with the key of this device. */
  async #provenNonce(message: Hello): Promise<number> {
    const { store, clock } = this.#station
    const { device } = message
    const nonceNumber = this.#challenges.numberOf(message.nonce, device, clock.now())
    const { publicKey } = await store.call('deviceKey', { device })
    requireProof(publicKey, helloProof(message), message.signature)
    return nonceNumber
  }

  /**
   * The owner is notified only if the device has proved its identity: no one else can make it
   * appear outdated.
   */
  async #refused(message: Hello): Promise<WrongProtocol> {
    const { store, clock } = this.#station
    const refusal = new WrongProtocol(message.protocol)
    try {
      await this.#provenNonce(message)
      const { device } = message
      await store.call('noteRefusal', { device, code: refusal.code, now: clock.now() })
    } catch (error) {
      if (!isMingaError(error)) throw error
    }
    return refusal
  }

  /** A key counts if the sender has signed our directory with it. */
  #signingOf({ signing }: Hello): BotSigningKey | null {
    const agent = signatureAgentOf(this.#station)
    if (!signing || agent === null) return null
    const key = publicKeyOf(signing.publicKey)
    const base = directoryBase({ ...signing, authority: new URL(agent).host })
    const isSigned = key !== null && isProof(key, base, signing.signature)
    if (!isSigned) throw new BadSignature('The key for requests to sites')
    return signing
  }
}

function requireProtocol(protocol: number): void {
  if (protocol !== PROTOCOL_VERSION) throw new WrongProtocol(protocol)
}

function requireProof(publicKey: string, proof: Buffer, signature: string): void {
  const key = publicKeyOf(publicKey)
  if (key === null || !isProof(key, proof, signature)) throw new BadSignature('The message')
}
