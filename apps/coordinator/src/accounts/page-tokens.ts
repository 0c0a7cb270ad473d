/**
 * The token that the page sends in addition to its cookie. A browser sends the cookie with every
 * request that any page triggers, including archived pages on another port of this machine; a
 * header it sends only for scripts of the station's own origin. The token is derived from its
 * session: it begins and ends with it, and a token planted before a login does not match any
 * session that the login opens.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@minga/protocol'
import type { StationSecrets } from '../station/secrets/station-secrets.ts'

export const PAGE_TOKEN_HEADER = 'x-minga-token'

interface PageTokenParts {
  secrets: StationSecrets
  clock: Clock
}

export class PageTokens {
  readonly #parts: PageTokenParts

  constructor(parts: PageTokenParts) {
    this.#parts = parts
  }

  of(session: string): string {
    return tokenOf(this.#parts.secrets.current, session)
  }

  /** Compares in constant time. A page that was open during a rotation stays valid. */
  isOf(session: string, shown: string): boolean {
    const { secrets, clock } = this.#parts
    const other = Buffer.from(shown)
    return secrets.accepted(clock.now()).some((secret) => {
      const own = Buffer.from(tokenOf(secret, session))
      return own.length === other.length && timingSafeEqual(own, other)
    })
  }
}

function tokenOf(secret: string, session: string): string {
  return createHmac('sha256', secret).update(`page ${session}`).digest('base64url')
}
