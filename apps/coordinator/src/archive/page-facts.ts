/** What two fetches of one address are compared by, read from the bytes of a record. */
import { contentFingerprint, headersFingerprint, type PageFacts } from '@minga/fleet'
import {
  decodeContent,
  decodeText,
  DEFAULT_DECODING_LIMITS,
  headerValues,
  redirectTarget,
  type ReceivedDocument,
} from '@minga/net'

const NOT_MODIFIED = 304

export function pageFactsOf(received: ReceivedDocument, digest: string): PageFacts {
  const { url, status } = received
  const location = headerValues(received, 'location')[0]
  const modifiedAt = Date.parse(headerValues(received, 'last-modified')[0] ?? '')
  const text = textOf(received)
  return {
    status,
    digest,
    fingerprint: text && contentFingerprint(text.text, text.contentType),
    language: languageOf(received, text?.text ?? ''),
    // A 304 repeats few headers of the answer that it stands for.
    headers:
      status === NOT_MODIFIED ? null : headersFingerprint((name) => headerValues(received, name)),
    location: redirectTarget(url, location),
    modifiedAt: Number.isNaN(modifiedAt) ? null : modifiedAt,
  }
}

function textOf(received: ReceivedDocument): { text: string; contentType: string } | null {
  const contentType = headerValues(received, 'content-type')[0]
  if (contentType === undefined) return null
  const encoding = headerValues(received, 'content-encoding').join(',') || undefined
  const { bytes } = decodeContent(received.body, encoding, DEFAULT_DECODING_LIMITS)
  return { text: decodeText(bytes, contentType).text, contentType }
}

/** Where a page says so, it does at its beginning. */
const HEAD_CHARS = 4_096
const PAGE_LANGUAGE = /<html\b[^<>]*\blang\s*=\s*["']?([a-z]{2,3})\b/i

function languageOf(received: ReceivedDocument, text: string): string | null {
  const said = PAGE_LANGUAGE.exec(text.slice(0, HEAD_CHARS))?.[1]
  const header = /^\s*([a-z]{2,3})\b/i.exec(headerValues(received, 'content-language')[0] ?? '')
  return (said ?? header?.[1])?.toLowerCase() ?? null
}
