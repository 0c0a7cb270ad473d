/** What one device saw of one address, and the few words in which two of them are compared. */

export interface SeenCertificate {
  digest: string
  issuer: string
  subject: string
  validUntil: number
}

export interface MonitorObservation {
  /** Null when no answer came. */
  status: number | null
  /** Why no answer came. */
  code: string | null
  location: string | null
  digest: string | null
  fingerprint: string | null
  /** As the page or its server says, lower case. */
  language: string | null
  certificate: SeenCertificate | null
}

export interface PlacedObservation extends MonitorObservation {
  place: string
  /** Number of the device in this run; its identity is not published. */
  device: number
}

/** Failures that a network on the way may cause. Others (robots.txt, a device that left) say nothing
 * about the way. */
const FAILURE_WORDS: Partial<Record<string, string>> = {
  MINGA_CONNECT_REFUSED: 'refused',
  MINGA_CONNECT_TIMEOUT: 'timeout',
  MINGA_RESPONSE_TIMEOUT: 'timeout',
  MINGA_CONNECTION_LOST: 'reset',
  MINGA_BAD_RESPONSE: 'garbled',
  MINGA_TLS_FAILED: 'tls',
}

const CLIENT_ERRORS = 400
const REDIRECTS = 300

/** `ok`, `status 403`, `redirect example.org/`, `failed reset`; null when it says nothing. */
export function answerWord(observation: MonitorObservation): string | null {
  const { status, code, location } = observation
  if (status === null) {
    const word = FAILURE_WORDS[code ?? '']
    return word === undefined ? null : `failed ${word}`
  }
  if (status >= CLIENT_ERRORS) return `status ${status}`
  if (status >= REDIRECTS && status !== 304) return `redirect ${placeIn(location)}`
  return 'ok'
}

/** Host and path: queries often carry a session. A change of the scheme alone leads nowhere else. */
function placeIn(location: string | null): string {
  const url = location === null ? null : URL.parse(location)
  return url === null ? 'nowhere' : `${url.host}${url.pathname}`
}

/** The same text, whatever differs on every fetch. */
export function contentWord({ fingerprint, digest }: MonitorObservation): string | null {
  return fingerprint ?? digest
}

/** Certificates of one site differ from server to server; who vouches for them seldom does. */
export function issuerWord({ certificate }: MonitorObservation): string | null {
  return certificate?.issuer ?? null
}
