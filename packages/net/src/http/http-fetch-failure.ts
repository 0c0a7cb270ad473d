/** Translates what undici, TLS and the kernel say into the closed list of `fetch-outcome.ts`. */
import { errors } from 'undici'
import type { FetchFailureCode } from './fetch-outcome.ts'

/** `connecting`: nothing was sent yet; `waiting`: the request may have been sent. */
export type FailurePhase = 'connecting' | 'waiting'

const BY_CODE: Readonly<Record<string, FetchFailureCode>> = {
  UND_ERR_CONNECT_TIMEOUT: 'MINGA_CONNECT_TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'MINGA_RESPONSE_TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'MINGA_RESPONSE_TIMEOUT',
  UND_ERR_HEADERS_OVERFLOW: 'MINGA_HEADERS_TOO_LARGE',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'MINGA_BAD_RESPONSE',
  UND_ERR_INVALID_ARG: 'MINGA_REQUEST_INVALID',
  UND_ERR_NOT_SUPPORTED: 'MINGA_REQUEST_INVALID',
  UND_ERR_DESTROYED: 'MINGA_CANCELLED',
  UND_ERR_CLOSED: 'MINGA_CANCELLED',
  EPROTO: 'MINGA_TLS_FAILED',
}

/** OpenSSL verification results have no common prefix; these cover the list in Node's TLS documentation. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERROR_IN_CERT_|ERROR_IN_CRL_)/

export function failureCodeOf(error: unknown, phase: FailurePhase): FetchFailureCode {
  const code = codeOf(error)
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if (TLS_CODE.test(code)) return 'MINGA_TLS_FAILED'
  // undici gives parser errors no usable code.
  if (error instanceof errors.HTTPParserError) return 'MINGA_BAD_RESPONSE'
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)/.test(messageOf(error)))
    return 'MINGA_BAD_RESPONSE'
  if (code === 'ERR_HTTP2_ERROR' || code === 'ERR_HTTP2_SESSION_ERROR') return 'MINGA_BAD_RESPONSE'
  // The kernel's own time-out counts only while connecting; later it means a dead peer.
  if (phase === 'connecting' && code === 'ETIMEDOUT') return 'MINGA_CONNECT_TIMEOUT'
  // A reset during the TLS handshake is a connection that existed and went away.
  if (phase === 'connecting' && code !== 'ECONNRESET') return 'MINGA_CONNECT_REFUSED'
  return 'MINGA_CONNECTION_LOST'
}

/** One line without the trailing full stop, which the outcome's sentence adds. */
export function describe(error: unknown): string {
  const code = codeOf(error)
  const message = messageOf(error).split('\n', 1)[0]?.replace(/\.$/, '') ?? ''
  if (code === '') return message
  return message.includes(code) || message === '' ? message || code : `${message} (${code})`
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
