/**
 * Challenges for passkeys: when they end, random bytes, and a signature of both with the station's secret. Nothing is
 * stored before one is answered.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Station } from '../station/station.ts'

/** Time to find the telephone. */
const LIFE_MS = 5 * 60_000
const TIME_BYTES = 8
const RANDOM_BYTES = 16
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES

/** `purpose`: what an answer to it does, and for whom. */
export function newChallenge({ secrets, clock }: Station, purpose: string): string {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeBigUInt64BE(BigInt(clock.now() + LIFE_MS))
  randomBytes(RANDOM_BYTES).copy(head, TIME_BYTES)
  return Buffer.concat([head, tagOf(secrets.current, purpose, head)]).toString('base64url')
}

/** Until when it may be answered; null when it is none of ours, for something else, or too old. */
export function readChallenge(
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
