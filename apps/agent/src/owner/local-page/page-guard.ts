/**
 * Who may call the agent's page. It listens on loopback only, but a browser on this machine carries
 * other people's pages: the Host header stops DNS rebinding, Origin and Sec-Fetch-Site stop other
 * sites, and a call that changes something needs the token, which only this page's own text and a
 * file of the owner hold.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { PageForeigner, PageTokenRefused } from '../../errors.ts'

const TOKEN_HEADER = 'x-minga-token'

export interface PageGuard {
  port: number
  token: string
}

export interface PageCall {
  method: string
  headers: IncomingHttpHeaders
}

/** Throws the error that the caller receives. */
export function admit({ method, headers }: PageCall, { port, token }: PageGuard): void {
  const host = (headers.host ?? '').toLowerCase()
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) throw new PageForeigner(host)
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${host}`) throw new PageForeigner(origin)
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    // A link to the page may be followed from anywhere; what is read by scripts may not.
    if (headers['sec-fetch-mode'] !== 'navigate') throw new PageForeigner(site)
  }
  const shown = headers[TOKEN_HEADER]
  const isChange = method !== 'GET' && method !== 'HEAD'
  // Also when looking: a token of another start tells that the caller means another agent.
  if ((isChange || shown !== undefined) && !isSame(String(shown ?? ''), token)) {
    throw new PageTokenRefused()
  }
}

/** In a time that tells nothing of where they differ. */
function isSame(shown: string, token: string): boolean {
  return timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', token, 'buffer'))
}
