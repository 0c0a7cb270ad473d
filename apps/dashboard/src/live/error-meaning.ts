/** Which sentence explains an error code; the sentences are in the catalogues under `error`. */

export const EXPLAINED_CODES: readonly string[] = [
  'MINGA_ADDRESS_REFUSED',
  'MINGA_BAD_RESPONSE',
  'MINGA_CANCELLED',
  'MINGA_CONNECTION_LOST',
  'MINGA_CONNECT_REFUSED',
  'MINGA_CONNECT_TIMEOUT',
  'MINGA_DNS_FAILED',
  'MINGA_DNS_NOT_FOUND',
  'MINGA_FILTERED',
  'MINGA_HEADERS_TOO_LARGE',
  'MINGA_HOST_ELSEWHERE',
  'MINGA_HOST_LIMIT',
  'MINGA_NO_PAGES',
  'MINGA_OUT_OF_SCOPE',
  'MINGA_REQUEST_INVALID',
  'MINGA_RESPONSE_TIMEOUT',
  'MINGA_ROBOTS_DENIED',
  'MINGA_ROBOTS_UNAVAILABLE',
  'MINGA_TLS_FAILED',
  'MINGA_TOO_MANY_REDIRECTS',
  'MINGA_TRAP',
  'MINGA_VOLUNTEER_REFUSED',
]

export function meaningKeyOf(code: string): string {
  if (EXPLAINED_CODES.includes(code)) return `error.${code}`
  const status = /^MINGA_HTTP_(\d)\d\d$/.exec(code)
  if (code === 'MINGA_HTTP_429') return 'error.http429'
  if (status?.[1] === '4') return 'error.http4'
  if (status?.[1] === '5') return 'error.http5'
  return 'error.unknown'
}

/** `MINGA_ROBOTS_DENIED` → `robots denied`; `MINGA_HTTP_500` → `HTTP 500`. */
export function readable(code: string): string {
  const words = code.replace(/^MINGA_/, '').replaceAll('_', ' ')
  return words.startsWith('HTTP ') ? words : words.toLowerCase()
}
