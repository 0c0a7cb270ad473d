/**
 * The two ways in which MediaWiki writes a SHA-1: 40 hex digits in its API, 31 digits of base 36 in its
 * database and its dumps.
 */

const HEX_DIGITS = 40
const BASE36_DIGITS = 31
/** So many digits of base 36 are the most that a number holds exactly. */
const CHUNK_DIGITS = 10
const CHUNK = 36n ** BigInt(CHUNK_DIGITS)

/** Null for a text that is no SHA-1 in base 36. Missing zeros in front are forgiven. */
export function sha1OfBase36(text: string): string | null {
  if (!/^[0-9a-z]{1,31}$/.test(text)) return null
  const digits = text.padStart(BASE36_DIGITS, '0')
  let value = BigInt(digits.charCodeAt(0) - (digits.charCodeAt(0) < 58 ? 48 : 87))
  for (let start = 1; start < BASE36_DIGITS; start += CHUNK_DIGITS) {
    value = value * CHUNK + BigInt(parseInt(digits.slice(start, start + CHUNK_DIGITS), 36))
  }
  const hex = value.toString(16)
  return hex.length > HEX_DIGITS ? null : hex.padStart(HEX_DIGITS, '0')
}

/** The form of dumps and of the database, always 31 digits. */
export function base36OfSha1(hex: string): string {
  return BigInt(`0x${hex}`).toString(36).padStart(BASE36_DIGITS, '0')
}
