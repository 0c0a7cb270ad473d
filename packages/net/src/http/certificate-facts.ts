/** Which certificate a server showed, in the few facts that distinguish two of them. */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

export interface CertificateFacts {
  /** `sha256:` and the digest of the whole certificate in hexadecimal. */
  digest: string
  /** As names are written in certificates, in one line. */
  issuer: string
  subject: string
  /** Milliseconds since the epoch. */
  validUntil: number
}

/** Names are the server's own words: bounded, and without line breaks. */
const NAME_CHARS_MAX = 300

/** Names of which the certificate is remembered: more than there are sessions to be resumed. */
const REMEMBERED_MAX = 1_000

/** A connection that resumes a former session shows no certificate: it is the former one's. */
export class CertificateMemory {
  readonly #seen = new Map<string, CertificateFacts>()

  /** Null for a connection without TLS. */
  of(socket: Socket, serverName: string): CertificateFacts | null {
    const shown = certificateOf(socket)
    if (shown === null) {
      const isResumed = socket instanceof TLSSocket && socket.isSessionReused()
      return isResumed ? (this.#seen.get(serverName) ?? null) : null
    }
    this.#seen.delete(serverName)
    const [oldest] = this.#seen.keys()
    if (oldest !== undefined && this.#seen.size >= REMEMBERED_MAX) this.#seen.delete(oldest)
    this.#seen.set(serverName, shown)
    return shown
  }
}

function certificateOf(socket: Socket): CertificateFacts | null {
  if (!(socket instanceof TLSSocket)) return null
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return null
  const { fingerprint256, issuer, subject, validToDate } = certificate
  return {
    digest: `sha256:${fingerprint256.replaceAll(':', '').toLowerCase()}`,
    issuer: oneLine(issuer),
    subject: oneLine(subject),
    validUntil: validToDate.getTime(),
  }
}

function oneLine(name: string | undefined): string {
  return (name ?? '')
    .split('\n')
    .filter((part) => part !== '')
    .join(', ')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, NAME_CHARS_MAX)
}
