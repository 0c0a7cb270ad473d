/** Digests as archives label them: `sha256:` + hex is ours; sha1 in base32 is what most others write. */

import { createHash, hash, type Hash } from 'node:crypto'

/** `sha256:` + hex of the parts laid end to end. */
export function sha256Label(parts: readonly Uint8Array[]): string {
  const only = parts.length === 1 ? parts[0] : undefined
  // `hash` skips building a Hash object: several times faster on the small blocks of the hot path.
  if (only) return `sha256:${hash('sha256', only)}`
  const whole = createHash('sha256')
  for (const part of parts) whole.update(part)
  return `sha256:${whole.digest('hex')}`
}

export interface LabelledDigest {
  algorithm: string
  bytes: Buffer
}

const DIGEST_BYTES: ReadonlyMap<string, number> = new Map([
  ['md5', 16],
  ['sha1', 20],
  ['sha256', 32],
  ['sha512', 64],
])

/** SHA-512 in hex; base32 with its padding is shorter. */
const LONGEST_DIGEST_CHARS = 128

/** Null when the algorithm is unknown or the value has neither the hex nor the base32 length. */
export function parseDigest(label: string): LabelledDigest | null {
  const colon = label.indexOf(':')
  if (colon < 0) return null
  const algorithm = label.slice(0, colon).trim().toLowerCase().replace('-', '')
  const size = DIGEST_BYTES.get(algorithm)
  if (size === undefined) return null
  const value = label.slice(colon + 1).trim()
  if (value.length === size * 2 && /^[0-9a-f]+$/i.test(value)) {
    return { algorithm, bytes: Buffer.from(value, 'hex') }
  }
  if (value.length > LONGEST_DIGEST_CHARS) return null
  const bytes = decodeBase32(value)
  return bytes?.length === size ? { algorithm, bytes } : null
}

/** May two digests be of the same bytes? Those of two kinds cannot be compared. */
export function mayBeEqual(one: string, other: string): boolean {
  const [first, second] = [parseDigest(one), parseDigest(other)]
  if (first === null || second === null || first.algorithm !== second.algorithm) return true
  return first.bytes.equals(second.bytes)
}

export function newHash(digest: LabelledDigest): Hash {
  return createHash(digest.algorithm)
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function decodeBase32(text: string): Buffer | null {
  const digits = text.toUpperCase().replace(/=+$/, '')
  const out: number[] = []
  let pending = 0
  let bits = 0
  for (const digit of digits) {
    const value = BASE32.indexOf(digit)
    if (value < 0) return null
    pending = ((pending << 5) | value) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      out.push((pending >> bits) & 0xff)
    }
  }
  return Buffer.from(out)
}
