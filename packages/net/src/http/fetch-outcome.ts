/**
 * What a fetch can end as: an answer (possibly cut short) or one of a closed list of failures.
 * Every failure names its retry class, so that callers never interpret socket errors themselves.
 */
import type { Instant, Retry } from '@minga/protocol'
import type { CertificateFacts } from './certificate-facts.ts'
import { HEADER_CHARS_MAX } from '../input-limits.ts'

/** Header names and values as they travelled: order, case and repetitions kept. */
export type HeaderList = [string, string][]

/** Why a body ends early, in the words of the WARC field `WARC-Truncated`. */
export type Truncation = 'length' | 'time' | 'disconnect'

/** One line per way to fail: may the same request be tried again, and what happened in words. */
const FAILURES = {
  MINGA_ADDRESS_REFUSED: { retry: 'never', what: 'The address guard refused this target' },
  /** Later: a machine of the station, or one in another network, may fetch it. */
  MINGA_VOLUNTEER_REFUSED: { retry: 'later', what: "The volunteer's machine refused this request" },
  MINGA_REQUEST_INVALID: { retry: 'never', what: 'The request cannot be written as HTTP' },
  MINGA_CONNECT_REFUSED: { retry: 'later', what: 'No connection could be made' },
  MINGA_CONNECT_TIMEOUT: { retry: 'later', what: 'No connection was made in time' },
  MINGA_CONNECTION_LOST: { retry: 'later', what: 'The connection ended before an answer came' },
  MINGA_TLS_FAILED: { retry: 'never', what: 'No trusted TLS connection could be made' },
  MINGA_RESPONSE_TIMEOUT: { retry: 'later', what: 'No answer came in time' },
  MINGA_HEADERS_TOO_LARGE: {
    retry: 'never',
    what: 'The answer has more header bytes than allowed',
  },
  MINGA_BAD_RESPONSE: { retry: 'later', what: 'The answer is not valid HTTP' },
  MINGA_CANCELLED: { retry: 'now', what: 'The fetch was cancelled by its caller' },
} as const satisfies Record<`MINGA_${string}`, { retry: Retry; what: string }>

export type FetchFailureCode = keyof typeof FAILURES

export const FETCH_FAILURE_CODES = Object.keys(FAILURES) as FetchFailureCode[]

export interface FetchAnswer {
  ok: true
  status: number
  statusText: string
  httpVersion: '1.1' | '2'
  /** Exactly what was sent; over HTTP/2 `host` stands for `:authority`. */
  requestHeaders: HeaderList
  /** As received; over HTTP/2 names are lower case and repeated ones may arrive joined. */
  rawHeaders: HeaderList
  /** Transfer-decoding removed, content-encoding kept as received. */
  body: Buffer
  truncated: Truncation | null
  /** The server announced a Content-Length and ended the body at another length. */
  contentLengthMismatch: boolean
  address: string
  /** What the server showed; null without TLS. */
  certificate?: CertificateFacts | null
  startedAt: Instant
  /** From dialling to an open connection, without TLS; null when one was open already. */
  connectMs?: number | null
  /** From the call to the first byte of the answer. */
  firstByteMs: number
  /** From the call to the last byte. */
  totalMs: number
}

export interface FetchFailure {
  ok: false
  code: FetchFailureCode
  message: string
  retry: Retry
  address: string
  startedAt: Instant
  totalMs: number
}

export type FetchOutcome = FetchAnswer | FetchFailure

export function fetchFailure(
  code: FetchFailureCode,
  detail: string,
  where: { address: string; startedAt: Instant; totalMs: number },
): FetchFailure {
  const { retry, what } = FAILURES[code]
  const message = detail === '' ? `${what}.` : `${what}: ${detail}.`
  return { ok: false, code, message, retry, ...where }
}

/** A day: longer requests are as good as "not in this crawl", and a typo must not park a host for years. */
const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1000

/**
 * How long the server asks us to stay away (RFC 9110, 10.2.3), or null when it does not say.
 * The longest of several fields counts; a date in the past is 0.
 */
export function retryAfterMs(rawHeaders: HeaderList, now: Instant): number | null {
  let longest: number | null = null
  for (const [name, value] of rawHeaders) {
    if (name.length !== 11 || name.toLowerCase() !== 'retry-after') continue
    const ms = parseRetryAfter(value.slice(0, HEADER_CHARS_MAX).trim(), now)
    if (ms !== null && (longest === null || ms > longest)) longest = ms
  }
  return longest
}

function parseRetryAfter(value: string, now: Instant): number | null {
  if (/^\d+(\.\d*)?$/.test(value)) return Math.min(Number(value) * 1000, RETRY_AFTER_MAX_MS)
  // Date.parse reads far more than HTTP dates ("5 minutes" among them), so require a weekday and a clock time.
  if (!/^[A-Za-z]{3,9},? .*\d\d:\d\d/.test(value)) return null
  const at = Date.parse(/(GMT|UTC|[+-]\d{4})$/i.test(value) ? value : `${value} GMT`)
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, 0), RETRY_AFTER_MAX_MS)
}
