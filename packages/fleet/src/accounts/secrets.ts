/**
 * Secrets that programs carry: 256 random bits. Stored and looked up by their SHA-256, so that a
 * copy of the database opens nothing; comparing hashes of random secrets tells a listener with a
 * stop-watch nothing either. The prefix lets people and secret scanners see what they have found.
 */
import { createHash, randomBytes } from 'node:crypto'

const SECRET_BYTES = 32
/** Ids are no secrets, but they must not reveal the number of accounts. */
const ID_BYTES = 10

export type SecretKind =
  | 'session'
  | 'key'
  | 'reset'
  | 'join'
  | 'hook'
  | 'invite'
  | 'ticket'
  | 'email'

export function newSecret(kind: SecretKind): string {
  return `minga_${kind}_${randomBytes(SECRET_BYTES).toString('base64url')}`
}

export function newId(prefix: 'acct' | 'browser' | 'key' | 'join' | 'topup'): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('hex')}`
}

export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
