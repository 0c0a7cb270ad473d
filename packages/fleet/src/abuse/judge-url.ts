/** What a submitted or found URL is refused for, as far as its text tells. Pure and cheap. */
import { credentialsIn } from './credentials.ts'
import { injectionIn } from './injection.ts'

export type AbuseCode = 'MINGA_ABUSE_INJECTION' | 'MINGA_ABUSE_CREDENTIALS'

export interface AbuseVerdict {
  code: AbuseCode
  /** The kind of attack it resembles, for the operator who investigates it. */
  kind: string
}

/** Null when it is ordinary. The URL is canonical: what `canonicalUrl` of the net room answers. */
export function abuseIn(url: string): AbuseVerdict | null {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0 || start === url.length - 1) return null
  const pathAndQuery = url.slice(start)
  const injection = injectionIn(pathAndQuery)
  if (injection !== null) return { code: 'MINGA_ABUSE_INJECTION', kind: injection.kind }
  const credentials = credentialsIn(pathAndQuery)
  return credentials && { code: 'MINGA_ABUSE_CREDENTIALS', kind: credentials }
}
