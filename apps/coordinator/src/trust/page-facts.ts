/** What two fetches of one address are compared by, read from the bytes of a record. */
import { contentFingerprint, type PageFacts } from '@minga/fleet'
import {
  canonicalUrl,
  decodeContent,
  decodeText,
  DEFAULT_DECODING_LIMITS,
  headerValues,
  type ReceivedDocument,
} from '@minga/net'

export function pageFactsOf(received: ReceivedDocument, digest: string): PageFacts {
  const { url, status } = received
  const location = headerValues(received, 'location')[0]
  const modifiedAt = Date.parse(headerValues(received, 'last-modified')[0] ?? '')
  return {
    status,
    digest,
    fingerprint: fingerprintOf(received),
    location: location === undefined ? null : canonicalUrl(location, url),
    modifiedAt: Number.isNaN(modifiedAt) ? null : modifiedAt,
  }
}

function fingerprintOf(received: ReceivedDocument): string | null {
  const contentType = headerValues(received, 'content-type')[0]
  if (contentType === undefined) return null
  const encoding = headerValues(received, 'content-encoding').join(',') || undefined
  const { bytes } = decodeContent(received.body, encoding, DEFAULT_DECODING_LIMITS)
  return contentFingerprint(decodeText(bytes, contentType).text, contentType)
}
