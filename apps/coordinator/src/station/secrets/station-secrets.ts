/**
 * What only this station knows. Its own secret makes tokens and signatures; former ones are accepted for a while after a
 * rotation. Its keys encrypt what has to stay in the database, so that a copy of the database shows no password.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { UnknownSecretsKey } from '../errors.ts'
import type { SecretsFile } from './secrets-file.ts'

const CIPHER = 'aes-256-gcm'
/** As GCM wants it; a random one is safe for four billion texts under one key. */
const IV_BYTES = 12
const TAG_BYTES = 16
const PREFIX = 'sealed1:'

export class StationSecrets {
  readonly #file: SecretsFile

  constructor(file: SecretsFile) {
    this.#file = file
  }

  /** Of a secret alone, for a station whose database is made for a moment. */
  static of(secret: string): StationSecrets {
    const key = createHash('sha256').update(`database ${secret}`).digest('base64url')
    const station = [{ secret, since: 0, until: null }]
    return new StationSecrets({
      version: 1,
      cookieTag: cookieTagOf(secret),
      station,
      database: [key],
    })
  }

  /** Makes whatever is new. */
  get current(): string {
    return this.#file.station[0]!.secret
  }

  /** Tells the cookies of stations on one machine apart; it stays, so that a rotation ends no session. */
  get cookieTag(): string {
    return this.#file.cookieTag
  }

  /** What the station shows to the issuer of log-ins; null: nothing but its client id. */
  get oidcClientSecret(): string | null {
    return this.#file.oidcClientSecret ?? null
  }

  /** What was made with one of these is genuine; the current one comes first. */
  accepted(now: number): string[] {
    return this.#valid(now).map(({ secret }) => secret)
  }

  /** What others were given at that time was made with this one; after the grace, with the current one. */
  givenAt(madeAt: number, now: number): string {
    return this.#valid(now).find(({ since }) => since <= madeAt)?.secret ?? this.current
  }

  #valid(now: number): SecretsFile['station'] {
    return this.#file.station.filter(({ until }) => until === null || until > now)
  }

  /** Names the key that encrypts, without telling it. */
  get keyId(): string {
    return keyIdOf(this.#file.database[0]!)
  }

  seal(text: string): string {
    const [key] = this.#file.database
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, Buffer.from(key!, 'base64url'), iv)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed])
    return `${PREFIX}${keyIdOf(key!)}:${bytes.toString('base64url')}`
  }

  isSealed(text: string): boolean {
    return text.startsWith(PREFIX)
  }

  /** Text of a station before there were seals is as it was. */
  open(sealed: string): string {
    if (!sealed.startsWith(PREFIX)) return sealed
    const [id = '', text = ''] = sealed.slice(PREFIX.length).split(':')
    const key = this.#file.database.find((each) => keyIdOf(each) === id)
    if (key === undefined) throw new UnknownSecretsKey(id)
    const bytes = Buffer.from(text, 'base64url')
    const iv = bytes.subarray(0, IV_BYTES)
    const opener = createDecipheriv(CIPHER, Buffer.from(key, 'base64url'), iv)
    opener.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    const opened = opener.update(bytes.subarray(IV_BYTES + TAG_BYTES))
    return Buffer.concat([opened, opener.final()]).toString('utf8')
  }
}

function keyIdOf(key: string): string {
  return createHash('sha256').update(`key ${key}`).digest('hex').slice(0, 12)
}

const TAG_CHARS = 8

/** What tells a station's cookies from those of others; it outlives the secret that it is made from. */
export function cookieTagOf(secret: string): string {
  return createHash('sha256').update(`cookie ${secret}`).digest('hex').slice(0, TAG_CHARS)
}
