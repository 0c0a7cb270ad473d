/**
 * Codes of authenticator apps: time-based one-time passwords (RFC 6238) with the parameters that every app has, HMAC-SHA-1,
 * six digits and steps of thirty seconds. A code is accepted one step early or late, for clocks that are wrong and people
 * who type slowly.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const STEP_MS = 30_000
const DIGITS = 6
/** As long as the HMAC (RFC 4226, section 4). */
const SECRET_BYTES = 20
const STEPS_AROUND = [0, -1, 1]

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BITS_OF_LETTER = 5

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** HOTP (RFC 4226) of the number of the step. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = digest.at(-1)! & 0x0f
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The step whose code this is; null when it is none of the steps around now. */
export function findTotpStep(secret: Buffer, code: string, now: number): number | null {
  const typed = Buffer.from(code)
  const step = Math.floor(now / STEP_MS)
  const found = STEPS_AROUND.map((around) => step + around).filter((each) => {
    const wanted = Buffer.from(totpCode(secret, each))
    return wanted.length === typed.length && timingSafeEqual(wanted, typed)
  })
  return found[0] ?? null
}

/** RFC 4648 without padding, as apps want secrets typed. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(new RegExp(`.{1,${BITS_OF_LETTER}}`, 'g')) ?? []
  return groups.map((group) => ALPHABET[parseInt(group.padEnd(BITS_OF_LETTER, '0'), 2)]!).join('')
}

/** What apps take from a link or a QR code. */
export function totpUri(
  secret: Buffer,
  { issuer, name }: { issuer: string; name: string },
): string {
  const query = new URLSearchParams({ secret: toBase32(secret), issuer })
  // A blank is %20 there: apps show a plus as it is.
  const parameters = query.toString().replaceAll('+', '%20')
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${name}`)}?${parameters}`
}
