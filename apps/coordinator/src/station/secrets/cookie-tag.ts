import { createHash } from 'node:crypto'

const TAG_CHARS = 8

/** What tells a station's cookies from those of others; it outlives the secret that it is made from. */
export function cookieTagOf(secret: string): string {
  return createHash('sha256').update(`cookie ${secret}`).digest('hex').slice(0, TAG_CHARS)
}
