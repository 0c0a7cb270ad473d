/** Where a redirect leads. */
import { canonicalUrl } from '../url/url.ts'

/**
 * The canonical address that a Location field names; null when it leads nowhere (another scheme, a malformed address).
 * Header values come byte by byte, as Latin-1. What is not ASCII is escaped byte by byte, as Chromium does: `/café`
 * becomes `/caf%C3%A9` where the server wrote UTF-8, and `/caf%E9` where it wrote Latin-1.
 */
export function redirectTarget(url: string, location: string | null | undefined): string | null {
  if (location === null || location === undefined) return null
  const escaped = location.replaceAll(
    /[\u0080-\u00FF]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return canonicalUrl(escaped, url)
}
