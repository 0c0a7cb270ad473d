/** How a device becomes known and comes in: a join token once, then its key at every start. */
import { hash, randomBytes } from 'node:crypto'
import { BadSignature, type EnrolDeviceArgs, type ProvenHello } from '@minga/fleet'
import { directoryBase } from '@minga/net'
import {
  enrolProof,
  helloProof,
  isMingaError,
  isProof,
  PROTOCOL_VERSION,
  publicKeyOf,
  type BotSigningKey,
  type Challenge,
  type Clock,
  type Enrol,
  type Enrolment,
  type Hello,
} from '@minga/protocol'
import type { Store } from '@minga/store'
import type { GeoLookup } from '../station/geoip.ts'
import { WrongProtocol } from '../station/errors.ts'
import { AgentSessions } from './agent-sessions.ts'
import { Challenges } from './challenges.ts'
import type { Operations } from '../station/station-operations.ts'

/** What a device that has proven itself says of its program. */
export interface WelcomeArgs extends ProvenHello {
  readonly boot: string
  /** The former boot, when its program is known to have ended. */
  readonly endedBoot: string | null
  /** sha256 of the session token. */
  readonly session: string
}

export interface AuthenticatorParts {
  store: Store<Operations>
  clock: Clock
  /** Known to this station only. */
  secret: string
  geo: GeoLookup
  /** Devices that one owner may have. */
  devicesMax: () => number
  /**
   * Called with the address from which an authenticated device calls; the door itself keeps no
   * address.
   */
  onWelcome?: (device: string, address: string) => void
  /** Where the keys of signed requests are published; null when none are to be signed. */
  signatureAgent: () => string | null
}

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
  readonly #parts: AuthenticatorParts
  readonly #challenges: Challenges

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
    this.sessions = new AgentSessions(parts.store)
    this.#challenges = new Challenges(parts.secret)
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
      devicesMax: this.#parts.devicesMax(),
      now: this.#parts.clock.now(),
    }
    return this.#parts.store.call('enrolDevice', args)
  }

  challenge(device: string): Challenge {
    const { clock, signatureAgent } = this.#parts
    return {
      nonce: this.#challenges.nonceFor(device, clock.now()),
      signatureAgent: signatureAgent(),
    }
  }

  async welcome(message: Hello, address: string): Promise<AuthenticatedDevice> {
    if (message.protocol !== PROTOCOL_VERSION) throw await this.#refused(message)
    const { store, clock, geo } = this.#parts
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
      country: geo.countryOf(address),
      asn: geo.asnOf(address),
      now,
    }
    const hasFreed = await store.call('welcomeAgent', args)
    this.#parts.onWelcome?.(device, address)
    // A hello that is said again replaces the session of its boot.
    this.sessions.forget(boot)
    return { session: token, hasFreed }
  }

  /** The number of the nonce that was answered with the key of this device. */
  async #provenNonce(message: Hello): Promise<number> {
    const { store, clock } = this.#parts
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
    const { store, clock } = this.#parts
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
    const agent = this.#parts.signatureAgent()
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
