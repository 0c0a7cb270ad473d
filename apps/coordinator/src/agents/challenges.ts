/**
 * Nonces that a device signs with its hello. The station stores none of them: a nonce carries its
 * time and its device under the station's own seal, so that requests for nonces cannot fill a
 * table. The row of the device (`last_nonce`) ensures that each is used once.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { StaleChallenge } from '@minga/fleet'

/** Enough for a slow line and a machine that swaps. */
const FRESH_MS = 60_000
const RANDOM_BYTES = 16
/** Nonces are numbered by time, finely: several of one millisecond must not be taken for one. */
const PER_MS = 1_000

export class Challenges {
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
