/**
 * Addresses that carry another one behind their path, as web archives write them:
 * `/memento/20260131120000/https://example.org/a?b=c`. The query belongs to the inner one.
 */
import { canonicalUrl } from '@minga/net'
import { BadArchiveUrl } from '../errors.ts'

/** What stands behind the path, as it was sent. */
export function textBehind(rawUrl: string, prefix: string): string {
  return rawUrl.slice(prefix.length)
}

/** Some clients encode it as a whole, proxies fold `//`, and without a scheme http is meant. */
export function urlIn(text: string): string {
  const plain = /^https?%3a/i.test(text) ? decoded(text) : text
  const mended = plain.replace(/^(https?):\/+(?=[^/])/i, '$1://')
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(mended) ? mended : `http://${mended}`
  const url = text === '' ? null : canonicalUrl(full)
  if (url === null) throw new BadArchiveUrl(text)
  return url
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `<14 digits>/<url>` → both. */
export function timeAndUrlIn(text: string): { time: string; url: string } {
  const slash = text.indexOf('/')
  return { time: text.slice(0, Math.max(slash, 0)), url: urlIn(text.slice(slash + 1)) }
}
